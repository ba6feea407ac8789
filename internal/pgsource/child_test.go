package pgsource

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"indexerd/internal/doc"
	"indexerd/internal/pgtest"
)

// parts configures the child of most tests.
func parts(sql string, key ...string) []ChildConfig {
	return []ChildConfig{{Name: "parts", Path: "children.parts", SQL: sql, Key: key, Updated: "u", Columns: []string{"v"}}}
}

// body returns a document's canonical JSON.
func body(t testing.TB, d doc.Doc) string {
	t.Helper()
	b, err := d.Row.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// checkStamps checks that every way to read a stamp returns the document's, and
// that Docs returns the documents.
func checkStamps(t testing.TB, table *Table, docs map[string]doc.Doc) {
	t.Helper()
	var oids []doc.OID
	for _, d := range docs {
		oids = append(oids, d.OID)
	}
	slices.Sort(oids)
	again, _ := readAll(t, table.Docs(t.Context(), oids))
	for id, d := range docs {
		if got := again[id]; !got.Same(d.Stamp) || body(t, got) != body(t, d) {
			t.Errorf("got %s by its OID as %+v, want %+v", id, got, d)
		}
	}
	of, err := table.StampsOf(t.Context(), oids)
	if err != nil {
		t.Fatal(err)
	}
	all := doc.Window{From: minTime, To: maxTime}
	for name, stamps := range map[string][]doc.Stamp{
		"of": of, "in range": readStamps(t, table.StampsInRange(t.Context(), doc.Range{})),
		"of the window": readStamps(t, table.Stamps(t.Context(), all)),
	} {
		seen := map[doc.OID]bool{}
		for _, s := range stamps {
			seen[s.OID] = true
			if want := docs[s.OID.String()].Stamp; !s.Same(want) {
				t.Errorf("%s: got stamp %+v of %v, want the document's, %+v", name, s, s.OID, want)
			}
		}
		if len(seen) != len(docs) {
			t.Errorf("%s: got stamps of %d rows, want %d", name, len(seen), len(docs))
		}
	}
}

// Whatever the key's type, every document has its own children and one stamp.
func TestChildren(t *testing.T) {
	t.Parallel()
	const n = 40
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, `CREATE EXTENSION citext; CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`)
	for _, c := range []struct{ name, columns, child, values string }{
		{"integer", "id int", "id bigint", "i - 20"},
		{"bigint", "id bigint", "id smallint", "i - 20"},
		{"numeric", "id numeric(20,0)", "id int", "i"},
		{"uuid", "id uuid", "id uuid", "md5(i::text)::uuid"},
		{"text by a language's rules", `id text COLLATE "en-x-icu"`, `id varchar COLLATE "en-x-icu"`, "(ARRAY['a', 'A', 'é', 'É', 'e', 'ß', 'ss'])[i % 7 + 1] || i / 7"},
		{"text without case", "id text COLLATE nocase", "id text COLLATE nocase", "(ARRAY['a', 'A', 'b', 'B'])[i % 4 + 1] || i / 4"},
		{"citext", "id citext", "id citext", "(ARRAY['a', 'A', 'b', 'B'])[i % 4 + 1] || i / 4"},
		{"char", "id char(8)", "id text", "'k' || i"},
		{"composite", `tenant text COLLATE "en-x-icu", id bigint`, "tenant text, id int", "(ARRAY['a', 'B', 'ä'])[i % 3 + 1], i / 3 - 5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			key := []string{"id"}
			if strings.HasPrefix(c.columns, "tenant") {
				key = []string{"tenant", "id"}
			}
			// Row i has i % 3 children.
			setup := fmt.Sprintf(`DROP TABLE IF EXISTS doc; DROP TABLE IF EXISTS part;
				CREATE TABLE doc (%s, n int, u timestamptz); CREATE TABLE part (%s, n int, v text, u timestamptz);
				INSERT INTO doc SELECT %s, i, '2024-01-01Z'::timestamptz + i * interval '1 s' FROM generate_series(0, %d) i;
				INSERT INTO part SELECT %s, i, 'part ' || j, '2024-01-01Z'::timestamptz + (i * 60 - j) * interval '1 s'
					FROM generate_series(0, %d) i, generate_series(1, i %% 3) j ORDER BY j DESC`, c.columns, c.child, c.values, n-1, c.values, n-1)
			table := tableIn(t, dsn, setup, TableConfig{Key: key, Batch: 7, Children: parts("SELECT * FROM part", key...)})
			table.stampPage = 7
			docs, rejects := readAll(t, table.Range(t.Context(), doc.Range{}))
			if len(docs) != n || len(rejects) != 0 {
				t.Fatalf("got %d documents and rejects %v, want %d and none", len(docs), rejects, n)
			}
			for id, d := range docs {
				i, _ := d.Row.Get("n")
				rows := d.Row.Children[0].Rows
				if d.Row.Children[0].Name != "parts" || int64(len(rows)) != i.(int64)%3 {
					t.Errorf("got %+v of %s, want %d parts", d.Row.Children, id, i.(int64)%3)
				}
				for j, row := range rows {
					owner, _ := row.Get("n")
					if v, _ := row.Get("v"); v != fmt.Sprintf("part %d", j+1) || owner != i {
						t.Errorf("got part %v of row %v under row %v, want part %d of the row itself", v, owner, i, j+1)
					}
				}
			}
			checkStamps(t, table, docs)
		})
	}
}

