package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"indexerd/internal/query"
	"indexerd/internal/search"
)

// fakeEngine has one table, film.
type fakeEngine struct {
	waiting []string
	asked   search.Params
	verdict string
	halfway bool // err comes after the first byte
	err     error

	measured sync.Once
	meters   *Meters
}

func (f *fakeEngine) Measures() []TableMeasures { return nil }

func (f *fakeEngine) Meters() *Meters {
	f.measured.Do(func() { f.meters = NewMeters() })
	return f.meters
}

func (f *fakeEngine) Status(context.Context) Status {
	return Status{Version: "1", Sources: []SourceStatus{}, Tables: []TableStatus{}}
}

func (f *fakeEngine) Waiting() []string { return f.waiting }

func (f *fakeEngine) Search(_ context.Context, table string, p search.Params) (search.Results, error) {
	f.asked = p
	if table != "film" {
		return search.Results{}, &Error{http.StatusNotFound, "unknown_table", "no table " + table, "there is film"}
	}
	return resultsOf(table, search.Hit{OID: "7", Highlights: map[string][]string{"title": {"a <mark>b</mark>"}}}), f.err
}

func resultsOf(table string, hits ...search.Hit) search.Results {
	return search.Results{
		Table: table, Facets: map[string][]query.Count{}, Len: len(hits),
		Hit: func(_ context.Context, i int) (search.Hit, error) { return hits[i], nil },
		Next: func(n int) *string {
			if n == len(hits) {
				return nil
			}
			next := "after " + hits[n-1].OID
			return &next
		},
	}
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

func (f *fakeEngine) Explain(_ context.Context, table, oid string) (Explanation, error) {
	return Explanation{Table: table, OID: oid, Verdict: f.verdict}, f.err
}

func (f *fakeEngine) Quarantine(table string, size int, after string) (Quarantine, error) {
	next := fmt.Sprintf("size %d after %s", size, after)
	return Quarantine{Table: table, Rows: []SetAside{}, Next: &next}, f.err
}

func (f *fakeEngine) RunPass(table, pass string) (Run, error) {
	return Run{Run: "1", Table: table, Pass: pass, State: "running"}, f.err
}

func (f *fakeEngine) Sweep(_ string, allow int) (Run, error) {
	return Run{Run: fmt.Sprint(allow), State: "running"}, f.err
}

func (f *fakeEngine) Verify(p VerifyRequest) (Run, error) {
	return Run{Run: fmt.Sprintf("%v %t %t %v", p.Tables, p.Content, p.Repair, p.Wait()), State: "running"}, f.err
}

func (f *fakeEngine) Reindex(table string) (Run, error) {
	return Run{Run: "reindex " + table, State: "running"}, f.err
}

func (f *fakeEngine) Reload(table string) (Run, error) {
	return Run{Run: "reload " + table, State: "running"}, f.err
}

func (f *fakeEngine) Run(id string) (Run, error) {
	return Run{Run: id, State: "done", Result: json.RawMessage("{}")}, f.err
}

func (f *fakeEngine) Backup(_ context.Context, w io.Writer) error {
	if f.err == nil || f.halfway {
		io.WriteString(w, "tar")
	}
	return f.err
}

func (f *fakeEngine) Cancel(id string) (Run, error) { return f.Run(id) }

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
	Handler(e, Access{Listen: "127.0.0.1:7700"}).ServeHTTP(w, r)
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
		{"quarantine", "GET", "/api/v1/tables/film/quarantine?size=3&after=x", "", nil, 200, `{"table":"film","rows":[],"next":"size 3 after x"}`},
		{"explain", "GET", "/api/v1/tables/film/explain/7", "", nil, 200, `"oid":"7"`},
		{"run a pass", "POST", "/api/v1/tables/film/run/incremental", "", nil, 202, `{"run":"1","state":"running"}`},
		{"sweep", "POST", "/api/v1/tables/film/sweep", "", nil, 202, `{"run":"0","state":"running"}`},
		{"sweep that allows", "POST", "/api/v1/tables/film/sweep", `{"allow":990}`, nil, 202, `{"run":"990","state":"running"}`},
		{"sweep that allows nothing sensible", "POST", "/api/v1/tables/film/sweep", `{"allow":-1}`, nil, 400, `"code":"bad_query"`},
		{"sweep with a body that is no object", "POST", "/api/v1/tables/film/sweep", `{"allow":`, nil, 400, `"code":"bad_query"`},
		{"sweep with a member it does not know", "POST", "/api/v1/tables/film/sweep", `{"alow":1}`, nil, 400, `"code":"bad_query"`},
		{"sweep with two bodies", "POST", "/api/v1/tables/film/sweep", `{"allow":1}{"allow":2}`, nil, 400, `"code":"bad_query"`},
		{"verify", "POST", "/api/v1/verify", "", nil, 202, `{"run":"[] false false 30s","state":"running"}`},
		{"verify in full", "POST", "/api/v1/verify", `{"tables":["film"],"content":true,"repair":true,"wait_s":1.5}`, nil, 202, `{"run":"[film] true true 1.5s","state":"running"}`},
		{"verify that waits too long", "POST", "/api/v1/verify", `{"wait_s":3601}`, nil, 400, `"code":"bad_query"`},
		{"reindex", "POST", "/api/v1/tables/film/reindex", "", nil, 202, `{"run":"reindex film","state":"running"}`},
		{"reload", "POST", "/api/v1/tables/film/reload", "", nil, 202, `{"run":"reload film","state":"running"}`},
		{"a run", "GET", "/api/v1/runs/17", "", nil, 200, `{"run":"17","table":"","pass":"","state":"done","done":0,"of":0,"result":{},"error":null}`},
		{"cancel a run", "DELETE", "/api/v1/runs/17", "", nil, 200, `"run":"17"`},
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

// What nobody knows is not found, and still says in full who was asked.
func TestExplainOfWhatIsAbsent(t *testing.T) {
	w := serve(&fakeEngine{verdict: "absent"}, "GET", "/api/v1/tables/film/explain/7", "")
	if got := w.Body.String(); w.Code != 404 || !strings.Contains(got, `"verdict":"absent"`) {
		t.Errorf("got %d %s, want 404 and the verdict", w.Code, got)
	}
}

// A backup that fails before its first byte is answered with the error; later
// the stream is cut off, since nobody must take half of it for the whole.
func TestBackup(t *testing.T) {
	if w := serve(&fakeEngine{}, "POST", "/api/v1/backup", ""); w.Code != 200 || w.Body.String() != "tar" {
		t.Errorf("got %d %s, want 200 and the tar", w.Code, w.Body)
	}
	if w := serve(&fakeEngine{err: errors.New("disk")}, "POST", "/api/v1/backup", ""); w.Code != 500 || !strings.Contains(w.Body.String(), "disk") {
		t.Errorf("failed at once: got %d %s, want 500 and the error", w.Code, w.Body)
	}
	defer func() {
		if got := recover(); got != http.ErrAbortHandler {
			t.Errorf("failed half-way: got panic %v, want the stream cut off", got)
		}
	}()
	serve(&fakeEngine{err: errors.New("disk"), halfway: true}, "POST", "/api/v1/backup", "")
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
		`"held":null,"quarantined":0,"quarantined_visible":0,"quarantined_hidden":0,"out_of_range":0,"skipped":0,"tree":{"entries":0,"bytes":0,"spilled_bytes":0},"lateness_ms":null,"last_error":null}]}`
	if string(text) != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}
