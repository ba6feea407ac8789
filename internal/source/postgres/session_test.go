package postgres

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"indexerd/internal/test/pgtest"
)

// A transaction is a read-only snapshot whose settings do not depend on the
// session's.
func TestBegin(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, "CREATE TABLE doc (id int); CREATE SCHEMA other; CREATE TABLE other.doc (id int); INSERT INTO other.doc VALUES (1)")
	db := openDB(t, dsn+"&options=-c%20DateStyle%3DGerman%20-c%20TimeZone%3DAsia/Tokyo%20-c%20extra_float_digits%3D-3")
	x := acquired(t, db)
	before := pgtest.Value[time.Time](t, dsn, "SELECT clock_timestamp()")
	own, err := x.Begin(t.Context(), "")
	after := pgtest.Value[time.Time](t, dsn, "SELECT clock_timestamp()")
	if err != nil || own.At.Before(before) || own.At.After(after) || own.Settings != `"$user", public` {
		t.Errorf("got %+v, %v, want the session's search path and a time between %v and %v", own, err, before, after)
	}
	for setting, want := range map[string]string{
		"transaction_isolation": "repeatable read", "transaction_read_only": "on", "application_name": "indexerd", "statement_timeout": "5min", "lock_timeout": "10s",
		"idle_in_transaction_session_timeout": "5min", "DateStyle": "ISO, MDY", "TimeZone": "UTC", "extra_float_digits": "1",
	} {
		if got := asked(t, x, sql("SHOW "+setting))[0][0]; got != want {
			t.Errorf("got %s %v, want %s", setting, got, want)
		}
	}
	pgtest.Exec(t, dsn, "INSERT INTO doc VALUES (1)")
	if got := asked(t, x, sql("SELECT count(*) FROM doc"))[0][0]; got != "0" {
		t.Errorf("got %v rows, want 0 as at the beginning", got)
	}

	y := acquired(t, db)
	other, err := y.Begin(t.Context(), "other")
	if err != nil || other.Settings != "other" || other.Epoch != own.Epoch || other.Epoch == "" {
		t.Errorf("got %+v, %v, want search path other and the same epoch", other, err)
	}
	if got := asked(t, y, sql("SELECT count(*) FROM doc"))[0][0]; got != "1" {
		t.Errorf("got %v rows of other.doc, want 1", got)
	}
	if _, err := ask(t, y, sql("DELETE FROM doc")); err == nil || !strings.Contains(err.Error(), "25006") {
		t.Errorf("got %v for a DELETE, want SQLSTATE 25006", err)
	}
	if pids, _ := db.own.lists(); len(pids) != 2 {
		t.Errorf("got %d own transactions, want 2", len(pids))
	}
}

// Parameters have the type of the column that they are compared with.
func TestParameters(t *testing.T) {
	t.Parallel()
	x := inside(t, pgtest.DB(t), `CREATE EXTENSION IF NOT EXISTS citext; CREATE TABLE doc (i2 smallint, i4 int, i8 bigint, n numeric(20,0), u uuid, t text, c char(5), ci citext, ts timestamp, d date, b boolean, f float8);
		INSERT INTO doc VALUES (7, 7, 7, 7, '00000000-0000-0000-0000-000000000007', 'a"\,{}', 'ab', 'Ab', '2024-01-01 00:00:00.5', '2024-01-01', true, 0.5)`)
	d := describe(t, x, "SELECT * FROM doc")
	column := func(name string) *dialect.Column {
		return &d.Columns[slices.IndexFunc(d.Columns, func(c dialect.Column) bool { return c.Name == name })]
	}
	for _, c := range []struct {
		name     string
		value    any
		wantType string
	}{
		{"i2", int64(7), "bigint"}, {"i4", int64(7), "bigint"}, {"i8", int64(7), "bigint"}, {"i8", "7", "bigint"}, {"n", int64(7), "numeric"}, {"n", "7", "numeric"}, {"n", 7.0, "numeric"},
		{"u", [16]byte{15: 7}, "uuid"}, {"t", `a"\,{}`, "text"}, {"c", "ab", "character"}, {"ci", "aB", "citext"},
		{"ts", "2024-01-01 00:00:00.500000", "timestamp without time zone"}, {"d", "2024-01-01", "date"}, {"b", true, "boolean"}, {"f", 0.5, "double precision"},
	} {
		as := column(c.name)
		if got := asked(t, x, sql("SELECT count(*), pg_typeof($1) FROM doc WHERE "+c.name+" = $1", dialect.Arg{Value: c.value, As: as})); got[0][0] != "1" || got[0][1] != c.wantType {
			t.Errorf("%s = %v: got %v, want one row and a parameter of %s", c.name, c.value, got, c.wantType)
		}
		if got := asked(t, x, sql("SELECT count(*) FROM doc WHERE "+c.name+" = $1", dialect.Arg{As: as})); got[0][0] != "0" {
			t.Errorf("%s = NULL: got %v rows, want none", c.name, got)
		}
		if got := asked(t, x, sql("SELECT count(*) FROM doc WHERE "+c.name+" = ANY ($1)", dialect.Arg{As: as, List: []any{nil, c.value}})); got[0][0] != "1" {
			t.Errorf("%s = ANY (NULL, %v): got %v rows, want one", c.name, c.value, got)
		}
	}
	for value, want := range map[any]string{int64(7): "bigint", 0.5: "double precision", "7": "text", true: "boolean", [16]byte{}: "uuid"} {
		if got := asked(t, x, sql("SELECT pg_typeof($1)", dialect.Arg{Value: value})); got[0][0] != want {
			t.Errorf("%v alone: got %v, want %s", value, got[0][0], want)
		}
	}
}

