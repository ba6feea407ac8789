package inspect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	_ "time/tzdata" // the same time zones on every machine

	"indexerd/configs"
	"indexerd/internal/base/doc"
	"indexerd/internal/base/timeunit"
	"indexerd/internal/index/fulltext/schema"
)

func film(t *testing.T, more string) *configs.Config {
	t.Helper()
	text := "data: " + filepath.Join(t.TempDir(), "data") + "\nsources:\n  db: {driver: postgres, dsn: 'postgres://h/d'}\n" +
		"tables:\n  film: {source: db, sql: SELECT * FROM film, key: id, updated: u, content: {fields: [title]}" + more + "}\n"
	cfg, err := configs.Parse("film.yaml", []byte(text), func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// A fakeServer is a server with given properties. Without any, it does not answer.
type fakeServer struct{ server doc.Server }

func (fakeServer) Address() string { return "db.example:5432/d" }
func (s fakeServer) Server(context.Context) (doc.Server, error) {
	if s.server.Version == "" {
		return s.server, errors.New("connection refused")
	}
	return s.server, nil
}

// fakeRows are a table of two rows without problems. The fields add problems.
type fakeRows struct {
	Rows                         // panics in methods that no test calls
	slow   bool                  // queries that may take long do not end
	read   func(n int) doc.Batch // the nth read of the sample; nil: the table has no sample
	fail   error                 // of the sample
	noPlan error                 // of what needs a plan

	zone                                 *time.Location
	shown                                func(time.Time) time.Time // converts times; nil: unknown zone
	tick                                 time.Duration
	unit                                 timeunit.Unit
	relations                            []doc.Relation
	writable                             []string
	plan                                 doc.Plan
	duplicate                            doc.OID
	empty, constant, maintained          bool
	many                                 int64         // rows, of which a page of 10,000 is read in 100 ms; 0: 2 rows
	sums                                 time.Duration // how long TokenSums takes; 0: there are none
	without, future, outOfRange, shownIn int

	reads int
}

var now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// answer returns an answer, or does not end if the table is slow.
func answer[T any](ctx context.Context, r *fakeRows, value T) (T, error) {
	if !r.slow {
		return value, nil
	}
	<-ctx.Done()
	return value, fmt.Errorf("query: %w", ctx.Err())
}

func (*fakeRows) Kinds() []doc.Kind                                   { return []doc.Kind{doc.Integer} }
func (r *fakeRows) Tick() time.Duration                               { return max(r.tick, time.Microsecond) }
func (r *fakeRows) Estimate(context.Context) (int64, error)           { return max(r.many, 2), r.noPlan }
func (r *fakeRows) Relations(context.Context) ([]doc.Relation, error) { return r.relations, r.noPlan }
func (r *fakeRows) Writable(context.Context) ([]string, error)        { return r.writable, r.noPlan }
func (*fakeRows) Now(context.Context) (time.Time, error)              { return now, nil }
func (r *fakeRows) Wall() *time.Location                              { return r.zone }
func (r *fakeRows) Units() map[string]timeunit.Unit                   { return map[string]timeunit.Unit{"sql": r.unit} }
func (r *fakeRows) Duplicate(ctx context.Context) (doc.OID, error) {
	return answer(ctx, r, r.duplicate)
}
func (r *fakeRows) Constant(ctx context.Context) (bool, error) { return answer(ctx, r, r.constant) }
func (r *fakeRows) OutOfRange(ctx context.Context) (int64, error) {
	return answer(ctx, r, int64(r.outOfRange))
}
func (r *fakeRows) WithoutUpdated(ctx context.Context, _ int) (int, error) {
	return answer(ctx, r, r.without)
}
func (r *fakeRows) UpdatedIn(ctx context.Context, _ doc.Window, _ int) (int, error) {
	return answer(ctx, r, r.future)
}
func (r *fakeRows) ShownIn(ctx context.Context, _ doc.Window, _ int) (int, error) {
	return answer(ctx, r, r.shownIn)
}
func (r *fakeRows) Count(ctx context.Context) (int64, error) {
	if r.empty {
		return 0, nil
	}
	return answer(ctx, r, int64(2))
}
func (r *fakeRows) Sample(ctx context.Context, _ int) ([]doc.OID, error) {
	if r.read == nil && r.fail == nil {
		return answer[[]doc.OID](ctx, r, nil)
	}
	return []doc.OID{"1", "2"}, nil
}
func (r *fakeRows) Docs(context.Context, []doc.OID) iter.Seq2[doc.Batch, error] {
	return func(yield func(doc.Batch, error) bool) {
		if r.fail != nil {
			yield(doc.Batch{}, r.fail)
			return
		}
		r.reads++
		yield(r.read(r.reads), nil)
	}
}
func (r *fakeRows) Plans(ctx context.Context, _ doc.Window, _ []doc.OID) ([]doc.Plan, error) {
	p := r.plan
	if r.noPlan != nil {
		return nil, r.noPlan
	}
	if p.By == nil {
		p.Path, p.By = "sql", []doc.Column{{Table: "film", Name: "u"}}
	}
	return answer(ctx, r, []doc.Plan{p})
}
func (r *fakeRows) Shown(_ context.Context, at []time.Time) (wall []time.Time, err error) {
	if r.shown == nil {
		return nil, errors.New("time zone not recognized")
	}
	for _, t := range at {
		wall = append(wall, r.shown(t))
	}
	return wall, nil
}

// A fakeHorizon is hidden for some readings, or always not exact.
type fakeHorizon struct {
	hidden, readings int
	reason           string
}

func (h *fakeHorizon) Horizon(context.Context) (doc.Horizon, error) {
	h.readings++
	if h.reason != "" || h.readings <= h.hidden {
		return doc.Horizon{Hidden: h.reason == "", Reason: cmp.Or(h.reason, "pid 7 hides when its transaction began")}, nil
	}
	return doc.Horizon{Exact: true, At: now}, nil
}

var goodServer = doc.Server{Version: "PostgreSQL 17", Role: "reader", SeesTransactions: true, Advice: doc.Advice{
	Account: "user", Super: "is an admin", Verify: "add tls", Reader: "CREATE USER", Read: "GRANT SELECT ON %s", Sight: "GRANT sight", Index: "CREATE INDEX %s ON %s", Analyze: "ANALYZE %s", Limit: "SET timeout = %d",
}}

// check returns the findings of the film.
func check(t *testing.T, cfg *configs.Config, server doc.Server, rows Rows, horizon Horizon) Findings {
	t.Helper()
	c := NewCheck(cfg)
	if c.Server(t.Context(), cfg.Sources[0], fakeServer{server}) {
		ctx, cancel := context.WithTimeout(t.Context(), TableWithin)
		defer cancel()
		c.Table(ctx, Table{Conf: cfg.Tables[0], Rows: rows, Horizon: horizon, Mapping: schema.Mapping{Content: []string{"title"}, Analyzer: "standard"}})
	}
	return c.Findings()
}

// codesOf returns the codes of a level.
func codesOf(f Findings, level string) (names []string) {
	for _, one := range f.Findings {
		if one.Level == level {
			names = append(names, one.Code)
		}
	}
	return names
}

func TestSlowQueriesAreCancelledAndReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		zone, err := time.LoadLocation("Europe/Berlin")
		if err != nil {
			t.Fatal(err)
		}
		cfg := film(t, ", timezone: Europe/Berlin")
		started := time.Now()
		f := check(t, cfg, doc.Server{Version: "slow"}, &fakeRows{slow: true, zone: zone, shown: func(at time.Time) time.Time { return at.In(zone) }}, nil)
		if took := time.Since(started); took > TableWithin {
			t.Errorf("got %v, want at most %v", took, TableWithin)
		}
		i := slices.IndexFunc(f.Findings, func(one Finding) bool { return one.Code == "not_looked_at" })
		if f.Errors+f.Warnings != 0 || i < 0 {
			t.Fatalf("got %+v, want not_looked_at, and no error or warning", f)
		}
		for _, what := range []string{"a sample of the rows", "plans", "the number of rows", "whether keys are unique"} {
			if !strings.Contains(f.Findings[i].What, what) {
				t.Errorf("got %q, want %q in it", f.Findings[i].What, what)
			}
		}
	})
}

