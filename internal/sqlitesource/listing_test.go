package sqlitesource

import (
	"reflect"
	"strings"
	"testing"

	"indexerd/internal/doc"
)

func TestTextKeysAreNotOrdered(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER, name TEXT, u INTEGER)")
	for _, c := range []struct {
		key  []string
		want bool
	}{{[]string{"id"}, true}, {[]string{"id", "u"}, true}, {[]string{"name"}, false}, {[]string{"id", "name"}, false}} {
		if got := db.table(TableConfig{Key: c.key}).Ordered(); got != c.want {
			t.Errorf("a key of %v is ordered: %v, want %v", c.key, got, c.want)
		}
	}
	if reason, err := db.table(TableConfig{}).Behind(t.Context()); reason != "" || err != nil {
		t.Errorf("Behind = %q, %v, want nothing", reason, err)
	}
}

func TestKeylessReturnsEachReasonOnce(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER, u INTEGER DEFAULT 10)", "INSERT INTO t (id) VALUES (1), (NULL), (NULL), ('x'), ('x'), (2.5), (x'41'), ('3')")
	numbers := &testNumbers{}
	b, err := db.table(TableConfig{Numbers: numbers}).Keyless(t.Context())
	want := strings.Join([]string{
		"0x: key column id is NULL", `0x: key id is text "x": this table's key is integer`,
		"0x: key id is real 2.5: this table's key is integer", "0x: key id is a blob of 1 bytes: this table's key is integer",
	}, "\n")
	if got := reasons(b.Rejects); got != want || err != nil {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	if b.Fetch != 1 || b.At.IsZero() || len(numbers.open) != 0 {
		t.Errorf("fetch %d at %v, %d open, want an ended fetch", b.Fetch, b.At, len(numbers.open))
	}
}

func TestKeylessIsBounded(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER, u INTEGER)",
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) INSERT INTO t SELECT 'k' || i, 10 FROM n")
	if b, err := db.table(TableConfig{}).Keyless(t.Context()); len(b.Rejects) != maxKeyless || err != nil {
		t.Errorf("%d rejects, %v, want %d", len(b.Rejects), err, maxKeyless)
	}
}

func TestRelationsAreTheTablesThatSQLsRead(t *testing.T) {
	db := newDB(t, "CREATE TABLE film (id INTEGER PRIMARY KEY, u INTEGER, language INTEGER)", "CREATE TABLE language (id INTEGER PRIMARY KEY, u INTEGER, name TEXT)",
		"CREATE TABLE actor (film INTEGER, at INTEGER, person TEXT)", "CREATE INDEX actor_covers ON actor (film, at, person)", "CREATE TABLE person (id TEXT PRIMARY KEY, at INTEGER) WITHOUT ROWID",
		"CREATE VIEW named AS SELECT film.id, film.u, name FROM film JOIN language ON language = language.id")
	cast := "SELECT film, max(actor.at, person.at) AS at, person FROM actor JOIN person ON person.id = person"
	for _, c := range []struct {
		name   string
		config TableConfig
		want   []doc.Relation
	}{
		{"join", TableConfig{SQL: "SELECT f.id, f.u, l.name FROM film f JOIN language l ON f.language = l.id"}, []doc.Relation{{Name: "film", Path: "sql", Origin: true}, {Name: "language", Path: "sql", Origin: false}}},
		{"view", TableConfig{SQL: "SELECT * FROM named"}, []doc.Relation{{Name: "film", Path: "sql", Origin: true}, {Name: "language", Path: "sql", Origin: false}}},
		{"expression", TableConfig{SQL: "SELECT f.id, max(f.u, l.u) AS u FROM film f, language l"}, []doc.Relation{{Name: "film", Path: "sql", Origin: false}, {Name: "language", Path: "sql", Origin: false}}},
		{"subquery", TableConfig{SQL: "SELECT id, u, (SELECT count(*) FROM actor WHERE film = id) AS n FROM film"}, []doc.Relation{{Name: "actor", Path: "sql", Origin: false}, {Name: "film", Path: "sql", Origin: true}}},
		{
			"children",
			TableConfig{SQL: "SELECT * FROM film", Children: append(actors(cast), ChildConfig{Name: "acl", Path: "extra.acl", SQL: "SELECT film, at, person FROM actor", Key: []string{"film"}, Updated: "at"})},
			[]doc.Relation{{Name: "film", Path: "sql", Origin: true}, {Name: "actor", Path: "children.actors", Origin: false}, {Name: "person", Path: "children.actors", Origin: false}, {Name: "actor", Path: "extra.acl", Origin: true}},
		},
	} {
		got, err := db.table(c.config).Relations(t.Context())
		if !reflect.DeepEqual(got, c.want) || err != nil {
			t.Errorf("%s: %v, %v, want %v", c.name, got, err, c.want)
		}
	}
}
