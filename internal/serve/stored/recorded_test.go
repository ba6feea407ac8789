package stored

import (
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/pages/move"
	"indexerd/internal/test/pagestest"
	"indexerd/store"
)

// A meeting is a store that is copied between the start of a write and its end.
type meeting struct {
	Pages
	copied func()
}

func (m meeting) Put(pages []doc.Page) error {
	m.copied()
	return m.Pages.Put(pages)
}

func (m meeting) Delete(gone []doc.Removal) error {
	m.copied()
	return m.Pages.Delete(gone)
}

// A page that is copied while it is written is copied again.
func TestWriteDuringCopy(t *testing.T) {
	open := func() *store.FileMap {
		f, err := store.Open(t.TempDir(), store.Options{Versions: 1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	from, to, recorder := open(), open(), new(move.Recorder)
	if err := from.Put([]doc.Page{pagestest.Page(1, 1), pagestest.Page(2, 2)}); err != nil {
		t.Fatal(err)
	}
	l := move.Live{Copy: move.Copy{From: from, To: to, Versions: 1, Damaged: IsDamaged}, Recorder: recorder, Gone: IsGone}
	p := recordedPages{meeting{from, func() {
		if err := l.Run(t.Context()); err != nil {
			t.Error(err)
		}
	}}, recorder}
	for _, write := range []func() error{
		func() error { return p.Put([]doc.Page{pagestest.Page(1, 3)}) },
		func() error { return p.Delete([]doc.Removal{{OID: pagestest.Key(2), V: 4}}) },
	} {
		if err := write(); err != nil {
			t.Fatal(err)
		}
		if n, err := l.Finish(t.Context()); err != nil || !n.Exact() {
			t.Errorf("got %+v, %v, want an exact copy", n, err)
		}
		want, err := from.Metas([]doc.OID{pagestest.Key(1), pagestest.Key(2)})
		if err != nil {
			t.Fatal(err)
		}
		got, err := to.Metas([]doc.OID{pagestest.Key(1), pagestest.Key(2)})
		if err != nil || got[0].V != want[0].V || got[1].V != want[1].V {
			t.Errorf("got pages %+v, %v, want %+v", got, err, want)
		}
	}
}
