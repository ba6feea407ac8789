package postgres

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"indexerd/internal/test/pgtest"
)

func TestDescribe(t *testing.T) {
	t.Parallel()
	x := inside(t, pgtest.DB(t), `CREATE EXTENSION IF NOT EXISTS citext; CREATE DOMAIN number AS int;
		CREATE TABLE doc (i2 smallint, i4 int, i8 bigint, n numeric, n2 numeric(8,2), un uuid, t text, v varchar(9), c char(3), ci citext, nm name, f float8,
			tz timestamptz, tz3 timestamptz(3), ts timestamp(0), d date, b boolean, a int[], dom number)`)
	d := describe(t, x, "SELECT *, i4 + 1 AS expr FROM doc")
	type facts struct {
		typ    string
		kind   doc.Kind
		form   dialect.Form
		tick   time.Duration // of a time type
		epochs dialect.Epochs
	}
	whole, decimal := dialect.NumberEpochs{Whole: true}, dialect.NumberEpochs{}
	want := map[string]facts{
		"i2": {"smallint", doc.Integer, 0, 0, nil}, "i4": {"integer", doc.Integer, 0, 0, whole}, "i8": {"bigint", doc.Integer, 0, 0, whole},
		"n": {"numeric", doc.Integer, 0, 0, decimal}, "n2": {"numeric", doc.Decimal, 0, 0, decimal}, "un": {"uuid", doc.UUID, 0, 0, nil},
		"t": {"text", doc.Text, 0, 0, nil}, "v": {"character varying", doc.Text, 0, 0, nil}, "c": {"character", doc.Text, 0, 0, nil}, "ci": {"citext", doc.Text, 0, 0, nil}, "nm": {"name", doc.Text, 0, 0, nil},
		"f": {"double precision", doc.Real, 0, 0, nil}, "b": {"boolean", doc.Boolean, 0, 0, nil}, "a": {"integer[]", 0, 0, 0, nil}, "dom": {"integer", doc.Integer, 0, 0, whole}, "expr": {"integer", doc.Integer, 0, 0, whole},
		"tz": {"timestamp with time zone", doc.Instant, dialect.Instant, time.Microsecond, nil}, "tz3": {"timestamp with time zone", doc.Instant, dialect.Instant, time.Millisecond, nil},
		"ts": {"timestamp without time zone", doc.Wall, dialect.Wall, time.Second, nil}, "d": {"date", doc.Date, dialect.Day, 24 * time.Hour, nil},
	}
	if len(d.Columns) != len(want) {
		t.Errorf("got %d columns, want %d", len(d.Columns), len(want))
	}
	for _, c := range d.Columns {
		got := facts{typ: c.Type, kind: c.Kind, epochs: c.Epochs}
		if c.Clock != nil {
			got.form, got.tick = c.Clock.Form, c.Clock.Precision
		}
		if got != want[c.Name] {
			t.Errorf("%s: got %+v, want %+v", c.Name, got, want[c.Name])
		}
		if (c.Origin == "") != (c.Name == "expr") {
			t.Errorf("%s: got origin %q", c.Name, c.Origin)
		}
		if tie := x.db.Tie(&c, "x.k"); (tie == `x.k::text COLLATE "C"`) != (c.Kind == doc.Text) {
			t.Errorf("%s: got tie %q", c.Name, tie)
		}
	}
}

// A time type's bounds select its values.
func TestClocks(t *testing.T) {
	t.Parallel()
	x := inside(t, pgtest.DB(t), `CREATE TABLE doc (tz timestamptz, ts timestamp, d date); INSERT INTO doc VALUES ('2024-03-01 12:00:00.000001+02', '2024-03-01 12:00:00.999999', '2024-02-29'),
		('0001-01-01 00:00:00+00', '0001-01-01', '0001-01-01'), ('9999-12-31 23:59:59.999999+00', '9999-12-31 23:59:59.999999', '9999-12-31')`)
	d := describe(t, x, "SELECT * FROM doc")
	for i, c := range d.Columns {
		for _, row := range asked(t, x, sql("SELECT "+c.Name+" FROM doc")) {
			text := row[0].(string)
			u, err := c.Clock.Parse(&text)
			if err != nil {
				t.Fatal(err)
			}
			arg := dialect.Arg{Value: c.Clock.Write(u), As: &d.Columns[i]}
			if got := asked(t, x, sql("SELECT count(*) FROM doc WHERE "+c.Name+" = $1", arg)); got[0][0] != "1" {
				t.Errorf("%s: got %v rows at %v, which was read, want one", text, got, u)
			}
		}
	}
	year10000 := dialect.Arg{Value: d.Columns[0].Clock.Write(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)), As: &d.Columns[0]}
	if got := asked(t, x, sql("SELECT count(*) FROM doc WHERE tz < $1", year10000)); got[0][0] != "3" {
		t.Errorf("got %v rows before the year 10000, want 3", got)
	}
	for _, text := range []string{"infinity", "-infinity", "0044-03-15 12:00:00+00 BC", "10000-01-01 00:00:00+00"} {
		if u, err := d.Columns[0].Clock.Parse(&text); err == nil {
			t.Errorf("%s: got %v, want an error", text, u)
		}
	}
}

