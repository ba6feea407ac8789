// Package pagestest says what every store of pages must do. FileMap, Bigtable and HBase
// pass it.
package pagestest

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"indexerd/internal/base/doc"
	_ "indexerd/internal/test/nofailfile"
)

// Pages is a store under test.
type Pages interface {
	Put([]doc.Page) error
	Delete([]doc.Removal) error
	Get(doc.OID) (doc.Page, error)
	View(oid doc.OID, see func(doc.Page) error) error
	Meta(doc.OID) (doc.Meta, bool, error)
	Metas([]doc.OID) ([]doc.Meta, error)
	NewestVersions(oid doc.OID, bytes int) (_ []doc.Page, more bool, _ error)
	All() iter.Seq2[doc.Meta, error]
	Err() error
	Close() error
}

// A Maker makes an empty store that keeps a number of versions. open opens it, also
// again after Close.
type Maker func(t testing.TB, versions int) (open func() Pages)

// Run runs the suite.
func Run(t *testing.T, create Maker) {
	for name, test := range map[string]func(*testing.T, Maker){
		"pages come back as they were": testRoundTrip,
		"missing pages":                testMissing,
		"a page is replaced":           testReplaced,
		"a page is removed":            testRemoved,
		"versions are kept":            testVersions,
		"pages outlive Close":          testReopen,
		"a batch of thousands":         testLarge,
		"readers see whole pages":      testReaders,
		"as a map, whatever is done":   testModel,
	} {
		t.Run(name, func(t *testing.T) { test(t, create) })
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Key returns the OID of a number.
func Key(n int) doc.OID {
	oid, err := doc.NewOID(int64(n))
	if err != nil {
		panic(err)
	}
	return oid
}

// Page returns a page of a version, with children.
func Page(n int, v doc.Version) doc.Page {
	at := time.UnixMicro(1700000000123456 + int64(v)).UTC()
	return doc.Page{
		Meta: doc.Meta{
			Stamp: doc.Stamp{OID: Key(n), Updated: at, Token: doc.Token{Digest: uint64(v) * 0x9e3779b97f4a7c15, Epoch: 7}},
			Fetch: doc.FetchSeq(v), Fetched: at.Add(time.Second), Hash: doc.DocHash(v + 1), V: v, Gen: 3,
		},
		Body: fmt.Appendf(nil, `{"row":{"id":%d,"title":"page %d, \"children\":{"},"children":{"b":[{"v":%d}],"a":[],"ü\"":[{"x":null},{"x":1.5}]}}`, n, v, v),
	}
}

func testRoundTrip(t *testing.T, create Maker) {
	p := create(t, 1)()
	defer p.Close()
	text, err := doc.NewOID("a text, with \x00 and / and ü")
	must(t, err)
	pair, err := doc.NewOID(int64(-5), "x")
	must(t, err)
	pages := []doc.Page{
		Page(1, 1),
		Page(-1, 1<<53-1),
		{Meta: doc.Meta{Stamp: doc.Stamp{OID: text}, V: 2}, Body: []byte(`{"row":{}}`)},
		{Meta: doc.Meta{Stamp: doc.Stamp{OID: pair, Updated: time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC)}, V: 3, Fetch: math.MaxUint64, Hash: math.MaxUint64, Gen: math.MaxUint32}, Body: []byte(`{"row":{"a":"` + strings.Repeat("long ", 300_000) + `"}}`)},
		{Meta: doc.Meta{Stamp: doc.Stamp{OID: Key(7)}, V: 4}, Body: []byte(`{"row":{"a":1},"children":{"a":[{"b":"}]}"}]} }`)}, // not canonical
		{Meta: doc.Meta{Stamp: doc.Stamp{OID: Key(8)}, V: 5}, Body: []byte{}},
	}
	must(t, p.Put(pages))
	for _, want := range pages {
		got, err := p.Get(want.OID)
		must(t, err)
		check(t, got, want)
		must(t, p.View(want.OID, func(got doc.Page) error { check(t, got, want); return nil }))
		meta, ok, err := p.Meta(want.OID)
		if must(t, err); !ok || meta != want.Meta {
			t.Errorf("got meta %+v, %v, want %+v", meta, ok, want.Meta)
		}
	}
	listed := listOf(t, p)
	for _, want := range pages {
		if listed[want.OID] != want.Meta {
			t.Errorf("got %+v in the list, want %+v", listed[want.OID], want.Meta)
		}
	}
	if len(listed) != len(pages) {
		t.Errorf("got %d pages in the list, want %d", len(listed), len(pages))
	}
}

func check(t testing.TB, got, want doc.Page) {
	t.Helper()
	if got.Meta != want.Meta || string(got.Body) != string(want.Body) {
		t.Errorf("got page %+v %.200s, want %+v %.200s", got.Meta, got.Body, want.Meta, want.Body)
	}
}

func listOf(t testing.TB, p Pages) map[doc.OID]doc.Meta {
	t.Helper()
	all := map[doc.OID]doc.Meta{}
	for m, err := range p.All() {
		if err != nil {
			t.Fatal(err)
		}
		if _, twice := all[m.OID]; twice {
			t.Errorf("page %v is listed twice", m.OID)
		}
		all[m.OID] = m
	}
	return all
}

func testMissing(t *testing.T, create Maker) {
	p := create(t, 2)()
	defer p.Close()
	must(t, p.Put(nil))
	must(t, p.Delete(nil))
	must(t, p.Delete(doc.Removals(1, Key(1))))
	must(t, p.Put([]doc.Page{Page(2, 2)}))
	if _, err := p.Get(Key(1)); err == nil {
		t.Error("got a page that was never put")
	}
	if err := p.View(Key(1), func(doc.Page) error { t.Error("see was called"); return nil }); err == nil {
		t.Error("View of a missing page has no error")
	}
	if pages, more, err := p.NewestVersions(Key(1), 100); err == nil || more || len(pages) > 0 {
		t.Errorf("got versions %v, %v, %v of a missing page", pages, more, err)
	}
	metas, err := p.Metas([]doc.OID{Key(1), Key(2), Key(3), Key(2)})
	must(t, err)
	if want := []doc.Meta{{}, Page(2, 2).Meta, {}, Page(2, 2).Meta}; !reflect.DeepEqual(metas, want) {
		t.Errorf("got metas %+v, want %+v", metas, want)
	}
	must(t, p.Err())
}

func testReplaced(t *testing.T, create Maker) {
	p := create(t, 1)()
	defer p.Close()
	must(t, p.Put([]doc.Page{Page(1, 5), Page(2, 6), Page(1, 7)}))
	again := Page(1, 7) // the row's columns that are not indexed changed
	again.Fetch, again.Body = 9, []byte(`{"row":{"id":1},"children":{"a":[]}}`)
	must(t, p.Put([]doc.Page{again}))
	got, err := p.Get(Key(1))
	must(t, err)
	check(t, got, again)
	if n := len(listOf(t, p)); n != 2 {
		t.Errorf("got %d pages, want 2", n)
	}
}

func testRemoved(t *testing.T, create Maker) {
	p := create(t, 3)()
	defer p.Close()
	must(t, p.Put([]doc.Page{Page(1, 1), Page(2, 2)}))
	must(t, p.Put([]doc.Page{Page(1, 3)}))
	must(t, p.Delete(doc.Removals(4, Key(1), Key(3))))
	if _, err := p.Get(Key(1)); err == nil {
		t.Error("got a removed page")
	}
	if got := slices.Collect(maps.Keys(listOf(t, p))); !slices.Equal(got, []doc.OID{Key(2)}) {
		t.Errorf("got keys %v, want that of page 2", got)
	}
	must(t, p.Put([]doc.Page{Page(1, 5)}))
	pages, more, err := p.NewestVersions(Key(1), 1<<20)
	if must(t, err); len(pages) != 1 || more {
		t.Fatalf("got %d versions and more %v after a removal, want 1", len(pages), more)
	}
	check(t, pages[0], Page(1, 5))
}

func testVersions(t *testing.T, create Maker) {
	p := create(t, 3)()
	defer p.Close()
	for v := range doc.Version(5) {
		must(t, p.Put([]doc.Page{Page(1, v+1)}))
	}
	pages, more, err := p.NewestVersions(Key(1), 1<<20)
	if must(t, err); len(pages) != 3 || more {
		t.Fatalf("got %d versions and more %v, want 3", len(pages), more)
	}
	for i, page := range pages {
		check(t, page, Page(1, doc.Version(5-i)))
	}
	pages, more, err = p.NewestVersions(Key(1), 1)
	if must(t, err); len(pages) != 1 || !more || pages[0].V != 5 {
		t.Errorf("got %d versions and more %v for one byte, want the newest and more", len(pages), more)
	}
}

func testReopen(t *testing.T, create Maker) {
	open := create(t, 1)
	p := open()
	must(t, p.Put([]doc.Page{Page(1, 1), Page(2, 2), Page(3, 3)}))
	must(t, p.Delete(doc.Removals(4, Key(2))))
	must(t, p.Close())
	p = open()
	defer p.Close()
	if got, want := listOf(t, p), map[doc.OID]doc.Meta{Key(1): Page(1, 1).Meta, Key(3): Page(3, 3).Meta}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func testLarge(t *testing.T, create Maker) {
	p := create(t, 1)()
	defer p.Close()
	const n = 3500
	var pages []doc.Page
	var oids []doc.OID
	for i := range n {
		pages, oids = append(pages, Page(i, doc.Version(i+1))), append(oids, Key(i))
	}
	must(t, p.Put(pages))
	metas, err := p.Metas(oids)
	must(t, err)
	for i, m := range metas {
		if m != pages[i].Meta {
			t.Fatalf("got meta %+v, want %+v", m, pages[i].Meta)
		}
	}
	must(t, p.Delete(doc.Removals(n+1, oids[:n/2]...)))
	listed := listOf(t, p)
	for i, oid := range oids {
		if _, ok := listed[oid]; ok != (i >= n/2) {
			t.Fatalf("page %d is listed: %v", i, ok)
		}
	}
}

// testReaders reads a page while it is written: description and content are of one
// version, which never goes back.
func testReaders(t *testing.T, create Maker) {
	p := create(t, 1)()
	defer p.Close()
	must(t, p.Put([]doc.Page{Page(1, 1)}))
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			var before doc.Version
			for {
				select {
				case <-done:
					return
				default:
				}
				got, err := p.Get(Key(1))
				if err != nil {
					t.Errorf("read: %v", err)
					return
				}
				if check(t, got, Page(1, got.V)); got.V < before {
					t.Errorf("got version %d after %d", got.V, before)
				}
				before = got.V
			}
		})
	}
	for v := range doc.Version(100) {
		if err := p.Put([]doc.Page{Page(1, v+2)}); err != nil {
			t.Error(err)
			break
		}
	}
	close(done)
	readers.Wait()
}

