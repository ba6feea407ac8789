package sqlitesource

import (
	"bytes"
	"fmt"
	"math/bits"
	"os"
	"strings"
	"testing"
	"time"

	"indexerd/internal/doc"
)

// Expressions that fail for a value of v and succeed for 1.
var failures = []struct{ name, expression, value, reason string }{
	{"malformed JSON", "CASE v WHEN 1 THEN 1 ELSE json_extract(v, '$.a') END", "'{\"a\": '", "SQL logic error: malformed JSON (1)"},
	{"integer overflow", "abs(v)", "-9223372036854775807 - 1", "SQL logic error: integer overflow (1)"},
	{"too large", "length(zeroblob(v))", "2000000000", "string or blob too big (18)"},
	{"bad pattern", "CASE v WHEN 1 THEN 1 ELSE 'x' LIKE printf('%.*c', v, 'x') END", "60000", "SQL logic error: LIKE or GLOB pattern too complex (1)"},
}

func TestRowForWhichTheSQLFailsIsRejectedAlone(t *testing.T) {
	for _, c := range failures {
		for _, bad := range []int{1, 4, 7} {
			t.Run(fmt.Sprint(c.name, " ", bad), func(t *testing.T) {
				db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER, v)")
				var all []doc.OID
				for id := 1; id <= 7; id++ {
					db.exec("INSERT INTO t VALUES (?, 10, 1)", id)
					all = append(all, oid(t, id))
				}
				db.exec("UPDATE t SET v = "+c.value+" WHERE id = ?", bad)
				table := db.table(TableConfig{SQL: "SELECT id, u, " + c.expression + " AS x FROM t", Batch: 5})
				want := strings.Replace("1 2 3 4 5 6 7", fmt.Sprint(bad), "", 1)
				want = strings.Join(strings.Fields(want), " ")
				docs, rejects := rangeOf(t, table, doc.Range{})
				if got := keysOf(docs); got != want || reasons(rejects) != fmt.Sprintf("%d: %s", bad, c.reason) {
					t.Errorf("range = %s, rejects %s, want %s and %s", got, reasons(rejects), want, c.reason)
				}
				docs, rejects = docsOf(t, table, all...)
				if got := keysOf(docs); got != want || reasons(rejects) != fmt.Sprintf("%d: %s", bad, c.reason) {
					t.Errorf("docs = %s, rejects %s, want %s and %s", got, reasons(rejects), want, c.reason)
				}
				for _, s := range stampsOf(t, table, time.Unix(10, 0), time.Unix(11, 0)) {
					if unknown := s.OID == oid(t, bad); (s.Token.Digest == 0) != unknown || !s.Updated.Equal(time.Unix(10, 0)) {
						t.Errorf("stamp %+v, want one of second 10, unknown: %v", s, unknown)
					}
				}
			})
		}
	}
}

// Each step of the halving is a fetch that ends; there are at most 2 log2(n) + 2.
func TestHalvingTakesFewFetches(t *testing.T) {
	const rows = 1000
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER, v)",
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) INSERT INTO t SELECT i, 10, '1' FROM n", "UPDATE t SET v = '{' WHERE id = 700")
	numbers := &testNumbers{}
	table := db.table(TableConfig{SQL: "SELECT id, u, json(v) AS x FROM t", Numbers: numbers})
	var all []doc.OID
	for id := range rows {
		all = append(all, oid(t, id+1))
	}
	seen := map[doc.OID]doc.FetchSeq{}
	for b, err := range table.Docs(t.Context(), all) {
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range b.Docs {
			if seen[d.OID] != 0 || d.Fetch != b.Fetch {
				t.Errorf("row %v came twice, or not with fetch %d", d.OID, b.Fetch)
			}
			seen[d.OID] = d.Fetch
		}
		for _, r := range b.Rejects {
			seen[r.OID] = b.Fetch
		}
	}
	if len(seen) != rows || len(numbers.open) != 0 {
		t.Errorf("%d rows and %d open fetches, want %d and none", len(seen), len(numbers.open), rows)
	}
	if most := doc.FetchSeq(2*bits.Len(rows) + 2); numbers.last > most {
		t.Errorf("%d fetches, want at most %d", numbers.last, most)
	}
}

