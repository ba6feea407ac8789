package sqlite

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"indexerd/internal/base/doc"
)

// catalogOf fills a database and returns its catalog.
func catalogOf(t *testing.T, statements ...string) doc.Catalog {
	t.Helper()
	c, err := newDB(t, statements...).source.Catalog(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCatalogTables(t *testing.T) {
	c := catalogOf(t, `CREATE TABLE film (id INTEGER PRIMARY KEY AUTOINCREMENT)`, `CREATE TABLE "Odd ""name""" (id)`, `CREATE TABLE "order" (id)`,
		`CREATE VIEW films AS SELECT * FROM film`, `CREATE VIRTUAL TABLE words USING fts5(text)`, `CREATE TEMP TABLE gone (id)`, `CREATE TABLE sqlitelike (id)`)
	var got []string
	for _, table := range c.Tables {
		got = append(got, table.SQL)
	}
	if want := []string{`"Odd ""name"""`, "film", `"order"`, "sqlitelike"}; !slices.Equal(got, want) {
		t.Errorf("tables: got %q, want %q", got, want)
	}
	if want := []string{"films"}; !slices.Equal(c.Views, want) || c.Name != "test" {
		t.Errorf("got views %q of %q, want %q of test", c.Views, c.Name, want)
	}
}

// The declared type and the values decide the kind.
func TestCatalogColumns(t *testing.T) {
	for _, c := range []struct {
		declared, values string // values of rows; "" for no row
		kind             doc.ColumnKind
		key, time        bool
	}{
		{"INTEGER", "", doc.NumberColumn, true, true},
		{"INTEGER", "1, NULL, 2.5", doc.NumberColumn, true, false},
		{"INTEGER", "1, 'n/a'", doc.TextColumn, true, false},
		{"INTEGER", "1, x'00'", doc.OtherColumn, true, false},
		{"NUMERIC(8, 2)", "2.5", doc.NumberColumn, true, true},
		{"NUMERIC", "1, 2.5", doc.NumberColumn, true, false},
		{"REAL", "2.5", doc.NumberColumn, true, true},
		{"TEXT", "'x', NULL", doc.TextColumn, true, true},
		{"TEXT", "'x', x'00'", doc.OtherColumn, true, false},
		{"VARCHAR(20)", "", doc.TextColumn, true, true},
		{"UUID", "'x'", doc.WordColumn, true, true},
		{"UUID", "x'00'", doc.OtherColumn, true, false},
		{"BOOLEAN", "0, 1", doc.BooleanColumn, true, false},
		{"BOOLEAN", "", doc.BooleanColumn, false, false},
		{"BOOLEAN", "'yes'", doc.WordColumn, true, false},
		{"BOOLEAN", "0, 1, 2, NULL", doc.NumberColumn, true, false},
		{"BOOLEAN", "0.5", doc.NumberColumn, true, false},
		{"DATETIME", "'2024-01-01 10:00:00'", doc.InstantColumn, true, true},
		{"TIMESTAMP", "", doc.InstantColumn, false, true},
		{"DATE", "'2024-01-01'", doc.DateColumn, true, true},
		{"DATETIME", "1700000000", doc.NumberColumn, true, true},
		{"DATETIME", "'2024-01-01 10:00:00', 'soon'", doc.TextColumn, true, true},
		{"DATE", "'2024-01-01', 20240101", doc.TextColumn, false, false},
		{"BLOB", "x'00'", doc.OtherColumn, true, false},
		{"BLOB", "x'00', 'x'", doc.OtherColumn, false, false},
		{"BLOB", "", doc.OtherColumn, false, false},
		{"", "'x'", doc.OtherColumn, true, true},
	} {
		statements := []string{"CREATE TABLE t (c " + c.declared + ")"}
		if c.values != "" {
			statements = append(statements, "INSERT INTO t VALUES ("+strings.Join(strings.Split(c.values, ", "), "), (")+")")
		}
		got := catalogOf(t, statements...).Tables[0].Columns[0]
		if got.Kind != c.kind || got.Key != c.key || got.Time != c.time {
			t.Errorf("%s of %s: got kind %v, key %v, time %v; want %v, %v, %v", c.declared, c.values, got.Kind, got.Key, got.Time, c.kind, c.key, c.time)
		}
	}
}

func TestCatalogColumnFacts(t *testing.T) {
	c := catalogOf(t, `CREATE TABLE t (id INTEGER PRIMARY KEY, "a b" VARCHAR(40) NOT NULL, u DATETIME DEFAULT CURRENT_TIMESTAMP, v INT DEFAULT (unixepoch()),
		w TEXT DEFAULT (strftime('%s', 'now')), x INT DEFAULT 5, double INT GENERATED ALWAYS AS (x * 2))`,
		`CREATE INDEX some ON t (u) WHERE u > 5`, `CREATE INDEX two ON t (v, w)`, `CREATE INDEX expr ON t (abs(x))`)
	for _, c := range c.Tables[0].Columns {
		if got, want := c.Now, c.Name == "u" || c.Name == "v" || c.Name == "w"; got != want {
			t.Errorf("%s: default is now: got %v, want %v", c.Name, got, want)
		}
		if got, want := c.Indexed, c.Name == "id" || c.Name == "v"; got != want {
			t.Errorf("%s: indexed: got %v, want %v", c.Name, got, want)
		}
		if got, want := c.NotNull, c.Name == "a b"; got != want {
			t.Errorf("%s: not null: got %v, want %v", c.Name, got, want)
		}
		if c.Name == "a b" && (c.Length != 40 || c.SQL != `"a b"`) {
			t.Errorf("got length %d and %s, want 40 and quotes", c.Length, c.SQL)
		}
	}
	if got := len(c.Tables[0].Columns); got != 7 {
		t.Errorf("got %d columns, want 7", got)
	}
}

func TestCatalogKeys(t *testing.T) {
	for definition, want := range map[string][][]string{
		"t (a INTEGER PRIMARY KEY)":                         {{"a"}},
		"t (a INT, b INT, PRIMARY KEY (b, a))":              {{"b", "a"}},
		"t (a INT NOT NULL UNIQUE, b INTEGER PRIMARY KEY)":  {{"b"}, {"a"}},
		"t (a INT UNIQUE)":                                  nil,
		"t (a INT NOT NULL, b INT NOT NULL, UNIQUE (A, b))": {{"a", "b"}},
		"t (a TEXT PRIMARY KEY, b INT) WITHOUT ROWID":       {{"a"}},
		"t (a INT)": nil,
		"t (a INT NOT NULL, b INT, UNIQUE (a, b), UNIQUE (b, a))": nil,
	} {
		c := catalogOf(t, "CREATE TABLE "+definition)
		if got := c.Tables[0].Keys; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", definition, got, want)
		}
	}
}

func TestCatalogTriggers(t *testing.T) {
	for trigger, want := range map[string]bool{
		"AFTER UPDATE ON t BEGIN UPDATE t SET updated = 1 WHERE id = NEW.id; END":                  true,
		`AFTER UPDATE OF id ON T BEGIN UPDATE t SET id = id, "Updated" = 1 WHERE id = NEW.id; END`: true,
		"AFTER INSERT ON t BEGIN UPDATE t SET updated = 1 WHERE id = NEW.id; END":                  false,
		"AFTER UPDATE ON t BEGIN INSERT INTO log SELECT NEW.updated; END":                          false,
		"AFTER UPDATE ON t BEGIN UPDATE t SET updated_by = 'me' WHERE updated = NEW.updated; END":  false,
	} {
		c := catalogOf(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, updated INT, updated_by TEXT)", "CREATE TABLE log (x)", "CREATE TRIGGER touch "+trigger)
		for _, column := range c.Tables[1].Columns {
			if column.Name == "updated" && column.Maintained != want {
				t.Errorf("%s: got %v, want %v", trigger, column.Maintained, want)
			}
		}
	}
}

// SQLite stores a reference as written: in any case, and without the columns of a
// primary key.
func TestCatalogReferences(t *testing.T) {
	c := catalogOf(t, `CREATE TABLE Film (Id INTEGER PRIMARY KEY)`, `CREATE TABLE pair (a INT, b INT, PRIMARY KEY (b, a))`,
		`CREATE TABLE t (f INT REFERENCES film, g INT REFERENCES FILM (ID) ON DELETE CASCADE, x INT, y INT, z INT REFERENCES nowhere (q), FOREIGN KEY (x, y) REFERENCES pair)`)
	i := slices.IndexFunc(c.Tables, func(t doc.CatalogTable) bool { return t.Name == "t" })
	want := []doc.CatalogReference{
		{To: "Film", Columns: []string{"f"}, OtherColumns: []string{"Id"}}, {To: "Film", Columns: []string{"g"}, OtherColumns: []string{"Id"}, Cascades: true},
		{To: "nowhere", Columns: []string{"z"}, OtherColumns: []string{"q"}}, {To: "pair", Columns: []string{"x", "y"}, OtherColumns: []string{"b", "a"}},
	}
	if got := c.Tables[i].References; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestKeywordsAreQuoted(t *testing.T) {
	db := newDB(t)
	for _, word := range append(strings.Fields(keywords), "a b", `a"b`, "1st", "größe", "plain") {
		name := quoteName(word)
		db.exec("CREATE TABLE " + name + " (" + name + " INT)")
		db.exec("SELECT " + name + " AS " + name + " FROM " + name)
	}
	if got := quoteName("plain_2"); got != "plain_2" {
		t.Errorf("got %s, want no quotes", got)
	}
}

func TestCatalogSizes(t *testing.T) {
	c := catalogOf(t, `CREATE TABLE film (id INTEGER PRIMARY KEY)`, `INSERT INTO film WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500) SELECT i FROM n`,
		`CREATE TABLE zero (id TEXT PRIMARY KEY) WITHOUT ROWID`)
	if c.Tables[0].Rows != 1500 || c.Tables[1].Rows != 0 {
		t.Errorf("got %d and %d rows, want 1500 and 0", c.Tables[0].Rows, c.Tables[1].Rows)
	}
}

// JSON is found by the declared type, or by the values of a text column.
func TestCatalogOfJSON(t *testing.T) {
	c := catalogOf(t, "CREATE TABLE t (j JSON, empty JSON, texts TEXT, lists TEXT, most TEXT, words TEXT, b JSONB, other JSONB, tm TIME)",
		`INSERT INTO t VALUES ('{"a":1}', NULL, '{"a":"x"}', '["x"]', '{}', 'x', jsonb('{"a":1}'), x'dead', '14:30'), ('[]', NULL, NULL, '[]', 'none', '{x}', NULL, x'dead', NULL)`)
	want := []doc.CatalogColumn{
		{Name: "j", Kind: doc.JSONColumn}, {Name: "empty", Kind: doc.JSONColumn}, {Name: "texts", Kind: doc.JSONColumn, Marked: true}, {Name: "lists", Kind: doc.JSONColumn, Marked: true},
		{Name: "most", Kind: doc.TextColumn}, {Name: "words", Kind: doc.TextColumn},
		{Name: "b", Marked: true, Reason: "as text", Forms: []doc.CatalogForm{{SQL: "json(%s)", Kind: doc.JSONColumn}}}, {Name: "other", Reason: "bytes"}, {Name: "tm", Kind: doc.WordColumn},
	}
	for i, column := range c.Tables[0].Columns {
		got := doc.CatalogColumn{Name: column.Name, Kind: column.Kind, Marked: column.Marked, Reason: column.Reason, Forms: column.Forms}
		if !reflect.DeepEqual(got, want[i]) {
			t.Errorf("got %+v, want %+v", got, want[i])
		}
	}
}
