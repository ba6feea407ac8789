package sqlitesource

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"indexerd/internal/doc"
)

// Rows that share a key neither loop nor hide the key, wherever a page ends.
func TestStampsInRangeOfDuplicates(t *testing.T) {
	for _, declared := range []string{"INTEGER", "TEXT COLLATE NOCASE"} {
		db := newDB(t, "CREATE TABLE t (id "+declared+", u INTEGER)")
		for _, id := range []int{1, 2, 2, 3, 3, 3, 3, 4, 5, 5} {
			db.exec("INSERT INTO t VALUES (?, NULL)", id)
		}
		for page := 1; page <= 11; page++ {
			table := db.table(TableConfig{})
			table.stamps = page
			stamps := collect(t, table.StampsInRange(t.Context(), doc.Range{}))
			var keys []string
			for _, o := range distinct(stamps) {
				keys = append(keys, o.String())
			}
			if got := strings.Join(keys, " "); got != "1 2 3 4 5" || len(stamps) > 10 {
				t.Errorf("%s, pages of %d: keys %s of %d stamps, want 1 2 3 4 5", declared, page, got, len(stamps))
			}
		}
	}
}

// Ranges of stamps hold what ranges of documents hold, in the same order.
func TestStampsInRangeAreThoseOfRange(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id TEXT COLLATE NOCASE, u TEXT)",
		"INSERT INTO t VALUES ('b', NULL), ('A', '2024-05-06'), ('a', 'soon'), ('B', '9999-12-31'), ('C', '2024-05-06'), ('é', x'00'), ('', '2024-05-06'), (NULL, '2024-05-06'), (x'41', '2024-05-06')")
	table := db.table(TableConfig{})
	table.stamps = 2
	for _, r := range []doc.Range{{}, {From: oid(t, "a")}, {To: oid(t, "b")}, {From: oid(t, "A"), To: oid(t, "c")}} {
		docs, rejects := rangeOf(t, table, r)
		n := len(docs)
		for _, reject := range rejects {
			if reject.OID != "" {
				n++
			}
		}
		stamps := collect(t, table.StampsInRange(t.Context(), r))
		if len(stamps) != n {
			t.Errorf("%v: %d stamps, want %d", r, len(stamps), n)
		}
		var at int
		for _, d := range docs {
			for ; at < len(stamps) && stamps[at].OID != d.OID; at++ {
				if !stamps[at].Updated.IsZero() {
					t.Errorf("stamp %v of a row that is rejected has an updateTime", stamps[at])
				}
			}
			if at == len(stamps) || !stamps[at].Same(d.Stamp) {
				t.Fatalf("%v: no stamp of %v in its place", r, d.OID)
			}
			at++
		}
	}
}

// Rows that are equal under the collation alone were not asked for; a key
// comes once, and its token is not known where several rows have it.
func TestStampsOf(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id TEXT COLLATE NOCASE, u INTEGER)", "INSERT INTO t VALUES ('a', 10), ('A', 11), ('b', NULL), ('b', 12), ('c', 'soon')")
	stamps, err := db.table(TableConfig{}).StampsOf(t.Context(), []doc.OID{oid(t, "a"), oid(t, "b"), oid(t, "c"), oid(t, "a"), oid(t, "d")})
	var got []string
	for _, s := range stamps {
		got = append(got, fmt.Sprint(s.OID, " ", s.Updated.Unix(), " ", s.Token.Digest != 0))
	}
	if got, want := strings.Join(got, ", "), "a 10 true, b -62135596800 false, c -62135596800 true"; got != want || err != nil {
		t.Errorf("stamps = %s, %v, want %s", got, err, want)
	}
}

func TestOrdered(t *testing.T) {
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

func TestKeyless(t *testing.T) {
	for _, c := range []struct {
		name, ddl string
		key       []string
		values    string
		want      []string
	}{
		{"sound", "id INTEGER", []string{"id"}, "(1), (2)", nil},
		{"integer", "id INTEGER", []string{"id"}, "(1), (NULL), (NULL), ('x'), ('x'), (2.5), (x'41'), ('3')", []string{
			"key column id is NULL", `key id is text "x": this table's key is integer`,
			"key id is real 2.5: this table's key is integer", "key id is a blob of 1 bytes: this table's key is integer",
		}},
		{"text", "id TEXT", []string{"id"}, "('a'), (NULL), (7), (x'41'), (CAST(x'ff' AS TEXT))", []string{
			"key column id is NULL", "key id is a blob of 1 bytes: this table's key is text", "key part 1 is not valid UTF-8",
		}},
		{"composite", "a INTEGER, id TEXT", []string{"a", "id"}, "(1, 'x'), (NULL, 'x'), (1, NULL), ('y', 'x')", []string{
			"one of the key columns a, id is NULL", `key a is text "y": this table's key is integer`,
		}},
	} {
		db := newDB(t, "CREATE TABLE t ("+c.ddl+", u INTEGER DEFAULT 10)", "INSERT INTO t ("+strings.Join(c.key, ", ")+") VALUES "+c.values)
		numbers := &testNumbers{}
		b, err := db.table(TableConfig{Key: c.key, Numbers: numbers}).Keyless(t.Context())
		var got []string
		for _, r := range b.Rejects {
			if r.OID != "" {
				t.Errorf("%s: reject of %v, want one without a key", c.name, r.OID)
			}
			got = append(got, r.Reason)
		}
		if !reflect.DeepEqual(got, c.want) || err != nil {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
		if b.Fetch != 1 || b.At.IsZero() || len(numbers.open) != 0 {
			t.Errorf("%s: fetch %d at %v, %d open, want an ended fetch", c.name, b.Fetch, b.At, len(numbers.open))
		}
	}
}

func TestKeylessIsBounded(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER, u INTEGER)",
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) INSERT INTO t SELECT 'k' || i, 10 FROM n")
	if b, err := db.table(TableConfig{}).Keyless(t.Context()); len(b.Rejects) != maxKeyless || err != nil {
		t.Errorf("%d rejects, %v, want %d", len(b.Rejects), err, maxKeyless)
	}
}

func TestRelations(t *testing.T) {
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
