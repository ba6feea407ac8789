package pagetable_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/pages/pagetable"
	"indexerd/internal/test/pagestest"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestPages(t *testing.T) {
	pagestest.RunRemote(t, func(testing.TB) pagetable.Store { return newFake() }, time.Minute)
}

// TestPagesWithFaults runs the suite while one request in 25 is not answered, before
// or after its effect.
func TestPagesWithFaults(t *testing.T) {
	pagestest.RunRemote(t, func(testing.TB) pagetable.Store {
		f, n := newFake(), atomic.Uint64{}
		fault := func(request string) error {
			if request != "ready" && n.Add(1)%25 == 0 {
				return fmt.Errorf("%w: %s", pagetable.ErrAway, request)
			}
			return nil
		}
		f.before, f.after = fault, fault
		return steady{f}
	}, time.Minute)
}

// steady is a fake that Open reaches without a fault: Open does not try again, since
// its caller does.
type steady struct{ *fake }

func config(f *fake) pagetable.Config {
	return pagetable.Config{Store: f, Name: "film", Versions: 1, Owner: "directory", Patience: time.Minute}
}

func open(t testing.TB, c pagetable.Config) *pagetable.Pages {
	t.Helper()
	p, err := c.Open(t.Context())
	must(t, err)
	t.Cleanup(func() { p.Close() })
	return p
}

// A store that does not answer for a minute fails the pages, and blames no page.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		p := open(t, config(f))
		f.before = func(string) error { return pagetable.ErrAway }
		began := time.Now()
		if err := p.Put([]doc.Page{pagestest.Page(1, 1)}); !errors.Is(err, pagetable.ErrAway) || !errors.Is(p.Err(), pagetable.ErrAway) {
			t.Errorf("got error %v and Err %v, want ErrAway", err, p.Err())
		}
		if took := time.Since(began); took < 30*time.Second || took > 2*time.Minute {
			t.Errorf("Put tried for %v, want about a minute", took)
		}
		if _, _, err := p.Meta(pagestest.Key(1)); !errors.Is(err, pagetable.ErrAway) {
			t.Errorf("got error %v of Meta, want ErrAway", err)
		}
		f.before = nil
		if err := p.Delete(doc.Removals(2, pagestest.Key(1))); !errors.Is(err, pagetable.ErrAway) {
			t.Errorf("got error %v after a failure, want it until the pages are opened again", err)
		}
	})
}

// A page that the store refuses blames that page.
func TestRefused(t *testing.T) {
	f := newFake()
	p := open(t, config(f))
	f.before = func(string) error { return &pagetable.RefusedError{Reason: "too large"} }
	var refused *pagetable.RefusedError
	if err := p.Put([]doc.Page{pagestest.Page(1, 1)}); !errors.As(err, &refused) || p.Err() != nil {
		t.Errorf("got error %v and Err %v, want the refusal and none", err, p.Err())
	}
}

// Rows of removals are deleted when they are an hour old, and not before.
func TestRemovalsAreDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		p := open(t, config(f))
		list := func() (n int) {
			for _, err := range p.All() {
				must(t, err)
				n++
			}
			return n
		}
		must(t, p.Put([]doc.Page{pagestest.Page(1, 1), pagestest.Page(2, 2), pagestest.Page(3, 3)}))
		must(t, p.Delete(doc.Removals(4, pagestest.Key(1), pagestest.Key(2))))
		time.Sleep(30 * time.Minute)
		if n := list(); n != 1 || len(f.rows.Cells) != 4 {
			t.Fatalf("got %d pages and %d rows after half an hour, want 1 and 4 with the owner", n, len(f.rows.Cells))
		}
		must(t, p.Put([]doc.Page{pagestest.Page(2, 5)}))
		time.Sleep(time.Hour)
		if n := list(); n != 2 || len(f.rows.Cells) != 3 {
			t.Errorf("got %d pages and %d rows after another hour, want 2 and 3 with the owner", n, len(f.rows.Cells))
		}
	})
}

