package sink

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
	"indexerd/store"
)

// Documents that make the index refuse their batch are found and quarantined, and
// the others are written.
func TestRefusedDocumentsAreQuarantined(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld()
		s := w.start()
		titles, want := map[doc.OID]string{}, map[doc.OID]string{}
		for i, refused := range rapid.SliceOfN(rapid.Bool(), 1, 40).Draw(rt, "refused") {
			oid := fakeworld.Key(i)
			titles[oid] = "fits"
			if refused {
				titles[oid] = fakeworld.Refused
			} else {
				want[oid] = "fits"
			}
		}
		s.failed.Store(true) // the batch has failed before
		got := fetch(t, s, titles)
		if want := (fakeworld.Counts{Read: len(titles), Added: len(want), Quarantined: len(titles) - len(want)}); got != want {
			rt.Errorf("got %+v, want %+v", got, want)
		}
		for oid, title := range w.index.Titles() {
			if title != fakeworld.Refused && want[oid] != title {
				rt.Errorf("row %v: got %q, want %q", oid, title, want[oid])
			}
		}
		for oid, reason := range w.quarantine.Reasons() {
			if _, fits := want[oid]; fits || reason != fmt.Sprintf("document %v: it can't be written", oid) {
				rt.Errorf("row %v is quarantined: %s", oid, reason)
			}
		}
		w.wantWhole(t)
		if n := len(w.tree.Stamps()); n != len(want) {
			rt.Errorf("tree: got %d stamps, want those of the %d that were written", n, len(want))
		}
	})
}

// narrow is a store that refuses pages for something in them.
type narrow struct{ *fakeworld.Pages }

func (p narrow) Put(pages []doc.Page) error {
	for _, page := range pages {
		if strings.Contains(string(page.Body), "wide") {
			return fmt.Errorf("page %v: too wide", page.OID)
		}
	}
	return p.Pages.Put(pages)
}