// Every change of a child changes its parent's token. A child's updateTime
// moves the parent's (R19).
func TestChildChangesMoveTheParent(t *testing.T) {
	t.Parallel()
	table, dsn := newTable(t, `CREATE TABLE doc (id int, u timestamptz); CREATE TABLE part (id int, v text, u timestamptz);
		INSERT INTO doc VALUES (1, '2024-01-01Z'), (2, '2024-01-01Z'); INSERT INTO part VALUES (1, 'a', '2023-01-01Z'), (1, 'b', NULL)`,
		TableConfig{Children: parts("SELECT * FROM part", "id")})
	ids := []doc.OID{oid(t, int64(1)), oid(t, int64(2))}
	read := func() []doc.Stamp {
		t.Helper()
		stamps, err := table.StampsOf(t.Context(), ids)
		if err != nil || len(stamps) != 2 {
			t.Fatalf("got %v, %v, want two stamps", stamps, err)
		}
		slices.SortFunc(stamps, func(a, b doc.Stamp) int { return cmp.Compare(a.OID, b.OID) })
		docs, _ := readAll(t, table.Docs(t.Context(), ids))
		checkStamps(t, table, docs)
		return stamps
	}
	before := read()
	// Counter-test: the token of the main row alone does not depend on children.
	alone := tableIn(t, dsn, "", TableConfig{})
	docs, _ := readAll(t, alone.Docs(t.Context(), ids))
	defer func() {
		if now, _ := readAll(t, alone.Docs(t.Context(), ids)); !now["1"].Same(docs["1"].Stamp) {
			t.Errorf("got stamp %v without children, want it untouched by them, %v", now["1"].Stamp, docs["1"].Stamp)
		}
	}()
	seen := map[uint64]string{before[0].Token.Digest: "nothing"}
	for _, c := range []struct{ change, updated string }{
		{"INSERT INTO part VALUES (1, 'b', NULL)", "2024-01-01T00:00:00Z"},
		{"UPDATE part SET v = 'c' WHERE v = 'a'", "2024-01-01T00:00:00Z"},
		{"DELETE FROM part WHERE v = 'c'", "2024-01-01T00:00:00Z"},
		{"INSERT INTO part VALUES (1, 'c', '2024-06-01Z')", "2024-06-01T00:00:00Z"},
		{"UPDATE part SET u = '2024-07-01Z' WHERE v = 'c'", "2024-07-01T00:00:00Z"},
		{"DELETE FROM part", "2024-01-01T00:00:00Z"},
	} {
		pgtest.Exec(t, dsn, c.change)
		after := read()
		if old, known := seen[after[0].Token.Digest]; known {
			t.Errorf("%s: got the token as after %s, want another", c.change, old)
		}
		seen[after[0].Token.Digest] = c.change
		if !after[0].Updated.Equal(at(t, c.updated)) {
			t.Errorf("%s: got updateTime %v, want %s", c.change, after[0].Updated, c.updated)
		}
		if !after[1].Same(before[1]) {
			t.Errorf("%s: got stamp %v of the other row, want it as before, %v", c.change, after[1], before[1])
		}
	}
}

