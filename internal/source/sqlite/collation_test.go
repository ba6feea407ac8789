package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"modernc.org/sqlite"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/pace"
	"indexerd/internal/source"
)

// An application is a connection that has the collation unicase and the function shout.
type application struct {
	driver *sqlite.Driver
	path   string
}

func (a application) Connect(context.Context) (driver.Conn, error) {
	return a.driver.Open(fileURI(a.path, ""))
}
func (a application) Driver() driver.Driver { return a.driver }

// newApplication returns an application's database and its path.
func newApplication(t *testing.T, statements ...string) (*sql.DB, string) {
	t.Helper()
	a := application{new(sqlite.Driver), filepath.Join(t.TempDir(), "app.db")}
	a.driver.MustRegisterCollationUtf8("unicase", func(left, right string) int { return strings.Compare(strings.ToLower(left), strings.ToLower(right)) })
	err := a.driver.RegisterFunction("shout", &sqlite.FunctionImpl{NArgs: 1, Deterministic: true, Scalar: func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		return strings.ToUpper(fmt.Sprint(args[0])), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(a)
	t.Cleanup(func() { _ = db.Close() })
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return db, a.path
}

// openSource opens a database as indexerd does.
func openSource(t *testing.T, path string) *source.Source {
	t.Helper()
	d, err := Open(t.Context(), path, 2)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return source.New(d, pace.Limits{})
}

// anki is a part of Anki's schema, a column and an index of the application's function,
// and a view that fails.
var anki = []string{
	"CREATE TABLE notes (id INTEGER PRIMARY KEY, flds TEXT NOT NULL)",
	"CREATE TABLE decks (id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL COLLATE unicase)",
	"CREATE UNIQUE INDEX idx_decks ON decks (name)",
	`CREATE TABLE fields (ntid INTEGER NOT NULL, ord INTEGER NOT NULL, name TEXT NOT NULL COLLATE "unicase", PRIMARY KEY (ntid, ord)) WITHOUT ROWID`,
	"CREATE UNIQUE INDEX idx_fields ON fields (name, ntid)",
	"CREATE TABLE tags (tag TEXT NOT NULL PRIMARY KEY COLLATE unicase, usn INTEGER NOT NULL) WITHOUT ROWID",
	"CREATE TABLE loud (id INTEGER PRIMARY KEY, t TEXT, shouted TEXT GENERATED ALWAYS AS (shout(t)) VIRTUAL)",
	"CREATE TABLE gone (id INTEGER PRIMARY KEY)",
	"CREATE VIEW broken AS SELECT * FROM gone",
	"DROP TABLE gone",
	"INSERT INTO notes VALUES (1, 'front back')",
	"INSERT INTO decks VALUES (1, 'Beta'), (2, 'alpha'), (3, 'Gamma')",
	"INSERT INTO fields VALUES (1, 0, 'Front'), (1, 1, 'back')",
	"INSERT INTO tags VALUES ('Zulu', 1), ('echo', 2), ('Alpha', 3), ('beta', 4), ('Delta', 5)",
	"INSERT INTO loud (id, t) VALUES (1, 'hush')",
}

func TestCatalogOfAnApplication(t *testing.T) {
	_, path := newApplication(t, anki...)
	c, err := openSource(t, path).Catalog(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, table := range c.Tables {
		if table.Unreadable != "" || table.Rows == 0 || len(table.Keys) == 0 {
			t.Errorf("%s: got %q, %d rows, keys %v; want a table that can be read", table.SQL, table.Unreadable, table.Rows, table.Keys)
		}
		for _, column := range table.Columns {
			if column.Foreign+column.Unreadable != "" {
				got[table.Name+"."+column.Name] = column.Foreign + column.Unreadable
			}
		}
	}
	want := map[string]string{
		"decks.name": "unicase", "fields.name": "unicase", "tags.tag": "unicase",
		"loud.shouted": "SQL logic error: unknown function: shout() (1)",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(c.Tables) != 5 || !reflect.DeepEqual(c.Views, []string{"broken"}) {
		t.Errorf("got %d tables and the views %q, want 5 and the broken one", len(c.Tables), c.Views)
	}
}

// A table is read in the order of bytes. A statement that compares by a collation of
// the application fails, since it would miss rows, and breaks no other.
func TestRowsOfAnApplication(t *testing.T) {
	db, path := newApplication(t, anki...)
	s := openSource(t, path)
	tags, err := s.Table(t.Context(), source.TableConfig{Name: "tags", SQL: "SELECT tag COLLATE BINARY AS tag, usn FROM tags", Key: []string{"tag"}, Batch: 2})
	if err != nil {
		t.Fatal(err)
	}
	var got []any
	for b, err := range tags.Range(t.Context(), doc.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range b.Docs {
			got = append(got, d.Row.Values[0])
		}
	}
	if want := []any{"Alpha", "Delta", "Zulu", "beta", "echo"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got the tags %q, want %q", got, want)
	}
	for what, sql := range map[string]string{
		"a key":       "SELECT tag, usn FROM tags",
		"a condition": "SELECT id, name AS tag FROM decks WHERE name > 'alpha'",
		"a sort":      "SELECT id, name AS tag FROM decks ORDER BY name || ''  COLLATE unicase",
	} {
		table, err := s.Table(t.Context(), source.TableConfig{Name: "x", SQL: sql, Key: []string{"tag"}, Batch: 2})
		for _, err2 := range table.Range(t.Context(), doc.Range{}) {
			if err = err2; err != nil {
				break
			}
		}
		if err == nil || !strings.Contains(err.Error(), "compares by the collation unicase") {
			t.Errorf("%s: got %v, want an error that names the collation", what, err)
		}
		if n, err := tags.Count(t.Context()); n != 5 || err != nil {
			t.Errorf("after %s: got %d tags, %v, want 5", what, n, err)
		}
	}

	// The schema gets another collation.
	if _, err := db.Exec("CREATE TABLE later (id INTEGER PRIMARY KEY, t TEXT COLLATE [unicase])"); err != nil {
		t.Fatal(err)
	}
	if c, err := openSource(t, path).Catalog(t.Context(), nil); err != nil || len(c.Tables) != 6 {
		t.Errorf("got %d tables, %v, want 6", len(c.Tables), err)
	}
}

func TestCollationsOf(t *testing.T) {
	got := collationsOf([]string{
		"CREATE TABLE t (a TEXT COLLATE unicase, b TEXT collate NoCase, c TEXT COLLATE \"two words\", d TEXT COLLATE [br], e TEXT COLLATE `tick`, f TEXT COLLATE 'quo''te')",
		"CREATE INDEX i ON t (a COLLATE UNICASE DESC, b COLLATE binary)", "CREATE TABLE collated (a)",
	})
	if want := []string{"unicase", "two words", "br", "tick", "quo'te"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
