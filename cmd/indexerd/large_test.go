package main

import (
	"strings"
	"testing"

	"indexerd/internal/test/pgtest"
)

// Rows that are too large for a document are set aside with the reason, by the
// load and by what follows it, and keep no other row waiting; a start meets them
// again. What is made smaller is indexed, and so is what a higher limit allows.
func TestLargeRows(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, `CREATE TABLE item (id bigint PRIMARY KEY, updated timestamptz, body text); CREATE INDEX ON item (updated);
		INSERT INTO item SELECT i, now(), 'good ' || i FROM generate_series(100, 299) i;
		INSERT INTO item VALUES (1, now(), repeat('x', 100000)), (2, now(), (SELECT string_agg('w' || i % 10, ' ') FROM generate_series(1, 2001) i)),
			(3, now(), (SELECT string_agg('w' || i, ' ') FROM generate_series(1, 1001) i)), (4, now(), (SELECT string_agg('w' || i, ' ') FROM generate_series(1, 1000) i))`)
	config := func(text string) string {
		return configOf("postgres", dsn, t.TempDir(), "  item: {source: db, sql: 'SELECT id, updated, body FROM item', key: id, updated: updated, content: {fields: [body]},\n"+
			"    limits: {text: "+text+", words: 2000, distinct_words: 1000}}\n")
	}
	yaml := config("64KiB")
	file := writeFile(t, yaml)
	p := follow(t, file)
	wantAside(t, p, "item", "rows that are too large", map[string]string{"1": "raise limits.text of the table", "2": "raise limits.words of the table", "3": "raise limits.distinct_words of the table"})
	if got := p.search(t, "item", "good", "size=0").Total + p.search(t, "item", "w1000", "size=0").Total; got != 201 {
		t.Errorf("other rows: got %d, want 201", got)
	}

	pgtest.Exec(t, dsn, `UPDATE item SET body = 'smaller', updated = clock_timestamp() WHERE id = 1; INSERT INTO item VALUES (5, clock_timestamp(), repeat('y', 100000)), (6, clock_timestamp(), 'beside it')`)
	p.found(t, "item", "smaller OR beside", 2)
	wantAside(t, p, "item", "rows that are too large", map[string]string{"2": "raise limits.words of the table", "3": "raise limits.distinct_words of the table", "5": "raise limits.text of the table"})
	p.kill()

	p = follow(t, writeFile(t, strings.Replace(yaml, "64KiB", "128KiB", 1)))
	sweeps(t, 0, file, "item")
	wantAside(t, p, "item", "rows that are too large", map[string]string{"2": "raise limits.words of the table", "3": "raise limits.distinct_words of the table"})
	p.stop(t)
}
