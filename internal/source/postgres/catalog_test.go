package postgres

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/pgtest"
)

// emptied starts a setup in a database that another case has used.
const emptied = "DROP SCHEMA public CASCADE; CREATE SCHEMA public; "

// catalogOf returns the catalog of a fresh database.
func catalogOf(t *testing.T, setup string) doc.Catalog {
	t.Helper()
	return catalogIn(t, pgtest.DB(t), setup)
}

func TestCatalogTables(t *testing.T) {
	t.Parallel()
	c := catalogOf(t, `CREATE TABLE film (id int PRIMARY KEY); CREATE TABLE "Odd ""name""" (id int); CREATE SCHEMA a; CREATE TABLE a.film (id int);
		CREATE TABLE log (id int) PARTITION BY RANGE (id); CREATE TABLE log1 PARTITION OF log FOR VALUES FROM (1) TO (2);
		CREATE TABLE animal (id int); CREATE TABLE cat () INHERITS (animal);
		CREATE VIEW films AS SELECT * FROM film; CREATE MATERIALIZED VIEW a.films AS SELECT * FROM film; CREATE TEMP TABLE gone (id int)`)
	var got []string
	for _, table := range c.Tables {
		got = append(got, fmt.Sprintf("%s|%s|%s", table.Schema, table.Name, table.SQL))
	}
	want := []string{`|Odd "name"|"Odd ""name"""`, "|animal|animal", "|film|film", "|log|log", "a|film|a.film"}
	if !slices.Equal(got, want) {
		t.Errorf("tables: got %q, want %q", got, want)
	}
	if want := []string{"films", "a.films"}; !slices.Equal(c.Views, want) {
		t.Errorf("views: got %q, want %q", c.Views, want)
	}
}

func TestCatalogColumns(t *testing.T) {
	t.Parallel()
	c := catalogOf(t, `CREATE EXTENSION IF NOT EXISTS citext; CREATE TYPE mood AS ENUM ('good', 'bad'); CREATE DOMAIN year AS int; CREATE DOMAIN word AS varchar(20); CREATE DOMAIN short AS word;
		CREATE TABLE t (i int, b bigint NOT NULL, n numeric, n2 numeric(8,2), f real, s text, v varchar(40), c char(3), ci citext, d short, y year, m mood, o boolean, u uuid,
			tz timestamptz DEFAULT now(), w timestamp, dt date DEFAULT current_date, tt time, j jsonb, by bytea, ts tsvector, mo money, o2 oid, a text[], ai int[], am mood[], "select" text, later timestamptz DEFAULT 'infinity')`)
	type facts struct {
		kind      doc.ColumnKind
		key, time bool
		length    int
	}
	want := map[string]facts{
		"i": {doc.NumberColumn, true, true, 0}, "b": {doc.NumberColumn, true, true, 0}, "n": {doc.NumberColumn, true, true, 0}, "n2": {doc.NumberColumn, true, true, 0},
		"f": {doc.NumberColumn, true, false, 0}, "s": {doc.TextColumn, true, false, 0}, "v": {doc.TextColumn, true, false, 40}, "c": {doc.TextColumn, true, false, 3},
		"ci": {doc.TextColumn, true, false, 0}, "d": {doc.TextColumn, true, false, 20}, "y": {doc.NumberColumn, true, true, 0}, "m": {doc.WordColumn, true, false, 0},
		"o": {doc.BooleanColumn, true, false, 0}, "u": {doc.WordColumn, true, false, 0}, "tz": {doc.InstantColumn, true, true, 0}, "w": {doc.WallColumn, true, true, 0},
		"dt": {doc.DateColumn, true, true, 0}, "tt": {doc.WordColumn, false, false, 0}, "j": {doc.JSONColumn, false, false, 0}, "by": {doc.OtherColumn, true, false, 0},
		"ts": {doc.OtherColumn, false, false, 0}, "mo": {doc.OtherColumn, false, false, 0}, "o2": {doc.NumberColumn, false, false, 0}, "a": {doc.WordColumn, false, false, 0},
		"ai": {doc.NumberColumn, false, false, 0}, "am": {doc.WordColumn, false, false, 0}, "select": {doc.TextColumn, true, false, 0}, "later": {doc.InstantColumn, true, true, 0},
	}
	columns := c.Tables[0].Columns
	if len(columns) != len(want) {
		t.Errorf("got %d columns, want %d", len(columns), len(want))
	}
	for _, c := range columns {
		if got := (facts{c.Kind, c.Key, c.Time, c.Length}); got != want[c.Name] {
			t.Errorf("%s %s: got %+v, want %+v", c.Name, c.Type, got, want[c.Name])
		}
		if got, want := c.Now, c.Name == "tz" || c.Name == "dt"; got != want {
			t.Errorf("%s: default is now: got %v, want %v", c.Name, got, want)
		}
		if got, want := c.NotNull, c.Name == "b"; got != want {
			t.Errorf("%s: not null: got %v, want %v", c.Name, got, want)
		}
		if c.Name == "select" && c.SQL != `"select"` || c.Name == "i" && c.SQL != "i" {
			t.Errorf("%s: in SQL got %s", c.Name, c.SQL)
		}
	}
}

