package httpapi

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/x509"
	"net/http"
	"net/netip"
	"strings"

	"indexerd/internal/clients"
	"indexerd/internal/search"
)

// Access says who is answered. The zero Access is that of calls in process:
// whoever can open the data directory is an admin.
type Access struct {
	Listen      string            // the address listened on; empty for calls in process
	Certificate *x509.Certificate // which the server shows; nil without TLS
	Tokens      []Token           // none: everyone who reaches the address is an admin
	Proxies     clients.Proxies   // whose X-Forwarded-For is believed
	Limits      *Limits           // shared by all callers; nil for calls in process
}

// A Token is what a caller shows, and who that is.
type Token struct {
	Secret string
	Caller search.Caller
}

// What needs no token, and what any token may do, by the patterns of the
// routes. All else, and so whatever is added, is for admins.
var (
	openRoutes = map[string]bool{
		"GET /healthz": true, "GET /readyz": true, // for those who watch: no more than that it is up
		"GET /{$}": true, "GET /web/{file}": true, // the dashboard's files; what it shows it has to ask for
	}
	searchRoutes = map[string]bool{
		"GET /api/v1/tables/{table}/search": true, "POST /api/v1/tables/{table}/search": true,
	}
)

// authorize lets callers do what their token allows.
func (a Access) authorize(mux *http.ServeMux) http.Handler {
	keys := newKeyring(a.Tokens)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := asker{client: a.Proxies.Client(r.RemoteAddr, r.Header.Values("X-Forwarded-For"))}
		refusal := keys.identify(r, &who)
		_, route := mux.Handler(r)
		switch {
		case openRoutes[route]:
		case refusal != nil:
			a.refuse(w, r, who, refusal)
			return
		case !who.caller.Admin && !searchRoutes[route]:
			fail(w, &Error{http.StatusForbidden, "forbidden", "this token may only search", "ask with an admin's token"})
			return
		}
		mux.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), askerKey{}, who)))
	})
}

// refuse answers a request without a known token. An answer to a wrong token is
// delayed; one to a valid token never is, also from the same client.
func (a Access) refuse(w http.ResponseWriter, r *http.Request, who asker, refusal *Error) {
	clients.SetAuthenticated(r.Context(), false)
	if refusal == errWrongToken && !a.Limits.failures.Failed(r.Context(), who.client) {
		refusal = &Error{http.StatusTooManyRequests, "busy", "too many wrong tokens were shown", "see http.tokens in the server's configuration"}
	}
	if refusal.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="indexerd"`)
	}
	fail(w, refusal)
}

// An asker identifies who makes a request.
type asker struct {
	caller search.Caller
	client netip.Prefix
	token  int // the number of the token that was shown, from 1; 0: none
}

// askerKey is the key of a request's asker.
type askerKey struct{}

// askerOf returns who makes a request; the zero asker where the request was not authorized.
func askerOf(r *http.Request) asker {
	who, _ := r.Context().Value(askerKey{}).(asker)
	return who
}

// party is who has a share of the searches.
func (a asker) party() party { return party{a.client, a.token} }

// A keyring knows callers by the hashes of their tokens: those are compared in
// a time that says nothing of the token, not even its length.
type keyring []struct {
	hash   [sha256.Size]byte
	caller search.Caller
}

func newKeyring(tokens []Token) keyring {
	k := make(keyring, len(tokens))
	for i, t := range tokens {
		k[i].hash, k[i].caller = sha256.Sum256([]byte(t.Secret)), t.Caller
	}
	return k
}

// The refusals of requests without a known token.
var (
	errNoToken    = &Error{http.StatusUnauthorized, "unauthorized", "a token is needed", "send it as Authorization: Bearer TOKEN; the command takes it from INDEXERD_TOKEN"}
	errWrongToken = &Error{http.StatusUnauthorized, "unauthorized", "the token is none of this server's", "see http.tokens in its configuration"}
)

// identify finds out who makes a request, or returns why that is not known. A
// connection that showed a valid token is closed after those that did not.
func (k keyring) identify(r *http.Request, who *asker) (refusal *Error) {
	if len(k) == 0 {
		who.caller.Admin = true
		return nil
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return errNoToken
	}
	hash := sha256.Sum256([]byte(token))
	for i, key := range k {
		if subtle.ConstantTimeCompare(hash[:], key.hash[:]) == 1 {
			who.caller, who.token = key.caller, i+1
		}
	}
	if who.token == 0 {
		return errWrongToken
	}
	clients.SetAuthenticated(r.Context(), true)
	return nil
}
