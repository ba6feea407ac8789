// Package indextest is the conformance suite of index engines: what the sink, the
// sweep, a reindex and searches rely on, whatever stores the documents. The test
// of an engine makes a Harness and calls Run, which runs each behaviour as a
// subtest whose name is a sentence.
//
// Every index of the suite has the content column title and the metadata column
// year, a number. The suite reopens indexes and does not kill processes: each
// engine has its own test of that.
package indextest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/query"
	_ "indexerd/internal/test/nofailfile"
)

// An Index has the methods that the sink, the sweep and a reindex call.
type Index interface {
	Generation() doc.Generation
	Hash(doc.Row) (doc.DocHash, []doc.Flaw, error)
	Prepare(*doc.Doc) ([]doc.Flaw, error)
	Apply(puts []doc.Doc, deletes []doc.Removal) error
	Versions([]doc.OID) ([]doc.Version, error)
	Documents(from doc.OID, n int) (docs []doc.Indexed, next doc.OID, err error)
	Count() (uint64, error)
	Err() error
}

// A Searcher is an Index that answers searches.
type Searcher interface {
	Index
	Search(context.Context, query.Request) (query.Result, error)
}

// A Harness makes the indexes of one engine.
type Harness struct {
	Create func(doc.Generation) (Index, error)
	Reopen func(Index) (Index, error) // closes an index and opens it again
	Merge  func(Index) error          // does the engine's background work now
	Close  func(Index) error

	// Unfit is a row that Hash rejects. Apply is never called with it.
	Unfit doc.Row

	// Searches is false for a stand-in that stores documents only. Otherwise every
	// index is a Searcher.
	Searches bool
}

// A behaviour is one subtest.
type behaviour struct {
	name     string
	searches bool // it needs a Searcher
	test     func(*run)
}

// behaviours lists all behaviours.
func behaviours() []behaviour {
	return slices.Concat(writeBehaviours, listBehaviours, sinkBehaviours, searchBehaviours, aggBehaviours, nodeBehaviours)
}

// Run runs the suite.
func Run(t *testing.T, h Harness) {
	t.Helper()
	for _, b := range behaviours() {
		if b.searches && !h.Searches {
			continue
		}
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			r := &run{T: t, harness: h}
			r.create()
			defer r.close()
			b.test(r)
		})
	}
}

// generation is that of every index.
const generation doc.Generation = 7

// A run is one behaviour on one index, which starts empty.
type run struct {
	*testing.T
	harness Harness
	ix      Index
}

func (r *run) create() {
	r.Helper()
	var err error
	if r.ix, err = r.harness.Create(generation); err != nil {
		r.Fatal(err)
	}
}

func (r *run) reopen(t rapid.TB) {
	t.Helper()
	ix, err := r.harness.Reopen(r.ix)
	if err != nil {
		t.Fatal(err)
	}
	r.ix = ix
}

// close checks that no behaviour leaves the index failed.
func (r *run) close() {
	r.Helper()
	if err := r.ix.Err(); err != nil {
		r.Errorf("err: %v", err)
	}
	if err := r.harness.Close(r.ix); err != nil {
		r.Errorf("close: %v", err)
	}
}

func (r *run) apply(t rapid.TB, puts []doc.Doc, deletes ...doc.Removal) {
	t.Helper()
	if err := r.ix.Apply(puts, deletes); err != nil {
		t.Fatalf("apply %d documents and %d deletes: %v", len(puts), len(deletes), err)
	}
}

// holds checks that count, versions and listing agree with want, which is in key
// order, and that no key of absent has a document.
func (r *run) holds(t rapid.TB, want []doc.Indexed, absent ...doc.OID) {
	t.Helper()
	if n, err := r.ix.Count(); err != nil || n != uint64(len(want)) {
		t.Errorf("count: got %d, %v, want %d", n, err, len(want))
	}
	asked, versions := slices.Clone(absent), make([]doc.Version, len(absent))
	for _, d := range want {
		asked, versions = append(asked, d.OID), append(versions, d.V)
	}
	if got, err := r.ix.Versions(asked); err != nil || !slices.Equal(got, versions) {
		t.Errorf("versions of %v: got %v, %v, want %v", asked, got, err, versions)
	}
	if got := r.list(t, 100); !slices.Equal(got, want) {
		t.Errorf("documents: got %v, want %v", got, want)
	}
}

// list reads the whole list, n keys a call.
func (r *run) list(t rapid.TB, n int) (all []doc.Indexed) {
	t.Helper()
	for from := doc.OID(""); ; {
		docs, next, err := r.ix.Documents(from, n)
		if err != nil {
			t.Fatalf("documents from %s: %v", from, err)
		}
		if all = append(all, docs...); next == "" {
			return all
		}
		if len(docs) > n || next <= from {
			t.Fatalf("documents from %s: got %d and next %s, want at most %d and a greater key", from, len(docs), next, n)
		}
		from = next
	}
}

// key returns the key of these parts.
func key(parts ...any) doc.OID {
	oid, err := doc.NewOID(parts...)
	if err != nil {
		panic(fmt.Sprintf("key of %v: %v", parts, err))
	}
	return oid
}

// film returns the document of a row, written as v.
func film(oid doc.OID, v doc.Version, title string) doc.Doc {
	return doc.Doc{Meta: doc.Meta{Stamp: doc.Stamp{OID: oid}, V: v}, Row: row(title, 1999)}
}

func row(title string, year int64) doc.Row {
	return doc.Row{Names: []string{"title", "year"}, Values: []any{title, year}}
}

// removed returns the removal of a document, numbered v.
func removed(oid doc.OID, v doc.Version) doc.Removal { return doc.Removal{OID: oid, V: v} }

// indexed returns a document as it is listed.
func indexed(oid doc.OID, v doc.Version) doc.Indexed { return doc.Indexed{OID: oid, V: v} }
