package pgsource

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"indexerd/internal/doc"
	"indexerd/internal/pgtest"
)

func TestConfigErrors(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, `CREATE TABLE doc (id int, name text, price numeric(10,2), body jsonb, last_update timestamptz, local timestamp, seconds float8);
		CREATE TABLE secret (id int, u timestamptz); CREATE ROLE test_reader; GRANT SELECT ON doc TO test_reader;
		CREATE FUNCTION write() RETURNS int LANGUAGE sql AS 'INSERT INTO doc (id) VALUES (1) RETURNING id'`)
	t.Cleanup(func() { pgtest.Exec(t, dsn, "DROP OWNED BY test_reader; DROP ROLE test_reader") })
	s := openSource(t, dsn+"&options=-c%20role%3Dtest_reader")

	for _, c := range []struct {
		name, sql, key, updated string
		want                    ConfigError
	}{
		{"syntax", "SELECT id,\nFROM doc", "id", "u",
			ConfigError{"sql", `line 2: syntax error at or near "FROM" (SQLSTATE 42601)`, ""}},
		{"column", "SELECT id,\n  last_updat\nFROM doc", "id", "u",
			ConfigError{"sql", `line 2: column "last_updat" does not exist (SQLSTATE 42703)`, `Perhaps you meant to reference the column "doc.last_update".`}},
		{"no table", "SELECT * FROM dok", "id", "u",
			ConfigError{"sql", `line 1: relation "dok" does not exist (SQLSTATE 42P01)`, ""}},
		{"privilege", "SELECT * FROM secret", "id", "u",
			ConfigError{"sql", "permission denied for table secret (SQLSTATE 42501)", `GRANT SELECT ON "secret" TO the daemon's role`}},
		{"lock", "SELECT * FROM doc FOR UPDATE", "id", "u",
			ConfigError{"sql", "cannot execute SELECT FOR UPDATE in a read-only transaction (SQLSTATE 25006)", ""}},
		{"write", "WITH w AS (DELETE FROM doc RETURNING id) SELECT * FROM w", "id", "u",
			ConfigError{"sql", "line 1: WITH clause containing a data-modifying statement must be at the top level (SQLSTATE 0A000)", ""}},
		{"two statements", "SELECT 1; SELECT 2", "id", "u",
			ConfigError{"sql", `line 1: syntax error at or near ";" (SQLSTATE 42601)`, ""}},
		{"parameter", "SELECT * FROM doc WHERE id > $1", "id", "u",
			ConfigError{"sql", "it has a parameter ($1)", "write the value into the SQL"}},
		{"duplicate column", "SELECT id, name, name FROM doc", "id", "u",
			ConfigError{"sql", "it returns two columns named name", "rename one of them with AS"}},
		{"key missing", "SELECT * FROM doc", "idd", "u",
			ConfigError{"key", "column idd is not in the SQL's result", "did you mean id?"}},
		{"key like nothing", "SELECT * FROM doc", "film", "u",
			ConfigError{"key", "column film is not in the SQL's result", ""}},
		{"key twice", "SELECT * FROM doc", "id id", "u",
			ConfigError{"key", "column id is named twice", "name it once"}},
		{"key of no kind", "SELECT * FROM doc", "body", "u",
			ConfigError{"key", "column body has type jsonb", "a key is made of integers, numeric without decimals, uuid or text"}},
		{"key with decimals", "SELECT * FROM doc", "price", "u",
			ConfigError{"key", "column price has type numeric", "a key is made of integers, numeric without decimals, uuid or text"}},
		{"no key", "SELECT * FROM doc", "", "u",
			ConfigError{"key", "no column is named", "name the columns that identify a row"}},
		{"updated missing", "SELECT * FROM doc", "id", "last_updat",
			ConfigError{"updated", "column last_updat is not in the SQL's result", "did you mean last_update?"}},
		{"updated of no form", "SELECT * FROM doc", "id", "seconds",
			ConfigError{"updated", "column seconds has type double precision",
				"it must be a timestamp, a date or the number of seconds, milli-, micro- or nanoseconds since 1970"}},
		{"zone", "SELECT * FROM doc", "id", "local",
			ConfigError{"timezone", "column local has type timestamp without time zone, so its time zone is not known",
				"set timezone, for example UTC or Europe/Berlin"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := s.Table(t.Context(), TableConfig{Name: "doc", SQL: c.sql, Key: strings.Fields(c.key), Updated: c.updated})
			var got *ConfigError
			if !errors.As(err, &got) || *got != c.want {
				t.Errorf("got %v\nwant %v", err, &c.want)
			}
			if errors.Is(err, doc.ErrUnavailable) {
				t.Errorf("got %v as unavailable, want a fault of the configuration", err)
			}
		})
	}
}

