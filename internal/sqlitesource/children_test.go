package sqlitesource

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"indexerd/internal/doc"
)

// actors returns a child of t.
func actors(sql string) []ChildConfig {
	return []ChildConfig{{Name: "actors", Path: "children.actors", SQL: sql, Key: []string{"film"}, Updated: "at"}}
}

var actorTable = []string{
	"CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER)",
	"CREATE TABLE actor (film INTEGER, at TEXT, name TEXT)",
	"CREATE INDEX actor_film ON actor (film)",
	"CREATE INDEX actor_at ON actor (at)",
	"INSERT INTO t VALUES (1, 1700000000), (2, 1700000000)",
}

// oneStamp returns the stamp of document 1.
func oneStamp(t testing.TB, table *Table) doc.Stamp {
	t.Helper()
	stamps, err := table.StampsOf(t.Context(), []doc.OID{oid(t, 1)})
	if err != nil || len(stamps) != 1 {
		t.Fatalf("StampsOf = %v, %v, want one stamp", stamps, err)
	}
	return stamps[0]
}

// A change of a child changes the token of its parent and of no other row. The
// parent has the greatest updateTime.
func TestChildrenMakeVersions(t *testing.T) {
	db := newDB(t, actorTable...)
	table := db.table(TableConfig{Children: actors("SELECT film, at, name FROM actor")})
	seen := map[uint64]string{}
	for _, step := range []struct {
		name, statement string
		updated         string
	}{
		{"no children", "SELECT 1", "2023-11-14T22:13:20Z"},
		{"insert", "INSERT INTO actor VALUES (1, '2024-05-06 12:00:00', 'Ann')", "2024-05-06T12:00:00Z"},
		{"an older one", "INSERT INTO actor VALUES (1, '2020-01-01 00:00:00', 'Bob')", "2024-05-06T12:00:00Z"},
		{"update without a time", "UPDATE actor SET name = 'Rob' WHERE name = 'Bob'", "2024-05-06T12:00:00Z"},
		{"update with a time", "UPDATE actor SET at = '2025-01-01 00:00:00' WHERE name = 'Rob'", "2025-01-01T00:00:00Z"},
		{"a second row of the same values", "INSERT INTO actor SELECT * FROM actor WHERE name = 'Rob'", "2025-01-01T00:00:00Z"},
		{"delete", "DELETE FROM actor WHERE name = 'Rob'", "2024-05-06T12:00:00Z"},
	} {
		other := stampsOf(t, table, time.Unix(1700000000, 0), time.Unix(1700000001, 0))[1]
		db.exec(step.statement)
		got := oneStamp(t, table)
		if want := instant(t, step.updated); !got.Updated.Equal(want) {
			t.Errorf("%s: updateTime %v, want %v", step.name, got.Updated, want)
		}
		// The delete restores the state after the insert.
		if before, ok := seen[got.Token.Digest]; ok && step.name != "delete" {
			t.Errorf("%s: the token is that of %s", step.name, before)
		}
		seen[got.Token.Digest] = step.name
		docs, _ := docsOf(t, table, oid(t, 1))
		if len(docs) != 1 || !docs[0].Same(got) {
			t.Errorf("%s: the document's stamp is %v, want %v", step.name, docs, got)
		}
		if again := stampsOf(t, table, time.Unix(1700000000, 0), time.Unix(1700000001, 0))[1]; !again.Same(other) {
			t.Errorf("%s: document 2 went from %v to %v", step.name, other, again)
		}
		if w := got.Updated; len(stampsOf(t, table, w, w.Add(time.Second))) == 0 {
			t.Errorf("%s: no stamp in the window of %v", step.name, w)
		}
	}
	db.exec("DELETE FROM actor")
	if got := oneStamp(t, table).Token.Digest; seen[got] != "no children" {
		t.Errorf("without children again the token is that of %q, want that of no children", seen[got])
	}
}

// SQLite's sum would overflow, and its total would lose digits.
func TestSumOfManyDigestsWrapsAround(t *testing.T) {
	db := newDB(t, actorTable...)
	table := db.table(TableConfig{Children: actors("SELECT * FROM actor")})
	db.exec("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) INSERT INTO actor SELECT 1, '2024-05-06 12:00:00', 'n' || i FROM n")
	before := oneStamp(t, table)
	db.exec("UPDATE actor SET name = 'n1001' WHERE name = 'n500'")
	if after := oneStamp(t, table); after.Same(before) {
		t.Errorf("one of 1000 children changed, and the token is still %v", after.Token)
	}
}

