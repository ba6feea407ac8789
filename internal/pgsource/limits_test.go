package pgsource

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"

	"indexerd/internal/doc"
)

// A row with more text than the limit is a reject that names the option, alone
// or with its children, in a range as by key; the others come as documents.
func TestTooMuchTextIsRejected(t *testing.T) {
	const setup = `CREATE TABLE doc (id int, u timestamptz, v text); CREATE TABLE part (id int, v text, u timestamptz);
		INSERT INTO doc SELECT i, now(), CASE WHEN i IN (3, 7) THEN repeat('x', 200000) ELSE 'v' END FROM generate_series(1, 9) i;
		INSERT INTO part SELECT i, repeat('y', 30000), now() FROM generate_series(5, 6) i, generate_series(1, CASE i WHEN 5 THEN 3 ELSE 4 END);
		INSERT INTO part VALUES (8, repeat('z', 200000), now()), (8, 'z', now())`
	limits := doc.Limits{Text: 100_000}
	var oids []doc.OID
	for i := range 9 {
		oids = append(oids, oid(t, int64(i+1)))
	}
	for name, c := range map[string]struct {
		children []ChildConfig
		want     []string // rejected
	}{
		"alone":         {nil, []string{"3", "7"}},
		"with children": {parts("SELECT * FROM part", "id"), []string{"3", "6", "7", "8"}},
	} {
		table, _ := newTable(t, setup, TableConfig{Children: c.children, Limits: limits, Numbers: &numbers{}})
		for how, batches := range map[string]iter.Seq2[doc.Batch, error]{"range": table.Range(t.Context(), doc.Range{}), "by key": table.Docs(t.Context(), oids)} {
			docs, rejects := readAll(t, batches)
			var got []string
			for _, r := range rejects {
				got = append(got, r.OID.String())
				if !strings.Contains(r.Reason, "more than 100000 bytes of text: select less in the SQL, or raise limits.text") {
					t.Errorf("%s, %s: row %v: got reason %q, want one that names the limit", name, how, r.OID, r.Reason)
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, c.want) || len(docs) != 9-len(c.want) {
				t.Errorf("%s, %s: got rejects %v and documents %v, want rejects %v", name, how, got, slices.Sorted(maps.Keys(docs)), c.want)
			}
		}
	}
}

// Of a row that is too large no more is kept than its key.
func TestTooMuchTextIsNotKept(t *testing.T) {
	d := rowDecoder{key: []int{1}, updated: -1, token: 2}
	if err := d.load([][]byte{make([]byte, 1000), []byte("7"), []byte("1")}, doc.Limits{Text: 500}); err == nil || d.size != 1 || d.texts[1] != "7" {
		t.Errorf("got %v with %d bytes kept: %q; want an error, and the key alone", err, d.size, d.texts)
	}
	if err := d.load([][]byte{make([]byte, 400), []byte("7"), []byte("1")}, doc.Limits{Text: 500}); err != nil || d.size != 402 {
		t.Errorf("got %v with %d bytes kept, want all 402", err, d.size)
	}
}
