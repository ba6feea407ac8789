package indextest

import (
	"errors"
	"math"

	"indexerd/internal/base/doc"
	"indexerd/internal/sync/sink"
	"indexerd/internal/test/fakeworld"
)

var sinkBehaviours = []behaviour{
	{"the newest fetch decides, whatever order the writes come in", false, newestFetch},
	{"a document that did not change is not written", false, unchanged},
	{"a document and its page carry one version", false, oneVersion},
	{"a document whose page was not written is written again", false, lostPage},
}

// A fetcher puts rows through a sink, whose other parts are in memory.
type fetcher struct {
	*run
	sink  *sink.Sink
	pages *fakeworld.Pages
}

func (r *run) fetcher() *fetcher {
	pages, reserved := fakeworld.NewPages(), uint64(0)
	reserve := func(n uint64) (uint64, error) {
		first := reserved + 1
		reserved += n
		return first, nil
	}
	guard := sink.NewGuard(sink.Limits{Count: math.MaxInt}, r.ix.Count)
	return &fetcher{run: r, pages: pages, sink: sink.New(r.ix, pages, &fakeworld.Tree{}, fakeworld.NewQuarantine(), guard, reserve)}
}

// begin starts a fetch, which ends with the test.
func (f *fetcher) begin() doc.FetchSeq {
	f.Helper()
	seq, err := f.sink.Begin(func() error { return nil })
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { f.sink.End(seq) })
	return seq
}

// stamp is the stamp of a row with a title.
func stamp(oid doc.OID, title string) doc.Stamp { return fakeworld.Row{Title: title}.Stamp(oid) }

func (f *fetcher) put(seq doc.FetchSeq, oid doc.OID, title string) error {
	d := doc.Doc{Meta: doc.Meta{Stamp: stamp(oid, title), Fetch: seq}, Row: row(title, 1999)}
	_, err := f.sink.Put(f.Context(), doc.Batch{Fetch: seq, Docs: []doc.Doc{d}})
	return err
}

func (f *fetcher) mustPut(seq doc.FetchSeq, oid doc.OID, title string) {
	f.Helper()
	if err := f.put(seq, oid, title); err != nil {
		f.Fatal(err)
	}
}

// version returns the version of a document, and checks that of its page.
func (f *fetcher) version(oid doc.OID) doc.Version {
	f.Helper()
	vs, err := f.ix.Versions([]doc.OID{oid})
	if err != nil {
		f.Fatal(err)
	}
	if page, ok := f.pages.Page(oid); page.V != vs[0] || ok != (vs[0] > 0) {
		f.Errorf("document %s: got version %d in the index and %d in the page, want one", oid, vs[0], page.V)
	}
	return vs[0]
}

func newestFetch(r *run) {
	f, a, b := r.fetcher(), key("a"), key("b")
	older, newer := f.begin(), f.begin()
	f.mustPut(newer, a, "new")
	v := f.version(a)
	f.mustPut(older, a, "old")
	if _, err := f.sink.Delete(r.Context(), []doc.Stamp{stamp(a, "old")}, older, 1); err != nil {
		r.Fatal(err)
	}
	if got := f.version(a); got != v {
		r.Errorf("after an older fetch: got version %d, want %d", got, v)
	}
	f.mustPut(f.begin(), b, "row")
	last := f.begin()
	if _, err := f.sink.Delete(r.Context(), []doc.Stamp{stamp(b, "row")}, last, 1); err != nil {
		r.Fatal(err)
	}
	if got := f.version(b); got != 0 {
		r.Errorf("after its delete: got version %d, want 0", got)
	}
	r.holds(r, []doc.Indexed{indexed(a, v)}, b)
}

func unchanged(r *run) {
	f, a := r.fetcher(), key("a")
	f.mustPut(f.begin(), a, "same")
	v := f.version(a)
	f.mustPut(f.begin(), a, "same")
	if got := f.version(a); got != v {
		r.Errorf("the same row: got version %d, want %d", got, v)
	}
	f.mustPut(f.begin(), a, "another")
	if got := f.version(a); got <= v {
		r.Errorf("another row: got version %d, want more than %d", got, v)
	}
}

func oneVersion(r *run) {
	f, a := r.fetcher(), key("a")
	f.mustPut(f.begin(), a, "row")
	page, _ := f.pages.Page(a)
	if page.Gen != generation || page.V == 0 {
		r.Errorf("page: got version %d of generation %d, want one of generation %d", page.V, page.Gen, generation)
	}
	r.reopen(r)
	r.holds(r, []doc.Indexed{indexed(a, page.V)})
}

func lostPage(r *run) {
	f, a := r.fetcher(), key("a")
	f.mustPut(f.begin(), a, "first")
	broken := errors.New("disk full")
	f.pages.Before = func(step string) error {
		if step == "put pages" {
			return broken
		}
		return nil
	}
	if err := f.put(f.begin(), a, "second"); !errors.Is(err, broken) {
		r.Fatalf("got %v, want %v", err, broken)
	}
	f.pages.Before = nil
	f.mustPut(f.begin(), a, "second")
	f.version(a)
	f.mustPut(f.begin(), a, "first")
	f.version(a)
}