// Pages of earlier versions store these tokens.
func TestTokensWithoutChildrenDoNotChange(t *testing.T) {
	db := newDB(t, actorTable...)
	plain := db.table(TableConfig{})
	if got, want := plain.Epoch(), uint32(0xfe8fa056); got != want {
		t.Errorf("epoch = %#x, want %#x", got, want)
	}
	own, err := digest([]any{int64(1), int64(1700000000)})
	if err != nil {
		t.Fatal(err)
	}
	if got := oneStamp(t, plain).Token.Digest; got != own {
		t.Errorf("token = %#x, want the row's digest %#x", got, own)
	}
	for name, c := range map[string][]ChildConfig{
		"a child":             actors("SELECT * FROM actor"),
		"another SQL of it":   actors("SELECT film, at, name FROM actor"),
		"another time of it":  {{Name: "actors", Path: "p", SQL: "SELECT * FROM actor", Key: []string{"film"}}},
		"another name of it":  {{Name: "cast", Path: "p", SQL: "SELECT * FROM actor", Key: []string{"film"}, Updated: "at"}},
		"it for another part": {{Name: "actors", Path: "p", SQL: "SELECT film, name, film AS f FROM actor", Key: []string{"f"}}},
	} {
		if got := db.table(TableConfig{Children: c}).Epoch(); got == plain.Epoch() {
			t.Errorf("with %s the epoch is that without", name)
		}
	}
}

func TestChildrenHaveTheirOwnTimeFormat(t *testing.T) {
	for _, c := range []struct {
		name, value, want string
		tick              time.Duration
	}{
		{"text", "'2024-05-06 12:00:00'", "2024-05-06T12:00:00Z", time.Second},
		{"date", "'2024-05-06'", "2024-05-06T00:00:00Z", 24 * time.Hour},
		{"milliseconds", "1714996800123", "2024-05-06T12:00:00.123Z", time.Second},
		{"julian", "2460437.0", "2024-05-06T12:00:00Z", time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER)", "CREATE TABLE actor (film INTEGER, at, name TEXT)", "INSERT INTO t VALUES (1, 1700000000), (2, NULL)")
			table := db.table(TableConfig{Children: actors("SELECT * FROM actor")})
			if got := table.Tick(); got != time.Second {
				t.Errorf("Tick without children = %v, want the table's", got)
			}
			db.exec("INSERT INTO actor VALUES (1, " + c.value + ", 'Ann'), (2, " + c.value + ", 'Bob')")
			at := instant(t, c.want)
			if got := stampKeys(stampsOf(t, table, at, at.Add(time.Microsecond))); got != "1 2" {
				t.Errorf("stamps of the child's window = %q, want 1 2", got)
			}
			if got := oneStamp(t, table).Updated; !got.Equal(at) {
				t.Errorf("updateTime = %v, want %v", got, at)
			}
			if got := table.Tick(); got != c.tick {
				t.Errorf("Tick = %v, want %v", got, c.tick)
			}
		})
	}
}

func TestChildWithoutUpdated(t *testing.T) {
	db := newDB(t, actorTable...)
	db.exec("INSERT INTO actor VALUES (1, 'whenever', 'Ann')")
	table := db.table(TableConfig{Children: []ChildConfig{{Name: "actors", Path: "children.actors", SQL: "SELECT film, name FROM actor", Key: []string{"film"}}}})
	before := oneStamp(t, table)
	db.exec("UPDATE actor SET name = 'Bob'")
	if after := oneStamp(t, table); after.Same(before) || !after.Updated.Equal(before.Updated) {
		t.Errorf("got %v after %v, want another token of the same updateTime", after, before)
	}
	if got := stampKeys(stampsOf(t, table, time.Unix(0, 0), time.Unix(2e9, 0))); got != "1 2" {
		t.Errorf("stamps = %q, want each row once", got)
	}
}

