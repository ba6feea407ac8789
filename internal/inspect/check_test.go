package inspect

import (
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
	_ "time/tzdata" // the same zones on every machine

	"indexerd/configs"
	"indexerd/internal/doc"
	"indexerd/internal/fulltext"
	"indexerd/internal/timeunit"
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

// A fakeServer is what a database says of itself.
type fakeServer struct{ says doc.Server }

func (fakeServer) Address() string                              { return "db.example:5432/d" }
func (s fakeServer) Server(context.Context) (doc.Server, error) { return s.says, nil }

// fakeRows are two films of a table that nothing is wrong with.
type fakeRows struct {
	Rows  // panics where it is asked what no test expects
	zone  *time.Location
	shown func(time.Time) time.Time
	slow  bool // whatever may take long does
}

var now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// ask takes as long as it may, if it is slow.
func (r fakeRows) ask(ctx context.Context) error {
	if !r.slow {
		return nil
	}
	<-ctx.Done()
	return fmt.Errorf("ask: %w", ctx.Err())
}

func (fakeRows) Kinds() []doc.Kind                                 { return []doc.Kind{doc.Integer} }
func (fakeRows) Tick() time.Duration                               { return time.Microsecond }
func (fakeRows) Estimate(context.Context) (int64, error)           { return 2, nil }
func (fakeRows) Relations(context.Context) ([]doc.Relation, error) { return nil, nil }
func (fakeRows) Writable(context.Context) ([]string, error)        { return nil, nil }
func (fakeRows) Now(context.Context) (time.Time, error)            { return now, nil }
func (r fakeRows) Wall() *time.Location                            { return r.zone }
func (r fakeRows) Count(ctx context.Context) (int64, error)        { return 2, r.ask(ctx) }
func (r fakeRows) Duplicate(ctx context.Context) (doc.OID, error)  { return "", r.ask(ctx) }
func (r fakeRows) Units() map[string]timeunit.Unit {
	return map[string]timeunit.Unit{"sql": timeunit.Milliseconds}
}
func (r fakeRows) OutOfRange(ctx context.Context) (int64, error) { return 0, r.ask(ctx) }
func (r fakeRows) Constant(ctx context.Context) (bool, error)    { return false, r.ask(ctx) }
func (r fakeRows) Sample(ctx context.Context, _ int) ([]doc.OID, error) {
	return nil, r.ask(ctx)
}
func (r fakeRows) WithoutUpdated(ctx context.Context, _ int) (int, error) { return 0, r.ask(ctx) }
func (r fakeRows) UpdatedIn(ctx context.Context, _ doc.Window, _ int) (int, error) {
	return 0, r.ask(ctx)
}
func (r fakeRows) ShownIn(ctx context.Context, _ doc.Window, _ int) (int, error) {
	return 0, r.ask(ctx)
}
func (r fakeRows) Plans(ctx context.Context, _ doc.Window, _ []doc.OID) ([]doc.Plan, error) {
	return []doc.Plan{{Path: "sql", By: []doc.Column{{Table: "film", Name: "u"}}}}, r.ask(ctx)
}
func (fakeRows) Docs(context.Context, []doc.OID) iter.Seq2[doc.Batch, error] {
	return func(func(doc.Batch, error) bool) {}
}
func (r fakeRows) Shown(_ context.Context, at []time.Time) (figures []time.Time, err error) {
	if r.shown == nil {
		return nil, errors.New("time zone not recognized")
	}
	for _, t := range at {
		figures = append(figures, r.shown(t))
	}
	return figures, nil
}

// check looks at the film, whose database says what it says.
func check(t *testing.T, cfg *configs.Config, says doc.Server, rows Rows) Findings {
	t.Helper()
	c := NewCheck(cfg)
	if !c.Server(t.Context(), cfg.Sources[0], fakeServer{says}) {
		t.Fatal("got no answer of a database that answers")
	}
	ctx, cancel := context.WithTimeout(t.Context(), TableWithin)
	defer cancel()
	c.Table(ctx, Table{Conf: cfg.Tables[0], Rows: rows, Mapping: fulltext.Mapping{Content: []string{"title"}, Analyzer: "standard"}})
	return c.Findings()
}

func codesOf(f Findings, level string) (names []string) {
	for _, one := range f.Findings {
		if one.Level == level {
			names = append(names, one.Code)
		}
	}
	return names
}

func TestServerFindings(t *testing.T) {
	good := doc.Server{Version: "PostgreSQL 17", Role: "reader", Sees: true, Now: time.Now()}
	for _, c := range []struct {
		name string
		edit func(*doc.Server)
		want []string
	}{
		{"this machine", func(*doc.Server) {}, nil},
		{"a network, checked", func(s *doc.Server) { s.Remote, s.TLS, s.Verified = true, "TLS 1.3", true }, nil},
		{"a network, in the clear", func(s *doc.Server) { s.Remote = true }, []string{"no_tls"}},
		{"a network, and whoever answers", func(s *doc.Server) { s.Remote, s.TLS = true, "TLS 1.3" }, []string{"tls_unverified"}},
		{"this machine, and whoever answers", func(s *doc.Server) { s.TLS = "TLS 1.3" }, nil},
		{"a clock that is late", func(s *doc.Server) { s.Now = time.Now().Add(-time.Minute) }, []string{"clock_offset"}},
		{"a clock that is early", func(s *doc.Server) { s.Now = time.Now().Add(time.Minute) }, []string{"clock_offset"}},
		{"a superuser", func(s *doc.Server) { s.Superuser = true }, []string{"superuser"}},
	} {
		says := good
		c.edit(&says)
		f := check(t, film(t, ""), says, fakeRows{})
		if got := codesOf(f, Warning); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v: %+v", c.name, got, c.want, f)
		}
	}
}

