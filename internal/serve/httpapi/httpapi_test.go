package httpapi

import (
	"cmp"
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

	"indexerd/internal/index/query"
	"indexerd/internal/index/search"
)

// fakeEngine has one table, film.
type fakeEngine struct {
	waiting []string
	params  search.Params // of the last search
	verdict string
	halfway bool // a backup returns err after its first byte
	err     error

	once   sync.Once
	meters *Meters
}

func (f *fakeEngine) TableMetrics() []TableMetrics { return nil }

func (f *fakeEngine) Meters() *Meters {
	f.once.Do(func() { f.meters = NewMeters() })
	return f.meters
}

func (f *fakeEngine) Status(context.Context) Status {
	return Status{Version: "1", Sources: []SourceStatus{}, Tables: []TableStatus{}}
}

func (f *fakeEngine) Described(c search.Caller) []TableFields {
	if c.Sees("film") {
		return []TableFields{{Table: "film", Ready: true, Fields: []search.Named{{Name: "title", Words: true}}}}
	}
	return []TableFields{}
}

func (f *fakeEngine) Waiting() []string { return f.waiting }

func (f *fakeEngine) Search(_ context.Context, table string, p search.Params) (search.Results, error) {
	f.params = p
	if table == search.AllTables {
		r := resultsOf(table, search.Hit{Table: "film", OID: "7"})
		r.Missing = []string{"book"}
		return r, f.err
	}
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
	return Quarantine{Table: table, Rows: []QuarantinedRow{}, Next: &next}, f.err
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

func (f *fakeEngine) Move(r MoveRequest) (Run, error) {
	return Run{Run: "move " + r.From + " " + r.Config, State: "running"}, f.err
}

func (f *fakeEngine) StepDown(context.Context) error { return f.err }

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

// serve serves a request to 127.0.0.1:7700. header has names and values.
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

func TestResponses(t *testing.T) {
	for _, c := range []struct {
		name, method, target, body string
		engine                     *fakeEngine
		status                     int
		want                       string
	}{
		{"health", "GET", "/healthz", "", nil, 200, `{"ok":true}`},
		{"life", "GET", "/livez", "", nil, 200, `{"ok":true}`},
		{"status", "GET", "/api/v1/status", "", nil, 200, `"tables":[]`},
		{"tables", "GET", "/api/v1/tables", "", nil, 200, `{"access":"admin","tables":[{"table":"film","ready":true,"fields":[{"name":"title","words":true,"type":null}]}]}`},
		{"search by GET", "GET", "/api/v1/tables/film/search?q=drama", "", nil, 200, `["a <mark>b</mark>"]`},
		{"search by POST", "POST", "/api/v1/tables/film/search", `{"q":"drama"}`, nil, 200, `"oid":"7"`},
		{"search by an empty POST", "POST", "/api/v1/tables/film/search", "", nil, 200, `"oid":"7"`},
		{"search in all tables", "GET", "/api/v1/tables/*/search", "", nil, 200, `"total":0,"missing":["book"],"hits":[{"table":"film","oid":"7",`},
		{"search in all tables with an escaped star", "POST", "/api/v1/tables/%2A/search", "", nil, 200, `{"table":"*",`},
		{"document", "GET", "/api/v1/tables/film/docs/a%2Cb", "", nil, 200, `"oid":"a,b"`},
		{"document with an escaped slash in its key", "GET", "/api/v1/tables/film/docs/a%252Fb", "", nil, 200, `"oid":"a%2Fb"`},
		{"versions", "GET", "/api/v1/tables/film/versions/7", "", nil, 200, `{"table":"film","oid":"7","versions":[]}`},
		{"history", "GET", "/api/v1/tables/film/history", "", nil, 200, `{"table":"film","runs":[],"next":"size 50 after 0"}`},
		{"page of history", "GET", "/api/v1/tables/film/history?size=3&after=17", "", nil, 200, `"next":"size 3 after 17"`},
		{"page size above the maximum", "GET", "/api/v1/tables/film/history?size=1001", "", nil, 400, `"code":"bad_query"`},
		{"after that is no number", "GET", "/api/v1/tables/film/history?after=x", "", nil, 400, `"code":"bad_query"`},
		{"quarantine", "GET", "/api/v1/tables/film/quarantine?size=3&after=x", "", nil, 200, `{"table":"film","rows":[],"next":"size 3 after x"}`},
		{"explain", "GET", "/api/v1/tables/film/explain/7", "", nil, 200, `"oid":"7"`},
		{"run of a pass", "POST", "/api/v1/tables/film/run/incremental", "", nil, 202, `{"run":"1","state":"running"}`},
		{"sweep", "POST", "/api/v1/tables/film/sweep", "", nil, 202, `{"run":"0","state":"running"}`},
		{"sweep with allow", "POST", "/api/v1/tables/film/sweep", `{"allow":990}`, nil, 202, `{"run":"990","state":"running"}`},
		{"sweep with a negative allow", "POST", "/api/v1/tables/film/sweep", `{"allow":-1}`, nil, 400, `"code":"bad_query"`},
		{"body that is cut off", "POST", "/api/v1/tables/film/sweep", `{"allow":`, nil, 400, `"code":"bad_query"`},
		{"body with an unknown member", "POST", "/api/v1/tables/film/sweep", `{"alow":1}`, nil, 400, `"code":"bad_query"`},
		{"body with two objects", "POST", "/api/v1/tables/film/sweep", `{"allow":1}{"allow":2}`, nil, 400, `"code":"bad_query"`},
		{"verify", "POST", "/api/v1/verify", "", nil, 202, `{"run":"[] false false 30s","state":"running"}`},
		{"verify with all members", "POST", "/api/v1/verify", `{"tables":["film"],"content":true,"repair":true,"wait_s":1.5}`, nil, 202, `{"run":"[film] true true 1.5s","state":"running"}`},
		{"verify with a wait above the maximum", "POST", "/api/v1/verify", `{"wait_s":3601}`, nil, 400, `"code":"bad_query"`},
		{"reindex", "POST", "/api/v1/tables/film/reindex", "", nil, 202, `{"run":"reindex film","state":"running"}`},
		{"reload", "POST", "/api/v1/tables/film/reload", "", nil, 202, `{"run":"reload film","state":"running"}`},
		{"run", "GET", "/api/v1/runs/17", "", nil, 200, `{"run":"17","table":"","pass":"","state":"done","done":0,"of":0,"result":{},"error":null}`},
		{"cancel a run", "DELETE", "/api/v1/runs/17", "", nil, 200, `"run":"17"`},
		{"unknown table", "GET", "/api/v1/tables/flim/search", "", nil, 404, `"code":"unknown_table"`},
		{"unknown parameter", "GET", "/api/v1/tables/film/search?sise=3", "", nil, 400, `"hint":"did you mean size?"`},
		{"bad escape", "GET", "/api/v1/tables/film/search?q=%zz", "", nil, 400, `"code":"bad_query"`},
		{"body that is a list", "POST", "/api/v1/tables/film/search", `[]`, nil, 400, `"code":"bad_query"`},
		{"body too large", "POST", "/api/v1/tables/film/search", `{"q":"` + strings.Repeat("x", maxBody) + `"}`, nil, 413, `"code":"too_large"`},
		{"invalid query", "GET", "/api/v1/tables/film/search", "", &fakeEngine{err: &search.Error{Code: "bad_query", Message: "no field x", Hint: "did you mean y?"}}, 400, `{"error":{"code":"bad_query","message":"no field x","hint":"did you mean y?"}}`},
		{"unknown document", "GET", "/api/v1/tables/film/docs/9", "", &fakeEngine{err: &search.Error{Code: "not_found", Message: "film has no document 9"}}, 404, `"code":"not_found"`},
		{"not ready", "GET", "/api/v1/tables/film/search", "", &fakeEngine{err: &Error{http.StatusServiceUnavailable, "not_ready", "m", "h"}}, 503, `"code":"not_ready"`},
		{"busy", "GET", "/api/v1/tables/film/search", "", &fakeEngine{err: &Error{http.StatusTooManyRequests, "busy", "m", "h"}}, 429, `"code":"busy"`},
		{"deadline", "GET", "/api/v1/tables/film/search", "", &fakeEngine{err: context.DeadlineExceeded}, 504, `"code":"deadline"`},
		{"internal error", "GET", "/api/v1/tables/film/search", "", &fakeEngine{err: errors.New("disk")}, 500, `"code":"internal"`},
		{"unknown route", "GET", "/api/v2/status", "", nil, 404, `"code":"not_found"`},
		{"wrong method", "DELETE", "/api/v1/status", "", nil, 404, `"code":"not_found"`},
		{"explain of an absent row", "GET", "/api/v1/tables/film/explain/7", "", &fakeEngine{verdict: "absent"}, 404, `"verdict":"absent"`},
		{"backup", "POST", "/api/v1/backup", "", nil, 200, "tar"},
		{"failed backup", "POST", "/api/v1/backup", "", &fakeEngine{err: errors.New("disk")}, 500, "disk"},
		{"ready", "GET", "/readyz", "", nil, 200, `{"ready":true,"waiting":[]}`},
		{"not ready to serve", "GET", "/readyz", "", &fakeEngine{waiting: []string{"film: loading 41 %"}}, 503, `{"ready":false,"waiting":["film: loading 41 %"]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := serve(cmp.Or(c.engine, &fakeEngine{}), c.method, c.target, c.body)
			if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
				t.Errorf("got %d %s, want %d with %s", w.Code, w.Body, c.status, c.want)
			}
			if got := w.Header().Get("Retry-After"); (got == "1") != (c.status == 429) {
				t.Errorf("got Retry-After %q of %d", got, c.status)
			}
			if got := w.Header().Get("Content-Type"); strings.HasPrefix(got, "application/json") != json.Valid(w.Body.Bytes()) {
				t.Errorf("got content type %s of %s", got, w.Body)
			}
		})
	}
}

// A failure of a backup after its first byte must not look like a complete one.
func TestBackupThatFailsHalfwayIsAborted(t *testing.T) {
	defer func() {
		if got := recover(); got != http.ErrAbortHandler {
			t.Errorf("got panic %v, want %v", got, http.ErrAbortHandler)
		}
	}()
	serve(&fakeEngine{err: errors.New("disk"), halfway: true}, "POST", "/api/v1/backup", "")
}

func TestTimeIsRFC3339InUTC(t *testing.T) {
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

// TestStatusJSON compares the members that scripts rely on.
func TestStatusJSON(t *testing.T) {
	s := Status{Sources: []SourceStatus{{}}, Tables: []TableStatus{{Marks: Marks{Tiers: map[string]Time{}}, Passes: []PassStatus{{}}}}}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"version":"","running":false,"pid":0,"started":null,"now":"0001-01-01T00:00:00.000000Z","ready":false,` +
		`"disk":null,"sources":[{"source":"","driver":"","connected":false,"error":null,"pinned_by":null}],` +
		`"tables":[{"table":"","source":"","state":"","load":null,"documents":0,"followed_by":"","settled":{"at":null,"mode":"","reason":"","unverified":false},` +
		`"window":null,"lag_s":null,"marks":{"incremental":null,"tiers":{},"sweep":null},` +
		`"passes":[{"pass":"","tier":null,"running":false,"last":null,"took_ms":0,"next":null,"error":null}],` +
		`"held":null,"quarantined":0,"quarantined_visible":0,"quarantined_hidden":0,"partial":0,"out_of_range":0,"skipped":0,"silent":0,"comparison":null,"tree":{"entries":0,"bytes":0,"spilled_bytes":0},"storage":null,"lateness_ms":null,"last_error":null}]}`
	if string(text) != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}