func TestConfigErrorsOfOtherSQLs(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, `CREATE TABLE doc (id int, name text, u timestamptz, gone int, body json);
		CREATE TABLE part (id int, name text, v text, u timestamptz, local timestamp)`)
	s := openSource(t, dsn)
	child := func(sql, key, updated string, value bool, columns ...string) TableConfig {
		return TableConfig{Children: []ChildConfig{{
			Name: "parts", Path: "children.parts", SQL: sql, Key: []string{key}, Updated: updated, Columns: columns, Value: value,
		}}}
	}
	const all = "SELECT * FROM part"
	for name, c := range map[string]struct {
		cfg  TableConfig
		want ConfigError
	}{
		"SQL": {child("SELECT *\nFROM parts", "id", "", false),
			ConfigError{"children.parts.sql", `line 2: relation "parts" does not exist (SQLSTATE 42P01)`, ""}},
		"key": {child(all, "idd", "", false),
			ConfigError{"children.parts.key", "column idd is not in the SQL's result", "did you mean id?"}},
		"kind of key": {child(all, "name", "", false),
			ConfigError{"children.parts.key", "its key is [text], and the table's is [integer]", "name the columns that hold the table's key, in its order"}},
		"updated": {child(all, "id", "up", false),
			ConfigError{"children.parts.updated", "column up is not in the SQL's result", "did you mean u?"}},
		"zone": {child(all, "id", "local", false),
			ConfigError{"timezone", "column local has type timestamp without time zone, so its time zone is not known", "set timezone, for example UTC or Europe/Berlin"}},
		"content": {child(all, "id", "u", false, "v", "nane"),
			ConfigError{"children.parts.content", "column nane is not in the SQL's result", "did you mean name?"}},
		"value": {child(all, "id", "u", true),
			ConfigError{"children.parts.sql", "it returns 3 columns beside key and updated, want 1", "return one value in each row"}},
		"deleted column": {TableConfig{Deleted: DeletedConfig{Column: "gonne", Values: []any{int64(1)}}},
			ConfigError{"deleted.column", "column gonne is not in the SQL's result", "did you mean gone?"}},
		"deleted value": {TableConfig{Deleted: DeletedConfig{Column: "gone", Values: []any{"yes"}}},
			ConfigError{"deleted.column", `invalid input syntax for type integer: "yes" (SQLSTATE 22P02)`, ""}},
		"deleted values": {TableConfig{Deleted: DeletedConfig{Column: "gone"}},
			ConfigError{"deleted.column", "no values are named", "name the values that mark a row deleted"}},
		"deleted type": {TableConfig{Deleted: DeletedConfig{Column: "body", Values: []any{"{}"}}},
			ConfigError{"deleted.column", "operator does not exist: json = json (SQLSTATE 42883)", "No operator matches the given name and argument types. You might need to add explicit type casts."}},
		"deleted SQL": {TableConfig{Deleted: DeletedConfig{SQL: "SELECT idd FROM part"}},
			ConfigError{"deleted.sql", `line 1: column "idd" does not exist (SQLSTATE 42703)`, `Perhaps you meant to reference the column "part.id".`}},
		"deleted SQL's key": {TableConfig{Deleted: DeletedConfig{SQL: "SELECT name AS id FROM part"}},
			ConfigError{"deleted.sql", "its key is [text], and the table's is [integer]", "name the columns that hold the table's key, in its order"}},
		"changes": {TableConfig{Changes: "SELECT id FROM part"},
			ConfigError{"changes", "column u is not in the SQL's result", ""}},
	} {
		c.cfg.Name, c.cfg.SQL, c.cfg.Key, c.cfg.Updated = "doc", "SELECT * FROM doc", []string{"id"}, "u"
		_, err := s.Table(t.Context(), c.cfg)
		var got *ConfigError
		if !errors.As(err, &got) || *got != c.want {
			t.Errorf("%s: got %v\nwant %v", name, err, &c.want)
		}
	}
	extra, err := s.Table(t.Context(), TableConfig{Name: "doc", SQL: "SELECT * FROM doc", Key: []string{"id"}, Updated: "u", Zone: time.UTC,
		Children: child("SELECT id, u, v FROM part", "id", "u", true).Children})
	if err != nil {
		t.Fatalf("got %v for an SQL of one value, want none", err)
	}
	if got := extra.Tick(); got != time.Microsecond {
		t.Errorf("got tick %v, want 1µs", got)
	}
}

