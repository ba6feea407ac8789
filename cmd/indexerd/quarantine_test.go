package main

import (
	"fmt"
	"strings"
	"testing"

	"indexerd/internal/serve/httpapi"
	"indexerd/internal/test/pgtest"
)

// TestQuarantine loads rows that can't become documents among others that can:
// each is set aside with its reason and blocks no other row, and once it is repaired it
// leaves by itself, or at the next sweep.
func TestQuarantine(t *testing.T) {
	t.Parallel()
	bad := map[string]struct{ body, price, updated, reason string }{
		"1": {"'NaN'", "'NaN'", "now()", "price"},
		"2": {"repeat('long', 512 * 1024)", "1", "now()", "limits.text"}, // 2 MiB
		"3": {"'infinity'", "1", "'infinity'", "updated"},
		"4": {"'no number'", "'Infinity'", "now()", "price"},
		"5": {"'division'", "0", "now()", "division by zero"},
	}
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, `CREATE TABLE item (id bigint, updated timestamptz, body text, price float8);
		INSERT INTO item SELECT i, now(), 'good ' || i, 1 FROM generate_series(100, 299) i;
		INSERT INTO item VALUES (NULL, now(), 'keyless', 1), (6, now(), 'twin', 1), (6, now(), 'other twin', 1);
		CREATE INDEX ON item (id)`)
	for id, row := range bad {
		pgtest.Exec(t, dsn, fmt.Sprintf("INSERT INTO item VALUES (%s, %s, %s, %s)", id, row.updated, row.body, row.price))
	}
	file := writeFile(t, fmt.Sprintf(`data: %s
http: {listen: 127.0.0.1:0}
sources: {db: {driver: postgres, dsn: %q}}
tables:
  item:
    source: db
    sql: SELECT id, updated, body, price, 1 / price::numeric AS ratio FROM item
    key: id
    updated: updated
    content: {fields: [body]}
    metadata: {price: number}
    limits: {text: 1MiB}
`, t.TempDir(), dsn))
	p := start(t, "run", "-c", file)
	p.ready(t)
	if got := p.search(t, "item", "good", "size=0").Total; got != 200 {
		t.Errorf("good rows: got %d, want 200", got)
	}
	reasons := func() map[string]string {
		var q httpapi.Quarantine
		decode(t, p.base+"/api/v1/tables/item/quarantine", &q)
		reasons := map[string]string{}
		for _, r := range q.Rows {
			oid := ""
			if r.OID != nil {
				oid = *r.OID
			}
			reasons[oid] = r.Reason
		}
		return reasons
	}
	got := reasons()
	for id, row := range bad {
		if !strings.Contains(got[id], row.reason) {
			t.Errorf("row %s: got reason %q, want one with %q", id, got[id], row.reason)
		}
	}
	if !strings.Contains(got[""], "NULL") || !strings.Contains(got["6"], "several rows") || len(got) != len(bad)+2 {
		t.Errorf("quarantine: got %v, want also the row without a key and the twins, and no more", got)
	}
	settledPast(t, p, dsn)
	if v := verifies(t, 0, file, "--content"); v.Quarantined != 7 {
		t.Errorf("verify: got %+v, want the 6 rows with a key and the reason of that without one", v)
	}

	pgtest.Exec(t, dsn, "UPDATE item SET body = 'repaired', price = 2, updated = clock_timestamp() WHERE id <= 4")
	eventually(t, soon, "the repaired rows are found", func() error {
		if got := p.search(t, "item", "repaired", "size=0").Total; got != 4 {
			return fmt.Errorf("got %d of 4", got)
		}
		return nil
	})
	pgtest.Exec(t, dsn, "DELETE FROM item WHERE id IS NULL OR body = 'other twin'; UPDATE item SET price = 3, updated = '2001-01-01' WHERE id = 5")
	sweeps(t, 0, file, "item")
	if got := reasons(); len(got) != 0 {
		t.Errorf("after a sweep: got %v, want none", got)
	}
	verifies(t, 0, file, "--content")
}