// A window has the documents whose children changed in it, however many rows
// share the updateTime.
func TestChildsWindow(t *testing.T) {
	t.Parallel()
	table, dsn := newTable(t, `CREATE TABLE doc (id int, u timestamptz); CREATE TABLE part (id int, v text, u timestamptz);
		INSERT INTO doc SELECT i, CASE i % 2 WHEN 0 THEN '2024-01-01Z'::timestamptz END FROM generate_series(1, 100) i;
		INSERT INTO part SELECT i, j, '2024-06-01Z' FROM generate_series(1, 50) i, generate_series(1, 3) j`,
		TableConfig{Children: parts("SELECT * FROM part", "id")})
	table.stampPage = 4
	pgtest.Exec(t, dsn, "INSERT INTO part VALUES (1000, 'an orphan', '2024-06-01Z'), (NULL, 'no parent', '2024-06-01Z')")
	w := doc.Window{From: at(t, "2024-06-01T00:00:00Z"), To: at(t, "2024-06-02T00:00:00Z")}
	seen := map[doc.OID]bool{}
	for _, s := range readStamps(t, table.Stamps(t.Context(), w)) {
		if seen[s.OID] = true; !s.Updated.Equal(w.From) {
			t.Errorf("got %+v, want the child's updateTime", s)
		}
	}
	if len(seen) != 50 {
		t.Errorf("got %d documents, want 50", len(seen))
	}
}

