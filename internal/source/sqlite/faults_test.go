package sqlite

import (
	"bytes"
	"fmt"
	"math/bits"
	"os"
	"strings"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/source"
	"indexerd/internal/source/dialect"
)

// fill is the rows 1 to n of t, with 1 in v.
func fill(n int) string {
	return fmt.Sprintf("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) INSERT INTO t SELECT i, 10, 1 FROM n", n)
}

func keys(t *testing.T, n int) (oids []doc.OID) {
	for i := range n {
		oids = append(oids, oid(t, i+1))
	}
	return oids
}

// Expressions that fail for a value of v, with each code of an error about a row.
func TestRowForWhichTheSQLFailsIsRejectedAlone(t *testing.T) {
	for _, c := range []struct{ expression, value, reason string }{
		{"CASE v WHEN 1 THEN 1 ELSE json_extract(v, '$.a') END", "'{\"a\": '", "SQL logic error: malformed JSON (1)"},
		{"abs(v)", "-9223372036854775807 - 1", "SQL logic error: integer overflow (1)"},
		{"length(zeroblob(v))", "2000000000", "string or blob too big (18)"},
		{"CASE v WHEN 1 THEN 1 ELSE 'x' LIKE printf('%.*c', v, 'x') END", "60000", "SQL logic error: LIKE or GLOB pattern too complex (1)"},
	} {
		db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER, v)", fill(7), "UPDATE t SET v = "+c.value+" WHERE id = 4")
		table := db.table(source.TableConfig{SQL: "SELECT id, u, " + c.expression + " AS x FROM t", Batch: 5})
		docs, rejects := rangeOf(t, table, doc.Range{})
		byKey, rejectsByKey := docsOf(t, table, keys(t, 7)...)
		if got, want := keysOf(docs)+"|"+keysOf(byKey), "1 2 3 5 6 7|1 2 3 5 6 7"; got != want || reasons(rejects) != "4: "+c.reason || reasons(rejectsByKey) != "4: "+c.reason {
			t.Errorf("%s: got %s and rejects %q and %q, want %s and 4: %s", c.expression, got, reasons(rejects), reasons(rejectsByKey), want, c.reason)
		}
		stamps, err := table.StampsOf(t.Context(), keys(t, 7))
		if err != nil || len(stamps) != 7 {
			t.Errorf("%s: got stamps %v, %v, want 7", c.expression, stamps, err)
		}
		for _, s := range stamps {
			if unknown := s.OID == oid(t, 4); (s.Token.Digest == 0) != unknown {
				t.Errorf("%s: got %+v, want an unknown token: %t", c.expression, s, unknown)
			}
		}
	}
}

// counter is a source.Numbers.
type counter struct{ last, open doc.FetchSeq }

func (c *counter) Begin(open func() error) (doc.FetchSeq, error) {
	c.last, c.open = c.last+1, c.open+1
	return c.last, open()
}

func (c *counter) End(doc.FetchSeq) { c.open-- }

// Halving takes at most two fetches for each halving, and two more.
func TestHalvingTakesFewFetches(t *testing.T) {
	const rows = 1000
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER, v)", fill(rows), "UPDATE t SET v = '{' WHERE id = 700")
	numbers := &counter{}
	table := db.table(source.TableConfig{SQL: "SELECT id, u, json(v) AS x FROM t", Numbers: numbers})
	docs, rejects := docsOf(t, table, keys(t, rows)...)
	if len(docs) != rows-1 || len(rejects) != 1 || numbers.open != 0 {
		t.Errorf("got %d documents, rejects %q and %d open fetches, want all but one, one and none", len(docs), reasons(rejects), numbers.open)
	}
	if most := doc.FetchSeq(2*bits.Len(rows) + 2); numbers.last > most {
		t.Errorf("got %d fetches, want at most %d", numbers.last, most)
	}
}

// A statement of a toy binds fewer keys than a batch has rows.
func TestFailingRowInABatchOfMoreKeysThanAStatementBinds(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER, v)", fill(500), "UPDATE t SET v = '{' WHERE id = 300")
	db.dialect = func(d *DB) dialect.Dialect { return toy{d} }
	db.source = db.newSource()
	table := db.table(source.TableConfig{SQL: "SELECT id, u, json(v) AS x FROM t"})
	docs, rejects := rangeOf(t, table, doc.Range{})
	if len(docs) != 499 || reasons(rejects) != "300: SQL logic error: malformed JSON (1)" {
		t.Errorf("got %d documents and rejects %q, want 499 and 300", len(docs), reasons(rejects))
	}
}

// A list of marks that fails for one key rejects its row; one that fails for all
// keys rejects none.
func TestListOfMarksThatFails(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER)", "CREATE TABLE tomb (id INTEGER, v)", "CREATE INDEX tomb_id ON tomb (id)",
		"INSERT INTO t VALUES (1, 10), (2, 10), (3, 10)", "INSERT INTO tomb VALUES (1, '1'), (2, '{'), (2, '2')")
	table := db.table(source.TableConfig{Deleted: source.DeletedConfig{SQL: "SELECT id FROM tomb WHERE json(v) = 'none'"}})
	docs, rejects := rangeOf(t, table, doc.Range{})
	if got, want := reasons(rejects), "2: SQL logic error: malformed JSON (1)"; keysOf(docs) != "1 3" || got != want {
		t.Errorf("got %s and rejects %s, want 1 3 and %s", keysOf(docs), got, want)
	}
	db.exec("DROP INDEX tomb_id")
	var last error
	for b, err := range table.Range(t.Context(), doc.Range{}) {
		if last = err; len(b.Docs)+len(b.Rejects) > 0 {
			t.Errorf("got %s and rejects %q, want none", keysOf(b.Docs), reasons(b.Rejects))
		}
	}
	if want := "table t: test the SQLs: deleted.sql fails for rows that were not selected: SQL logic error: malformed JSON (1)"; last == nil || !strings.HasSuffix(last.Error(), want) {
		t.Errorf("got %v, want %s", last, want)
	}
}

// A damaged page with the text of one row rejects that row alone.
func TestDamagedPageRejectsOneRow(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER, v TEXT)", fill(100),
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
	for at := pageSize; at+pageSize <= len(file) && damaged == 0; at += pageSize {
		// An overflow page is the number of the next one and text.
		if page := file[at : at+pageSize]; bytes.Equal(page[4:], bytes.Repeat([]byte("~"), pageSize-4)) {
			damaged += copy(page, "\xff\xff\xff\xf0")
		}
	}
	if damaged == 0 {
		t.Fatal("got no page of text to damage, want one")
	}
	if err := os.WriteFile(db.path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	table := db.table(source.TableConfig{Batch: 30})
	docs, rejects := rangeOf(t, table, doc.Range{})
	if len(docs) != 99 || len(rejects) != 1 || rejects[0].OID != oid(t, 50) || !strings.Contains(rejects[0].Reason, "malformed") {
		t.Errorf("got %d documents and rejects %q, want 99, and row 50 because its page is malformed", len(docs), reasons(rejects))
	}
	stamps, err := table.StampsOf(t.Context(), []doc.OID{oid(t, 49), oid(t, 50), oid(t, 51)})
	if err != nil || keysOf(stamps) != "49 50 51" {
		t.Errorf("got stamps %v, %v, want all three", stamps, err)
	}
}
