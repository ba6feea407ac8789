package httpapi

import (
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"indexerd/internal/index/search"
)

const (
	adminToken  = "t0ken-of-an-admin"
	searchToken = "t0ken-of-sales-staff"
)

var withTokens = Access{Listen: "127.0.0.1:7700", Tokens: []Token{
	{adminToken, search.Caller{Admin: true}},
	{searchToken, search.Caller{Groups: []string{"sales", "staff"}}},
}}

// serveWith serves a request with an Authorization header, if it is not empty.
func serveWith(e Engine, a Access, method, target, authorization string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(""))
	r.Host = withTokens.Listen
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	w := httptest.NewRecorder()
	Handler(e, a).ServeHTTP(w, r)
	return w
}

// TestTokens requests every route with every kind of token.
func TestTokens(t *testing.T) {
	type statuses struct{ missing, wrong, searcher, admin int }
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
		{"GET", "/livez", open},
		{"GET", "/readyz", open},
		{"GET", "/", open},
		{"GET", "/web/api.js", open},
		{"GET", "/api/v1/tables", forSearch},
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
		{"GET", "/web/../api/v1/status", statuses{401, 401, 403, 307}}, // redirects need a token too
	} {
		for who, authorization := range map[string]string{
			"no token": "", "no scheme": adminToken, "another scheme": "Basic " + adminToken, "scheme alone": "Bearer", "empty token": "Bearer ",
			"wrong": "Bearer t0ken-that-is-unknown", "prefix of a token": "Bearer " + adminToken[:len(adminToken)-1], "token with a suffix": "Bearer " + adminToken + "x",
			"upper case": "Bearer " + strings.ToUpper(adminToken), "two tokens": "Bearer " + adminToken + " " + searchToken,
			"searcher": "Bearer " + searchToken, "admin": "Bearer " + adminToken, "admin with a lower-case scheme": "bearer " + adminToken,
		} {
			want := c.want.wrong
			switch {
			case who == "no token":
				want = c.want.missing
			case who == "searcher":
				want = c.want.searcher
			case strings.HasPrefix(who, "admin"):
				want = c.want.admin
			}
			w := serveWith(&fakeEngine{}, withTokens, c.method, c.target, authorization)
			if w.Code != want {
				t.Errorf("%s %s with %s: got %d, want %d: %s", c.method, c.target, who, w.Code, want, w.Body)
			}
			code := map[int]string{401: `{"error":{"code":"unauthorized"`, 403: `{"error":{"code":"forbidden"`}[want]
			if !strings.HasPrefix(w.Body.String(), code) || (w.Header().Get("WWW-Authenticate") != "") != (want == 401) {
				t.Errorf("%s %s with %s: got %v %s", c.method, c.target, who, w.Header(), w.Body)
			}
			if strings.Contains(w.Body.String(), "t0ken") {
				t.Errorf("%s %s with %s: the answer shows a token: %s", c.method, c.target, who, w.Body)
			}
		}
		_, route := newMux(&fakeEngine{}, NewLimits(nil)).Handler(httptest.NewRequest(c.method, c.target, nil))
		tested[route] = true
	}
	for route := range openRoutes {
		if !tested[route] {
			t.Errorf("open route %s is missing in the table", route)
		}
	}
}

func TestTokenIdentifiesTheCallerOfASearch(t *testing.T) {
	for authorization, want := range map[string]search.Caller{
		"Bearer " + adminToken: {Admin: true}, "Bearer " + searchToken: {Groups: []string{"sales", "staff"}},
	} {
		for _, method := range []string{"GET", "POST"} {
			e := &fakeEngine{}
			if w := serveWith(e, withTokens, method, "/api/v1/tables/film/search", authorization); w.Code != 200 || !reflect.DeepEqual(e.params.Caller, want) {
				t.Errorf("%s: got %d and %+v, want %+v", method, w.Code, e.params.Caller, want)
			}
		}
	}
	e := &fakeEngine{}
	if serve(e, "GET", "/api/v1/tables/film/search", ""); !e.params.Caller.Admin {
		t.Errorf("without tokens: got %+v, want an admin", e.params.Caller)
	}
	e = &fakeEngine{}
	newMux(e, NewLimits(nil)).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/api/v1/tables/film/search", nil))
	if !reflect.DeepEqual(e.params.Caller, search.Caller{}) {
		t.Errorf("unauthorized: got %+v, want the zero caller", e.params.Caller)
	}
}