func TestDescribeFaults(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	role := "reader_of_" + strings.ToLower(pgtest.Value[string](t, dsn, "SELECT current_database()"))
	pgtest.Exec(t, dsn, `CREATE TABLE doc (id int, last_update timestamptz); CREATE TABLE secret (id int); CREATE SCHEMA hidden; CREATE TABLE hidden.doc (id int);
		CREATE ROLE `+role+`; GRANT SELECT ON doc TO `+role)
	t.Cleanup(func() { pgtest.Exec(t, dsn, "DROP OWNED BY "+role+"; DROP ROLE "+role) })
	db := openDB(t, dsn+"&options=-c%20role%3D"+role)
	for text, want := range map[string]dialect.Fault{
		"SELECT id,\nFROM doc":                                     {Line: 2, Text: `syntax error at or near "FROM" (SQLSTATE 42601)`},
		"SELECT 'ä',\n  last_updat\nFROM doc":                      {Line: 2, Text: `column "last_updat" does not exist (SQLSTATE 42703)`, Hint: `Perhaps you meant to reference the column "doc.last_update".`},
		"SELECT * FROM dok":                                        {Line: 1, Text: `relation "dok" does not exist (SQLSTATE 42P01)`},
		"SELECT * FROM secret":                                     {Text: "permission denied for table secret (SQLSTATE 42501)", Grant: `SELECT ON "secret"`},
		"SELECT * FROM hidden.doc":                                 {Line: 1, Text: "permission denied for schema hidden (SQLSTATE 42501)", Grant: `USAGE ON SCHEMA "hidden"`},
		"SELECT * FROM doc FOR UPDATE":                             {Text: "cannot execute SELECT FOR UPDATE in a read-only transaction (SQLSTATE 25006)"},
		"WITH w AS (DELETE FROM doc RETURNING id) SELECT * FROM w": {Line: 1, Text: "WITH clause containing a data-modifying statement must be at the top level (SQLSTATE 0A000)"},
		"SELECT 1; SELECT 2":                                       {Line: 1, Text: `syntax error at or near ";" (SQLSTATE 42601)`},
		"SELECT * FROM doc WHERE id > $1":                          {Text: "it has a parameter ($1)", Hint: "write the value into the SQL"},
	} {
		within(t, db, func(x *session) {
			columns, err := x.Describe(t.Context(), wrapped(text))
			var got *dialect.Fault
			if !errors.As(err, &got) || errors.Is(err, doc.ErrUnavailable) || got.Line != want.Line || got.Text != want.Text || got.Hint != want.Hint || got.Grant != want.Grant {
				t.Errorf("%s: got %d columns and %+v, want %+v", text, len(columns), got, want)
			}
		})
	}
}

