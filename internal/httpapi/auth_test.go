package httpapi

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"indexerd/internal/search"
)

const (
	adminToken  = "t0ken-of-an-admin"
	searchToken = "t0ken-of-sales-staff"
)

var guarded = Access{Listen: "127.0.0.1:7700", Tokens: []Token{
	{adminToken, search.Caller{Admin: true}},
	{searchToken, search.Caller{Groups: []string{"sales", "staff"}}},
}}

func askGuarded(e Engine, method, target, authorization string) *httptest.ResponseRecorder {
	return askOf(e, guarded, method, target, authorization)
}

// askWith asks an engine that finds one document.
func askWith(a Access, method, target, authorization string) *httptest.ResponseRecorder {
	return askOf(&fakeEngine{}, a, method, target, authorization)
}

func askOf(e Engine, a Access, method, target, authorization string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(""))
	r.Host = guarded.Listen
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	w := httptest.NewRecorder()
	Handler(e, a).ServeHTTP(w, r)
	return w
}

// TestTokens asks every route as everyone.
func TestTokens(t *testing.T) {
	type statuses struct{ nobody, wrong, searcher, admin int }
	const film = "/api/v1/tables/film/"
	open := statuses{200, 200, 200, 200}
	forSearch := statuses{401, 401, 200, 200}
	forAdmins, starts, nothing := statuses{401, 401, 403, 200}, statuses{401, 401, 403, 202}, statuses{401, 401, 403, 404}
	tested := map[string]bool{}
	for _, c := range []struct {
		method, target string
		want           statuses
	}{
		{"GET", "/healthz", open},
		{"HEAD", "/healthz", open},
		{"GET", "/readyz", open},
		{"GET", "/", open},
		{"GET", "/web/api.js", open},
		{"GET", film + "search?q=drama", forSearch},
		{"HEAD", film + "search", forSearch},
		{"POST", film + "search", forSearch},
		{"GET", "/metrics", forAdmins},
		{"GET", "/api/v1/status", forAdmins},
		{"GET", film + "docs/7", forAdmins},
		{"GET", film + "versions/7", forAdmins},
		{"GET", film + "explain/7", forAdmins},
		{"GET", film + "explain/search", forAdmins},
		{"GET", film + "history", forAdmins},
		{"GET", film + "quarantine", forAdmins},
		{"POST", film + "run/incremental", starts},
		{"POST", film + "sweep", starts},
		{"POST", film + "reindex", starts},
		{"POST", film + "reload", starts},
		{"POST", "/api/v1/verify", starts},
		{"POST", "/api/v1/backup", forAdmins},
		{"GET", "/api/v1/runs/1", forAdmins},
		{"DELETE", "/api/v1/runs/1", forAdmins},
		{"DELETE", film + "search", nothing},
		{"GET", film + "search/more", nothing},
		{"POST", "/healthz", nothing},
		{"GET", "/nothing", nothing},
		{"GET", "/web/../api/v1/status", statuses{401, 401, 403, 307}}, // whither a path leads is not said either
	} {
		for who, authorization := range map[string]string{
			"nobody": "", "no scheme": adminToken, "another scheme": "Basic " + adminToken, "no token": "Bearer", "an empty one": "Bearer ",
			"wrong": "Bearer t0ken-of-nobody-here", "the beginning": "Bearer " + adminToken[:len(adminToken)-1], "more": "Bearer " + adminToken + "x",
			"another case": "Bearer " + strings.ToUpper(adminToken), "two": "Bearer " + adminToken + " " + searchToken,
			"searcher": "Bearer " + searchToken, "admin": "Bearer " + adminToken, "admin, scheme in lower case": "bearer " + adminToken,
		} {
			want := c.want.wrong
			switch {
			case who == "nobody":
				want = c.want.nobody
			case who == "searcher":
				want = c.want.searcher
			case strings.HasPrefix(who, "admin"):
				want = c.want.admin
			}
			w := askGuarded(&fakeEngine{}, c.method, c.target, authorization)
			if w.Code != want {
				t.Errorf("%s %s by %s: got %d, want %d: %s", c.method, c.target, who, w.Code, want, w.Body)
			}
			code := map[int]string{401: `{"error":{"code":"unauthorized"`, 403: `{"error":{"code":"forbidden"`}[want]
			if !strings.HasPrefix(w.Body.String(), code) || (w.Header().Get("WWW-Authenticate") != "") != (want == 401) {
				t.Errorf("%s %s by %s: got %v %s", c.method, c.target, who, w.Header(), w.Body)
			}
			if strings.Contains(w.Body.String(), "t0ken") {
				t.Errorf("%s %s by %s: the answer shows a token: %s", c.method, c.target, who, w.Body)
			}
		}
		_, route := routesOf(&fakeEngine{}, NewLimits(nil)).Handler(httptest.NewRequest(c.method, c.target, nil))
		tested[route] = true
	}
	for route := range openRoutes {
		if !tested[route] {
			t.Errorf("%s is open, and is no route of the table", route)
		}
	}
}

