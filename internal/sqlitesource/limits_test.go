package sqlitesource

import (
	"slices"
	"strings"
	"testing"

	"indexerd/internal/doc"
)

// A row with more text than the limit is a reject that names the option: alone or
// with its children, by range and by key.
func TestTooMuchTextIsRejected(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER, v TEXT)", "CREATE TABLE actor (film INTEGER, at TEXT, name TEXT)")
	var oids []doc.OID
	for id := range 9 {
		text := "v"
		if id == 3 || id == 7 {
			text = strings.Repeat("x", 200_000)
		}
		db.exec("INSERT INTO t VALUES (?, 1700000000, ?)", id, text)
		oids = append(oids, oid(t, id))
	}
	for id, sizes := range map[int][]int{5: {30_000, 30_000, 30_000}, 6: {30_000, 30_000, 30_000, 30_000}, 8: {200_000, 1}} {
		for _, size := range sizes {
			db.exec("INSERT INTO actor VALUES (?, NULL, ?)", id, strings.Repeat("y", size))
		}
	}
	for name, c := range map[string]struct {
		children []ChildConfig
		want     []doc.OID // rejected
	}{
		"alone": {nil, []doc.OID{oid(t, 3), oid(t, 7)}},
		// The sink checks documents whose children fit into a page.
		"with children": {actors("SELECT * FROM actor"), []doc.OID{oid(t, 3), oid(t, 7)}},
	} {
		table := db.table(TableConfig{Children: c.children, Limits: doc.Limits{Text: 100_000}})
		for how, read := range map[string]func() ([]doc.Doc, []doc.Reject){
			"range":  func() ([]doc.Doc, []doc.Reject) { return rangeOf(t, table, doc.Range{}) },
			"by key": func() ([]doc.Doc, []doc.Reject) { return docsOf(t, table, oids...) },
		} {
			docs, rejects := read()
			wantTooLarge(t, name+", "+how, rejects, c.want)
			if len(docs) != 9-len(c.want) {
				t.Errorf("%s, %s: got documents %s, want all others", name, how, keysOf(docs))
			}
		}
	}
	// A page of one document is read up to the limit.
	table := db.table(TableConfig{Children: actors("SELECT * FROM actor"), Limits: doc.Limits{Text: 100_000}, Batch: 1})
	_, rejects := rangeOf(t, table, doc.Range{})
	wantTooLarge(t, "one by one", rejects, []doc.OID{oid(t, 3), oid(t, 6), oid(t, 7), oid(t, 8)})
}

func wantTooLarge(t *testing.T, what string, rejects []doc.Reject, want []doc.OID) {
	t.Helper()
	var got []doc.OID
	for _, r := range rejects {
		got = append(got, r.OID)
		if !strings.Contains(r.Reason, "more than 100000 bytes of text: select less in the SQL, or raise limits.text") {
			t.Errorf("%s: row %v: got reason %q, want one that names the limit", what, r.OID, r.Reason)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%s: got rejects %v, want %v", what, got, want)
	}
}