func TestDatabasesWithOtherTimeZoneRulesAreReported(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	cet := time.FixedZone("CET", 3600)
	for _, c := range []struct {
		name  string
		shown func(time.Time) time.Time
		want  string
	}{
		{"the same rules", func(at time.Time) time.Time { return at.In(berlin) }, ""},
		{"without daylight saving time", func(at time.Time) time.Time { return at.In(cet) }, "by the database"},
		{"unknown to the database", nil, "not recognized"},
	} {
		f := check(t, film(t, ", timezone: Europe/Berlin"), goodServer, &fakeRows{zone: berlin, shown: c.shown}, nil)
		i := slices.IndexFunc(f.Findings, func(one Finding) bool { return one.Code == "zone_differs" })
		if i >= 0 != (c.want != "") || i >= 0 && !strings.Contains(f.Findings[i].What, c.want) {
			t.Errorf("%s: got %+v, want zone_differs with %q", c.name, f, c.want)
		}
	}
}

func TestClockChanges(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	all := clockChanges(berlin, doc.Window{From: now.AddDate(-1, 0, 0), To: now})
	var got []string
	for _, s := range all {
		w := s.wall()
		got = append(got, fmt.Sprintf("%v %s %s", s.by, w.From.Format("2006-01-02 15:04"), w.To.Format("15:04")))
	}
	want := []string{"-1h0m0s 2025-10-26 02:00 03:00", "1h0m0s 2026-03-29 02:00 03:00"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := clockChanges(time.UTC, doc.Window{From: now.AddDate(-1, 0, 0), To: now}); got != nil {
		t.Errorf("UTC: got %v, want none", got)
	}
}

func TestUnorderedAggregates(t *testing.T) {
	for sql, want := range map[string]string{
		"SELECT string_agg(a, ',') FROM x":                                           "string_agg",
		"SELECT STRING_AGG (a, ',' ORDER BY a) FROM x":                               "",
		"SELECT array_agg(a ORDER BY f(a)), json_agg(coalesce(a, '')) FROM x":        "json_agg",
		"SELECT group_concat(a) FROM (SELECT a FROM x ORDER BY a)":                   "group_concat",
		"SELECT my_string_agg(a), count(*), sum(a) FROM x":                           "",
		"SELECT string_agg(a, ')' ORDER BY a), max(b) FROM x":                        "string_agg", // quotes are ignored
		"SELECT array_agg((SELECT max(b) FROM y WHERE y.a = x.a) ORDER BY 1) FROM x": "",
	} {
		if got := unorderedAggregateOf(sql); got != want {
			t.Errorf("%s: got %q, want %q", sql, got, want)
		}
	}
}

func TestFindingsAreSortedByLevel(t *testing.T) {
	var f Findings
	for i, c := range []code{clockRead, noTLS, queryFailed, tableRead, superuser, volatileSQL} {
		f.add(c, configs.Fault{File: "f", Line: i})
	}
	var got []string
	for _, one := range f.Findings {
		got = append(got, one.Code)
	}
	want := []string{"query_failed", "volatile_sql", "no_tls", "superuser", "clock", "table"}
	if !slices.Equal(got, want) || f.Summary() != "2 errors, 2 warnings, 2 notes" {
		t.Errorf("got %v and %q, want %v", got, f.Summary(), want)
	}
}
