package inspect

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"indexerd/configs"
	"indexerd/internal/base/doc"
	"indexerd/internal/base/terminal"
	"indexerd/internal/base/timeunit"
	"indexerd/internal/test/golden"
)

// reference is generated from referenceMark on, by
// go test ./internal/tool/inspect -run TestReference -update
const (
	reference     = "../../../docs/check.md"
	referenceMark = "<!-- From here on `go test ./internal/tool/inspect -run TestReference -update` writes this file. -->\n"
)

func TestReference(t *testing.T) {
	var b strings.Builder
	headings := map[string]string{Error: "Errors", Warning: "Warnings", Info: "Infos"}
	level := ""
	for _, k := range kinds {
		if k.level != level {
			level = k.level
			fmt.Fprintf(&b, "\n## %s\n\n", headings[level])
		}
		fmt.Fprintln(&b, strings.TrimSpace("- `"+k.name+"`: "+k.means+" "+k.remedy))
	}
	for _, heading := range headings {
		if n := strings.Count(b.String(), "## "+heading+"\n"); n != 1 {
			t.Errorf("%s has %d sections %s, want the codes ordered by level", reference, n, heading)
		}
	}
	golden.CheckAfter(t, reference, referenceMark, b.String())
}

// TestCodes checks that every code can be produced, that errors and warnings are
// the only ones of their film, and that a film without problems has none.
func TestCodes(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	inBerlin := func(at time.Time) time.Time { return at.In(berlin) }
	reads := func(column string, asks doc.Question, by ...doc.Column) func(*fakeRows) {
		return func(r *fakeRows) {
			r.plan = doc.Plan{Path: column, Asks: asks, By: by, FullScans: []doc.FullScan{{Table: "film", Rows: small + 1}}}
		}
	}
	film1 := doc.Column{Table: "film", Name: "u"}
	server := func(edit func(*doc.Server)) func(*testCase) { return func(c *testCase) { edit(&c.server) } }
	rows := func(edit func(*fakeRows)) func(*testCase) { return func(c *testCase) { edit(&c.rows) } }
	conf := func(more string) func(*testCase) { return func(c *testCase) { c.more = more } }
	call := func(f func(*Check, *configs.Config)) func(*testCase) { return func(c *testCase) { c.call = f } }
	produced := map[string]bool{}
	for _, test := range []struct {
		name string
		edit func(*testCase)
		want []string // errors and warnings, or one info
	}{
		{"no problems", rows(func(*fakeRows) {}), nil},

		{"a fault", call(func(c *Check, cfg *configs.Config) { c.Failed(cfg.Tables[0], configs.Fault{What: "x", Do: "y"}) }), []string{"config"}},
		{"a bad DSN", call(func(c *Check, cfg *configs.Config) { c.BadDSN("db", errors.New("port x")) }), []string{"bad_dsn"}},
		{"no server", server(func(s *doc.Server) { *s = doc.Server{} }), []string{"unreachable"}},
		{"a server that went away", rows(func(r *fakeRows) { r.fail = doc.ErrUnavailable }), []string{"unreachable"}},
		{"no privilege", call(func(c *Check, cfg *configs.Config) { c.Denied(cfg.Tables[0], "sql", "x", "SELECT ON film") }), []string{"select_denied"}},
		{"a failing query", rows(func(r *fakeRows) { r.fail = errors.New("division by zero") }), []string{"query_failed"}},
		{"random values", rows(func(r *fakeRows) {
			r.read = func(n int) doc.Batch {
				d := doc.Doc{Row: doc.Row{Names: []string{"title"}, Values: []any{fmt.Sprint(n)}}}
				d.OID, d.Token.Digest = "1", uint64(n)
				return doc.Batch{Docs: []doc.Doc{d}}
			}
		}), []string{"volatile_sql"}},
		{"duplicate keys", rows(func(r *fakeRows) { r.duplicate = "7" }), []string{"duplicate_key"}},

		{"a network with verified TLS", server(func(s *doc.Server) { s.Remote, s.TLS, s.Verified = true, "TLS 1.3", true }), nil},
		{"a network without TLS", server(func(s *doc.Server) { s.Remote = true }), []string{"no_tls"}},
		{"a network with TLS", server(func(s *doc.Server) { s.Remote, s.TLS = true, "TLS 1.3" }), []string{"tls_unverified"}},
		{"this machine with TLS", server(func(s *doc.Server) { s.TLS = "TLS 1.3" }), nil},
		{"a database without snapshots", server(func(s *doc.Server) { s.Mixed = "ALTER DATABASE" }), []string{"no_snapshots"}},
		{"a pooler", server(func(s *doc.Server) { s.Pooled = true }), []string{"pooler"}},
		{"a superuser", server(func(s *doc.Server) { s.Superuser = true }), []string{"superuser"}},
		{"a role that can write", rows(func(r *fakeRows) { r.writable = []string{"film"} }), []string{"can_write"}},
		{"a slow clock", server(func(s *doc.Server) { s.Now = time.Now().Add(-time.Minute) }), []string{"clock_offset"}},
		{"a fast clock", server(func(s *doc.Server) { s.Now = time.Now().Add(time.Minute) }), []string{"clock_offset"}},
		{"no index on updated", rows(reads("sql", doc.AsksWindow, film1)), []string{"no_index_on_updated"}},
		{"no index on the key", rows(reads("sql", doc.AsksRange, film1)), []string{"no_index_on_key"}},
		{"no index on a child's key", rows(reads("children.c.sql", doc.AsksKeys, film1)), []string{"no_index_on_child_key"}},
		{"an unused index", rows(func(r *fakeRows) { reads("sql", doc.AsksWindow, film1)(r); r.plan.Indexed = true }), []string{"index_unused"}},
		{"a joined table", rows(reads("sql", doc.AsksWindow, doc.Column{Table: "x", Name: "u"})), []string{"joined_whole"}},
		{"plans of an unknown form, once, and all else", rows(func(r *fakeRows) { r.noPlan, r.duplicate = fmt.Errorf("film: plans: %w", doc.ErrUnknownPlan), "7" }), []string{"duplicate_key", "plan_unknown"}},
		{"NULL", rows(func(r *fakeRows) { r.without = 1 }), []string{"null_updated"}},
		{"future times", rows(func(r *fakeRows) { r.future = most }), []string{"future_updated"}},
		{"times of the year 9999", rows(func(r *fakeRows) { r.outOfRange = 1 }), []string{"out_of_range_updated"}},
		{"one time", rows(func(r *fakeRows) { r.constant = true }), []string{"constant_updated"}},
		{"dates", rows(func(r *fakeRows) { r.tick = 24 * time.Hour }), []string{"coarse_updated"}},
		{"times at clock changes", rows(func(r *fakeRows) { r.zone, r.shown, r.shownIn = berlin, inBerlin, 1 }), []string{"ambiguous_times", "impossible_times"}},
		{"unknown time zone", rows(func(r *fakeRows) { r.zone = berlin }), []string{"zone_differs"}},
		{"an aggregate without ORDER BY", func(c *testCase) { c.sql = "SELECT string_agg(a) FROM film" }, []string{"unordered_aggregate"}},
		{"rejected rows", rows(func(r *fakeRows) {
			r.read = func(int) doc.Batch { return doc.Batch{Rejects: []doc.Reject{{Reason: "no key"}}} }
		}), []string{"unindexable_rows"}},
		{"values that do not fit", rows(func(r *fakeRows) {
			r.read = func(int) doc.Batch {
				bad := doc.NewBadValue("\xff", "text is not valid UTF-8")
				return doc.Batch{Docs: []doc.Doc{{Row: doc.Row{Names: []string{"title"}, Values: []any{bad}}}}}
			}
		}), []string{"partial_rows"}},
		{"a child without updated", conf(", children: {c: {sql: SELECT 1, key: id, content: [a]}}"), []string{"child_without_updated"}},
		{"no exact horizon", func(c *testCase) { c.more, c.horizon = ", compensate: {horizon: exact}", &fakeHorizon{reason: "x"} }, []string{"horizon_not_exact"}},
		{"transactions without limit", func(c *testCase) { c.horizon = &fakeHorizon{reason: "x"} }, []string{"unbounded_transactions"}},
		{"limited transactions", func(c *testCase) { c.horizon, c.server.IdleTimeout = &fakeHorizon{reason: "x"}, time.Minute }, nil},
		{"a full disk", call(func(c *Check, _ *configs.Config) { c.disk(func(string) (uint64, bool) { return leastFree - 1, true }) }), []string{"disk_space"}},
		{"a disk with space", call(func(c *Check, _ *configs.Config) { c.disk(func(string) (uint64, bool) { return leastFree, true }) }), nil},
		{"an open directory", call(func(c *Check, cfg *configs.Config) {
			if err := os.Mkdir(cfg.Data, 0o750); err != nil {
				t.Fatal(err)
			}
			c.disk(freeBytes)
		}), []string{"data_rights"}},
		{"an index in a cluster", call(func(c *Check, cfg *configs.Config) {
			cfg.Index.Replicas = 1
			c.Index(Index{Version: "OpenSearch 3.8.0", Tested: true})
		}), nil},
		{"Elasticsearch", call(func(c *Check, cfg *configs.Config) {
			cfg.Index.Replicas = 1
			c.Index(Index{Version: "Elasticsearch 9.1.0"})
		}), []string{"index_untested"}},
		{"etcd that does not answer", call(func(c *Check, _ *configs.Config) { c.Marks(errors.New("refused")) }), []string{"marks_unreachable"}},
		{"marks that were moved", call(func(c *Check, _ *configs.Config) { c.MarksMoved(errors.New("moved")) }), []string{"marks_moved"}},
		{"a cluster that does not answer", call(func(c *Check, _ *configs.Config) { c.Index(Index{Err: errors.New("refused")}) }), []string{"index_unreachable"}},
		{"a refused request", call(func(c *Check, cfg *configs.Config) {
			cfg.Index.Replicas = 1
			c.Index(Index{Tested: true, Refused: []string{"x"}})
		}), []string{"index_denied"}},
		{"an index of another one", call(func(c *Check, cfg *configs.Config) {
			cfg.Index.Replicas = 1
			c.Index(Index{Tested: true, Owned: []string{"film"}})
		}), []string{"index_owned"}},
		{"an index without replicas", call(func(c *Check, cfg *configs.Config) { cfg.Index.Replicas = 0; c.Index(Index{Tested: true}) }), []string{"index_one_copy"}},
		{"a password over a network", call(func(c *Check, cfg *configs.Config) {
			cfg.Index.Replicas, cfg.Index.URLs = 1, []string{"http://127.0.0.1:9200", "http://search-1:9200"}
			c.Index(Index{Tested: true})
		}), []string{"no_tls"}},
		{"a proxy", call(func(c *Check, cfg *configs.Config) {
			cfg.HTTP.TLS.EndedByProxy, cfg.HTTP.TrustedProxies = true, []netip.Prefix{netip.MustParsePrefix("10.0.0.7/32")}
			c.access()
		}), []string{"tls_by_proxy"}},
		{"acl without tokens", conf(", metadata: {g: keyword}, acl: g"), []string{"acl_open"}},

		{"a server", server(func(*doc.Server) {}), []string{"server"}},
		{"an address of another program", call(func(c *Check, cfg *configs.Config) {
			cfg.Sources[0].Notes = []string{"ignored parameters of the address: pool"}
			good := goodServer
			good.Now = time.Now()
			c.Server(context.Background(), cfg.Sources[0], fakeServer{good})
		}), []string{"address"}},
		{"a clock", server(func(*doc.Server) {}), []string{"clock"}},
		{"hidden transactions", server(func(s *doc.Server) { s.SeesTransactions = false }), []string{"stats_hidden"}},
		{"a table", rows(func(*fakeRows) {}), []string{"table"}},
		{"a unit", rows(func(r *fakeRows) { r.unit = timeunit.Milliseconds }), []string{"unit"}},
		{"no rows", rows(func(r *fakeRows) { r.empty = true }), []string{"empty_result"}},
		{"a cost", rows(func(r *fakeRows) { r.plan = doc.Plan{Path: "sql", Cost: 1, By: []doc.Column{film1}} }), []string{"window_cost"}},
		{"changes", rows(func(*fakeRows) {}), []string{"changes"}},
		{"a child", conf(", children: {c: {sql: SELECT 1, key: id, updated: u, content: [a]}}"), []string{"child"}},
		{"joined tables", rows(func(r *fakeRows) { r.relations = []doc.Relation{{Name: "lang", Path: "sql"}} }), []string{"joined_tables"}},
		{"a horizon", func(c *testCase) { c.horizon = &fakeHorizon{} }, []string{"horizon"}},
		{"a slow query", rows(func(r *fakeRows) { r.slow = true }), []string{"not_looked_at"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := testCase{server: goodServer}
				c.server.Now = time.Now()
				test.edit(&c)
				f := c.findings(t)
				got := append(codesOf(f, Error), codesOf(f, Warning)...)
				if len(test.want) == 1 && slices.Contains(codesOf(f, Info), test.want[0]) {
					got = append(got, test.want[0])
				}
				if !slices.Equal(got, test.want) {
					t.Errorf("got %v, want %v: %+v", got, test.want, f)
				}
				for _, one := range f.Findings {
					produced[one.Code] = true
					if one.What == "" || one.Do == "" {
						t.Errorf("got %+v, want what is wrong and what to do", one)
					}
				}
			})
		})
	}
	for _, k := range kinds {
		if !produced[k.name] {
			t.Errorf("code %s: not produced", k.name)
		}
		if k.name == "" || k.means == "" || k.level == "" || k.level != Info && k.remedy == "" {
			t.Errorf("got %+v, want a name, a level, a meaning and, unless it is an info, a remedy", k)
		}
	}
}