// What takes too long is left, and said, and the check ends in time.
func TestSlowQuestionsAreLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		zone, err := time.LoadLocation("Europe/Berlin")
		if err != nil {
			t.Fatal(err)
		}
		cfg := film(t, ", timezone: Europe/Berlin")
		started := time.Now()
		f := check(t, cfg, doc.Server{Version: "slow"}, fakeRows{slow: true, zone: zone, shown: func(at time.Time) time.Time { return at.In(zone) }})
		if took := time.Since(started); took > TableWithin {
			t.Errorf("got %v, want at most %v", took, TableWithin)
		}
		i := slices.IndexFunc(f.Findings, func(one Finding) bool { return one.Code == "not_looked_at" })
		if f.Errors+f.Warnings != 0 || i < 0 {
			t.Fatalf("got %+v, want nothing wrong, and not_looked_at", f)
		}
		for _, what := range []string{"a sample of the rows", "plans", "the number of rows", "whether a key comes twice"} {
			if !strings.Contains(f.Findings[i].What, what) {
				t.Errorf("got %q, want %q in it", f.Findings[i].What, what)
			}
		}
	})
}

func TestZoneFindings(t *testing.T) {
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
		{"the same", func(at time.Time) time.Time { return at.In(berlin) }, ""},
		{"without summer time", func(at time.Time) time.Time { return at.In(cet) }, "by the database"},
		{"a zone that the database does not know", nil, "not recognized"},
	} {
		f := check(t, film(t, ", timezone: Europe/Berlin"), doc.Server{}, fakeRows{zone: berlin, shown: c.shown})
		i := slices.IndexFunc(f.Findings, func(one Finding) bool { return one.Code == "zone_differs" })
		if i >= 0 != (c.want != "") || i >= 0 && !strings.Contains(f.Findings[i].What, c.want) {
			t.Errorf("%s: got %+v, want zone_differs with %q", c.name, f, c.want)
		}
	}
}

func TestShifts(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	all := shifts(berlin, doc.Window{From: now.AddDate(-1, 0, 0), To: now})
	var got []string
	for _, s := range all {
		w := s.figures()
		got = append(got, fmt.Sprintf("%v %s %s", s.by, w.From.Format("2006-01-02 15:04"), w.To.Format("15:04")))
	}
	want := []string{"-1h0m0s 2025-10-26 02:00 03:00", "1h0m0s 2026-03-29 02:00 03:00"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := shifts(time.UTC, doc.Window{From: now.AddDate(-1, 0, 0), To: now}); got != nil {
		t.Errorf("UTC: got %v, want none", got)
	}
}

func TestFullDisk(t *testing.T) {
	for free, want := range map[uint64]int{leastFree - 1: 1, leastFree: 0} {
		c := &Check{cfg: film(t, "")}
		c.disk(func(string) (uint64, bool) { return free, true })
		if got := codesOf(c.found, Warning); len(got) != want || want == 1 && got[0] != "disk_space" {
			t.Errorf("%d bytes free: got %v", free, c.found)
		}
	}
}

func TestUnorderedAggregates(t *testing.T) {
	for sql, want := range map[string]string{
		"SELECT string_agg(a, ',') FROM x":                                           "string_agg",
		"SELECT STRING_AGG (a, ',' ORDER BY a) FROM x":                               "",
		"SELECT array_agg(a ORDER BY f(a)), json_agg(coalesce(a, '')) FROM x":        "json_agg",
		"SELECT group_concat(a) FROM (SELECT a FROM x ORDER BY a)":                   "group_concat",
		"SELECT my_string_agg(a), count(*), sum(a) FROM x":                           "",
		"SELECT string_agg(a, ')' ORDER BY a), max(b) FROM x":                        "string_agg", // it reads no quotes
		"SELECT array_agg((SELECT max(b) FROM y WHERE y.a = x.a) ORDER BY 1) FROM x": "",
	} {
		if got := unorderedAggregateOf(sql); got != want {
			t.Errorf("%s: got %q, want %q", sql, got, want)
		}
	}
}

// The worst come first, each level in the order in which it was found.
func TestFindingsAreInOrder(t *testing.T) {
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
