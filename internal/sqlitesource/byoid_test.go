package sqlitesource

import (
	"slices"
	"strings"
	"testing"
	"time"

	"indexerd/internal/doc"
)

// Stamps by key are those of the window, each once, in byte order, over page
// borders and whatever the collation.
func TestStampsByOID(t *testing.T) {
	const rows = stampPage + 500
	for _, c := range []struct{ name, column, id string }{
		{"integer", "id INTEGER PRIMARY KEY", "i - 300"},
		{"text", "id TEXT", "printf('k%06d', i)"},
		{"text without case", "id TEXT COLLATE NOCASE", "CASE WHEN i % 2 THEN 'K' ELSE 'k' END || i"},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := newDB(t, "CREATE TABLE t ("+c.column+", u TEXT)")
			db.exec("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) INSERT INTO t SELECT "+c.id+
				", CASE WHEN i % 10 = 0 THEN '2030-01-01 00:00:00' ELSE '2024-05-06 12:00:0' || (i % 10) END FROM n ORDER BY i % 7", rows)
			table := db.table(TableConfig{})
			w := doc.Window{From: instant(t, "2024-05-06T12:00:00Z"), To: instant(t, "2024-05-06T12:01:00Z")}
			var got []doc.Stamp
			for page, err := range table.StampsByOID(t.Context(), w) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, page...)
			}
			if !slices.IsSortedFunc(got, func(a, b doc.Stamp) int { return strings.Compare(string(a.OID), string(b.OID)) }) {
				t.Error("stamps are not in the byte order of keys")
			}
			want := stampsOf(t, table, w.From, w.To)
			slices.SortFunc(want, func(a, b doc.Stamp) int { return strings.Compare(string(a.OID), string(b.OID)) })
			if !slices.EqualFunc(got, want, doc.Stamp.Same) {
				t.Errorf("got %d stamps, want the %d of the window", len(got), len(want))
			}
		})
	}
}

func TestWatchSeesEveryCommit(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u TEXT)")
	w := db.source().Watch()
	defer w.Close()
	version := func() string {
		t.Helper()
		v, err := w.Version(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	before := version()
	if again := version(); again != before {
		t.Errorf("nothing was committed: got %s, then %s", before, again)
	}
	for range 3 {
		db.exec("INSERT INTO t (u) VALUES ('2024-05-06 12:00:00')")
		after := version()
		if after == before {
			t.Errorf("a commit was not seen: still %s", after)
		}
		before = after
	}
	w.opened = w.opened.Add(-2 * watchFor)
	if after := version(); after == before {
		t.Errorf("another connection's version equals the last one's, %s", after)
	}
	if time.Since(w.opened) > watchFor {
		t.Error("the watch goes on with an old connection")
	}
}
