package httpapi

import (
	"net/http"
	"regexp"
	"slices"
)

// maxAge is how long a browser may remember an answer to a preflight, in seconds.
const maxAge = "600"

// headerNames are names of headers as a preflight lists them.
var headerNames = regexp.MustCompile(`^[A-Za-z0-9, -]{1,400}$`)

// admitsPage reports whether a request comes from a page of another site that may search,
// to a route that searches. A preflight asks for the route of the request that follows.
// See "CORS protocol" in the Fetch standard.
func (a Access) admitsPage(r *http.Request, mux *http.ServeMux, searching map[string]bool) bool {
	if origin := r.Header.Get("Origin"); origin == "" || !slices.Contains(a.Origins, origin) {
		return false
	}
	asked := r
	if isPreflight(r) {
		asked = r.Clone(r.Context())
		asked.Method = r.Header.Get("Access-Control-Request-Method")
	}
	_, route := mux.Handler(asked)
	return searching[route]
}

func isPreflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != ""
}

// admit lets the page of a request read the answer. It reports whether that is all to do,
// as for a preflight, which has no token.
func admit(w http.ResponseWriter, r *http.Request) (answered bool) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
	h.Add("Vary", "Origin")
	if !isPreflight(r) {
		return false
	}
	h.Set("Access-Control-Allow-Methods", r.Header.Get("Access-Control-Request-Method"))
	if asked := r.Header.Get("Access-Control-Request-Headers"); headerNames.MatchString(asked) {
		h.Set("Access-Control-Allow-Headers", asked)
	}
	h.Set("Access-Control-Max-Age", maxAge)
	w.WriteHeader(http.StatusNoContent)
	return true
}
