package sqlite

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/source"
	"indexerd/internal/test/sourcetest"
)

func TestRelationsAreTheTablesThatSQLsRead(t *testing.T) {
	db := newDB(t, "CREATE TABLE film (id INTEGER PRIMARY KEY, u INTEGER, language INTEGER)", "CREATE TABLE language (id INTEGER PRIMARY KEY, u INTEGER, name TEXT)",
		"CREATE TABLE actor (film INTEGER, at INTEGER, person TEXT)", "CREATE INDEX actor_covers ON actor (film, at, person)", "CREATE TABLE person (id TEXT PRIMARY KEY, at INTEGER) WITHOUT ROWID",
		"CREATE VIEW named AS SELECT film.id, film.u, name FROM film JOIN language ON language = language.id")
	child := func(name, sql string) source.ChildConfig {
		return source.ChildConfig{Name: name, Path: "children." + name, SQL: sql, Key: []string{"film"}, Updated: "at"}
	}
	cast := child("actors", "SELECT film, max(actor.at, person.at) AS at, person FROM actor JOIN person ON person.id = person")
	for _, c := range []struct {
		sql      string
		children []source.ChildConfig
		want     []doc.Relation
	}{
		{"SELECT f.id, f.u, l.name FROM film f JOIN language l ON f.language = l.id", nil, []doc.Relation{{Name: "film", Path: "sql", Origin: true}, {Name: "language", Path: "sql"}}},
		{"SELECT * FROM named", nil, []doc.Relation{{Name: "film", Path: "sql", Origin: true}, {Name: "language", Path: "sql"}}},
		{"SELECT f.id, max(f.u, l.u) AS u FROM film f, language l", nil, []doc.Relation{{Name: "film", Path: "sql"}, {Name: "language", Path: "sql"}}},
		{"SELECT id, u, (SELECT count(*) FROM actor WHERE film = id) AS n FROM film", nil, []doc.Relation{{Name: "actor", Path: "sql"}, {Name: "film", Path: "sql", Origin: true}}},
		{"SELECT * FROM film", []source.ChildConfig{cast, child("acl", "SELECT film, at, person FROM actor")}, []doc.Relation{
			{Name: "film", Path: "sql", Origin: true}, {Name: "actor", Path: "children.actors"}, {Name: "person", Path: "children.actors"}, {Name: "actor", Path: "children.acl", Origin: true}}},
	} {
		got, err := db.table(source.TableConfig{SQL: c.sql, Children: c.children}).Relations(t.Context())
		if !reflect.DeepEqual(got, c.want) || err != nil {
			t.Errorf("%s: got %v, %v, want %v", c.sql, got, err, c.want)
		}
	}
}