func TestAcceptedSQL(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, "CREATE TABLE doc (id int, u timestamptz, x text); INSERT INTO doc VALUES (7, now(), 'x1')")
	s := openSource(t, dsn)
	for _, sql := range []string{
		"SELECT * FROM doc",
		"SELECT * FROM doc ; \n",
		"SELECT * FROM doc -- all of it",
		"SELECT x.id, x.u, x.x FROM doc x",
		"WITH x AS (SELECT * FROM doc) SELECT * FROM x ORDER BY id LIMIT 10",
		"SELECT id, u, 'a ? $ %s; \\' AS s FROM doc UNION ALL SELECT 8, NULL, NULL",
		"VALUES (7, now(), 'x')",
	} {
		t.Run(sql, func(t *testing.T) {
			key, updated := "id", "u"
			if sql[0] == 'V' {
				key, updated = "column1", "column2"
			}
			table := tableOf(t, s, TableConfig{SQL: sql, Key: []string{key}, Updated: updated})
			docs, _ := readAll(t, table.Docs(t.Context(), []doc.OID{oid(t, int64(7))}))
			if _, ok := docs["7"]; !ok || len(docs) != 1 {
				t.Errorf("got %v, want row 7", docs)
			}
		})
	}
}

func TestEpochAndToken(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, `CREATE SCHEMA other; CREATE TABLE doc (id int, n int, u timestamptz, price float8, at timestamptz);
		INSERT INTO doc VALUES (1, 2, '2024-01-01Z', 0.1, '2024-01-01Z'); CREATE TABLE other.doc AS SELECT * FROM doc`)
	read := func(options string, sql string, key ...string) doc.Token {
		t.Helper()
		table := tableIn(t, dsn+options, "", TableConfig{SQL: sql, Key: key})
		docs, _ := readAll(t, table.Range(t.Context(), doc.Range{}))
		for _, d := range docs {
			if d.Token.Epoch != table.Epoch() {
				t.Errorf("got epoch %d in the token, want the table's, %d", d.Token.Epoch, table.Epoch())
			}
			return d.Token
		}
		t.Fatal("got no document, want one")
		return doc.Token{}
	}
	const sql = "SELECT * FROM doc"
	base := read("", sql, "id")

	// Each transaction sets the settings that change a value's text.
	session := "&options=-c%20DateStyle%3DGerman%20-c%20TimeZone%3DAsia/Tokyo%20-c%20extra_float_digits%3D-3"
	if got := read(session, sql, "id"); got != base {
		t.Errorf("got token %+v under other settings, want %+v", got, base)
	}
	for name, got := range map[string]doc.Token{
		"another SQL":         read("", sql+" WHERE true", "id"),
		"another key":         read("", sql, "id", "n"),
		"another search path": read("&search_path=other", sql, "id"),
	} {
		if got.Epoch == base.Epoch {
			t.Errorf("%s: got the same epoch %d, want another", name, got.Epoch)
		}
	}

	pgtest.Exec(t, dsn, "UPDATE doc SET price = 0.2")
	if got := read("", sql, "id"); got.Digest == base.Digest || got.Epoch != base.Epoch {
		t.Errorf("got token %+v after an update that left u alone, want another digest of epoch %d", got, base.Epoch)
	}
}

func TestTick(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, `CREATE TABLE doc (id int, tz timestamptz, tz3 timestamptz(3), tz0 timestamptz(0), ts1 timestamp(1), d date,
		none bigint, s int, ms bigint, us numeric, ns bigint);
		INSERT INTO doc VALUES (1, NULL, NULL, NULL, NULL, NULL, NULL, 1700000000, 1700000000000, 1700000000000000, 1700000000000000000)`)
	s := openSource(t, dsn)
	for column, want := range map[string]time.Duration{
		"tz": time.Microsecond, "tz3": time.Millisecond, "tz0": time.Second, "ts1": 100 * time.Millisecond, "d": 24 * time.Hour,
		"none": time.Second, "s": time.Second, "ms": time.Millisecond, "us": time.Microsecond, "ns": time.Microsecond,
	} {
		table := tableOf(t, s, TableConfig{Updated: column, Zone: time.UTC})
		if got := table.Tick(); got != want {
			t.Errorf("column %s: got tick %v, want %v", column, got, want)
		}
	}
}

