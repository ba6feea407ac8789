package proposal

import (
	"slices"
	"strings"
	"testing"

	"indexerd/internal/base/doc"
)

func TestFind(t *testing.T) {
	c := doc.Catalog{Views: []string{"film_list"}, Tables: []doc.CatalogTable{
		{Name: "film", SQL: "film"}, {Name: "InvoiceLine", SQL: `"InvoiceLine"`}, {Schema: "sales", Name: "order", SQL: `sales."order"`}, {Name: "a_b", SQL: "a_b"}, {Name: "ab", SQL: "ab"},
	}}
	for _, test := range []struct {
		names     string
		want, err string
	}{
		{"film", "film", ""},
		{"Film film FILM", "film", ""},
		{`InvoiceLine "InvoiceLine" invoice_line invoiceline`, `"InvoiceLine"`, ""},
		{"film sales.order", `film sales."order"`, ""},
		{"order", `sales."order"`, ""},
		{"sales_order", `sales."order"`, ""},
		{"ab", "ab", ""},
		{"A_B", "", "table A_B is one of several: write a_b or ab"},
		{"flim", "", "table flim does not exist: did you mean film?"},
		{"film_list", "", "table film_list does not exist: it is a view, which the sql of a table may read, with its key or key: row"},
		{"zzzzzzzz", "", "table zzzzzzzz does not exist: write names of tables of this database, as indexerd init lists them"},
	} {
		got, err := Find(c, strings.Fields(test.names))
		if !slices.Equal(got, strings.Fields(test.want)) || (err == nil) != (test.err == "") || err != nil && err.Error() != test.err {
			t.Errorf("%s: got %v, %v, want %s, %s", test.names, got, err, test.want, test.err)
		}
	}
	if got, err := Find(c, nil); got != nil || err != nil {
		t.Errorf("no names: got %v, %v, want nil, which is all tables", got, err)
	}
}

// A table that a person names is proposed whatever it holds, without a list of the others.
func TestOnly(t *testing.T) {
	c, open := lite(t, "app.db", `CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT, language_id INTEGER REFERENCES language)`, `CREATE TABLE language (id INTEGER PRIMARY KEY, name TEXT)`,
		`CREATE TABLE sessions (id INTEGER PRIMARY KEY, agent TEXT, payload TEXT, expires INTEGER)`, `CREATE TABLE shape (s BLOB PRIMARY KEY)`)
	s := Source{Driver: "sqlite", DSN: "app.db", Address: "app.db"}
	whole := Config(c, s)
	if whole.Tables != 1 || whole.Others != 2 || len(works(t, switchedOn(whole.YAML), open).Tables) != 3 {
		t.Errorf("got %d tables and %d others, want 1 and 2 in\n%s", whole.Tables, whole.Others, whole.YAML)
	}
	for _, want := range []string{"\n  # Codes, whose names are in the rows that refer to them:\n  # language: {source: app, ", "\n  # Sessions, which no one searches:\n  # sessions: {source: app, ", "# shape: no column"} {
		if !strings.Contains(whole.YAML, want) {
			t.Errorf("got\n%s\nwant %q in it", whole.YAML, want)
		}
	}
	s.Only = []string{"sessions", "language"}
	r := Config(c, s)
	if cfg := works(t, r.YAML, open); r.Tables != 2 || r.Others != 0 || len(cfg.Tables) != 2 || strings.Contains(r.YAML, "film") || strings.Contains(r.YAML, "shape") {
		t.Errorf("got %d tables and %d others, want sessions and language in\n%s", r.Tables, r.Others, r.YAML)
	}
	s.Only, s.All = nil, true
	if r := Config(c, s); r.Tables != 2 || r.Others != 1 {
		t.Errorf("all: got %d tables and %d others, want film and language in\n%s", r.Tables, r.Others, r.YAML)
	}
	s.Only, s.All = []string{"shape"}, false
	if r := Config(c, s); r.Tables != 0 || !strings.Contains(r.YAML, "# shape: no") {
		t.Errorf("one that can't be indexed: got %d tables in\n%s", r.Tables, r.YAML)
	}
}

// Where no table has a name or a text, all are proposed.
func TestNothingHasAName(t *testing.T) {
	c, open := lite(t, "app.db", `CREATE TABLE measure (id INTEGER PRIMARY KEY, n INTEGER)`, `CREATE TABLE item (id INTEGER PRIMARY KEY, tags TEXT)`)
	r := Config(c, Source{Driver: "sqlite", DSN: "app.db"})
	if cfg := works(t, r.YAML, open); len(cfg.Tables) != 2 || r.Others != 0 {
		t.Errorf("got %d tables and %d others, want both in\n%s", r.Tables, r.Others, r.YAML)
	}
}
