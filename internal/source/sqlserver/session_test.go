package sqlserver

import (
	"context"
	"database/sql/driver"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	mssql "github.com/microsoft/go-mssqldb"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/pace"
	"indexerd/internal/source"
	"indexerd/internal/source/dialect"
	"indexerd/internal/source/horizon"
	"indexerd/internal/test/fakedriver"
)

type values = []driver.Value

// The answers of a server whose table film has an integer, a text and a time.
var (
	allowed  = fakedriver.Values("snapshot_isolation_state", values{int64(1), "[dbo].[film]"})
	first    = fakedriver.Values("DECLARE @at", values{"2024-03-01 10:00:00.000001", "15", "us_english", int64(1)})
	compiled = fakedriver.Answer{To: "SELECT 1 AS one FROM"}
	film     = fakedriver.Values("dm_exec_describe_first_result_set",
		values{nil, nil, "id", "int", nil, nil, "dbo", "film", "id"},
		values{nil, nil, "title", "nvarchar(100)", "Latin1_General_CI_AS", nil, "dbo", "film", "title"},
		values{nil, nil, "u", "datetime2(3)", nil, nil, "dbo", "film", "u"})
	unindexed = fakedriver.Answer{To: "FROM sys.indexes", Columns: []fakedriver.Column{{Name: "a"}, {Name: "b"}}}
)

func openFake(t *testing.T, answers ...fakedriver.Answer) (*DB, *fakedriver.Server) {
	server := fakedriver.New(t, answers...)
	d := open(confOf("sqlserver://reader@localhost?database=shop"), server.Connector(), 4)
	t.Cleanup(d.Close)
	return d, server
}

func describeFilm(t *testing.T, d *DB) (*source.Table, error) {
	return source.New(d, pace.Limits{}).Table(t.Context(), source.TableConfig{Name: "film", SQL: "SELECT * FROM film", Key: []string{"id"}, Updated: "u", Zone: time.UTC})
}

// TestSession: the statements of a page, in order. A transaction begins with its
// settings and the row that fixes its snapshot, and is rolled back.
func TestSession(t *testing.T) {
	t.Parallel()
	d, server := openFake(t, allowed, first, compiled, film)
	table, err := describeFilm(t, d)
	if err != nil {
		t.Fatal(err)
	}
	server.Sent()
	server.Play(fakedriver.Answer{To: "SELECT x.[id]", Columns: []fakedriver.Column{{Type: "INT"}, {Type: "DATETIME2"}, {Type: "BIGINT"}}, Rows: []values{{int64(1), time.Date(2024, 3, 1, 9, 0, 0, 0, time.UTC), int64(77)}}})
	n := 0
	for stamps, err := range table.Stamps(t.Context(), doc.Window{From: time.Date(2024, 3, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2024, 3, 2, 0, 0, 0, 0, time.UTC)}) {
		if err != nil || len(stamps) != 1 || stamps[0].Token.Digest != 77 {
			t.Fatalf("got %v, %v, want one stamp", stamps, err)
		}
		n++
	}
	sent := server.Sent()
	want := []string{"BEGIN", "SET NOCOUNT ON; SET LOCK_TIMEOUT 5000", "SELECT 1 AS one FROM (SELECT * FROM film\n) x WHERE 1 = 0", "SELECT error_number", "SELECT x.[id]", "ROLLBACK"}
	if n != 1 || !slices.EqualFunc(sent, want, strings.HasPrefix) {
		t.Errorf("got %d pages by %q, want the beginnings %q", n, sent, want)
	}
	if !strings.HasSuffix(sent[1], "(SELECT TOP (1) 1 FROM [dbo].[film])") {
		t.Errorf("got %s, want a row of the table", sent[1])
	}
}

// TestNoSnapshots: a database that does not allow SNAPSHOT has mixed pages, and is
// looked at again for each: once it allows them, a page has one snapshot.
func TestNoSnapshots(t *testing.T) {
	t.Parallel()
	forbidden := fakedriver.Values("snapshot_isolation_state", values{int64(0), nil})
	forbidden.Times = 2
	d, server := openFake(t, forbidden, allowed, first)
	for i, mixed := range []bool{true, true, false, false} {
		s, err := d.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		snapshot, err := s.Begin(t.Context(), "")
		if err != nil || snapshot.Mixed != mixed {
			t.Errorf("page %d: got %+v, %v, want mixed %v", i, snapshot, err, mixed)
		}
		s.End()
		looked := slices.ContainsFunc(server.Sent(), func(sql string) bool { return sql == stateSQL })
		if looked != (i < 3) {
			t.Errorf("page %d: got a look at the database: %v", i, looked)
		}
	}
	server.Play(fakedriver.Answer{To: "DECLARE @at", Err: mssql.Error{Number: 3952, Message: "snapshot isolation is not allowed"}, Times: 1})
	s, err := d.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.End()
	if _, err := s.Begin(t.Context(), ""); !errors.Is(err, doc.ErrUnavailable) || d.state.Load() != nil {
		t.Errorf("got %v, and the state is kept: %v, want a retry with another look", err, d.state.Load() != nil)
	}
}

