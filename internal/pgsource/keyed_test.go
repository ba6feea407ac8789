package pgsource

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"indexerd/internal/doc"
	"indexerd/internal/pgtest"
)

// Whatever the page size, every key of a range is returned, though several rows
// have it or the collation treats it as equal to another.
func TestStampsInRange(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, `CREATE EXTENSION citext; CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`)
	for _, c := range []struct {
		name, columns, values string
		key                   []string
		ordered               bool
		keys                  int
	}{
		{"duplicates", "id int", "i / 5 - 10", nil, true, 20},
		{"uuid", "id uuid", "md5((i / 5)::text)::uuid", nil, true, 20},
		{"text without case", "id text COLLATE nocase", "(ARRAY['a', 'A', 'b', 'B'])[i % 4 + 1] || i / 20", nil, false, 20},
		{"citext", "id citext", "(ARRAY['a', 'A', 'b', 'B'])[i % 4 + 1] || i / 20", nil, false, 20},
		{"char", "id char(4)", "'k' || i / 5", nil, false, 20},
		{"one key alone", "id text", "'a'", nil, false, 1},
		{"composite", "tenant citext, id int", "(ARRAY['a', 'A'])[i % 2 + 1], i / 10", []string{"tenant", "id"}, false, 20},
	} {
		for _, page := range []int{1, 3, 5, 100} {
			table := tableIn(t, dsn, fmt.Sprintf(`DROP TABLE IF EXISTS doc; CREATE TABLE doc (%s, u timestamptz);
				INSERT INTO doc SELECT %s FROM generate_series(0, 99) i`, c.columns, c.values), TableConfig{Key: c.key})
			table.stampPage = page
			stamps := readStamps(t, table.StampsInRange(t.Context(), doc.Range{}))
			keys := slices.Compact(slices.Sorted(slices.Values(doc.OIDs(stamps))))
			if len(keys) != c.keys {
				t.Errorf("%s, pages of %d: got %d keys, want %d", c.name, page, len(keys), c.keys)
			}
			if table.Ordered() != c.ordered || c.ordered && !slices.IsSorted(doc.OIDs(stamps)) {
				t.Errorf("%s: got ordered %v, want %v", c.name, table.Ordered(), c.ordered)
			}
			bounds, err := table.Breakpoints(t.Context(), 40)
			if err != nil || len(bounds) != 2 {
				t.Fatalf("%s: got breakpoints %v, %v, want 2", c.name, bounds, err)
			}
			found := map[doc.OID]bool{}
			for i, from := range append([]doc.OID{""}, bounds...) {
				for _, s := range readStamps(t, table.StampsInRange(t.Context(), doc.Range{From: from, To: append(bounds, "")[i]})) {
					found[s.OID] = true
				}
			}
			if len(found) != c.keys {
				t.Errorf("%s, pages of %d: got %d keys in ranges, want %d", c.name, page, len(found), c.keys)
			}
		}
	}
}

// Each page is a separate transaction: rows deleted between pages are not
// returned.
func TestStampsInRangeHoldsNoTransaction(t *testing.T) {
	t.Parallel()
	table, dsn := newTable(t, "CREATE TABLE doc (id int, u timestamptz); INSERT INTO doc SELECT i FROM generate_series(1, 20) i", TableConfig{})
	table.stampPage = 5
	n := 0
	for page, err := range table.StampsInRange(t.Context(), doc.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		if own, _ := table.src.own.arrays(); own != "{}" {
			t.Errorf("got own transactions %s while the consumer rests, want none", own)
		}
		n += len(page)
		pgtest.Exec(t, dsn, "DELETE FROM doc WHERE id > 10")
	}
	if n != 10 {
		t.Errorf("got %d stamps, want 10", n)
	}
}