// Plans name the tables that are read completely as the SQL does not: without
// aliases, and quoted if necessary.
func TestPlans(t *testing.T) {
	db := newDB(t, "CREATE TABLE fast (id INTEGER PRIMARY KEY, u INTEGER)", "CREATE INDEX fast_u ON fast (u, id)", "INSERT INTO fast VALUES (1, 1700000000), (2, 1700000000)",
		"CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER)", "CREATE INDEX t_some ON t (u) WHERE u > 5", "INSERT INTO t VALUES (1, 1700000000), (2, 1700000000), (3, NULL)",
		`CREATE TABLE "order" (id INTEGER PRIMARY KEY, "from" INTEGER)`, `INSERT INTO "order" VALUES (1, 1700000000)`,
		"CREATE TABLE keyless (id INTEGER, u INTEGER, part INTEGER)", "CREATE INDEX keyless_u ON keyless (u)", "INSERT INTO keyless SELECT id, u, 1 FROM t",
		"CREATE TABLE part (id INTEGER, u INTEGER)", "INSERT INTO part SELECT * FROM t")
	for _, c := range []struct {
		config source.TableConfig
		want   string // path, question, columns, whether an index has them, tables with rows
	}{
		{source.TableConfig{SQL: "SELECT * FROM fast"}, "sql window fast.u true; sql range fast.id false; sql keys fast.id false"},
		{source.TableConfig{SQL: "SELECT * FROM t"}, "sql window t.u false t 3; sql range t.id false; sql keys t.id false"},
		{source.TableConfig{SQL: "SELECT a.* FROM t AS a"}, "sql window t.u false t 3; sql range t.id false; sql keys t.id false"},
		{source.TableConfig{SQL: `SELECT id, o."from" AS u FROM "order" o`}, `sql window "order"."from" false "order" 1; sql range "order".id false; sql keys "order".id false`},
		{source.TableConfig{SQL: "SELECT id, u + 0 AS u FROM fast"}, "sql window . false fast 2; sql range fast.id false; sql keys fast.id false"},
		{source.TableConfig{SQL: "SELECT id, max(u) AS u FROM t GROUP BY id"}, "sql window . false t 3; sql range t.id false; sql keys t.id false"},
		{source.TableConfig{SQL: "SELECT id, u, n FROM fast, (SELECT count(*) AS n FROM part)"}, "sql window fast.u true part 3; sql range fast.id false part 3; sql keys fast.id false part 3"},
		{source.TableConfig{SQL: "SELECT id, u FROM fast WHERE u IN (SELECT u FROM part UNION SELECT 5)"}, "sql window fast.u true part 3; sql range fast.id false part 3; sql keys fast.id false part 3"},
		{source.TableConfig{SQL: "SELECT * FROM keyless"}, "sql window keyless.u true; sql range keyless.id false keyless 3; sql keys keyless.id false keyless 3"},
		{source.TableConfig{SQL: "SELECT * FROM fast", Children: part("u")},
			"sql window fast.u true; children.parts.sql window part.u false part 3; sql range fast.id false; sql keys fast.id false; children.parts.sql keys part.id false part 3"},
		{source.TableConfig{SQL: "SELECT * FROM fast", Deleted: source.DeletedConfig{SQL: "SELECT id FROM part"}, Changes: "SELECT * FROM t"},
			"sql window fast.u true; changes window t.u false t 3; sql range fast.id false; sql keys fast.id false; deleted.sql keys part.id false part 3"},
	} {
		table := db.table(c.config)
		plans, err := table.Plans(t.Context(), doc.Window{From: time.Unix(1700000000, 0), To: time.Unix(1700000001, 0)}, []doc.OID{oid(t, 2), oid(t, 1)})
		var got []string
		for _, p := range plans {
			text := fmt.Sprintf("%s %s %s.%s %t", p.Path, []string{"window", "range", "keys"}[p.Asks], p.By[0].Table, p.By[0].Name, p.Indexed)
			for _, scan := range p.FullScans {
				text += fmt.Sprintf(" %s %d", scan.Table, scan.Rows)
			}
			got = append(got, text)
		}
		if strings.Join(got, "; ") != c.want || err != nil {
			t.Errorf("%s: got %s, %v, want %s", c.config.SQL, strings.Join(got, "; "), err, c.want)
		}
	}
	window, err := db.table(source.TableConfig{}).Plans(t.Context(), doc.Window{From: time.Unix(0, 0), To: time.Unix(1, 0)}, nil)
	if len(window) != 1 || err != nil {
		t.Errorf("without keys: got %v, %v, want the plan of the window alone", window, err)
	}
}

