package pgsource

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"indexerd/internal/doc"
	"indexerd/internal/pgtest"
)

func TestKeyTypes(t *testing.T) {
	t.Parallel()
	const n = 100
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, "CREATE EXTENSION citext; CREATE DOMAIN customer_no AS int")
	for _, c := range []struct {
		name    string
		columns string // the key's columns
		values  string // of the row i, from 0 on
		key     []string
		kinds   []doc.Kind
		first   string // the printed OID of row 0
	}{
		{"smallint", "id smallint", "i - 50", nil, []doc.Kind{doc.Integer}, "-50"},
		{"integer", "id int", "i * 1000", nil, []doc.Kind{doc.Integer}, "0"},
		{"bigint", "id bigint", "i - 9223372036854775808", nil, []doc.Kind{doc.Integer}, "-9223372036854775808"},
		{"numeric", "id numeric(20,0)", "i - 7", nil, []doc.Kind{doc.Integer}, "-7"},
		{"numeric of any scale", "id numeric", "i", nil, []doc.Kind{doc.Integer}, "0"},
		{"domain", "id customer_no", "i", nil, []doc.Kind{doc.Integer}, "0"},
		{"uuid", "id uuid", "('00000000-0000-4000-8000-' || lpad(i::text, 12, '0'))::uuid", nil, []doc.Kind{doc.UUID}, "00000000-0000-4000-8000-000000000000"},
		{"text", "id text", "CASE i WHEN 0 THEN '' ELSE chr(19968 + i) || ', \"' || i || '\"\\' END", nil, []doc.Kind{doc.Text}, ""},
		{"text by a language's rules", `id text COLLATE "en-x-icu"`, "CASE i % 2 WHEN 0 THEN 'a' ELSE 'B' END || i", nil, []doc.Kind{doc.Text}, "a0"},
		{"text beyond the BMP", "id text", "CASE i % 4 WHEN 0 THEN 'a' WHEN 1 THEN 'B' WHEN 2 THEN 'ä' ELSE chr(65536 + i) END || i", nil, []doc.Kind{doc.Text}, "a0"},
		{"prefixes", "id text", "repeat('a', i)", nil, []doc.Kind{doc.Text}, ""},
		{"char before and after a blank", "id char(20)", "CASE i % 2 WHEN 0 THEN 'a' ELSE 'a' || chr(1) END || i", nil, []doc.Kind{doc.Text}, "a0"},
		{"varchar", "id varchar(20)", "'k' || i", nil, []doc.Kind{doc.Text}, "k0"},
		{"char", "id char(20)", "'k' || i", nil, []doc.Kind{doc.Text}, "k0"},
		{"name", "id name", "'k' || i", nil, []doc.Kind{doc.Text}, "k0"},
		{"citext", "id citext", "'K' || i", nil, []doc.Kind{doc.Text}, "K0"},
		{"composite", "tenant text, id int", "'t' || i / 30, i % 30", []string{"tenant", "id"}, []doc.Kind{doc.Text, doc.Integer}, "t0,0"},
		{"odd names", `"Id" int, "a""b" uuid`, "i % 10, ('00000000-0000-4000-8000-' || lpad(i::text, 12, '0'))::uuid", []string{"Id", `a"b`}, []doc.Kind{doc.Integer, doc.UUID}, "0,00000000-0000-4000-8000-000000000000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			setup := fmt.Sprintf(`DROP TABLE IF EXISTS doc; CREATE TABLE doc (%s, n int, u timestamptz);
				INSERT INTO doc SELECT %s, i, now() FROM generate_series(0, %d) i`, c.columns, c.values, n-1)
			table := tableIn(t, dsn, setup, TableConfig{Key: c.key, Batch: 7})
			if got := table.Kinds(); !slices.Equal(got, c.kinds) {
				t.Fatalf("got kinds %v, want %v", got, c.kinds)
			}

			bounds, err := table.Breakpoints(t.Context(), 30)
			if err != nil || len(bounds) != 3 {
				t.Fatalf("got breakpoints %v, %v, want 3", bounds, err)
			}
			all := map[string]doc.Doc{}
			for i, from := range append([]doc.OID{""}, bounds...) {
				to := append(bounds, "")[i]
				docs, rejects := readAll(t, table.Range(t.Context(), doc.Range{From: from, To: to}))
				if want := 30; len(docs) != want && to != "" || len(rejects) != 0 {
					t.Errorf("got %d rows and rejects %v in range %d, want %d and none", len(docs), rejects, i, want)
				}
				for id, d := range docs {
					if _, twice := all[id]; twice {
						t.Errorf("got row %s in two ranges, want it in one", id)
					}
					all[id] = d
				}
			}
			if len(all) != n {
				t.Fatalf("got %d rows in all ranges, want %d", len(all), n)
			}
			if _, ok := all[c.first]; !ok {
				t.Errorf("got keys %q, want %q among them", sortedKeys(all), c.first)
			}

			table.stampPage = 7
			checkStamps(t, table, all)
		})
	}
}

func TestUnusableKeysAreRejected(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	for _, c := range []struct {
		name, column, value, reason string
	}{
		{"NULL", "int", "NULL", "key column id is NULL"},
		{"beyond 64 bits", "numeric(30,0)", "9223372036854775808", "key column id: 9223372036854775808 is not an integer of 64 bits"},
		{"a fraction", "numeric", "1.5", "key column id: 1.5 is not an integer of 64 bits"},
		{"NaN", "numeric", "'NaN'", "key column id: NaN is not an integer of 64 bits"},
	} {
		t.Run(c.name, func(t *testing.T) {
			table := tableIn(t, dsn, fmt.Sprintf(`DROP TABLE IF EXISTS doc; CREATE TABLE doc (id %s, u timestamptz);
				INSERT INTO doc VALUES (0, now()), (%s, now())`, c.column, c.value), TableConfig{})

			// A range with an open end includes NULL keys.
			for _, from := range []doc.OID{"", oid(t, int64(0))} {
				docs, rejects := readAll(t, table.Range(t.Context(), doc.Range{From: from}))
				want := doc.Reject{Reason: c.reason}
				if len(docs) != 1 || len(rejects) != 1 || rejects[0] != want {
					t.Errorf("from %v: got %d documents and rejects %+v, want 1 and %+v", from, len(docs), rejects, want)
				}
			}
			checkUnusable(t, table, c.reason)
			if bounds, err := table.Breakpoints(t.Context(), 1); err != nil || len(bounds) != 0 {
				t.Errorf("got breakpoints %v, %v, want none: the second key is no bound", bounds, err)
			}
		})
	}
}

// checkUnusable checks that the stamps of a window include an unusable key,
// whatever the page size, and that Unusable returns the reason.
func checkUnusable(t *testing.T, table *Table, reason string) {
	t.Helper()
	for _, table.stampPage = range []int{1, 2, 3} {
		if got := printed(readStamps(t, table.Stamps(t.Context(), doc.Window{From: minTime, To: maxTime}))); !slices.Equal(got, []string{"0", "0x"}) {
			t.Errorf("pages of %d: got stamps %v, want that of row 0, and one without an OID", table.stampPage, got)
		}
		if got := printed(readStamps(t, table.Stamps(t.Context(), doc.Window{From: minTime, To: at(t, "2000-01-01T00:00:00Z")}))); len(got) != 0 {
			t.Errorf("got stamps %v of an empty window, want none", got)
		}
	}
	b, err := table.Unusable(t.Context(), doc.Window{From: minTime, To: maxTime})
	if err != nil || b.At.IsZero() || !slices.Equal(b.Rejects, []doc.Reject{{Reason: reason}}) {
		t.Errorf("got %+v, %v, want the reason %s", b, err, reason)
	}
	if b, err := table.Unusable(t.Context(), doc.Window{From: minTime, To: at(t, "2000-01-01T00:00:00Z")}); err != nil || len(b.Rejects) != 0 {
		t.Errorf("got %+v, %v of an empty window, want none", b, err)
	}
}

// A database without an encoding (SQL_ASCII) delivers text that is not UTF-8.
func TestTextThatIsNotUTF8IsRejected(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	bytes := "bytes_" + dbName(t, dsn)
	pgtest.Exec(t, dsn, "CREATE DATABASE "+bytes+" TEMPLATE template0 ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C'")
	t.Cleanup(func() { pgtest.Exec(t, dsn, "DROP DATABASE "+bytes+" WITH (FORCE)") })
	table := tableIn(t, strings.Replace(dsn, dbName(t, dsn), bytes, 1), `CREATE TABLE doc (id text, u timestamptz, v text);
		INSERT INTO doc VALUES ('0', now(), 'fine'), (E'\xff', now(), 'x'), ('a', NULL, E'caf\xe9'); CREATE INDEX ON doc (id)`, TableConfig{})
	const reason = "key part 1 is not valid UTF-8"
	checkUnusable(t, table, reason)
	docs, rejects := readAll(t, table.Range(t.Context(), doc.Range{}))
	want := []doc.Reject{{OID: oid(t, "a"), Reason: "column v: text is not valid UTF-8"}, {Reason: reason}}
	if len(docs) != 1 || !slices.Equal(rejects, want) {
		t.Errorf("got %d documents and rejects %+v, want 1 and %+v", len(docs), rejects, want)
	}
	if b, err := table.Keyless(t.Context()); err != nil || !slices.Equal(b.Rejects, want[1:]) {
		t.Errorf("got %+v, %v of all rows, want %+v", b, err, want[1:])
	}
}

func TestKeyOfAnotherTableIsAnError(t *testing.T) {
	t.Parallel()
	table, _ := newTable(t, "CREATE TABLE doc (id int, u timestamptz)", TableConfig{})
	for _, c := range []struct {
		oid  doc.OID
		want string
	}{
		{oid(t, "a"), "part 1 is text, want integer"},
		{oid(t, int64(1), int64(2)), "has 2 parts, want 1"},
		{"\x99", "bad or cut"},
	} {
		for _, batches := range []func(func(doc.Batch, error) bool){
			table.Docs(t.Context(), []doc.OID{c.oid}),
			table.Range(t.Context(), doc.Range{From: c.oid}),
		} {
			for b, err := range batches {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("got %v, %v, want an error with %q", b, err, c.want)
				}
			}
		}
	}
}

func TestDocs(t *testing.T) {
	t.Parallel()
	table, dsn := newTable(t, "CREATE TABLE doc (id text, u timestamptz); INSERT INTO doc SELECT i, now() FROM generate_series(1, 10) i",
		TableConfig{Batch: 4, Numbers: &numbers{}})
	pgtest.Exec(t, dsn, "DELETE FROM doc WHERE id = '3'")
	ask := []doc.OID{oid(t, "2"), oid(t, "3"), oid(t, "2"), oid(t, "a\x00b"), oid(t, "3")}

	var seqs []doc.FetchSeq
	for b, err := range table.Docs(t.Context(), ask) {
		if err != nil {
			t.Fatal(err)
		}
		seqs = append(seqs, b.Fetch)
		if b.Fetch == 1 && (len(b.Docs) != 1 || b.Docs[0].OID != ask[0]) {
			t.Errorf("got %v, want row 2 once, and nothing of 3, which is gone", b.Docs)
		}
	}
	// Each chunk yields a batch, even an empty one, with its number.
	if want := []doc.FetchSeq{1, 2}; !slices.Equal(seqs, want) {
		t.Errorf("got fetches %v, want %v, the second without a document", seqs, want)
	}
}

// Both rows that a join returns for one key are read; the sink decides.
func TestRowsWithOneKeyAreAllRead(t *testing.T) {
	t.Parallel()
	for _, children := range [][]ChildConfig{nil, parts("SELECT id, u, 'x' AS v FROM doc", "id")} {
		table, _ := newTable(t, "CREATE TABLE doc (id int, u timestamptz); INSERT INTO doc VALUES (1, now()), (2, now()), (3, now())",
			TableConfig{SQL: "SELECT doc.*, n FROM doc JOIN (VALUES (1, 1), (2, 1), (2, 2), (3, 1)) j(id, n) USING (id)", Children: children, Batch: 2})
		var got []string
		for b, err := range table.Range(t.Context(), doc.Range{}) {
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range b.Docs {
				got = append(got, d.OID.String())
			}
		}
		if want := 4; len(got) != want {
			t.Errorf("got documents %v, want %d, row 2 twice", got, want)
		}
	}
}