func TestFailingRowWithAnEqualKeyIsNotSelected(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id TEXT COLLATE NOCASE, u INTEGER, v)", "INSERT INTO t VALUES ('a', 10, '1'), ('A', 10, '{'), ('b', 10, '1')")
	table := db.table(TableConfig{SQL: "SELECT id, u, json(v) AS x FROM t"})
	docs, rejects := docsOf(t, table, oid(t, "a"), oid(t, "b"))
	if keysOf(docs) != "a b" || len(rejects) != 0 {
		t.Errorf("docs = %s, rejects %v, want a b and none", keysOf(docs), rejects)
	}
	stamps, err := table.StampsOf(t.Context(), []doc.OID{oid(t, "a"), oid(t, "b")})
	if err != nil || stampKeys(stamps) != "a b" || stamps[0].Token.Digest == 0 {
		t.Errorf("stamps = %v, %v, want those of a and b", stamps, err)
	}
}

func TestChildOrListThatFailsRejectsTheRow(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER)", "CREATE TABLE actor (film INTEGER, at INTEGER, v)", "CREATE INDEX actor_film ON actor (film)",
		"INSERT INTO t VALUES (1, 10), (2, 10), (3, 10)", "INSERT INTO actor VALUES (1, 20, '1'), (2, 20, '{'), (2, 20, '2')")
	for name, c := range map[string]TableConfig{
		"child":   {Children: actors("SELECT film, at, json(v) AS x FROM actor")},
		"deleted": {Deleted: DeletedConfig{SQL: "SELECT film AS id FROM actor WHERE json(v) = 'none'"}},
	} {
		table := db.table(c)
		docs, rejects := rangeOf(t, table, doc.Range{})
		if got, want := reasons(rejects), "2: SQL logic error: malformed JSON (1)"; keysOf(docs) != "1 3" || got != want {
			t.Errorf("%s: range = %s, rejects %s, want 1 3 and %s", name, keysOf(docs), got, want)
		}
		for _, s := range stampsOf(t, table, time.Unix(10, 0), time.Unix(11, 0)) {
			if unknown := s.OID == oid(t, 2); (s.Token.Digest == 0) != unknown {
				t.Errorf("%s: stamp %+v, want unknown: %v", name, s, unknown)
			}
		}
	}
}

func TestListThatAlwaysFailsRejectsNone(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER)", "CREATE TABLE tomb (id INTEGER, v)", "INSERT INTO t VALUES (1, 10), (2, 10)")
	table := db.table(TableConfig{Deleted: DeletedConfig{SQL: "SELECT id FROM tomb WHERE json(v) = '1'"}})
	db.exec("INSERT INTO tomb VALUES (2, '{')")
	for b, err := range table.Docs(t.Context(), []doc.OID{oid(t, 1), oid(t, 2)}) {
		if want := "test.db: read 2 rows of t: deleted.sql: SQL logic error: malformed JSON (1)"; err == nil || err.Error() != want || len(b.Rejects) != 0 {
			t.Errorf("got %+v, %v, want %s", b, err, want)
		}
	}
}

func TestKeysThatFailAreAnErrorOfTheRange(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER, v)", "INSERT INTO t VALUES (1, 1700000000, '1')")
	table := db.table(TableConfig{SQL: "SELECT id, u FROM t WHERE json(v) IS NOT NULL"})
	db.exec("INSERT INTO t VALUES (2, 10, '{')")
	for _, err := range table.Range(t.Context(), doc.Range{}) {
		if want := "test.db: read a range of t: SQL logic error: malformed JSON (1)"; err == nil || err.Error() != want {
			t.Errorf("range: %v, want %s", err, want)
		}
	}
	// Other rows can be read by key.
	docs, rejects := docsOf(t, table, oid(t, 1), oid(t, 2))
	if got, want := reasons(rejects), "2: SQL logic error: malformed JSON (1)"; keysOf(docs) != "1" || got != want {
		t.Errorf("docs = %s, rejects %s, want 1 and %s", keysOf(docs), got, want)
	}
	stamps, err := table.StampsOf(t.Context(), []doc.OID{oid(t, 1), oid(t, 2)})
	if err != nil || stampKeys(stamps) != "1 2" || stamps[1].Token.Digest != 0 {
		t.Errorf("StampsOf = %v, %v, want both, the second one unknown", stamps, err)
	}
}