// TestDescribeFaults: what the server says of an SQL, with the line of the user's.
func TestDescribeFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sql  string
		err  mssql.Error
		want string
	}{
		{"SELECT *\nFROM film\nWHER id", mssql.Error{Number: 102, LineNo: 3, Message: "Incorrect syntax near 'id'."}, "sql: line 3: Incorrect syntax near 'id'. (error 102)"},
		{"SELECT * FROM film ORDER BY id", mssql.Error{Number: 1033, LineNo: 1, Message: "The ORDER BY clause is invalid in subqueries."}, "remove the ORDER BY at the end"},
		{"SELECT * FROM film", mssql.Error{Number: 229, LineNo: 1, Message: "The SELECT permission was denied on the object 'film', database 'shop', schema 'dbo'."}, "GRANT SELECT ON [dbo].[film] TO the daemon's role"},
		{"WITH a AS (SELECT 1 AS b) SELECT * FROM a", mssql.Error{}, "begins with WITH"},
	} {
		d, _ := openFake(t, allowed, first, fakedriver.Answer{To: "SELECT 1 AS one FROM", Err: c.err})
		_, err := source.New(d, pace.Limits{}).Table(t.Context(), source.TableConfig{Name: "film", SQL: c.sql, Key: []string{"id"}})
		var fault *source.ConfigError
		if !errors.As(err, &fault) || !strings.Contains(fault.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.sql, err, c.want)
		}
	}
}

// TestDescribeWithoutOrigins: the server may refuse to name the tables of an SQL.
func TestDescribeWithoutOrigins(t *testing.T) {
	t.Parallel()
	refused := fakedriver.Values(", NULL, 1)", values{int64(11512), "browse mode is invalid", nil, nil, nil, nil, nil, nil, nil})
	d, _ := openFake(t, allowed, first, compiled, refused, film)
	table, err := describeFilm(t, d)
	if err != nil || strings.Join(table.Columns(), " ") != "id title u" {
		t.Fatalf("got %v, want the columns", err)
	}
}