// TestAdvice checks that remedies are those of the database.
func TestAdvice(t *testing.T) {
	server := goodServer
	server.Remote, server.SeesTransactions = true, false
	index := doc.Plan{Path: "sql", By: []doc.Column{{Table: "`film`", Name: "`u`"}}, FullScans: []doc.FullScan{{Table: "`film`", Rows: small + 1}}}
	analyze := index
	analyze.Indexed = true
	for _, c := range []struct {
		plan  doc.Plan
		super bool
		want  []string
	}{
		{index, true, []string{"add tls", "use a separate user: CREATE USER; GRANT SELECT ON the indexed tables", "GRANT sight", "CREATE INDEX film_u ON `film` (`u`)", "SET timeout = 600"}},
		{analyze, false, []string{"add tls", "use a separate user: CREATE USER; GRANT SELECT ON a; GRANT SELECT ON b", "GRANT sight", "ANALYZE `film`", "SET timeout = 600"}},
	} {
		server.Superuser = c.super
		f := check(t, film(t, ""), server, &fakeRows{plan: c.plan, writable: []string{"b", "a"}}, &fakeHorizon{reason: "x"})
		for _, want := range c.want {
			if !slices.ContainsFunc(f.Findings, func(one Finding) bool { return one.Do == want }) {
				t.Errorf("got %+v, want the remedy %q", f.Findings, want)
			}
		}
	}
}

