package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"indexerd/internal/query"
	"indexerd/internal/search"
)

// fakeEngine has one table, film.
type fakeEngine struct {
	waiting []string
	asked   search.Params
	err     error
}

func (f *fakeEngine) Status(context.Context) Status {
	return Status{Version: "1", Sources: []SourceStatus{}, Tables: []TableStatus{}}
}

func (f *fakeEngine) Waiting() []string { return f.waiting }

func (f *fakeEngine) Search(_ context.Context, table string, p search.Params) (search.Answer, error) {
	f.asked = p
	if table != "film" {
		return search.Answer{}, &Error{http.StatusNotFound, "unknown_table", "no table " + table, "there is film"}
	}
	return search.Answer{Table: table, Hits: []search.Hit{{OID: "7", Highlights: map[string][]string{"title": {"a <mark>b</mark>"}}}}, Facets: map[string][]query.Count{}}, f.err
}

func (f *fakeEngine) Doc(_ context.Context, table, oid string) (search.Document, error) {
	return search.Document{Table: table, OID: oid}, f.err
}

func (f *fakeEngine) Versions(_ context.Context, table, oid string) (search.Versions, error) {
	return search.Versions{Table: table, OID: oid, Versions: []search.Version{}}, f.err
}

func (f *fakeEngine) History(table string, size int, after int64) (History, error) {
	next := fmt.Sprintf("size %d after %d", size, after)
	return History{Table: table, Runs: []HistoryRun{}, Next: &next}, f.err
}

func serve(e Engine, method, target, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Host = "127.0.0.1:7700"
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	Handler(e, "127.0.0.1:7700").ServeHTTP(w, r)
	return w
}