func TestInvalidChildRejectsItsParent(t *testing.T) {
	for _, c := range []struct{ at, name, want string }{
		{"'2024-05-06 12:00:00'", "9e999", "child actors: column name: real +Inf is no number that can be indexed"},
		{"'2024-05-06 12:00:00'", "CAST(x'61ff' AS TEXT)", `child actors: column name: text "a\xff" is not valid UTF-8`},
		{"'soon'", "'Ann'", `child actors: updated at: text "soon" is not a time`},
	} {
		db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER)", "CREATE TABLE actor (film INTEGER, at, name)",
			"INSERT INTO t VALUES (1, 1700000000), (2, 1700000000), (3, 1700000000)",
			"INSERT INTO actor VALUES (1, '2024-05-06 12:00:00', 'Ann'), (2, "+c.at+", "+c.name+"), (3, '2024-05-06 12:00:00', 'Cem'), (2, NULL, 'Bob')")
		docs, rejects := rangeOf(t, db.table(TableConfig{Children: actors("SELECT * FROM actor")}), doc.Range{})
		if got := keysOf(docs); got != "1 3" {
			t.Errorf("documents = %s, want 1 3", got)
		}
		if got, want := reasons(rejects), "2: "+c.want; got != want {
			t.Errorf("rejects: %s, want %s", got, want)
		}
	}
}

func TestChildrenWithoutParentAreIgnored(t *testing.T) {
	db := newDB(t, actorTable...)
	db.exec("INSERT INTO actor VALUES (NULL, '2024-05-06 12:00:00', 'a'), ('x', '2024-05-06 12:00:00', 'b'), (9, '2024-05-06 12:00:00', 'c'), (x'31', '2024-05-06 12:00:00', 'd'), (1.5, '2024-05-06 12:00:00', 'e')")
	table := db.table(TableConfig{Children: actors("SELECT * FROM actor")})
	docs, rejects := rangeOf(t, table, doc.Range{})
	if len(docs) != 2 || len(rejects) != 0 || len(docs[0].Row.Children[0].Rows) != 0 {
		t.Errorf("docs = %v, rejects = %v, want two documents without children", docs, rejects)
	}
	at := instant(t, "2024-05-06T12:00:00Z")
	if got := stampKeys(stampsOf(t, table, at, at.Add(time.Second))); got != "" {
		t.Errorf("stamps = %q, want none", got)
	}
}

// Later pages grow again, and no row is lost. A row whose children exceed a page is
// a page by itself.
func TestPagesShrinkForManyChildren(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER)", "CREATE TABLE actor (film INTEGER, at, name)")
	for id := range 6 {
		db.exec("INSERT INTO t VALUES (?, 1700000000)", id)
		db.exec("INSERT INTO actor VALUES (?, NULL, zeroblob(?))", id, pageBytes/5) // in hex twice that
	}
	db.exec("INSERT INTO actor SELECT 3, NULL, name FROM actor")
	table := db.table(TableConfig{Children: actors("SELECT * FROM actor")})
	for what, pages := range map[string]func(func(doc.Batch, error) bool){
		"range": table.Range(t.Context(), doc.Range{}),
		"docs":  table.Docs(t.Context(), []doc.OID{oid(t, 0), oid(t, 1), oid(t, 2), oid(t, 3), oid(t, 4), oid(t, 5)}),
	} {
		var got []string
		for b, err := range pages {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, keysOf(b.Docs))
			for _, d := range b.Docs {
				want := 1
				if d.OID == oid(t, 3) {
					want = 7
				}
				if n := len(d.Row.Children[0].Rows); n != want {
					t.Errorf("%s: document %v has %d children, want %d", what, d.OID, n, want)
				}
			}
		}
		if got, want := strings.Join(got, "|"), "0|1 2|3|4 5"; got != want {
			t.Errorf("%s: pages %s, want %s", what, got, want)
		}
	}
}