// A testCase is a film with its database.
type testCase struct {
	more, sql string // of the configuration
	server    doc.Server
	rows      fakeRows
	horizon   Horizon
	call      func(*Check, *configs.Config) // instead of a check of the database
}

func (c *testCase) findings(t *testing.T) Findings {
	t.Helper()
	cfg := film(t, c.more)
	if c.sql != "" {
		cfg.Tables[0].SQL = c.sql
	}
	if c.call != nil {
		check := NewCheck(cfg)
		c.call(check, cfg)
		return check.Findings()
	}
	return check(t, cfg, c.server, &c.rows, c.horizon)
}

// docs/check.md states the limits that the constants have.
func TestDocumentedLimits(t *testing.T) {
	text, err := os.ReadFile(reference)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		fmt.Sprintf("cancels a query after %d seconds, and the check of a table after %d.", queryWithin/time.Second, TableWithin/time.Second),
		fmt.Sprintf("a whole table of more than %s rows", terminal.Grouped(small)),
		fmt.Sprintf("reads the whole child, of more than %s rows", terminal.Grouped(small)),
		fmt.Sprintf("joined table of more than %s rows", terminal.Grouped(small)),
		fmt.Sprintf("differ by more than %d s", clocksApart/time.Second),
		fmt.Sprintf("a sample of %s can't become", terminal.Grouped(sampled)),
		fmt.Sprintf("has less than %d GiB free", leastFree>>30),
		fmt.Sprintf("before %d, or more than a year after", timeunit.Earliest.Year()),
	} {
		if !strings.Contains(strings.Join(strings.Fields(string(text)), " "), want) {
			t.Errorf("docs/check.md does not contain %q", want)
		}
	}
}
