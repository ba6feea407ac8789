package deletecheck_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"indexerd/deletecheck"
	"indexerd/internal/base/doc"
	"indexerd/internal/sync/sink"
	"indexerd/internal/test/fakeworld"
	"indexerd/internal/test/fakeworld/machine"
	"indexerd/timetrace"
)

const (
	batch = 5
	chunk = 4
)

// A world is a machine that has loaded an empty table.
type world struct {
	*machine.Machine
	key    func(int) doc.OID
	source deletecheck.Source // the table, unless a test puts something before it
}

func newWorld(t testing.TB) *world {
	t.Helper()
	table := fakeworld.NewTable(batch)
	table.Page = 3
	return newWorldOf(t, table, fakeworld.Key)
}

// newTextWorld is a world whose database orders keys otherwise than OIDs.
func newTextWorld(t testing.TB) *world {
	t.Helper()
	table := fakeworld.NewTable(batch)
	table.Page, table.Order = 3, fakeworld.FoldCase
	return newWorldOf(t, table, func(n int) doc.OID {
		letter := rune('a' + n/2)
		if n%2 == 0 {
			letter = rune('A' + n/2)
		}
		return fakeworld.TextKey(string(letter) + "ey")
	})
}

func newWorldOf(t testing.TB, table *fakeworld.Table, key func(int) doc.OID) *world {
	w := &world{Machine: machine.New(t, table), key: key, source: table}
	begin := table.Clock()
	w.Update(t, func(m *timetrace.Table) {
		m.Loaded, m.Generation, m.Load, m.Incremental, m.Settled, m.Mode = true, 1, begin, begin, begin, "exact"
	})
	table.Advance(time.Second)
	return w
}

// settle moves S to the current time.
func (w *world) settle(t testing.TB) {
	t.Helper()
	w.Table.Advance(time.Second)
	w.Update(t, func(m *timetrace.Table) { m.Settle(w.Table.Clock(), "exact") })
}

// put writes rows, and load indexes them.
func (w *world) put(rows ...int) {
	for _, n := range rows {
		w.Table.Put(w.key(n), "row")
	}
}

// load indexes all rows.
func (w *world) load(t testing.TB) {
	t.Helper()
	oids := slices.Sorted(maps.Keys(w.Table.Rows()))
	for b, err := range w.Table.Docs(t.Context(), oids) {
		if err == nil {
			_, err = w.Sink.Put(t.Context(), b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	w.settle(t)
}

// loaded is a world of some rows that are in the index.
func loaded(t testing.TB, rows int) *world {
	t.Helper()
	w := newWorld(t)
	for n := range rows {
		w.put(n)
	}
	w.load(t)
	return w
}

// limit starts the machine again with limits of the guard.
func (w *world) limit(t testing.TB, l sink.Limits) {
	t.Helper()
	w.Limits = l
	w.Start(t)
}

func (w *world) sweep() *deletecheck.Sweep {
	return &deletecheck.Sweep{
		Table: machine.Table, Source: w.source, Index: w.Index, Pages: w.Pages, Sink: w.Sink, Quarantine: w.Quarantine,
		Trace: w.Trace, FS: w.Files, Dir: "data/" + machine.Table, Batch: batch, Chunk: chunk,
	}
}

func (w *world) verify() *deletecheck.Verify {
	return &deletecheck.Verify{
		Table: machine.Table, Source: w.source, Index: w.Index, Pages: w.Pages, Sink: w.Sink, Quarantine: w.Quarantine,
		Trace: w.Trace, FS: w.Files, Dir: "data/" + machine.Table, Batch: batch, Chunk: chunk,
		Content: true, Hash: w.Index.Hash, Allow: w.Guard.Allow,
	}
}

func runSweep(t testing.TB, s *deletecheck.Sweep) doc.Report {
	t.Helper()
	report, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func runVerify(t testing.TB, v *deletecheck.Verify) deletecheck.Result {
	t.Helper()
	result, err := v.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// different returns the keys whose document, page and row are not of one version,
// but for rows in quarantine.
func (w *world) different() []doc.OID {
	rows, titles, set := w.Table.Rows(), w.Index.Titles(), w.Quarantine.Reasons()
	all := map[doc.OID]bool{}
	for oid := range rows {
		all[oid] = true
	}
	for oid := range titles {
		all[oid] = true
	}
	for meta := range w.Pages.All() {
		all[meta.OID] = true
	}
	var different []doc.OID
	for _, oid := range slices.Sorted(maps.Keys(all)) {
		row, there := rows[oid]
		title, indexed := titles[oid]
		page, paged := w.Pages.Page(oid)
		document, _ := w.Index.Doc(oid)
		_, quarantined := set[oid]
		switch {
		case quarantined && there:
		case !there && !indexed && !paged:
		case there && indexed && paged && title == row.Text() && page.Same(row.Stamp(oid)) && page.V == document.V:
		default:
			different = append(different, oid)
		}
	}
	return different
}

func (w *world) wantEqual(t testing.TB) {
	t.Helper()
	if got := w.different(); len(got) > 0 {
		t.Errorf("different: got %v, want none", got)
	}
}

// keysOf returns the keys of rows.
func (w *world) keysOf(rows ...int) []doc.OID {
	var oids []doc.OID
	for _, n := range rows {
		oids = append(oids, w.key(n))
	}
	return oids
}

// removeDocument removes a document from the index alone.
func (w *world) removeDocument(t testing.TB, oid doc.OID) {
	t.Helper()
	if err := w.Index.Apply(nil, doc.Removals(1<<62, oid)); err != nil {
		t.Fatal(err)
	}
}

// removePage removes a page alone.
func (w *world) removePage(t testing.TB, oid doc.OID) {
	t.Helper()
	if err := w.Pages.Delete(doc.Removals(0, oid)); err != nil {
		t.Fatal(err)
	}
}

// alterPage changes a page alone.
func (w *world) alterPage(t testing.TB, oid doc.OID, change func(*doc.Page)) {
	t.Helper()
	page, _ := w.Pages.Page(oid)
	change(&page)
	if err := w.Pages.Put([]doc.Page{page}); err != nil {
		t.Fatal(err)
	}
}

// alterDocument changes a document alone.
func (w *world) alterDocument(t testing.TB, oid doc.OID, change func(*doc.Doc)) {
	t.Helper()
	d, _ := w.Index.Doc(oid)
	change(&d)
	if err := w.Index.Apply([]doc.Doc{d}, nil); err != nil {
		t.Fatal(err)
	}
}
