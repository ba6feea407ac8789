package pagestest

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/pages/pagetable"
)

var tables atomic.Int64

// config returns the pages of a table that no other test has.
func config(store pagetable.Store, versions int, patience time.Duration) pagetable.Config {
	return pagetable.Config{Store: store, Name: fmt.Sprintf("t%d_%d", time.Now().UnixNano(), tables.Add(1)), Versions: versions, Owner: "directory", Patience: patience}
}

// RunRemote runs the suite on a store of the BigTable model, and what such a store
// must do beyond FileMap.
func RunRemote(t *testing.T, store func(testing.TB) pagetable.Store, patience time.Duration) {
	Run(t, func(t testing.TB, versions int) func() Pages {
		c := config(store(t), versions, patience)
		return func() Pages { return open(t, c) }
	})
	for name, test := range map[string]func(*testing.T, pagetable.Config){
		"the highest version is the page":     testLate,
		"removals hide older writes":          testLateRemoval,
		"another daemon fences the first":     testFence,
		"numbers are reserved and remembered": testNumbers,
		"all pages are removed":               testClear,
		"versions have an end":                testEnd,
		"tables share a store, and no page":   testTables,
		"read-only changes nothing":           testReadOnly,
	} {
		t.Run(name, func(t *testing.T) { test(t, config(store(t), 2, patience)) })
	}
}

func open(t testing.TB, c pagetable.Config) *pagetable.Pages {
	t.Helper()
	p, err := c.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func testLate(t *testing.T, c pagetable.Config) {
	p := open(t, c)
	defer p.Close()
	must(t, p.Put([]doc.Page{Page(1, 9)}))
	must(t, p.Put([]doc.Page{Page(1, 4), Page(2, 1)}))
	got, err := p.Get(Key(1))
	must(t, err)
	check(t, got, Page(1, 9))
	if m := listOf(t, p); m[Key(1)] != Page(1, 9).Meta {
		t.Errorf("got %+v in the list, want version 9", m[Key(1)])
	}
}

func testLateRemoval(t *testing.T, c pagetable.Config) {
	p := open(t, c)
	defer p.Close()
	must(t, p.Delete(doc.Removals(9, Key(1))))
	must(t, p.Put([]doc.Page{Page(1, 4)}))
	if _, ok, err := p.Meta(Key(1)); ok || err != nil {
		t.Errorf("got a page that was removed by a later number, %v", err)
	}
	if listed := listOf(t, p); len(listed) > 0 {
		t.Errorf("got %v in the list, want nothing", listed)
	}
	must(t, p.Put([]doc.Page{Page(1, 10)}))
	got, err := p.Get(Key(1))
	must(t, err)
	check(t, got, Page(1, 10))
}

func testFence(t *testing.T, c pagetable.Config) {
	first := open(t, c)
	defer first.Close()
	must(t, first.Reserve(10))
	must(t, first.Examine(t.Context()))
	foreign := c
	foreign.Owner = "another"
	if _, err := foreign.Open(t.Context()); !errors.Is(err, pagetable.ErrOwner) {
		t.Fatalf("got error %v for another owner, want ErrOwner", err)
	}
	must(t, first.Examine(t.Context()))
	foreign.TakeOver = true
	second := open(t, foreign)
	defer second.Close()
	if second.Numbers() != 10 {
		t.Errorf("got numbers up to %d, want 10", second.Numbers())
	}
	if err := first.Examine(t.Context()); !errors.Is(err, pagetable.ErrFenced) {
		t.Errorf("got error %v, want ErrFenced", err)
	}
	if err := first.Reserve(20); !errors.Is(err, pagetable.ErrFenced) {
		t.Errorf("got error %v, want ErrFenced", err)
	}
	if err := first.Put([]doc.Page{Page(1, 1)}); !errors.Is(err, pagetable.ErrFenced) || !errors.Is(first.Err(), pagetable.ErrFenced) {
		t.Errorf("got error %v and Err %v, want ErrFenced", err, first.Err())
	}
	must(t, second.Reserve(30))
}

func testNumbers(t *testing.T, c pagetable.Config) {
	p := open(t, c)
	must(t, p.Reserve(5))
	must(t, p.Reserve(3)) // lower: nothing to do
	must(t, p.Close())
	p = open(t, c)
	defer p.Close()
	if p.Numbers() != 5 {
		t.Errorf("got numbers up to %d, want 5", p.Numbers())
	}
}

func testClear(t *testing.T, c pagetable.Config) {
	p := open(t, c)
	defer p.Close()
	var pages []doc.Page
	for i := range 2500 {
		pages = append(pages, Page(i, 1))
	}
	must(t, p.Put(pages))
	must(t, p.Clear(2))
	if n := len(listOf(t, p)); n > 0 {
		t.Errorf("got %d pages, want none", n)
	}
	must(t, p.Put([]doc.Page{Page(1, 3)}))
	if n := len(listOf(t, p)); n != 1 {
		t.Errorf("got %d pages, want 1", n)
	}
}

func testEnd(t *testing.T, c pagetable.Config) {
	p := open(t, c)
	defer p.Close()
	last := Page(1, pagetable.MaxVersion)
	must(t, p.Put([]doc.Page{Page(1, pagetable.MaxVersion-1), last}))
	must(t, p.Put([]doc.Page{Page(1, pagetable.MaxVersion-2)}))
	got, err := p.Get(Key(1))
	must(t, err)
	check(t, got, last)
	must(t, p.Reserve(uint64(pagetable.MaxVersion)))
	if err := p.Reserve(uint64(pagetable.MaxVersion) + 1); err == nil {
		t.Error("a number beyond the last one was reserved")
	}
}

func testTables(t *testing.T, c pagetable.Config) {
	a := open(t, c)
	defer a.Close()
	c.Name += "_b"
	b := open(t, c)
	defer b.Close()
	must(t, a.Put([]doc.Page{Page(1, 1)}))
	must(t, b.Put([]doc.Page{Page(1, 2), Page(2, 3)}))
	must(t, b.Clear(4))
	if n := len(listOf(t, a)); n != 1 {
		t.Errorf("got %d pages of the other table, want 1", n)
	}
}

func testReadOnly(t *testing.T, c pagetable.Config) {
	p := open(t, c)
	defer p.Close()
	must(t, p.Put([]doc.Page{Page(1, 1)}))
	r := c.OpenReadOnly()
	defer r.Close()
	got, err := r.Get(Key(1))
	must(t, err)
	check(t, got, Page(1, 1))
	if err := r.Put([]doc.Page{Page(1, 2)}); !errors.Is(err, pagetable.ErrReadOnly) {
		t.Errorf("got error %v, want ErrReadOnly", err)
	}
	must(t, p.Examine(t.Context()))
}
