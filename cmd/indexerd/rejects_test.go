package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"indexerd/internal/serve/httpapi"
	"indexerd/internal/test/pgtest"
)

// wantAside waits until exactly these rows are in quarantine, "" for those without a
// key, each with a reason that holds a text.
func wantAside(t *testing.T, p *proc, table, what string, want map[string]string) {
	t.Helper()
	eventually(t, soon, what, func() error {
		var q httpapi.Quarantine
		p.as("").answer(t, "/api/v1/tables/"+table+"/quarantine", &q)
		got := map[string]string{}
		for _, r := range q.Rows {
			oid := ""
			if r.OID != nil {
				oid = *r.OID
			}
			got[oid] = r.Reason
		}
		for oid, reason := range want {
			if !strings.Contains(got[oid], reason) {
				return fmt.Errorf("row %q: got reason %q, want %s: %v", oid, got[oid], reason, got)
			}
		}
		if len(got) != len(want) {
			return fmt.Errorf("got %v, want the rows %v", got, slices.Sorted(maps.Keys(want)))
		}
		return nil
	})
}

// TestRowsThatFail: rows for which the SQL fails, whatever its SQLSTATE, rows
// without a key and rows that share one are set aside by the load and by
// whichever pass meets them later, and no other row is kept out. They leave
// when they are repaired. An SQL that fails for every row sets none aside. The
// function is VOLATILE, as functions are that say nothing.
func TestRowsThatFail(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, `CREATE TABLE item (id bigint, updated timestamptz, body text, fault text NOT NULL DEFAULT '');
		CREATE TABLE used (n int); CREATE INDEX ON item (id); CREATE INDEX ON item (updated);
		INSERT INTO item SELECT i, now(), 'good' FROM generate_series(1, 1000) i;
		CREATE FUNCTION judge(fault text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
			IF fault = 'name' THEN PERFORM 'no_such_table'::regclass; END IF;
			IF fault <> '' THEN RAISE EXCEPTION 'bad row' USING ERRCODE = fault; END IF;
			PERFORM count(*) FROM used; RETURN fault; END $$;
		UPDATE item SET fault = CASE id WHEN 7 THEN 'P0001' WHEN 500 THEN '40001' ELSE 'name' END WHERE id IN (7, 500, 501)`)
	file := writeFile(t, configOf("postgres", dsn, t.TempDir(),
		"  item: {source: db, sql: 'SELECT id, updated, body, judge(fault) AS fault FROM item', key: id, updated: updated, content: {fields: [body]}}\n"))
	p := follow(t, file)
	want := map[string]string{"7": "P0001", "500": "40001", "501": "42P01"}
	wantAside(t, p, "item", "the load sets three rows aside", want)
	p.found(t, "item", "good", 997)

	pgtest.Exec(t, dsn, `UPDATE item SET body = 'changed', updated = clock_timestamp(), fault = CASE id WHEN 600 THEN '23514' ELSE '' END WHERE id BETWEEN 598 AND 602;
		INSERT INTO item VALUES (NULL, clock_timestamp(), 'no key'), (NULL, clock_timestamp(), 'no key'), (700, clock_timestamp(), 'twin')`)
	maps.Copy(want, map[string]string{"600": "23514", "": "key column id is NULL", "700": "several rows have this key"})
	wantAside(t, p, "item", "the window sets three more aside", want)
	p.found(t, "item", "changed", 4)
	p.found(t, "item", "good", 993) // 600 and 700 as they were
	p.found(t, "item", "twin", 0)

	pgtest.Exec(t, dsn, `UPDATE item SET fault = 'XX000' WHERE id = 800; INSERT INTO item SELECT id, updated, 'copy' FROM item WHERE id = 900`) // no updateTime shows
	sweeps(t, 0, file, "item")
	maps.Copy(want, map[string]string{"800": "XX000", "900": "several rows have this key"})
	wantAside(t, p, "item", "the sweep finds the others", want)
	settledPast(t, p, dsn)
	if v := verifies(t, 0, file, "--content"); v.Quarantined != len(want) {
		t.Errorf("verify: got %+v, want %d quarantined", v, len(want))
	}

	pgtest.Exec(t, dsn, `DELETE FROM item WHERE id IS NULL OR body IN ('twin', 'copy'); UPDATE item SET fault = '', body = 'repaired', updated = clock_timestamp() WHERE fault <> ''`)
	p.found(t, "item", "repaired", 5)
	// No window has the repaired rows from here on: fewer than 50 that fail alone
	// would be set aside.
	pgtest.Exec(t, dsn, "UPDATE item SET updated = '2001-01-01' WHERE body = 'repaired'")
	sweeps(t, 0, file, "item")
	wantAside(t, p, "item", "what was repaired has left", nil)
	settledPast(t, p, dsn)

	pgtest.Exec(t, dsn, "ALTER TABLE used RENAME TO gone; UPDATE item SET body = 'later', updated = now() WHERE id BETWEEN 101 AND 160")
	eventually(t, soon, "the table fails", func() error {
		if text := fmt.Sprint(p.log); !strings.Contains(text, "the fault is the SQL's") {
			return fmt.Errorf("no such line in the log")
		}
		return nil
	})
	wantAside(t, p, "item", "nothing is set aside", nil)
	pgtest.Exec(t, dsn, "ALTER TABLE gone RENAME TO used")
	p.found(t, "item", "later", 60)
	settledPast(t, p, dsn)
	verifies(t, 0, file, "--content")
}