// SQLite pushes the conditions around an SQL down to its indexes, for common forms
// of SQL: no statement of a page scans a table, and none sorts, except after GROUP
// BY.
func TestStatementsUseIndexes(t *testing.T) {
	setup := []string{
		"CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, folded TEXT COLLATE NOCASE UNIQUE, u TEXT)", "CREATE INDEX t_u ON t (u)",
		"CREATE TABLE part (t_id INTEGER, at INTEGER, word TEXT)", "CREATE INDEX part_t ON part (t_id)", "CREATE INDEX part_at ON part (at)",
		"INSERT INTO t VALUES (1, 'a', 'a', '2024-05-06'), (2, 'b', 'b', '2024-05-06'), (3, 'c', 'c', '2024-05-06'), (4, 'd', 'd', '2024-05-06')", "INSERT INTO part SELECT id, 1700000000, 'w' FROM t",
	}
	child := []sourcetest.Child{{Name: "parts", Path: "children.parts", SQL: "SELECT * FROM part", Key: []string{"t_id"}, Updated: "at"}}
	for _, c := range []struct {
		config   sourcetest.Config
		from, to []any
		grouped  bool // updateTime is computed, so windows have no index
	}{
		{sourcetest.Config{Key: []string{"id"}}, []any{1}, []any{4}, false},
		{sourcetest.Config{Key: []string{"name"}}, []any{"a"}, []any{"d"}, false},
		{sourcetest.Config{Key: []string{"folded"}}, []any{"a"}, []any{"d"}, false},
		{sourcetest.Config{Key: []string{"name", "id"}}, []any{"a", 1}, []any{"d", 4}, false},
		{sourcetest.Config{Key: []string{"id"}, SQL: "SELECT t.*, word FROM t LEFT JOIN part ON t_id = id"}, []any{1}, []any{4}, false},
		{sourcetest.Config{Key: []string{"id"}, SQL: "SELECT t.*, (SELECT group_concat(word) FROM part WHERE t_id = id) AS words FROM t"}, []any{1}, []any{4}, false},
		{sourcetest.Config{Key: []string{"id"}, SQL: "SELECT id, max(u) AS u, group_concat(word) FROM t LEFT JOIN part ON t_id = id GROUP BY id"}, []any{1}, []any{4}, true},
		{sourcetest.Config{Key: []string{"id"}, Children: child}, []any{1}, []any{4}, false},
	} {
		harness := recording()
		db := harness.Open(t).(recordedDB)
		if err := db.Exec(setup...); err != nil {
			t.Fatal(err)
		}
		c.config.Updated, c.config.Batch, c.config.Page = "u", 1, 1
		if c.config.SQL == "" {
			c.config.SQL = "SELECT * FROM t"
		}
		table, err := db.Open(c.config)
		if err != nil {
			t.Fatal(err)
		}
		from, to := oid(t, c.from...), oid(t, c.to...)
		for what, read := range map[string]func() int{
			"range":  func() int { return drain(t, table.Range(t.Context(), doc.Range{From: from, To: to})) },
			"stamps": func() int { return drain(t, table.StampsInRange(t.Context(), doc.Range{From: from, To: to})) },
			"keys":   func() int { return drain(t, table.Docs(t.Context(), []doc.OID{from, to})) },
			"window": func() int {
				if c.grouped {
					return 2
				}
				return drain(t, table.Stamps(t.Context(), doc.Window{To: instant(t, "2030-01-01T00:00:00Z")}))
			},
		} {
			_ = db.Statements()
			if pages := read(); pages < 2 {
				t.Errorf("%s, %s: got %d pages, want several", c.config.SQL, what, pages)
			}
			for _, s := range db.Statements() {
				plan, err := countingDB{recordedDB: db}.plan(s)
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(plan, "SCAN t") || strings.Contains(plan, "SCAN part") || !c.grouped && strings.Contains(plan, "USE TEMP B-TREE FOR ORDER BY") {
					t.Errorf("%s, %s: got a scan or a sort, want an index used:\n%s\n%s", c.config.SQL, what, s.SQL, plan)
				}
			}
		}
	}
}

func drain[T any](t *testing.T, pages func(func(T, error) bool)) (n int) {
	t.Helper()
	for _, err := range pages {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

// SQLite has no roles, no network, no estimates and no delay.
func TestServer(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER)")
	table := db.table(source.TableConfig{})
	server, err := db.source.Server(t.Context())
	if got := strings.TrimPrefix(server.Version, "SQLite 3."); got == server.Version || err != nil || server.Remote || server.Role != "" {
		t.Errorf("got server %+v, %v, want SQLite 3", server, err)
	}
	estimate, err := table.Estimate(t.Context())
	writable, err2 := table.Writable(t.Context())
	behind, err3 := table.Behind(t.Context())
	if estimate != 0 || len(writable) > 0 || behind != "" || err != nil || err2 != nil || err3 != nil {
		t.Errorf("got estimate %d, %v, writable tables %v, %v, and delay %q, %v, want none", estimate, err, writable, err2, behind, err3)
	}
}
