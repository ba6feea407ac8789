package move_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/pages/move"
	"indexerd/internal/test/pagestest"
	"indexerd/store"
)

// A writer changes a store at random, and records what it has changed.
type writer struct {
	t        *testing.T
	pages    move.Pages
	recorder *move.Recorder
	random   *rand.Rand
	v        doc.Version
}

func newWriter(t *testing.T, pages move.Pages, seed uint64) *writer {
	w := &writer{t, pages, new(move.Recorder), rand.New(rand.NewPCG(seed, 1)), 0}
	for range 20 {
		w.write()
	}
	return w
}

// write puts or removes some of 600 pages.
func (w *writer) write() {
	w.t.Helper()
	w.v++
	if w.random.IntN(3) == 0 {
		key := pagestest.Key(w.random.IntN(600))
		must(w.t, w.pages.Delete([]doc.Removal{{OID: key, V: w.v}}))
		w.recorder.Note(key)
		return
	}
	var pages []doc.Page
	for range 1 + w.random.IntN(20) {
		pages = append(pages, pagestest.Page(w.random.IntN(600), w.v))
		w.v++
	}
	must(w.t, w.pages.Put(pages))
	w.recorder.Note(doc.OIDs(pages)...)
}

func (w *writer) live(to move.Pages) *move.Live {
	return &move.Live{
		Copy:     move.Copy{From: w.pages, To: to, Versions: 3, Damaged: damaged},
		Recorder: w.recorder,
		Gone:     func(err error) bool { return errors.Is(err, store.ErrNotFound) },
	}
}

// A busy store is a target whose source is written before and after each of its calls.
type busy struct {
	move.Pages
	write func()
	calls int
	stop  int // the call that fails; 0: none does
	reads int
}

func (b *busy) call() error {
	if b.calls++; b.calls == b.stop {
		return errStopped
	}
	b.write()
	return nil
}

func (b *busy) Metas(oids []doc.OID) ([]doc.Meta, error) {
	if err := b.call(); err != nil {
		return nil, err
	}
	defer b.write()
	return b.Pages.Metas(oids)
}

func (b *busy) Put(pages []doc.Page) error {
	if err := b.call(); err != nil {
		return err
	}
	defer b.write()
	return b.Pages.Put(pages)
}

func (b *busy) Delete(gone []doc.Removal) error {
	if err := b.call(); err != nil {
		return err
	}
	defer b.write()
	return b.Pages.Delete(gone)
}

func (b *busy) NewestVersions(oid doc.OID, bytes int) ([]doc.Page, bool, error) {
	if b.reads++; b.reads%50 == 0 {
		b.write()
	}
	return b.Pages.NewestVersions(oid, bytes)
}

// exact finishes a copy, and compares the stores by an offline copy, which finds
// nothing to do.
func exact(t *testing.T, l *move.Live, to move.Pages) {
	t.Helper()
	n, err := l.Finish(t.Context())
	must(t, err)
	check, err := run(t, l.From, to)
	must(t, err)
	if !n.Exact() || n.Pages != check.Pages || check.Copied+check.Removed > 0 || !check.Exact() {
		t.Errorf("got %+v, want an exact copy; a second one found %+v", n, check)
	}
}

// Pages that are written while they are copied are as in the source at the end.
func TestLive(t *testing.T) {
	for seed := range uint64(2) {
		from, to := fileMap(t), fileMap(t)
		w := newWriter(t, from, seed)
		must(t, to.Put([]doc.Page{pagestest.Page(3, 1), pagestest.Page(700, 1)}))
		l := w.live(&busy{Pages: to, write: w.write})
		must(t, l.Run(t.Context()))
		w.write()
		l.To = to
		exact(t, l, to)
	}
}

// A copy that was stopped at any call is continued by another one.
func TestLiveStopped(t *testing.T) {
	from, to := fileMap(t), fileMap(t)
	w := newWriter(t, from, 1)
	err, steps := errStopped, 1
	for ; errors.Is(err, errStopped); steps++ {
		err = w.live(&busy{Pages: to, write: func() {}, stop: steps}).Run(t.Context())
	}
	must(t, err)
	if steps < 5 {
		t.Errorf("got %d steps, want 5 or more", steps)
	}
	l := w.live(to)
	must(t, l.Run(t.Context()))
	exact(t, l, to)
}

// More keys than the recorder has room for are found by a comparison of all pages.
func TestLiveOverflow(t *testing.T) {
	from, to := fileMap(t), fileMap(t)
	w := newWriter(t, from, 1)
	l := w.live(to)
	must(t, l.Run(t.Context()))
	w.write()
	keys := make([]doc.OID, 100_001)
	for i := range keys {
		keys[i] = pagestest.Key(i)
	}
	w.recorder.Note(keys...)
	exact(t, l, to)
}

// A page that is not equal at the end is counted.
func TestLiveDiffers(t *testing.T) {
	from, to := fileMap(t), fileMap(t)
	must(t, from.Put([]doc.Page{pagestest.Page(1, 5)}))
	must(t, to.Put([]doc.Page{pagestest.Page(1, 9)}))
	w := &writer{t: t, pages: from, recorder: new(move.Recorder)}
	l := w.live(to)
	must(t, l.Run(t.Context()))
	if n, err := l.Finish(t.Context()); err != nil || n.Exact() || n.Differ != 1 {
		t.Errorf("got %+v, %v, want one page that differs", n, err)
	}
}
