package httpapi

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/x509"
	"net/http"
	"strings"

	"indexerd/internal/search"
)

// Access says who is answered. The zero Access is that of calls in process:
// whoever can open the data directory is an admin.
type Access struct {
	Listen      string            // the address listened on; empty for calls in process
	Certificate *x509.Certificate // which the server shows; nil without TLS
	Tokens      []Token           // none: everyone who reaches the address is an admin
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
		caller, refusal := keys.caller(r)
		_, route := mux.Handler(r)
		switch {
		case openRoutes[route]:
		case refusal != nil:
			w.Header().Set("WWW-Authenticate", `Bearer realm="indexerd"`)
			fail(w, refusal)
			return
		case !caller.Admin && !searchRoutes[route]:
			fail(w, &Error{http.StatusForbidden, "forbidden", "this token may only search", "ask with an admin's token"})
			return
		}
		mux.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, caller)))
	})
}

// callerKey is the key of a request's caller.
type callerKey struct{}

// callerOf is who makes a request; the zero Caller where nobody looked.
func callerOf(r *http.Request) search.Caller {
	c, _ := r.Context().Value(callerKey{}).(search.Caller)
	return c
}

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

// caller finds out who makes a request, or why that is not known.
func (k keyring) caller(r *http.Request) (caller search.Caller, refusal *Error) {
	if len(k) == 0 {
		return search.Caller{Admin: true}, nil
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return caller, &Error{http.StatusUnauthorized, "unauthorized", "a token is needed", "send it as Authorization: Bearer TOKEN; the command takes it from INDEXERD_TOKEN"}
	}
	hash, known := sha256.Sum256([]byte(token)), false
	for _, key := range k {
		if subtle.ConstantTimeCompare(hash[:], key.hash[:]) == 1 {
			caller, known = key.caller, true
		}
	}
	if !known {
		return caller, &Error{http.StatusUnauthorized, "unauthorized", "the token is none of this server's", "see http.tokens in its configuration"}
	}
	return caller, nil
}