// A page with any cell changed, cut or gone is damaged, and never returned.
func TestDamaged(t *testing.T) {
	f := newFake()
	p := open(t, config(f))
	want := pagestest.Page(1, 9)
	must(t, p.Put([]doc.Page{want}))
	var key string
	for key = range f.rows.Cells {
		if strings.HasPrefix(key, "film.") {
			break
		}
	}
	whole := f.rows.Cells[key]
	for i, c := range whole {
		for at := range len(c.Value) {
			damaged := slices.Clone(whole)
			damaged[i].Value = slices.Clone(c.Value)
			damaged[i].Value[at] ^= 0x20
			f.rows.Cells[key] = damaged
			got, err := p.Get(want.OID)
			switch {
			case err == nil && string(got.Body) != string(want.Body):
				t.Fatalf("cell %s:%s changed at %d: got content %s", c.Family, c.Qualifier, at, got.Body)
			case err == nil && c.Family != pagetable.Meta:
				t.Fatalf("cell %s:%s changed at %d: no error", c.Family, c.Qualifier, at)
			case err != nil && !errors.Is(err, pagetable.ErrCorrupt) && !errors.Is(err, pagetable.ErrNotFound):
				t.Fatalf("cell %s:%s changed at %d: got error %v", c.Family, c.Qualifier, at, err)
			}
		}
		f.rows.Cells[key] = slices.Delete(slices.Clone(whole), i, i+1)
		if _, err := p.Get(want.OID); err == nil {
			t.Errorf("cell %s:%s gone: no error", c.Family, c.Qualifier)
		}
	}
}

// Another daemon that takes the pages between two requests of Reserve wins.
func TestReserveIsFenced(t *testing.T) {
	f := newFake()
	p := open(t, config(f))
	f.before = func(request string) error {
		if request == "swap" {
			f.before = nil
			open(t, config(f))
		}
		return nil
	}
	if err := p.Reserve(7); !errors.Is(err, pagetable.ErrFenced) {
		t.Errorf("got error %v, want ErrFenced", err)
	}
}

// Pages that were deleted, or restored from before the last reservation, are noticed.
func TestExamine(t *testing.T) {
	f := newFake()
	p := open(t, config(f))
	if !p.New() {
		t.Error("pages of a new store are not new")
	}
	before := slices.Clone(f.rows.Cells["film!"])
	must(t, p.Reserve(7))
	must(t, p.Examine(t.Context()))
	f.rows.Cells["film!"] = before
	if err := p.Examine(t.Context()); !errors.Is(err, pagetable.ErrReplaced) {
		t.Errorf("got error %v for restored pages, want ErrReplaced", err)
	}
	delete(f.rows.Cells, "film!")
	if err := p.Examine(t.Context()); !errors.Is(err, pagetable.ErrReplaced) {
		t.Errorf("got error %v for deleted pages, want ErrReplaced", err)
	}
}

// Requests are bounded in rows and bytes, and one page of any size is sent.
func TestRequests(t *testing.T) {
	f := newFake()
	p := open(t, config(f))
	var writes atomic.Int64
	f.after = func(request string) error {
		if request == "write" {
			writes.Add(1)
		}
		return nil
	}
	put := func(n, size int) int64 {
		writes.Store(0)
		var pages []doc.Page
		for i := range n {
			page := pagestest.Page(i, doc.Version(rand.Uint64N(1<<40)))
			page.Body = []byte(`{"row":{"a":"` + strings.Repeat("x", size) + `"}}`)
			pages = append(pages, page)
		}
		must(t, p.Put(pages))
		return writes.Load()
	}
	for _, c := range []struct {
		pages, size int
		want        int64
	}{{1, 1, 1}, {500, 1, 1}, {501, 1, 2}, {1, 9 << 20, 1}, {3, 3 << 20, 3}, {4, 1 << 20, 2}} {
		if got := put(c.pages, c.size); got != c.want {
			t.Errorf("%d pages of %d bytes: got %d requests, want %d", c.pages, c.size, got, c.want)
		}
	}
}

// After Interrupt a call that waits for the store returns, and the pages have not failed.
func TestInterrupt(t *testing.T) {
	f := newFake()
	p := open(t, config(f))
	asked := make(chan struct{}, 1)
	f.hook(func(request string) error {
		if request == "write" {
			select {
			case asked <- struct{}{}:
			default:
			}
			return pagetable.ErrAway
		}
		return nil
	})
	failed := make(chan error, 1)
	go func() { failed <- p.Put([]doc.Page{pagestest.Page(1, 1)}) }()
	<-asked
	p.Interrupt()
	if err := <-failed; err == nil || p.Err() != nil {
		t.Errorf("got error %v, and %v of the pages, want the first alone", err, p.Err())
	}
}