// The texts of a row stay valid after the row; the slice does not.
func TestQuery(t *testing.T) {
	t.Parallel()
	x := begun(t, openDB(t, pgtest.DB(t)))
	var texts []string
	all, err := x.Query(t.Context(), sql("SELECT n, NULL, '', 'row ' || n FROM generate_series(1, 1000) n"), func(raw []any) bool {
		if len(raw) != 4 || raw[1] != nil || *raw[2].(*string) != "" {
			t.Fatalf("got %v, want four values of which one is NULL", raw)
		}
		texts = append(texts, *raw[3].(*string))
		return true
	})
	if err != nil || !all || len(texts) != 1000 || texts[0] != "row 1" || texts[999] != "row 1000" {
		t.Errorf("got all %t, %v and %d texts, want 1000", all, err, len(texts))
	}
	if got := asked(t, x, sql("SELECT 'wide', 'wider', 'widest', 4, 5")); !reflect.DeepEqual(got, [][]any{{"wide", "wider", "widest", "4", "5"}}) {
		t.Errorf("got %v, want five values", got)
	}
}

// A statement that is left early ends on the server. Its connection is replaced.
func TestQueryLeftEarly(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	db := openDB(t, dsn)
	within(t, db, func(x *session) {
		all, err := x.Query(t.Context(), sql("SELECT n FROM generate_series(1, 100000000) n"), func([]any) bool { return false })
		if all || err != nil {
			t.Errorf("got all %t, %v, want less and no error", all, err)
		}
	})
	within(t, db, func(x *session) {
		if got := asked(t, x, sql("SELECT 1")); got[0][0] != "1" {
			t.Errorf("got %v, want 1", got)
		}
	})
	awaitIdle(t, dsn)
}

// awaitIdle waits until no statement runs in the database.
func awaitIdle(t *testing.T, dsn string) {
	t.Helper()
	const running = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()"
	for end := time.Now().Add(time.Minute); pgtest.Value[int64](t, dsn, running) > 0; <-time.After(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("a statement is still running")
		}
	}
}

func TestCancelledQueryEndsOnTheServer(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	within(t, openDB(t, dsn), func(x *session) {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		_, err := x.Query(ctx, sql("SELECT pg_sleep(600)"), func([]any) bool { return true })
		if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, doc.ErrUnavailable) {
			t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
		}
	})
	awaitIdle(t, dsn)
}

// A Slow statement has no time limit.
func TestTimeLimits(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, "CREATE TABLE doc (id int)")
	db := openDB(t, dsn)
	db.statementTimeout = time.Second / 2
	within(t, db, func(x *session) {
		slow := sql("SELECT pg_sleep(0.7)")
		slow.Slow = true
		asked(t, x, slow)
		asked(t, x, slow)
	})
	within(t, db, func(x *session) {
		_, err := ask(t, x, sql("SELECT pg_sleep(60)"))
		if !errors.Is(err, doc.ErrUnavailable) || errors.Is(err, doc.ErrLocked) || !strings.Contains(err.Error(), "statement timeout (SQLSTATE 57014)") {
			t.Errorf("got %v, want unavailable for a statement timeout", err)
		}
	})
	locker := pgtest.Connect(t, dsn)
	if _, err := locker.Exec(t.Context(), "BEGIN; LOCK doc"); err != nil {
		t.Fatal(err)
	}
	db.statementTimeout = time.Minute
	within(t, db, func(x *session) {
		asked(t, x, sql("SELECT set_config('lock_timeout', '50ms', true)"))
		if _, err := ask(t, x, sql("SELECT * FROM doc")); !errors.Is(err, doc.ErrLocked) || !errors.Is(err, doc.ErrUnavailable) {
			t.Errorf("got %v, want %v", err, doc.ErrLocked)
		}
	})
}