func TestStampsOf(t *testing.T) {
	t.Parallel()
	table, _ := newTable(t, `CREATE TABLE doc (id int, u timestamptz);
		INSERT INTO doc VALUES (1, '2024-01-01Z'), (2, NULL), (3, 'infinity'), (5, '2024-01-01Z')`, TableConfig{})
	stamps, err := table.StampsOf(t.Context(), ids(t, 1, 2, 3, 4))
	if err != nil || len(stamps) != 3 {
		t.Fatalf("got %v, %v, want three stamps", stamps, err)
	}
	for _, s := range stamps {
		if s.Updated.IsZero() != (s.OID != oid(t, int64(1))) || s.Token.Digest == 0 || s.Token.Epoch != table.Epoch() {
			t.Errorf("got %+v, want a token, and an updateTime for row 1 alone", s)
		}
	}
	if stamps, err := table.StampsOf(t.Context(), nil); err != nil || len(stamps) != 0 {
		t.Errorf("got %v, %v of no keys, want nothing", stamps, err)
	}
	if _, err := table.StampsOf(t.Context(), []doc.OID{oid(t, "a")}); err == nil {
		t.Error("got no error for a key of another table, want one")
	}
}

func TestKeyless(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	for _, c := range []struct {
		name, columns, values string
		want                  []string
	}{
		{"none", "id int", "(1), (2)", nil},
		{"NULL", "id int", "(1), (NULL), (NULL)", []string{"key column id is NULL"}},
		{"numeric", "id numeric", "(1), (NULL), (1.5), ('NaN'), (9223372036854775807), (9223372036854775808), (-9223372036854775809), (9223372036854775808)", []string{
			"key column id is NULL",
			"key column id: -9223372036854775809 is not an integer of 64 bits",
			"key column id: 1.5 is not an integer of 64 bits",
			"key column id: 9223372036854775808 is not an integer of 64 bits",
			"key column id: NaN is not an integer of 64 bits",
		}},
		{"composite", "id int, tenant text", "(1, 'a'), (NULL, 'a'), (NULL, NULL)", []string{"one of the key columns id, tenant is NULL"}},
	} {
		key := []string{"id"}
		if c.name == "composite" {
			key = append(key, "tenant")
		}
		table := tableIn(t, dsn, fmt.Sprintf("DROP TABLE IF EXISTS doc; CREATE TABLE doc (%s, u timestamptz); INSERT INTO doc VALUES %s", c.columns, c.values), TableConfig{Key: key})
		b, err := table.Keyless(t.Context())
		if err != nil || b.At.IsZero() {
			t.Fatalf("%s: got %v, %v", c.name, b, err)
		}
		var got []string
		for _, r := range b.Rejects {
			if got = append(got, r.Reason); r.OID != "" {
				t.Errorf("%s: got a reject of %v, want it without a key", c.name, r.OID)
			}
		}
		if slices.Sort(got); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	table := tableIn(t, dsn, "DROP TABLE IF EXISTS doc; CREATE TABLE doc (id numeric, u timestamptz); INSERT INTO doc SELECT i + 0.5 FROM generate_series(1, 500) i", TableConfig{})
	if b, err := table.Keyless(t.Context()); err != nil || len(b.Rejects) != 100 {
		t.Errorf("got %d rejects, %v, want 100", len(b.Rejects), err)
	}
}

func TestCountHasNoTimeout(t *testing.T) {
	t.Parallel()
	table, dsn := newTable(t, "CREATE VIEW doc AS SELECT 1 AS id, now() AS u", TableConfig{})
	pgtest.Exec(t, dsn, "CREATE OR REPLACE VIEW doc AS SELECT i AS id, now() AS u FROM generate_series(1, 2) i, pg_sleep(0.2)")
	table.src.statementTimeout = 50 * time.Millisecond
	if n, err := table.Count(t.Context()); err != nil || n != 2 {
		t.Errorf("got count %d, %v, want 2", n, err)
	}
	if bounds, err := table.Breakpoints(t.Context(), 1); err != nil || len(bounds) != 1 {
		t.Errorf("got breakpoints %v, %v, want one", bounds, err)
	}
}