// From 50 rows on, all of which fail, the SQL is at fault; fewer are rejects.
func TestSQLThatFailsForAllRowsRejectsNone(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER, v)", "CREATE TABLE settings (v)", "INSERT INTO settings VALUES ('1')",
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120) INSERT INTO t SELECT i, 10, i FROM n")
	numbers := &testNumbers{}
	table := db.table(TableConfig{SQL: "SELECT id, u, json((SELECT s.v FROM settings s WHERE t.v > 0)) AS x FROM t", Batch: 60, Numbers: numbers})
	db.exec("UPDATE settings SET v = '{'")
	var all []doc.OID
	for id := range 120 {
		all = append(all, oid(t, id+1))
	}
	for way, batches := range map[string]func(func(doc.Batch, error) bool){"range": table.Range(t.Context(), doc.Range{}), "by key": table.Docs(t.Context(), all)} {
		var fault error
		for b, err := range batches {
			if fault = err; len(b.Docs)+len(b.Rejects) > 0 {
				t.Errorf("%s: got %d documents and rejects %v, want none", way, len(b.Docs), b.Rejects)
			}
		}
		if fault == nil || !strings.Contains(fault.Error(), "all 60 rows of a batch fail, so the fault is the SQL's: SQL logic error: malformed JSON") {
			t.Errorf("%s: got %v, want that all rows fail", way, fault)
		}
	}
	for _, err := range table.StampsInRange(t.Context(), doc.Range{}) {
		if err == nil || !strings.Contains(err.Error(), "all 60 rows") {
			t.Errorf("stamps: got %v, want that all rows fail", err)
		}
	}
	if docs, rejects := docsOf(t, table, all[:49]...); len(docs) != 0 || len(rejects) != 49 {
		t.Errorf("got %d documents and %d rejects of 49 rows, want 49 rejects", len(docs), len(rejects))
	}
	if len(numbers.open) != 0 {
		t.Errorf("%d fetches are open, want none", len(numbers.open))
	}
}

func TestSQLThatFailsForOtherRowsRejectsNone(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER, v)", "INSERT INTO t VALUES (1, 1700000000, '1'), (2, 1700000000, '1')")
	table := db.table(TableConfig{SQL: "SELECT id, u, count(*) OVER (ORDER BY json(v)) AS x FROM t"})
	db.exec("INSERT INTO t VALUES (3, 1700000000, '{')")
	for b, err := range table.Docs(t.Context(), []doc.OID{oid(t, 1), oid(t, 2)}) {
		if err == nil || len(b.Rejects) > 0 || !strings.Contains(err.Error(), "fails for rows that were not selected") {
			t.Errorf("got rejects %v, %v, want an error about other rows", b.Rejects, err)
		}
	}
}

// A failing row that is repaired before it is read alone is a document; one that
// is deleted before is missing. Neither is a reject.
func TestRowThatChangesBeforeItIsReadAlone(t *testing.T) {
	for statement, want := range map[string]string{"UPDATE t SET v = '1'": "1", "DELETE FROM t": ""} {
		db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER, v)", "INSERT INTO t VALUES (1, 10, '{')")
		numbers := &testNumbers{}
		table := db.table(TableConfig{SQL: "SELECT id, u, json(v) AS x FROM t", Numbers: numbers})
		numbers.begun = func() {
			if numbers.last == 2 {
				db.exec(statement)
			}
		}
		docs, rejects := docsOf(t, table, oid(t, 1))
		if keysOf(docs) != want || len(rejects) != 0 || len(numbers.open) != 0 {
			t.Errorf("%s: got documents %q, rejects %v and %d open fetches, want %q", statement, keysOf(docs), rejects, len(numbers.open), want)
		}
	}
}

// A damaged page with the text of one row rejects that row only.
func TestDamagedPageRejectsOneRow(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER, v TEXT)",
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) INSERT INTO t SELECT i, 10, 'sound' FROM n",
		"UPDATE t SET v = printf('%.*c', 30000, '~') WHERE id = 50", "PRAGMA wal_checkpoint(TRUNCATE)")
	if err := db.writer.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(db.path)
	if err != nil {
		t.Fatal(err)
	}
	const pageSize = 4096
	damaged := 0
	for at := pageSize; at+pageSize <= len(file); at += pageSize {
		// An overflow page is the number of the next one and text.
		if page := file[at : at+pageSize]; bytes.Equal(page[4:], bytes.Repeat([]byte("~"), pageSize-4)) && damaged == 0 {
			copy(page, "\xff\xff\xff\xf0")
			damaged++
		}
	}
	if damaged == 0 {
		t.Fatal("no page of text was found to damage")
	}
	if err := os.WriteFile(db.path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	table := db.table(TableConfig{Batch: 30})
	docs, rejects := rangeOf(t, table, doc.Range{})
	if len(docs) != 99 || len(rejects) != 1 || rejects[0].OID != oid(t, 50) || !strings.Contains(rejects[0].Reason, "malformed") {
		t.Errorf("got %d documents and rejects %s, want 99, and row 50 because its page is malformed", len(docs), reasons(rejects))
	}
	stamps, err := table.StampsOf(t.Context(), []doc.OID{oid(t, 49), oid(t, 50), oid(t, 51)})
	if err != nil || stampKeys(stamps) != "49 50 51" {
		t.Errorf("got stamps %v, %v, want all three", stamps, err)
	}
}