func TestChildConfigErrors(t *testing.T) {
	db := newDB(t, append(actorTable, "INSERT INTO actor VALUES (1, 'soon', 'Ann')", "CREATE TABLE pair (a INTEGER, b TEXT, u INTEGER)")...)
	child := func(c ChildConfig) TableConfig {
		c.Name, c.Path = "actors", "children.actors"
		if c.SQL == "" {
			c.SQL = "SELECT film, name, at FROM actor"
		}
		if c.Key == nil {
			c.Key = []string{"film"}
		}
		return TableConfig{Children: []ChildConfig{c}}
	}
	for _, c := range []struct {
		name   string
		config TableConfig
		want   string
	}{
		{"no such table", child(ChildConfig{SQL: "SELECT * FROM actors"}), "children.actors.sql: SQL logic error: no such table: actors (1): try it in the sqlite3 shell"},
		{"key", child(ChildConfig{Key: []string{"flim"}}), "children.actors.key: column flim is not in the SQL's result: did you mean film?"},
		{"key of two", child(ChildConfig{Key: []string{"film", "name"}}), "children.actors.key: 2 columns: the table's key has 1: name a column for each, in the same order"},
		{"key of text", child(ChildConfig{Key: []string{"name"}}), "children.actors.key: column name is text: that part of the table's key is integer: CAST it in the SQL"},
		{"updated", child(ChildConfig{Updated: "att"}), "children.actors.updated: column att is not in the SQL's result: did you mean at?"},
		{"updated of words", child(ChildConfig{Updated: "at"}), `children.actors.updated: column at: text "soon" is not a time: it must hold Unix time, Julian days, or text as 2006-01-02 15:04:05`},
		{"content", child(ChildConfig{Columns: []string{"name", "nmae"}}), "children.actors.content: column nmae is not in the SQL's result: did you mean name?"},
		{"two values", child(ChildConfig{Value: true}), "children.actors.sql: 2 columns beside key and updated: select exactly one, the value"},
		{"no value", child(ChildConfig{Value: true, SQL: "SELECT film FROM actor"}), "children.actors.sql: 0 columns beside key and updated: select exactly one, the value"},
		{"deleted column", TableConfig{Deleted: DeletedConfig{Column: "idd", Values: []any{int64(0)}}}, "deleted.column: column idd is not in the SQL's result: did you mean id?"},
		{"deleted sql", TableConfig{Deleted: DeletedConfig{SQL: "SELECT film FROM actor"}}, "deleted.sql: column id is not in the SQL's result: name one of film"},
		{"changes without u", TableConfig{Changes: "SELECT film AS id FROM actor"}, "changes: column u is not in the SQL's result: name one of id"},
		{"changes of another key", TableConfig{Changes: "SELECT name AS id, 1 AS u FROM actor"}, "changes: column id is text: that part of the table's key is integer: CAST it in the SQL"},
	} {
		wantConfigError(t, db, c.name, c.config, c.want)
	}
	// These are valid.
	db.table(child(ChildConfig{Value: true, SQL: "SELECT film, name FROM actor"}))
	db.table(TableConfig{SQL: "SELECT * FROM pair", Key: []string{"b", "a"}, Children: []ChildConfig{{Name: "c", Path: "children.c", SQL: "SELECT name, film FROM actor", Key: []string{"name", "film"}}}})
}

// Children are selected by key and by updateTime without a scan of their table.
func TestChildStatementsUseIndexes(t *testing.T) {
	db := newDB(t, actorTable...)
	table := db.table(TableConfig{Children: actors("SELECT * FROM actor")})
	s := &table.children[0].statements
	var among condition
	if err := s.amongKeys(&among, [][]any{{int64(1)}, {int64(2)}}); err != nil {
		t.Fatal(err)
	}
	for what, query := range map[string]string{"rows": s.docs + among.String(), "digests": s.stamps + among.String()} {
		if got := plan(t, table, query, among.args); !strings.Contains(got, "SEARCH actor USING INDEX actor_film") {
			t.Errorf("%s do not use the index:\n%s", what, got)
		}
	}
	window := s.times + " WHERE " + s.updated + " >= ? AND " + s.updated + " < ?" + s.byStamp
	if got := plan(t, table, window, []any{"2024", "2025"}); !strings.Contains(got, "SEARCH actor USING INDEX actor_at") {
		t.Errorf("a window does not use the index:\n%s", got)
	}
}

func TestChildRowsHaveAllColumns(t *testing.T) {
	db := newDB(t, actorTable...)
	db.exec("INSERT INTO actor VALUES (2, '2024-05-06 12:00:00', 'Bob'), (2, NULL, 'Ann')")
	docs, _ := rangeOf(t, db.table(TableConfig{Children: actors("SELECT * FROM actor")}), doc.Range{})
	names := []string{"film", "at", "name"}
	want := []doc.Child{{Name: "actors", Rows: []doc.Row{
		{Names: names, Values: []any{int64(2), "2024-05-06 12:00:00", "Bob"}},
		{Names: names, Values: []any{int64(2), nil, "Ann"}},
	}}}
	if got := docs[1].Row.Children; !reflect.DeepEqual(got, want) {
		t.Errorf("children = %v, want %v", got, want)
	}
	if got, want := fmt.Sprint(docs[0].Row.Children), "[{actors []}]"; got != want {
		t.Errorf("children of a row without = %v, want %v", got, want)
	}
}