// What an error is about depends on where it comes from: a function that runs for a
// row may fail with every code.
func TestSubjects(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	role := "reader_of_" + strings.ToLower(pgtest.Value[string](t, dsn, "SELECT current_database()"))
	pgtest.Exec(t, dsn, `CREATE TABLE doc (id int); CREATE TABLE secret (id int); CREATE SCHEMA hidden; CREATE TABLE hidden.doc (id int);
		INSERT INTO doc VALUES (1); CREATE ROLE `+role+`; GRANT SELECT ON doc TO `+role+`;
		CREATE FUNCTION run(sql text) RETURNS int LANGUAGE plpgsql STABLE AS $$ DECLARE n int; BEGIN EXECUTE sql INTO n; RETURN n; END $$;
		CREATE FUNCTION fail(code text) RETURNS int LANGUAGE plpgsql STABLE AS $$ BEGIN RAISE EXCEPTION 'own' USING ERRCODE = code; END $$`)
	t.Cleanup(func() { pgtest.Exec(t, dsn, "DROP OWNED BY "+role+"; DROP ROLE "+role) })
	db := openDB(t, dsn+"&options=-c%20role%3D"+role)
	for text, want := range map[string]dialect.Subject{
		"SELECT nope FROM doc":                        dialect.AboutMissing,
		"SELECT * FROM nope":                          dialect.AboutMissing,
		"SELECT nope(id) FROM doc":                    dialect.AboutMissing,
		"SELECT id || now() = 1 FROM doc":             dialect.AboutMissing,
		"SELECT * FROM secret":                        dialect.AboutMissing,
		"SELECT * FROM hidden.doc":                    dialect.AboutMissing,
		"SELECT id / 0 FROM doc":                      dialect.AboutRow,
		"SELECT ('nope' || id)::regclass FROM doc":    dialect.AboutRow,
		"SELECT run('SELECT * FROM nope') FROM doc":   dialect.AboutRow,
		"SELECT run('SELECT nope(1)') FROM doc":       dialect.AboutRow,
		"SELECT run('SELECT * FROM secret') FROM doc": dialect.AboutRow,
		"SELECT fail('42P01') FROM doc":               dialect.AboutRow,
		"SELECT fail('55P03') FROM doc":               dialect.AboutRow,
		"SELECT fail('57014') FROM doc":               dialect.AboutRow,
		"SELECT run('CREATE TABLE a ()') FROM doc":    dialect.AboutRow,
		"COMMIT PREPARED 'a'":                         dialect.AboutStatement,
	} {
		within(t, db, func(x *session) {
			_, err := ask(t, x, sql(text))
			var fault *dialect.Fault
			if !errors.As(err, &fault) || fault.Subject != want || strings.Contains(err.Error(), role) {
				t.Errorf("%s: got %v about %+v, want it about %d", text, err, fault, want)
			}
		})
	}
}

// Among finds rows by keys of one or several parts. A key with NUL is that of no
// row, and a NULL key tests the statement.
func TestAmong(t *testing.T) {
	t.Parallel()
	x := inside(t, pgtest.DB(t), `CREATE TABLE doc (id int, t text); INSERT INTO doc SELECT n, 'a"\{},' || n FROM generate_series(1, 9) n`)
	d := describe(t, x, "SELECT * FROM doc")
	for _, c := range []struct {
		parts int
		keys  [][]any
		want  string
	}{
		{1, [][]any{{int64(3)}, {int64(4)}, {int64(44)}}, "[[3] [4]]"},
		{1, [][]any{{nil}}, "[]"},
		{1, nil, "[]"},
		{2, [][]any{{int64(3), `a"\{},3`}, {int64(4), `a"\{},5`}, {int64(5), "\x00"}}, "[[3]]"},
		{2, [][]any{{int64(5), "\x00"}}, "[]"},
		{2, [][]any{{nil, nil}}, "[]"},
	} {
		q := dialect.NewQuery(x.db)
		q.Write("SELECT x.id ", d.From(), " WHERE ")
		if !x.db.Among(q, []*dialect.Column{&d.Columns[0], &d.Columns[1]}[:c.parts], []string{"x.id", "x.t"}[:c.parts], c.keys) {
			t.Error("got false, want a condition")
		}
		q.Write(" ORDER BY 1")
		if got := fmt.Sprint(append([][]any{}, asked(t, x, q.Statement())...)); got != c.want {
			t.Errorf("%v: got %v, want %s", c.keys, got, c.want)
		}
	}
}
