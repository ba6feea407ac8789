package sqlitesource

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"indexerd/internal/doc"
)

// A damaged page that holds one row's text sets that row aside, and no other:
// the keys beside it can be read.
func TestDamagedText(t *testing.T) {
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
		// An overflow page is the number of the next one, and text.
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
