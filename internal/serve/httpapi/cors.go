package httpapi

import (
	"net/http"
	"slices"
	"strings"
)

// maxAge is how long a browser may remember an answer to a preflight, in seconds.
const maxAge = "600"

// maxHeaderNames is the most bytes of the names of headers that a preflight may list.
const maxHeaderNames = 400

// areHeaderNames reports whether a text is names of headers as a preflight lists them.
func areHeaderNames(text string) bool {
	strange := strings.ContainsFunc(text, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(", -", r)
	})
	return text != "" && len(text) <= maxHeaderNames && !strange
}

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
	if asked := r.Header.Get("Access-Control-Request-Headers"); areHeaderNames(asked) {
		h.Set("Access-Control-Allow-Headers", asked)
	}
	h.Set("Access-Control-Max-Age", maxAge)
	w.WriteHeader(http.StatusNoContent)
	return true
}