// TestStatementTimeout: a statement that takes too long is a fault of the server, and
// one that the caller cancels is not.
func TestStatementTimeout(t *testing.T) {
	t.Parallel()
	d, _ := openFake(t, allowed, first)
	d.Timeout = time.Nanosecond
	s, err := d.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.End()
	if _, err := s.Begin(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	row := func([]any) bool { return true }
	if _, err := s.Query(t.Context(), dialect.Statement{SQL: "SELECT 1"}, row); !errors.Is(err, doc.ErrUnavailable) || !strings.Contains(err.Error(), "longer than 1ns") {
		t.Errorf("got %v, want the time limit", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Query(cancelled, dialect.Statement{SQL: "SELECT 1"}, row); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the caller's cancel", err)
	}
}

// TestHorizon: a sample has the sessions that run a request or have written, and a
// prepared transaction has no session.
func TestHorizon(t *testing.T) {
	t.Parallel()
	clock := fakedriver.Values(string(clockSQL), values{"2024-03-01 10:00:00.500000"})
	sessions := fakedriver.Values("sys.dm_exec_sessions",
		values{int64(51), "idle", "app", nil, nil},
		values{int64(52), "bob", "app", "2024-03-01T12:00:00", int64(300)},
		values{int64(53), "eve", "etl", nil, nil},
		values{int64(54), "joe", "mars", "2024-03-01T12:00:00.2", int64(100)},
		values{int64(54), "joe", "mars", "2024-03-01T12:00:00.1", int64(200)})
	written := fakedriver.Values("sys.dm_tran_database_transactions", values{int64(53), int64(900)}, values{int64(0), int64(901)})
	sees := fakedriver.Values("HAS_PERMS_BY_NAME", values{true, false})
	start := fakedriver.Values("sys.dm_os_sys_info", values{"db shop 2024-02-01"})
	d, server := openFake(t, sees, start, clock, sessions, written)
	at := time.Date(2024, 3, 1, 10, 0, 0, 500_000_000, time.UTC)
	err := d.Connect(t.Context(), func(ctx context.Context, c horizon.Conn) error {
		id, err := c.Identity(ctx)
		if err != nil || id != "db shop 2024-02-01" {
			t.Errorf("got identity %q, %v", id, err)
		}
		s, err := c.Sample(ctx)
		slices.SortFunc(s.Open, func(a, b horizon.Tx) int { return a.PID - b.PID })
		want := []horizon.Tx{
			{PID: 52, ID: "request 2024-03-01T12:00:00", Start: at.Add(-300 * time.Millisecond), User: "bob", Application: "app"},
			{PID: 53, ID: "transaction 900", Waiting: true, User: "eve", Application: "etl"},
			{PID: 54, ID: "request 2024-03-01T12:00:00.1", Start: at.Add(-200 * time.Millisecond), User: "joe", Application: "mars"},
		}
		if err != nil || !s.Clock.Equal(at) || !slices.Equal(s.Open, want) {
			t.Errorf("got %+v, %v, want %+v", s, err, want)
		}
		state, err := c.State(ctx)
		if err != nil || len(state.Prepared) != 1 || state.Prepared[0].ID != "901" || state.Reason != "" {
			t.Errorf("got %+v, %v, want one prepared transaction", state, err)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if sent := server.Sent(); slices.Index(sent, string(clockSQL)) > slices.Index(sent, sessionsSQL) || slices.Index(sent, sessionsSQL) > slices.Index(sent, openSQL) {
		t.Errorf("got %q, want the clock, then the sessions, then the transactions", sent)
	}
}

// TestSight: without the right, the server shows an account its own sessions alone.
func TestSight(t *testing.T) {
	t.Parallel()
	for name, answers := range map[string][]fakedriver.Answer{
		"blind":  {fakedriver.Values("HAS_PERMS_BY_NAME", values{false, false})},
		"denied": {fakedriver.Values("HAS_PERMS_BY_NAME", values{true, false}), {To: "sys.dm_os_sys_info", Err: mssql.Error{Number: 300, Message: "VIEW SERVER STATE permission was denied"}}},
	} {
		d, _ := openFake(t, answers...)
		err := d.Connect(t.Context(), func(ctx context.Context, c horizon.Conn) error {
			_, err := c.Identity(ctx)
			return err
		})
		if refused := horizon.Refused(""); !errors.As(err, &refused) || !strings.Contains(refused.Error(), "GRANT VIEW SERVER STATE") {
			t.Errorf("%s: got %v, want the GRANT", name, err)
		}
	}
	replica := []fakedriver.Answer{fakedriver.Values("HAS_PERMS_BY_NAME", values{true, true}), fakedriver.Values("sys.dm_os_sys_info", values{"db"})}
	d, _ := openFake(t, replica...)
	if err := d.Connect(t.Context(), func(ctx context.Context, c horizon.Conn) error {
		if _, err := c.Identity(ctx); err != nil {
			return err
		}
		state, err := c.State(ctx)
		if !strings.Contains(state.Reason, "replica") {
			t.Errorf("got %+v, want a reason", state)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}

// TestInexact: tables of other databases, and memory-optimized ones, have transactions
// that no list shows.
func TestInexact(t *testing.T) {
	t.Parallel()
	column := func(database string) *dialect.Described {
		n := newNative("int", "")
		n.origin = origin{database, "dbo", "film", "id"}
		return &dialect.Described{Columns: []dialect.Column{newColumn("id", n)}}
	}
	none := fakedriver.Answer{To: "is_memory_optimized = 1", Columns: []fakedriver.Column{{Name: "name"}}}
	memory := fakedriver.Values("is_memory_optimized = 1", values{"[dbo].[cache]"})
	for _, c := range []struct {
		database string
		answer   fakedriver.Answer
		want     string
	}{
		{"", none, ""}, {"Shop", none, ""}, {"crm", none, "table [dbo].[film] is in another database"}, {"shop", memory, "table [dbo].[cache] is memory-optimized"},
	} {
		d, _ := openFake(t, c.answer)
		s, err := d.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got, err := d.Inexact(t.Context(), s, []*dialect.Described{column(c.database)})
		if err != nil || !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%+v: got %q, %v", c, got, err)
		}
		s.End()
	}
}

// TestPlan: without an index that begins with the columns, a statement reads the whole
// table.
func TestPlan(t *testing.T) {
	t.Parallel()
	d, server := openFake(t, allowed, first, compiled, film, unindexed, fakedriver.Values("FROM sys.partitions", values{int64(20_000)}))
	table, err := describeFilm(t, d)
	if err != nil {
		t.Fatal(err)
	}
	window := doc.Window{To: time.Date(2024, 3, 1, 0, 0, 0, 0, time.UTC)}
	plans, err := table.Plans(t.Context(), window, nil)
	if err != nil || len(plans) != 1 || plans[0].Indexed || len(plans[0].FullScans) != 1 || plans[0].FullScans[0] != (doc.FullScan{Table: "[dbo].[film]", Rows: 20_000}) || plans[0].By[0].Name != "[u]" {
		t.Errorf("got %+v, %v, want a scan of the table", plans, err)
	}
	server.Play(fakedriver.Values("FROM sys.indexes", values{int64(0), int64(2)}))
	plans, err = table.Plans(t.Context(), window, nil)
	if err != nil || len(plans) != 1 || !plans[0].Indexed || plans[0].FullScans != nil {
		t.Errorf("got %+v, %v, want an index", plans, err)
	}
}