func TestCatalogKeys(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	for definition, want := range map[string][][]string{
		"a int, b int, PRIMARY KEY (b, a)": {{"b", "a"}},
		"a int":                            nil,
		"a int UNIQUE":                     nil, // several rows may be NULL
		"a int NOT NULL UNIQUE, b int PRIMARY KEY":                             {{"b"}, {"a"}},
		"a int NOT NULL, UNIQUE (a) DEFERRABLE":                                nil,
		"a int NOT NULL, b int NOT NULL, UNIQUE (a, b), UNIQUE (b)":            {{"b"}, {"a", "b"}},
		"a int NOT NULL, b int, UNIQUE (a) INCLUDE (b)":                        {{"a"}},
		"a int NOT NULL, b int, UNIQUE (a, b)":                                 nil,
		"a int NOT NULL); CREATE UNIQUE INDEX ON t (a) WHERE a > 1; SELECT (1": nil,
		"a int NOT NULL); CREATE UNIQUE INDEX ON t (abs(a)); SELECT (1":        nil,
		"a int NOT NULL); CREATE UNIQUE INDEX ON t (a, abs(a)); SELECT (1":     nil,
	} {
		c := catalogIn(t, dsn, emptied+"CREATE TABLE t ("+definition+")")
		if got := c.Tables[0].Keys; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", definition, got, want)
		}
		if got, want := c.Tables[0].Primary, strings.Contains(definition, "PRIMARY"); got != want {
			t.Errorf("%s: primary: got %v, want %v", definition, got, want)
		}
	}
}

func TestCatalogIndexed(t *testing.T) {
	t.Parallel()
	c := catalogOf(t, `CREATE TABLE t (a int, b int, c int, d int, e int); CREATE INDEX ON t (a, b); CREATE INDEX ON t (c) WHERE c > 1; CREATE INDEX ON t (abs(d), d); CREATE INDEX ON t USING hash (e)`)
	for _, c := range c.Tables[0].Columns {
		if got, want := c.Indexed, c.Name == "a"; got != want {
			t.Errorf("%s: got %v, want %v", c.Name, got, want)
		}
	}
}

func TestCatalogTriggers(t *testing.T) {
	t.Parallel()
	const function = `CREATE TABLE t (id int, updated timestamptz, updated_by text);
		CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.updated = now(); RETURN NEW; END';
		CREATE FUNCTION audit() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM updated; RETURN NEW; END'; `
	dsn := pgtest.DB(t)
	for trigger, want := range map[string]bool{
		"": false,
		"BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION touch()":                                  true,
		"BEFORE INSERT OR UPDATE ON t FOR EACH ROW EXECUTE FUNCTION touch()":                        true,
		"BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION touch()":                                  false,
		"AFTER UPDATE ON t FOR EACH ROW EXECUTE FUNCTION touch()":                                   false, // what it sets is not stored
		"BEFORE UPDATE ON t FOR EACH STATEMENT EXECUTE FUNCTION touch()":                            false,
		"BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION audit()":                                  false,
		"BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION audit('updated')":                         true, // like moddatetime
		"BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION touch(); ALTER TABLE t DISABLE TRIGGER u": false,
	} {
		setup := emptied + function
		if trigger != "" {
			setup += "CREATE TRIGGER u " + trigger
		}
		for _, c := range catalogIn(t, dsn, setup).Tables[0].Columns {
			if got, want := c.Maintained, want && c.Name == "updated"; got != want {
				t.Errorf("%s: %s: got %v, want %v", trigger, c.Name, got, want)
			}
		}
	}
}

func TestCatalogReferences(t *testing.T) {
	t.Parallel()
	c := catalogOf(t, `CREATE SCHEMA o; CREATE TABLE o.film (id int PRIMARY KEY); CREATE TABLE pair (a int, b int, PRIMARY KEY (a, b));
		CREATE TABLE t (f int REFERENCES o.film, y int, x int, FOREIGN KEY (x, y) REFERENCES pair (b, a) ON DELETE CASCADE) PARTITION BY LIST (f); CREATE TABLE t1 PARTITION OF t FOR VALUES IN (1)`)
	i := slices.IndexFunc(c.Tables, func(t doc.CatalogTable) bool { return t.Name == "t" })
	want := []doc.CatalogReference{{To: "o.film", Columns: []string{"f"}, OtherColumns: []string{"id"}}, {To: "pair", Columns: []string{"x", "y"}, OtherColumns: []string{"b", "a"}, Cascades: true}}
	if got := c.Tables[i].References; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A role without rights still sees what there would be to read.
func TestCatalogDenied(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	role := "reader_" + pgtest.Value[string](t, dsn, "SELECT current_database()")
	pgtest.Exec(t, dsn, "CREATE TABLE open (id int); CREATE TABLE shut (id int); CREATE ROLE "+role+"; GRANT SELECT ON open TO "+role)
	t.Cleanup(func() { pgtest.Exec(t, dsn, "DROP OWNED BY "+role+"; DROP ROLE "+role) })
	c := catalogIn(t, dsn+"&options=-c%20role%3D"+role, "SELECT")
	for _, table := range c.Tables {
		if got, want := table.Unreadable != "", table.Name == "shut"; got != want {
			t.Errorf("%s: denied: got %v, want %v", table.Name, got, want)
		}
	}
	if len(c.Tables) != 2 {
		t.Errorf("got %d tables, want 2", len(c.Tables))
	}
}

// Partitions count for their table, and an empty table has no rows.
func TestCatalogSizes(t *testing.T) {
	t.Parallel()
	c := catalogOf(t, `CREATE TABLE log (id int) PARTITION BY RANGE (id); CREATE TABLE log1 PARTITION OF log FOR VALUES FROM (0) TO (200); CREATE TABLE log2 PARTITION OF log FOR VALUES FROM (200) TO (400);
		INSERT INTO log SELECT generate_series(0, 299); CREATE TABLE film (id int); INSERT INTO film SELECT generate_series(1, 70); CREATE TABLE nothing (id int); ANALYZE`)
	got := map[string]int64{}
	for _, table := range c.Tables {
		got[table.Name] = table.Rows
	}
	if want := map[string]int64{"log": 300, "film": 70, "nothing": 0}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