func testModel(t *testing.T, create Maker) {
	p := create(t, 1)()
	defer p.Close()
	model, v := map[doc.OID]doc.Page{}, doc.Version(0)
	clear := func() {
		v++
		var oids []doc.OID
		for oid := range model {
			oids = append(oids, oid)
		}
		must(t, p.Delete(doc.Removals(v, oids...)))
		model = map[doc.OID]doc.Page{}
	}
	rapid.Check(t, func(r *rapid.T) {
		clear()
		keys := rapid.SliceOfN(rapid.IntRange(0, 20), 1, 8)
		for range rapid.IntRange(1, 8).Draw(r, "steps") {
			v++
			var removed []doc.OID
			var pages []doc.Page
			put := rapid.Bool().Draw(r, "put")
			for _, n := range keys.Draw(r, "keys") {
				if put {
					pages, model[Key(n)] = append(pages, Page(n, v)), Page(n, v)
				} else {
					removed = append(removed, Key(n))
					delete(model, Key(n))
				}
			}
			if put {
				must(t, p.Put(pages))
			} else {
				must(t, p.Delete(doc.Removals(v, removed...)))
			}
		}
		for oid, meta := range listOf(t, p) {
			if meta != model[oid].Meta {
				t.Fatalf("got %+v in the list, want %+v", meta, model[oid].Meta)
			}
		}
		for n := range 21 {
			want, there := model[Key(n)]
			got, err := p.Get(Key(n))
			if (err == nil) != there {
				t.Fatalf("page %d: got error %v, want a page: %v", n, err, there)
			}
			if there {
				check(t, got, want)
			}
		}
	})
}