// After a statement that changes an SQL's result every read of it fails and returns
// nothing.
func TestDescriptionIsCompared(t *testing.T) {
	t.Parallel()
	const setup = `CREATE TABLE doc (id int, gone text, ok boolean, u timestamptz);
		CREATE TABLE part (id int, note text, grp int);
		INSERT INTO doc SELECT i, 'gone', true, '2026-01-01' FROM generate_series(1, 3) i;
		INSERT INTO part SELECT i, 'note', 9 FROM generate_series(1, 3) i`
	dsn := pgtest.DB(t)
	const joined = "SELECT c1.*, c2.grp FROM doc c1 JOIN part c2 USING (id)"
	for _, c := range []struct{ name, sql, alter, want string }{
		{"a column is dropped", "", "ALTER TABLE doc DROP COLUMN gone", "sql: column 2 is ok, not gone"},
		{"the last column is dropped", "SELECT u, id, ok, gone FROM doc", "ALTER TABLE doc DROP COLUMN gone", `column "gone" does not exist`},
		{"a column comes before another", joined, "ALTER TABLE doc ADD COLUMN priority int DEFAULT 7", "sql: column 5 is priority, not grp"},
		{"a column comes last", "", "ALTER TABLE doc ADD COLUMN size bigint DEFAULT 1", "sql: it has 5 columns, not 4"},
		{"another type", "", "ALTER TABLE doc ALTER COLUMN ok TYPE text USING CASE WHEN ok THEN 'yes' ELSE 'no' END", "sql: column ok has another type than boolean"},
		{"another length", "", "ALTER TABLE doc ALTER COLUMN u TYPE timestamptz(3)", "sql: column u has another type than timestamp with time zone"},
		{"two columns change names", "", "ALTER TABLE doc RENAME COLUMN gone TO x; ALTER TABLE doc RENAME COLUMN ok TO gone; ALTER TABLE doc RENAME COLUMN x TO ok", "sql: column 2 is ok, not gone"},
		{"another table is dropped", "", "DROP TABLE part", ""},
		{"dropped and added again", "SELECT id, ok, u, gone FROM doc", "ALTER TABLE doc DROP COLUMN gone, ADD COLUMN gone text", "sql: column gone is another column of the same name"},
		{"another table of the same name", "", "ALTER TABLE doc RENAME TO old; CREATE TABLE doc AS SELECT id, 'new'::text AS gone, ok, u FROM old", "sql: column id is another column of the same name"},
		{"a table is dropped", "", "DROP TABLE doc", `relation "doc" does not exist`},
	} {
		t.Run(c.name, func(t *testing.T) {
			pgtest.Exec(t, dsn, emptied+setup)
			db := openDB(t, dsn)
			if c.sql == "" {
				c.sql = "SELECT * FROM doc"
			}
			var d *dialect.Described
			within(t, db, func(x *session) { d = describe(t, x, c.sql) })
			read := dialect.Statement{SQL: "SELECT id " + d.From(), Reads: []*dialect.Described{d}}
			within(t, db, func(x *session) {
				for range 2 { // the second is not described again
					if got := asked(t, x, read); len(got) != 3 {
						t.Fatalf("got %d rows before the change, want 3", len(got))
					}
				}
			})
			pgtest.Exec(t, dsn, c.alter)
			within(t, db, func(x *session) {
				rows, err := ask(t, x, read)
				var fault *dialect.Fault
				changed := errors.Is(err, doc.ErrChangedResult) || errors.As(err, &fault) && fault.Subject == dialect.AboutMissing
				if c.want == "" {
					if err != nil || len(rows) != 3 {
						t.Errorf("got %d rows, %v, want 3", len(rows), err)
					}
				} else if !changed || len(rows) > 0 || !strings.Contains(err.Error(), c.want) {
					t.Errorf("got %d rows, %v, want none and %q", len(rows), err, c.want)
				}
			})
			within(t, db, func(x *session) { asked(t, x, sql("SELECT 1")) })
		})
	}
}

// A transaction locks what its statements read, so a description holds until its
// end.
func TestDescriptionHoldsForItsTransaction(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, "CREATE TABLE doc (id int, gone text); INSERT INTO doc VALUES (1, 'a')")
	altered := make(chan struct{})
	within(t, openDB(t, dsn), func(x *session) {
		d := describe(t, x, "SELECT * FROM doc")
		read := dialect.Statement{SQL: everything(d.Wrapped), Reads: []*dialect.Described{d}}
		asked(t, x, read)
		go func() {
			defer close(altered)
			pgtest.Exec(t, dsn, "ALTER TABLE doc DROP COLUMN gone")
		}()
		const waits = "SELECT count(*) FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
		for end := time.Now().Add(time.Minute); pgtest.Value[int64](t, dsn, waits) == 0; {
			if time.Now().After(end) {
				t.Fatal("the ALTER TABLE does not wait")
			}
		}
		if got := asked(t, x, read); !slices.Equal(got[0], []any{"1", "a"}) {
			t.Errorf("got %v, want the columns that were described", got)
		}
	})
	<-altered
}

func TestLineOf(t *testing.T) {
	t.Parallel()
	for position, want := range map[int]int{0: 0, 7: 0, 8: 1, 9: 1, 10: 2, 11: 0, 100: 0} {
		if got := lineOf("ä\nb", "SELECT ä\nb x", position); got != want {
			t.Errorf("position %d: got line %d, want %d", position, got, want)
		}
	}
	if got := lineOf("", "SELECT", 1); got != 0 {
		t.Errorf("got line %d of no SQL, want 0", got)
	}
}