func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		name, method, target, body string
		err                        error
		status                     int
		want                       string
	}{
		{"health", "GET", "/healthz", "", nil, 200, `{"ok":true}`},
		{"status", "GET", "/api/v1/status", "", nil, 200, `"tables":[]`},
		{"search by GET", "GET", "/api/v1/tables/film/search?q=drama", "", nil, 200, `["a <mark>b</mark>"]`},
		{"search by POST", "POST", "/api/v1/tables/film/search", `{"q":"drama"}`, nil, 200, `"oid":"7"`},
		{"search by an empty POST", "POST", "/api/v1/tables/film/search", "", nil, 200, `"oid":"7"`},
		{"a document", "GET", "/api/v1/tables/film/docs/a%2Cb", "", nil, 200, `"oid":"a,b"`},
		{"a document with an escaped slash", "GET", "/api/v1/tables/film/docs/a%252Fb", "", nil, 200, `"oid":"a%2Fb"`},
		{"versions", "GET", "/api/v1/tables/film/versions/7", "", nil, 200, `{"table":"film","oid":"7","versions":[]}`},
		{"history", "GET", "/api/v1/tables/film/history", "", nil, 200, `{"table":"film","runs":[],"next":"size 50 after 0"}`},
		{"a page of history", "GET", "/api/v1/tables/film/history?size=3&after=17", "", nil, 200, `"next":"size 3 after 17"`},
		{"a page too large", "GET", "/api/v1/tables/film/history?size=1001", "", nil, 400, `"code":"bad_query"`},
		{"a page after nothing", "GET", "/api/v1/tables/film/history?after=x", "", nil, 400, `"code":"bad_query"`},
		{"unknown table", "GET", "/api/v1/tables/flim/search", "", nil, 404, `"code":"unknown_table"`},
		{"unknown parameter", "GET", "/api/v1/tables/film/search?sise=3", "", nil, 400, `"hint":"did you mean size?"`},
		{"bad escape", "GET", "/api/v1/tables/film/search?q=%zz", "", nil, 400, `"code":"bad_query"`},
		{"body that is no object", "POST", "/api/v1/tables/film/search", `[]`, nil, 400, `"code":"bad_query"`},
		{"body too large", "POST", "/api/v1/tables/film/search", `{"q":"` + strings.Repeat("x", maxBody) + `"}`, nil, 413, `"code":"too_large"`},
		{"caller's fault", "GET", "/api/v1/tables/film/search", "", &search.Error{Code: "bad_query", Message: "no field x", Hint: "did you mean y?"}, 400, `{"error":{"code":"bad_query","message":"no field x","hint":"did you mean y?"}}`},
		{"no such document", "GET", "/api/v1/tables/film/docs/9", "", &search.Error{Code: "not_found", Message: "film has no document 9"}, 404, `"code":"not_found"`},
		{"not ready", "GET", "/api/v1/tables/film/search", "", &Error{http.StatusServiceUnavailable, "not_ready", "m", "h"}, 503, `"code":"not_ready"`},
		{"too slow", "GET", "/api/v1/tables/film/search", "", context.DeadlineExceeded, 504, `"code":"deadline"`},
		{"our fault", "GET", "/api/v1/tables/film/search", "", errors.New("disk"), 500, `"code":"internal"`},
		{"nothing there", "GET", "/api/v2/status", "", nil, 404, `"code":"not_found"`},
		{"wrong method", "DELETE", "/api/v1/status", "", nil, 404, `"code":"not_found"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := serve(&fakeEngine{err: c.err}, c.method, c.target, c.body)
			if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
				t.Errorf("got %d %s, want %d with %s", w.Code, w.Body, c.status, c.want)
			}
			if !json.Valid(w.Body.Bytes()) {
				t.Errorf("the body is not JSON: %s", w.Body)
			}
		})
	}
}

func TestReady(t *testing.T) {
	w := serve(&fakeEngine{}, "GET", "/readyz", "")
	if got, want := strings.TrimSpace(w.Body.String()), `{"ready":true,"waiting":[]}`; w.Code != 200 || got != want {
		t.Errorf("ready: got %d %s, want 200 %s", w.Code, got, want)
	}
	w = serve(&fakeEngine{waiting: []string{"film: loading 41 %"}}, "GET", "/readyz", "")
	if got, want := strings.TrimSpace(w.Body.String()), `{"ready":false,"waiting":["film: loading 41 %"]}`; w.Code != 503 || got != want {
		t.Errorf("loading: got %d %s, want 503 %s", w.Code, got, want)
	}
}

func TestWebPagesAreRefused(t *testing.T) {
	for _, c := range []struct {
		name   string
		header []string
		status int
	}{
		{"no browser", nil, 200},
		{"localhost", []string{"Host", "localhost:7700"}, 200},
		{"IPv6 loopback", []string{"Host", "[::1]:7700"}, 200},
		{"own page", []string{"Origin", "http://127.0.0.1:7700"}, 200},
		{"a name made to resolve here", []string{"Host", "evil.example:7700"}, 403},
		{"another port", []string{"Host", "127.0.0.1:80"}, 403},
		{"no port", []string{"Host", "localhost"}, 403},
		{"another page", []string{"Origin", "http://evil.example"}, 403},
		{"another page on this machine", []string{"Origin", "http://127.0.0.1:8080"}, 403},
		{"a page without an address", []string{"Origin", "null"}, 403},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, target := range []string{"/healthz", "/api/v1/tables/film/search"} {
				if w := serve(&fakeEngine{}, "GET", target, "", c.header...); w.Code != c.status {
					t.Errorf("%s: got %d, want %d: %s", target, w.Code, c.status, w.Body)
				}
			}
		})
	}
}

func TestTimesAreTheContracts(t *testing.T) {
	at := time.Date(2026, 2, 3, 4, 5, 6, 700_000_000, time.FixedZone("", 3600))
	got, err := json.Marshal(struct {
		A *Time `json:"a"`
		B *Time `json:"b"`
	}{TimeOrNull(at), TimeOrNull(time.Time{})})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"a":"2026-02-03T03:05:06.700000Z","b":null}`; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var back struct{ A Time }
	if err := json.Unmarshal(got, &back); err != nil || !time.Time(back.A).Equal(at) {
		t.Errorf("read back: got %v, %v, want %v", time.Time(back.A), err, at)
	}
}

// TestStatusHasEveryMember holds the names that scripts rely on.
func TestStatusHasEveryMember(t *testing.T) {
	s := Status{Sources: []SourceStatus{{}}, Tables: []TableStatus{{Marks: Marks{Tiers: map[string]Time{}}, Passes: []PassStatus{{}}}}}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"version":"","running":false,"pid":0,"started":null,"now":"0001-01-01T00:00:00.000000Z","ready":false,` +
		`"sources":[{"source":"","driver":"","connected":false,"error":null,"pinned_by":null}],` +
		`"tables":[{"table":"","source":"","state":"","load":null,"documents":0,"settled":{"at":null,"mode":"","reason":"","unverified":false},` +
		`"window":null,"lag_s":null,"marks":{"incremental":null,"tiers":{},"sweep":null},` +
		`"passes":[{"pass":"","tier":null,"running":false,"last":null,"took_ms":0,"next":null,"error":null}],` +
		`"held":null,"quarantined":0,"skipped":0,"tree":{"entries":0,"bytes":0,"spilled_bytes":0},"lateness_ms":null,"last_error":null}]}`
	if string(text) != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}