func TestBreakpointsOfSmallTables(t *testing.T) {
	t.Parallel()
	table, dsn := newTable(t, "CREATE TABLE doc (id int, u timestamptz)", TableConfig{})
	for _, c := range []struct{ rows, every, want int }{
		{0, 2, 0}, {1, 2, 0}, {2, 2, 0}, {3, 2, 1}, {4, 2, 1}, {5, 2, 2}, {3, 1, 2},
	} {
		pgtest.Exec(t, dsn, "TRUNCATE doc")
		pgtest.Exec(t, dsn, "INSERT INTO doc SELECT i, now() FROM generate_series(1, $1::int) i", c.rows)
		got, err := table.Breakpoints(context.Background(), c.every)
		if err != nil || len(got) != c.want {
			t.Errorf("%d rows, every %d: got %v, %v, want %d breakpoints", c.rows, c.every, got, err, c.want)
		}
	}
}

// A row with more text than the limit, alone or with its children, is a reject
// that names the option. The other rows become documents.
func TestTooMuchTextIsRejected(t *testing.T) {
	t.Parallel()
	const setup = `CREATE TABLE doc (id int, u timestamptz, v text); CREATE TABLE part (id int, v text, u timestamptz);
		INSERT INTO doc SELECT i, now(), CASE WHEN i IN (3, 7) THEN repeat('x', 200000) ELSE 'v' END FROM generate_series(1, 9) i;
		INSERT INTO part SELECT i, repeat('y', 30000), now() FROM generate_series(5, 6) i, generate_series(1, CASE i WHEN 5 THEN 3 ELSE 4 END);
		INSERT INTO part VALUES (8, repeat('z', 200000), now()), (8, 'z', now())`
	limits := doc.Limits{Text: 100_000}
	var oids []doc.OID
	for i := range 9 {
		oids = append(oids, oid(t, int64(i+1)))
	}
	for name, c := range map[string]struct {
		children []ChildConfig
		want     []string // rejected
	}{
		"alone":         {nil, []string{"3", "7"}},
		"with children": {parts("SELECT * FROM part", "id"), []string{"3", "6", "7", "8"}},
	} {
		table, _ := newTable(t, setup, TableConfig{Children: c.children, Limits: limits, Numbers: &numbers{}})
		for how, batches := range map[string]iter.Seq2[doc.Batch, error]{"range": table.Range(t.Context(), doc.Range{}), "by key": table.Docs(t.Context(), oids)} {
			docs, rejects := readAll(t, batches)
			var got []string
			for _, r := range rejects {
				got = append(got, r.OID.String())
				if !strings.Contains(r.Reason, "more than 100000 bytes of text: select less in the SQL, or raise limits.text") {
					t.Errorf("%s, %s: row %v: got reason %q, want one that names the limit", name, how, r.OID, r.Reason)
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, c.want) || len(docs) != 9-len(c.want) {
				t.Errorf("%s, %s: got rejects %v and documents %v, want rejects %v", name, how, got, slices.Sorted(maps.Keys(docs)), c.want)
			}
		}
	}
}

// Only the key of a row that is too large is kept.
func TestTooMuchTextIsNotKept(t *testing.T) {
	t.Parallel()
	d := rowDecoder{key: []int{1}, updated: -1, token: 2}
	if err := d.load([][]byte{make([]byte, 1000), []byte("7"), []byte("1")}, doc.Limits{Text: 500}); err == nil || d.size != 1 || d.texts[1] != "7" {
		t.Errorf("got %v with %d bytes kept: %q; want an error, and the key alone", err, d.size, d.texts)
	}
	if err := d.load([][]byte{make([]byte, 400), []byte("7"), []byte("1")}, doc.Limits{Text: 500}); err != nil || d.size != 402 {
		t.Errorf("got %v with %d bytes kept, want all 402", err, d.size)
	}
}
