package httpapi

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/x509"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"indexerd/internal/index/search"
	"indexerd/internal/serve/clients"
	"indexerd/internal/serve/signed"
)

// Access is the access control of a handler. The zero Access is for calls in
// process: a user who can open the data directory is an admin.
type Access struct {
	Listen      string            // address of the server; empty for calls in process
	Certificate *x509.Certificate // of the server; nil without TLS
	AnyHost     bool              // a proxy has the certificate, and a name that is not known here; all requests need a token
	Tokens      []Token           // empty: every client is an admin
	Keys        []signed.Key      // of tokens that an application signs; none without Tokens
	Origins     []string          // of pages of other sites that may search
	Proxies     clients.Proxies   // trusted to set X-Forwarded-For
	Limits      *Limits           // of the server; nil for calls in process
}

// A Token identifies a caller.
type Token struct {
	Secret string
	Caller search.Caller
}

// The routes that need no token and those that need any token. All other routes,
// and so every new one, need an admin's token.
var (
	openRoutes = map[string]bool{
		"GET /livez": true, "GET /healthz": true, "GET /readyz": true, // for monitoring: they show no data
		"GET /{$}": true, "GET /web/{file}": true, // the dashboard's files, which contain no data
	}
	searchRoutes = map[string]bool{
		"GET /api/v1/tables":                true,
		"GET /api/v1/tables/{table}/search": true, "POST /api/v1/tables/{table}/search": true,
	}
)

// authorize rejects requests that their token does not allow. The open routes need
// no token, and the searching routes any token.
func (a Access) authorize(mux *http.ServeMux, open, searching map[string]bool) http.Handler {
	tokens := known{hashTokens(a.Tokens), a.Keys}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := requester{client: a.Proxies.Client(r.RemoteAddr, r.Header.Values("X-Forwarded-For"))}
		rejection := tokens.identify(r, &who)
		_, route := mux.Handler(r)
		switch {
		case open[route]:
		case rejection != nil:
			a.reject(w, r, who, rejection)
			return
		case !who.caller.Admin && !searching[route]:
			writeError(w, &Error{http.StatusForbidden, "forbidden", "this token may only search", "use an admin's token"})
			return
		}
		mux.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requesterKey{}, who)))
	})
}

// reject writes the error response of a request without a valid token. It delays
// responses to unknown tokens. Requests of the same client with a valid token
// are not delayed.
func (a Access) reject(w http.ResponseWriter, r *http.Request, who requester, rejection *Error) {
	clients.SetAuthenticated(r.Context(), false)
	if rejection != errNoToken && !a.Limits.failures.Failed(r.Context(), who.client) {
		rejection = &Error{http.StatusTooManyRequests, "busy", "too many requests with unknown tokens", "see http.tokens in the server's configuration"}
	}
	if rejection.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="indexerd"`)
	}
	writeError(w, rejection)
}

// A requester is the origin of a request.
type requester struct {
	caller search.Caller
	client netip.Prefix
	token  int    // index of its token in Access.Tokens, plus 1; 0: none; signedToken: a signed one
	owner  string // hash of its token; "": none
}

// signedToken is the number of all signed tokens: they share the limit of their client.
const signedToken = -1

// requesterKey is the context key of a requester.
type requesterKey struct{}

// requesterOf returns the requester of an authorized request, and the zero
// requester for any other.
func requesterOf(r *http.Request) requester {
	who, _ := r.Context().Value(requesterKey{}).(requester)
	return who
}

// key returns what the search limit applies to.
func (r requester) key() limitKey { return limitKey{r.client, r.token} }

// hashedTokens are callers by the hash of their token. Comparing hashes takes a
// time that does not depend on the token or its length.
type hashedTokens []struct {
	hash   [sha256.Size]byte
	caller search.Caller
}

func hashTokens(tokens []Token) hashedTokens {
	k := make(hashedTokens, len(tokens))
	for i, t := range tokens {
		k[i].hash, k[i].caller = sha256.Sum256([]byte(t.Secret)), t.Caller
	}
	return k
}

var (
	errNoToken      = &Error{http.StatusUnauthorized, "unauthorized", "a token is needed", "send it as Authorization: Bearer TOKEN; the command takes it from INDEXERD_TOKEN"}
	errUnknownToken = &Error{http.StatusUnauthorized, "unauthorized", "the token is unknown", "see http.tokens in the server's configuration"}
)

// known are the tokens that are valid: those of the configuration, and those that one of
// the keys has signed.
type known struct {
	hashed hashedTokens
	keys   []signed.Key
}

// identify sets the caller and the token of who, or returns why it can't. A
// connection with a valid token is closed later than others at the server's
// connection limit.
func (k known) identify(r *http.Request, who *requester) (rejection *Error) {
	if len(k.hashed) == 0 {
		who.caller.Admin = true
		return nil
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return errNoToken
	}
	hash := sha256.Sum256([]byte(token))
	for i, key := range k.hashed {
		if subtle.ConstantTimeCompare(hash[:], key.hash[:]) == 1 {
			who.caller, who.token, who.owner = key.caller, i+1, string(hash[:])
		}
	}
	if who.token == 0 && len(k.keys) > 0 && signed.Looks(token) {
		caller, err := signed.Verify(token, k.keys, time.Now())
		if err != nil {
			return &Error{http.StatusUnauthorized, "unauthorized", err.Error(), "sign another one, with a key of http.signed_tokens in the server's configuration"}
		}
		who.caller, who.token, who.owner = caller, signedToken, string(hash[:])
	}
	if who.token == 0 {
		return errUnknownToken
	}
	clients.SetAuthenticated(r.Context(), true)
	return nil
}
