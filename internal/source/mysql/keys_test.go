package mysql

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/pace"
	"indexerd/internal/source"
	"indexerd/internal/test/mariatest"
)

// TestCompositeKeys reads rows by lists of composite keys that are longer than a
// statement takes, with children of a join.
func TestCompositeKeys(t *testing.T) {
	const rows = 1200
	dsn := mariatest.DB(t)
	for _, s := range []string{
		"CREATE TABLE word (b BIGINT PRIMARY KEY, name VARCHAR(20))",
		"INSERT INTO word WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1199) SELECT i - 600, i FROM n",
		"CREATE TABLE doc (a INT UNSIGNED, b BIGINT, s VARCHAR(20), u TIMESTAMP(6) NULL, PRIMARY KEY (a, b), KEY (b))",
		"INSERT INTO doc SELECT MOD(b + 600, 7), b, name, NOW(6) FROM word",
	} {
		mariatest.Exec(t, dsn, s)
	}
	s := source.New(openDB(t, dsn, time.Second), pace.Limits{})
	for _, key := range [][]string{{"a", "b"}, {"b", "a"}, {"s", "b"}} {
		table, err := s.Table(t.Context(), source.TableConfig{
			Name: "doc", SQL: "SELECT * FROM doc", Key: key, Updated: "u",
			Children: []source.ChildConfig{{Name: "words", Path: "children.words", SQL: "SELECT d.a, d.b, d.s, w.name FROM doc d JOIN word w ON w.b = d.b", Key: key}},
		})
		if err != nil {
			t.Fatal(err)
		}
		points, err := table.Breakpoints(t.Context(), 1)
		if err != nil || len(points) != rows-1 {
			t.Fatalf("got %d keys, %v, want %d", len(points), err, rows-1)
		}
		got := 0
		for b, err := range table.Docs(t.Context(), points) {
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range b.Docs {
				name, _ := d.Row.Get("s")
				if children := d.Row.Children[0].Rows; len(children) != 1 || children[0].Values[3] != name {
					t.Fatalf("%v: got the children %v of %v, want one of its name", d.OID, children, name)
				}
				got++
			}
		}
		if got != len(points) {
			t.Errorf("%v: got %d rows, want %d", key, got, len(points))
		}
		if stamps, err := table.StampsOf(t.Context(), points); err != nil || len(stamps) != len(points) {
			t.Errorf("%v: got %d stamps, %v, want %d", key, len(stamps), err, len(points))
		}
	}
}

// A date that no calendar has is no key, and each such row is listed.
func TestZeroDates(t *testing.T) {
	dsn := mariatest.DB(t)
	conn := mariatest.Connect(t, dsn)
	for _, s := range []string{"SET sql_mode = 'ALLOW_INVALID_DATES'", "CREATE TABLE doc (d DATE, w DATETIME)", "INSERT INTO doc VALUES ('2026-02-28', '2026-12-31'), ('0000-00-00', '2026-00-01'), ('2026-02-31', '0000-00-00'), ('2026-05-00', '2026-02-30 10:00:00')"} {
		execute(t, conn, s)
	}
	for _, key := range []string{"d", "w"} {
		table, err := source.New(openDB(t, dsn, time.Second), pace.Limits{}).Table(t.Context(), source.TableConfig{Name: "doc", SQL: "SELECT * FROM doc", Key: []string{key}})
		if err != nil {
			t.Fatal(err)
		}
		if keyless, err := table.Keyless(t.Context()); err != nil || len(keyless.Rejects) != 3 {
			t.Errorf("%s: got the rejects %v, %v, want 3", key, keyless.Rejects, err)
		}
	}
}

// TestPrefixKeys has keys that the collation takes for equal, and a unique index that
// they begin, of the first characters of another column: it does not keep them apart.
func TestPrefixKeys(t *testing.T) {
	dsn := mariatest.DB(t)
	mariatest.Exec(t, dsn, "CREATE TABLE doc (name VARCHAR(20) COLLATE utf8mb4_general_ci, body TEXT, UNIQUE (name, body(10)))")
	mariatest.Exec(t, dsn, "INSERT INTO doc VALUES ('a', 1), ('A', 2), ('b', 3), ('B', 4), ('c', 5)")
	table, err := source.New(openDB(t, dsn, time.Second), pace.Limits{}).Table(t.Context(), source.TableConfig{Name: "doc", SQL: "SELECT * FROM doc", Key: []string{"name"}, Batch: 1})
	if err != nil {
		t.Fatal(err)
	}
	got := 0
	for batch, err := range table.Range(t.Context(), doc.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		got += len(batch.Docs)
	}
	if got != 5 {
		t.Errorf("got %d rows, want 5", got)
	}
}

