package pagetable_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"indexerd/internal/base/doc"
	"indexerd/internal/pages/pagetable"
	"indexerd/internal/test/pagestest"
)

var errLost = errors.New("lost")

// A set is a filter without false positives, shared by those who open it.
type set struct {
	name string

	mu       sync.Mutex
	keys     map[doc.OID]bool
	complete bool
	away     bool // it does not answer
	lists    int
}

func newSet(name string) *set { return &set{name: name, keys: map[doc.OID]bool{}} }

var errAway = errors.New("no answer")

func (f *set) state() error {
	switch {
	case f.away:
		return errAway
	case !f.complete:
		return errLost
	}
	return nil
}

func (f *set) Add(_ context.Context, keys []doc.OID) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.away {
		return errAway
	}
	for _, key := range keys {
		f.keys[key] = true
	}
	return f.state()
}

func (f *set) Maybe(_ context.Context, keys []doc.OID) (maybe []bool, _ error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, key := range keys {
		maybe = append(maybe, f.keys[key])
	}
	return maybe, f.state()
}

func (f *set) Rebuild(_ context.Context, keys iter.Seq2[[]doc.OID, error]) error {
	for batch, err := range keys {
		if err != nil {
			return err
		}
		f.mu.Lock()
		for _, key := range batch {
			f.keys[key] = true
		}
		f.mu.Unlock()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.away {
		return errAway
	}
	f.complete = true
	f.lists++
	return nil
}

func (f *set) Name() string { return f.name }

// leave ends that the filter answers.
func (f *set) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.away = true
}

// lose forgets keys, as a server that was restarted does.
func (f *set) lose() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.keys, f.complete = map[doc.OID]bool{}, false
}

// filtered opens pages behind a filter.
func filtered(t testing.TB, store *fake, f *set) *pagetable.Pages {
	t.Helper()
	p, err := config(store).Open(t.Context())
	must(t, err)
	must(t, p.UseFilter(t.Context(), f, errLost))
	return p
}

// reads returns how many pages the store is asked for while Metas looks keys up, and
// whether each is there.
func reads(t testing.TB, store *fake, p *pagetable.Pages, numbers ...int) (_ int, there []bool) {
	t.Helper()
	var n atomic.Int64
	store.hook(func(request string) error {
		if request == "read" {
			n.Add(1)
		}
		return nil
	})
	defer store.hook(nil)
	var oids []doc.OID
	for _, n := range numbers {
		oids = append(oids, pagestest.Key(n))
	}
	metas, err := p.Metas(oids)
	must(t, err)
	for _, m := range metas {
		there = append(there, m.OID != "")
	}
	return int(n.Load()), there
}

func TestFilterSavesReads(t *testing.T) {
	store := newFake()
	p := filtered(t, store, newSet("a"))
	defer p.Close()
	must(t, p.Put([]doc.Page{pagestest.Page(1, 1)}))
	if asked, there := reads(t, store, p, 2, 3); asked != 0 || slices.Contains(there, true) {
		t.Errorf("got %d reads of pages that were never stored, and %v", asked, there)
	}
	if asked, there := reads(t, store, p, 1, 2); asked != 1 || !there[0] || there[1] {
		t.Errorf("got %d reads and %v, want one, and the first page", asked, there)
	}
	if asked, excluded := p.Saved(); asked != 4 || excluded != 3 {
		t.Errorf("got %d asked and %d excluded, want 4 and 3", asked, excluded)
	}
}

// The filter has a key before the store has its page: a crash in between costs a read,
// the other order a page.
func TestKeyBeforePage(t *testing.T) {
	store, f := newFake(), newSet("a")
	p := filtered(t, store, f)
	defer p.Close()
	store.hook(func(request string) error {
		if request == "write" && !f.keys[pagestest.Key(1)] {
			t.Error("the page is written before its key is in the filter")
		}
		return nil
	})
	must(t, p.Put([]doc.Page{pagestest.Page(1, 1)}))
}

// A lost filter excludes nothing. It is rebuilt from a list of all pages.
func TestLostFilter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, f := newFake(), newSet("a")
		p := filtered(t, store, f)
		must(t, p.Put([]doc.Page{pagestest.Page(1, 1), pagestest.Page(2, 2)}))
		f.lose()
		if asked, there := reads(t, store, p, 1, 2, 3); asked == 0 || !there[0] || !there[1] || there[2] { // the rebuild reads too
			t.Errorf("got %d reads and %v with a lost filter", asked, there)
		}
		synctest.Wait()
		if asked, there := reads(t, store, p, 1, 3); asked != 1 || !there[0] || f.lists != 2 {
			t.Errorf("got %d reads, %v and %d lists after the rebuild, want 1 read and 2 lists", asked, there, f.lists)
		}
		if asked, _ := reads(t, store, p, 3); asked != 0 {
			t.Error("the rebuilt filter saves no read")
		}
		must(t, p.Close())
	})
}

// Pages that are written while the filter does not answer are found, by this daemon and
// by the next one, which would trust the filter by its name.
func TestFilterAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, f := newFake(), newSet("a")
		p := filtered(t, store, f)
		f.leave()
		store.hook(func(request string) error {
			if request == "write" && strings.Contains(owner(store), `"filter"`) {
				t.Error("a page is written without the filter while its name says that it has all keys")
			}
			return nil
		})
		must(t, p.Put([]doc.Page{pagestest.Page(1, 1)}))
		if _, there := reads(t, store, p, 1); !there[0] {
			t.Error("a page that the filter missed is not found")
		}
		must(t, p.Close()) // before the filter could be rebuilt
		f.away = false
		p = filtered(t, store, f)
		if _, there := reads(t, store, p, 1); !there[0] {
			t.Error("the next daemon does not find the page")
		}
		synctest.Wait()
		if asked, there := reads(t, store, p, 1, 2); asked != 1 || !there[0] || there[1] {
			t.Errorf("got %d reads and %v after the list", asked, there)
		}
		must(t, p.Close())
	})
}

// owner returns the cell with the owner of the pages.
func owner(store *fake) string {
	for _, c := range store.rows.Cells["film!"] {
		return string(c.Value)
	}
	return ""
}

// A filter is trusted at once if the daemon before used it to the end, and not if one
// without it, or with another one, came in between.
func TestFilterIsTrustedByName(t *testing.T) {
	for name, between := range map[string]func(testing.TB, *fake){
		"used to the end": nil,
		"none":            func(t testing.TB, s *fake) { must(t, open(t, config(s)).Put([]doc.Page{pagestest.Page(2, 2)})) },
		"another": func(t testing.TB, s *fake) {
			p := filtered(t, s, newSet("b"))
			must(t, p.Put([]doc.Page{pagestest.Page(2, 2)}))
			must(t, p.Close())
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store, f := newFake(), newSet("a")
				p := filtered(t, store, f)
				must(t, p.Put([]doc.Page{pagestest.Page(1, 1)}))
				must(t, p.Close())
				lists := 1 // of no pages, by the first
				if between != nil {
					lists = 2
					between(t, store)
				}
				p = filtered(t, store, f)
				synctest.Wait()
				if f.lists != lists {
					t.Errorf("got %d lists, want %d", f.lists, lists)
				}
				if _, there := reads(t, store, p, 1, 2); !there[0] || there[1] != (between != nil) {
					t.Errorf("got pages %v", there)
				}
				must(t, p.Close())
			})
		})
	}
}