// Main rows and children are of one snapshot, though a writer commits between
// their queries (R23).
func TestNoSkewBetweenParentAndChild(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	table := tableIn(t, dsn, `CREATE TABLE doc (id int, u timestamptz, v int); CREATE TABLE part (id int, u timestamptz, v int);
		INSERT INTO doc VALUES (1, '2024-01-01Z', 1); INSERT INTO part VALUES (1, '2024-01-01Z', 1)`,
		// The child's query waits for a lock, so that the writer commits between the queries.
		TableConfig{Children: parts("SELECT part.* FROM (SELECT pg_advisory_xact_lock_shared(7)) l, part", "id")})
	writer := pgtest.Connect(t, dsn)
	do := func(sql string) {
		if _, err := writer.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	do("SELECT pg_advisory_lock(7)")
	fetched := make(chan doc.Doc)
	go func() {
		for b := range table.Docs(t.Context(), []doc.OID{oid(t, int64(1))}) {
			fetched <- b.Docs[0]
		}
	}()
	for !pgtest.Value[bool](t, dsn, "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))") {
	}
	do("BEGIN; UPDATE doc SET v = 2; UPDATE part SET v = 2; COMMIT")
	do("SELECT pg_advisory_unlock(7)")
	d := <-fetched
	// Counter-test: on a separate snapshot the child has changed.
	if child := pgtest.Value[int](t, dsn, "SELECT v FROM part"); child != 2 {
		t.Errorf("got the child's %d after the writer, want 2", child)
	}
	main, _ := d.Row.Get("v")
	if child, _ := d.Row.Children[0].Rows[0].Get("v"); main != int64(1) || child != int64(1) {
		t.Errorf("got %v with the child's %v, want 1 and 1, as of one snapshot", main, child)
	}
}

// Documents with more text than a batch are read in smaller batches.
func TestBatchesWithChildrenAreBounded(t *testing.T) {
	t.Parallel()
	table, _ := newTable(t, `CREATE TABLE doc (id int, u timestamptz, v text); CREATE TABLE part (id int, v text, u timestamptz);
		INSERT INTO doc SELECT i, now(), CASE WHEN i IN (3, 4) THEN repeat('x', 5 << 20) END FROM generate_series(1, 12) i;
		INSERT INTO part SELECT i, repeat('y', 9 << 18) FROM generate_series(8, 10) i, generate_series(1, CASE i WHEN 10 THEN 5 ELSE 2 END)`,
		TableConfig{Children: parts("SELECT * FROM part", "id"), Numbers: &numbers{}})
	n := 0
	for b, err := range table.Range(t.Context(), doc.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		size := 0
		for _, d := range b.Docs {
			size += len(body(t, d))
			n++
		}
		if b.Fetch != 1 || size > maxBatchText+1000 && len(b.Docs) > 1 {
			t.Errorf("got %d documents with %d bytes of fetch %d, want at most 4 MiB, of fetch 1", len(b.Docs), size, b.Fetch)
		}
	}
	if n != 12 {
		t.Errorf("got %d documents, want 12", n)
	}
}

// A child's row that can't be stored rejects its parent and no other.
func TestUnusableChildRowRejectsItsParent(t *testing.T) {
	t.Parallel()
	table, _ := newTable(t, `CREATE TABLE doc (id int, u timestamptz); CREATE TABLE part (id int, v float8, u timestamptz);
		INSERT INTO doc SELECT i, '2024-01-01Z' FROM generate_series(1, 3) i;
		INSERT INTO part VALUES (1, 1, NULL), (2, 1, NULL), (2, 'NaN', NULL), (3, 1, 'infinity')`,
		TableConfig{Children: parts("SELECT * FROM part", "id")})
	docs, rejects := readAll(t, table.Range(t.Context(), doc.Range{}))
	slices.SortFunc(rejects, func(a, b doc.Reject) int { return cmp.Compare(a.OID, b.OID) })
	want := []doc.Reject{
		{OID: oid(t, int64(2)), Reason: "child parts: column v: NaN is no number that can be indexed"},
		{OID: oid(t, int64(3)), Reason: `child parts: column u: "infinity" is not a time of the years 1 to 9999`},
	}
	if len(docs) != 1 || !slices.Equal(rejects, want) {
		t.Errorf("got %d documents and rejects %v\nwant 1 and %v", len(docs), rejects, want)
	}
	stamps, err := table.StampsOf(t.Context(), []doc.OID{want[1].OID})
	if err != nil || len(stamps) != 1 || !stamps[0].Updated.IsZero() {
		t.Errorf("got %v, %v, want a stamp without updateTime", stamps, err)
	}
}

// The epoch covers all that a child's digests depend on.
func TestEpochCoversChildren(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	const setup = "CREATE TABLE IF NOT EXISTS doc (id int, n int, u timestamptz); CREATE TABLE IF NOT EXISTS part (id int, n int, v text, u timestamptz, day date)"
	epoch := func(children ...ChildConfig) uint32 {
		return tableIn(t, dsn, setup, TableConfig{Children: children}).Epoch()
	}
	seen := map[uint32]string{epoch(): "no child"}
	base := ChildConfig{Name: "parts", Path: "children.parts", SQL: "SELECT * FROM part", Key: []string{"id"}, Updated: "u"}
	sql, key, updated := base, base, base
	sql.SQL, key.Key, updated.Updated = "SELECT * FROM part WHERE true", []string{"n"}, "day"
	for name, children := range map[string][]ChildConfig{
		"a child": {base}, "another SQL": {sql}, "another key": {key}, "another updated": {updated}, "two children": {base, base},
	} {
		e := epoch(children...)
		if other, known := seen[e]; known {
			t.Errorf("got the same epoch for %s and %s, want two", name, other)
		}
		seen[e] = name
	}
	if got := tableIn(t, dsn, setup, TableConfig{Children: []ChildConfig{updated}}).Tick(); got != 24*time.Hour {
		t.Errorf("got tick %v, want that of the child's date, 24h", got)
	}
}

// Sums are modulo 2^64, as in the database.
func TestWrapSum(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]uint64{
		"0": 0, "-1": 1<<64 - 1, "18446744073709551616": 0, "-18446744073709551617": 1<<64 - 1, "9223372036854775808": 1 << 63,
	} {
		if got, err := wrapSum(text); err != nil || got != want {
			t.Errorf("%s: got %d, %v, want %d", text, got, err, want)
		}
	}
	if _, err := wrapSum("NaN"); err == nil {
		t.Error("got a sum of NaN, want an error")
	}
}

// Tokens are stored on disk, so combine must not change.
func TestCombine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		parts []childStamp
		want  uint64
	}{
		{[]childStamp{{}}, 0xc9df42efc0f8ee56},
		{[]childStamp{{rows: 1, sum: 2}}, 0x25d0afa47de27e1e},
		{[]childStamp{{rows: 2, sum: 1}}, 0xbdc5bc1b3bbed80e},
		{[]childStamp{{rows: 1, sum: 2}, {}}, 0xc2f977d3f54196f4},
	} {
		if got := combine(7, c.parts); got != c.want {
			t.Errorf("got %#x of %+v, want %#x", got, c.parts, c.want)
		}
	}
}