// Who searches is said by the token and by nothing else.
func TestTokenSaysWhoSearches(t *testing.T) {
	for authorization, want := range map[string]search.Caller{
		"Bearer " + adminToken: {Admin: true}, "Bearer " + searchToken: {Groups: []string{"sales", "staff"}},
	} {
		for _, method := range []string{"GET", "POST"} {
			e := &fakeEngine{}
			if w := askGuarded(e, method, "/api/v1/tables/film/search", authorization); w.Code != 200 || !reflect.DeepEqual(e.asked.Caller, want) {
				t.Errorf("%s: got %d and %+v, want %+v", method, w.Code, e.asked.Caller, want)
			}
		}
	}
	e := &fakeEngine{}
	if serve(e, "GET", "/api/v1/tables/film/search", ""); !e.asked.Caller.Admin {
		t.Errorf("without tokens: got %+v, want an admin", e.asked.Caller)
	}
	e = &fakeEngine{}
	routesOf(e, NewLimits(nil)).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/api/v1/tables/film/search", nil))
	if !reflect.DeepEqual(e.asked.Caller, search.Caller{}) {
		t.Errorf("unasked: got %+v, want nobody", e.asked.Caller)
	}
}

// A server that other machines reach has names: those of its certificate.
func TestNamesOfTheServer(t *testing.T) {
	a := Access{Listen: "[::]:7700", Certificate: &x509.Certificate{
		DNSNames: []string{"search.example", "*.wild.example"}, IPAddresses: []net.IP{net.ParseIP("192.0.2.1"), net.ParseIP("2001:db8::1")},
	}}
	for host, want := range map[string]int{
		"search.example:7700": 200, "search.example": 200, "SEARCH.example:8443": 200, "a.wild.example": 200, "192.0.2.1:7700": 200, "[2001:db8::1]:7700": 200,
		"[::]:7700": 200, "localhost:7700": 200, "127.0.0.1:7700": 200, "198.51.100.7:7700": 200,
		"evil.example:7700": 403, "search.example.evil.example": 403, "a.b.wild.example": 403, "192.0.2.2:7700": 403, "198.51.100.7:443": 403, "": 403,
		"localhost": 403, "localhost:443": 403,
	} {
		r := httptest.NewRequest("GET", "/healthz", nil)
		to := &net.TCPAddr{IP: net.ParseIP("198.51.100.7"), Port: 7700}
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(to)))
		r.Host, r.TLS = host, &tls.ConnectionState{}
		w := httptest.NewRecorder()
		Handler(&fakeEngine{}, a).ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("host %q: got %d, want %d: %s", host, w.Code, want, w.Body)
		}
	}
	r := httptest.NewRequest("GET", "/healthz", nil)
	r.Host, r.TLS = "localhost", &tls.ConnectionState{}
	w := httptest.NewRecorder()
	Handler(&fakeEngine{}, Access{Listen: "[::]:443"}).ServeHTTP(w, r)
	if w.Code != 200 {
		t.Errorf("port 443 left out: got %d, want 200: %s", w.Code, w.Body)
	}
}