// collations are those of texts, by the server: they ignore case, accents, widths of
// characters or trailing blanks, or nothing.
func collations() []string {
	if mariatest.IsMySQL() {
		return []string{"utf8mb4_0900_ai_ci", "utf8mb4_0900_as_cs", "utf8mb4_0900_bin", "utf8mb4_bin", "utf8mb4_ja_0900_as_cs_ks", "utf8mb4_general_ci", "utf8mb4_de_pb_0900_as_cs"}
	}
	return []string{"utf8mb4_uca1400_ai_ci", "utf8mb4_unicode_ci", "utf8mb4_nopad_bin", "utf8mb4_bin", "utf8mb4_general_ci", "utf8mb4_german2_ci"}
}

// TestCollations has keys that differ in an accent, a case, a width or a blank alone. Each
// is a document, is found by itself, and comes once.
func TestCollations(t *testing.T) {
	t.Parallel()
	dsn := mariatest.DB(t)
	names := []string{"", " ", "RESUME", "Resume", "resume", "resume ", "r\u00e9sume", "re\u0301sume", "r\u00e9sum\u00e9", "strasse", "stra\u00dfe", "\u304b", "\u30ab", "\uff21", "A", "a", "\u00e4", "\u0001", "\u00ad", "\U0001f363", "\U0001f37a"}
	values := "('" + strings.Join(names, "'), ('") + "')"
	slices.Sort(names)
	for i, collation := range collations() {
		for _, distinct := range []bool{false, true} {
			name := fmt.Sprintf("doc%d_%v", i, distinct)
			mariatest.Exec(t, dsn, fmt.Sprintf("CREATE TABLE %s (name VARCHAR(40) COLLATE %s NOT NULL, KEY (name))", name, collation))
			insert := "INSERT"
			if distinct { // the server keeps one of those that it takes for equal
				mariatest.Exec(t, dsn, "ALTER TABLE "+name+" ADD PRIMARY KEY (name)")
				insert = "INSERT IGNORE"
			}
			mariatest.Exec(t, dsn, insert+" INTO "+name+" VALUES "+values)
			table, err := source.New(openDB(t, dsn, time.Second), pace.Limits{}).Table(t.Context(), source.TableConfig{Name: "doc", SQL: "SELECT * FROM " + name, Key: []string{"name"}, Batch: 2, StampPage: 2})
			if err != nil {
				t.Fatal(err)
			}
			docs := docsOf(t, table)
			var got []string
			for _, d := range docs {
				got = append(got, fmt.Sprint(d.Row.Values[0]))
				if stamps, err := table.StampsOf(t.Context(), []doc.OID{d.OID}); err != nil || len(stamps) != 1 || stamps[0] != d.Stamp {
					t.Errorf("%s: got the stamps %v, %v of %q, want %v", collation, stamps, err, d.OID, d.Stamp)
				}
			}
			if slices.Sort(got); !distinct && !slices.Equal(got, names) {
				t.Errorf("%s: got %q, want each key once", collation, got)
			}
			if len(slices.Compact(got)) != len(docs) {
				t.Errorf("%s: got %d rows with %q, want none twice", collation, len(docs), got)
			}
		}
	}
}

// A column whose type is no key's is refused by name.
func TestNoKeys(t *testing.T) {
	dsn := mariatest.DB(t)
	types := []string{"ENUM('a', 'b')", "SET('a', 'b')", "TIME"}
	if mariatest.IsMySQL() {
		types = append(types, "JSON", "VECTOR(2)")
	}
	for i, typ := range types {
		mariatest.Exec(t, dsn, fmt.Sprintf("CREATE TABLE doc%d (id %s)", i, typ))
		name, _, _ := strings.Cut(typ, "(")
		_, err := source.New(openDB(t, dsn, time.Second), pace.Limits{}).Table(t.Context(), source.TableConfig{Name: "doc", SQL: fmt.Sprintf("SELECT * FROM doc%d", i), Key: []string{"id"}})
		if err == nil || !strings.Contains(err.Error(), "column id has type "+name+": a key is made of") {
			t.Errorf("%s: got %v, want an error with the type", typ, err)
		}
	}
}