func TestRefusedPagesAreQuarantined(t *testing.T) {
	w := newWorld()
	s := New(w.index, narrow{w.pages}, w.tree, w.quarantine, w.guard(), w.reserve)
	s.failed.Store(true)
	got := fetch(t, s, map[doc.OID]string{one: "a", two: "wide", three: "c"})
	if want := (fakeworld.Counts{Read: 3, Added: 2, Quarantined: 1}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got, want := w.quarantine.Reasons()[two], fmt.Sprintf("page %v: too wide", two); got != want {
		t.Errorf("reason: got %q, want %q", got, want)
	}
	w.wantWhole(t)
}

// If the storage would refuse any document, Put fails and quarantines none.
func TestStorageFaultsQuarantineNoDocument(t *testing.T) {
	errStrange := errors.New("something is wrong")
	tests := []struct {
		name    string
		err     error // of the write
		broken  string
		cancel  bool
		blaming bool
	}{
		{"the disk is full", &fs.PathError{Op: "write", Path: "value0.dat", Err: syscall.ENOSPC}, "", false, false},
		{"the disk is faulty", fmt.Errorf("sync: %w", syscall.EIO), "", false, false},
		{"too many open files", syscall.EMFILE, "", false, false},
		{"the index is broken", errStrange, "index health", false, false},
		{"the pages are broken", errStrange, "pages health", false, false},
		{"the pass is cancelled", errStrange, "", true, false},
		{"the storage is healthy", errStrange, "", false, true},
	}
	for _, test := range tests {
		for _, write := range []string{"apply", "put pages"} {
			for _, titles := range []map[doc.OID]string{{one: "a"}, {one: "a", two: "b", three: "c"}} {
				w := newWorld()
				s := w.start()
				s.failed.Store(true)
				ctx, cancel := context.WithCancel(t.Context())
				w.before(func(step string) error {
					switch {
					case step == write && test.cancel:
						cancel()
						return test.err
					case step == write, step == test.broken:
						return test.err
					}
					return nil
				})
				_, err := s.Put(ctx, batchOf(begin(t, s), titles))
				cancel()
				aside := len(w.quarantine.Reasons())
				if blaming := err == nil && aside == len(titles); blaming != test.blaming || !test.blaming && (!errors.Is(err, test.err) || aside > 0) {
					t.Errorf("%s, %s of %d: got error %v, %d quarantined, want blame: %t", test.name, write, len(titles), err, aside, test.blaming)
				}
			}
		}
	}
}

// A batch that fails is not isolated at once, since the index may detect a fault of
// its disk a moment later. It is isolated when the pass puts it again.
func TestDocumentsAreQuarantinedWhenTheyFailAgain(t *testing.T) {
	for _, broken := range []bool{false, true} {
		w := newWorld()
		s := w.start()
		for _, titles := range []map[doc.OID]string{{one: fakeworld.Refused}, {two: fakeworld.Refused, three: "c"}} {
			before := len(w.quarantine.Reasons())
			if _, err := s.Put(t.Context(), batchOf(begin(t, s), titles)); err == nil || len(w.quarantine.Reasons()) != before {
				t.Errorf("first: got %v, quarantine %v, want an error, and nothing more quarantined", err, w.quarantine.Reasons())
			}
			if broken {
				w.before(failAt("index health"))
			}
			_, err := s.Put(t.Context(), batchOf(begin(t, s), titles))
			w.before(nil)
			if got := len(w.quarantine.Reasons()) - before; broken != (err != nil) || broken == (got == 1) {
				t.Errorf("again, with a broken index: %t: got %v, %d quarantined", broken, err, got)
			}
			if broken {
				break
			}
		}
	}
}

// If the disk fills up while documents are isolated, Put fails.
func TestDiskFillsUpWhileIsolating(t *testing.T) {
	w := newWorld()
	s := w.start()
	s.failed.Store(true)
	applies := 0
	w.before(func(step string) error {
		if step == "apply" {
			if applies++; applies == 3 {
				return errFault
			}
		}
		return nil
	})
	titles := map[doc.OID]string{one: fakeworld.Refused, two: "b", three: "c", fakeworld.Key(4): "d"}
	if _, err := s.Put(t.Context(), batchOf(begin(t, s), titles)); !errors.Is(err, errFault) {
		t.Errorf("got %v, want %v", err, errFault)
	}
	if got := w.quarantine.Reasons(); len(got) > 0 {
		t.Errorf("quarantine: got %v, want nothing", got)
	}
	w.before(nil)
	fetch(t, s, titles)
	w.wantWhole(t)
	if got := slices.Collect(maps.Keys(w.quarantine.Reasons())); !slices.Equal(got, []doc.OID{one}) {
		t.Errorf("quarantine: got %v, want %v", got, one)
	}
}

// A row or a key that is too large is quarantined with its size and the limit.
func TestTooLargeRowsAreQuarantined(t *testing.T) {
	long, err := doc.NewOID(strings.Repeat("k", maxKey))
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld()
	s := w.start()
	large := strings.Repeat("x", maxBody)
	got := fetch(t, s, map[doc.OID]string{one: large, two: "b", long: "c"})
	if want := (fakeworld.Counts{Read: 3, Added: 1, Quarantined: 2}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	w.wantIndex(t, map[doc.OID]string{two: "b"})
	want := map[doc.OID]string{
		one:  fmt.Sprintf("row has %d bytes, more than %d", maxBody+len(`{"row":{"title":""}}`), maxBody),
		long: fmt.Sprintf("key has %d bytes, more than %d", len(long), maxKey),
	}
	if got := w.quarantine.Reasons(); !maps.Equal(got, want) {
		t.Errorf("quarantine: got %.200v, want %.200v", got, want)
	}
}

// The pages accept every key and row that the sink accepts.
func TestLimitsAreWithinTheStores(t *testing.T) {
	if maxKey > store.MaxKey || maxBody > store.MaxValue {
		t.Errorf("got keys of %d and bodies of %d bytes, want at most the store's %d and %d", maxKey, maxBody, store.MaxKey, store.MaxValue)
	}
}
