package deletecheck_test

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"indexerd/deletecheck"
	"indexerd/internal/base/doc"
	"indexerd/internal/sync/sink"
	"indexerd/internal/test/fakeworld"
)

// Many rows between two documents are compared in several chunks. Here that is a
// table that was never loaded.
func TestManyRowsBetweenDocuments(t *testing.T) {
	w := newWorld(t)
	for n := range 100 {
		w.put(n)
	}
	rests := 0
	s := w.sweep()
	s.Rest = func(context.Context, time.Duration) error { rests++; return nil }
	s.Sink = &bounded{t: t, Sink: w.Sink}
	if got := runSweep(t, s); got.Added != 100 || got.Compared != 100 {
		t.Errorf("added %d, compared %d, want 100", got.Added, got.Compared)
	}
	w.wantEqual(t)
	if want := 100 / (2 * chunk); rests < want {
		t.Errorf("got %d rests, want at least %d", rests, want)
	}
	for n := range 99 {
		w.Table.Delete(w.key(n))
	}
	runSweep(t, s)
	w.wantEqual(t)
}

// A document without a row is found, wherever the chunk around it ends.
func TestGhostWhereAChunkEnds(t *testing.T) {
	for n := 2; n < 30; n += 2 {
		w := newWorld(t)
		w.put(n)
		w.load(t)
		w.Table.Delete(w.key(n))
		for k := range 15 {
			w.put(2*k + 1)
		}
		runSweep(t, w.sweep())
		w.wantEqual(t)
	}
}

// bounded is a sink that fails the test for more rows than a batch.
type bounded struct {
	t *testing.T
	deletecheck.Sink
}

func (b *bounded) Put(ctx context.Context, d doc.Batch) (doc.Report, error) {
	if n := len(d.Docs); n > batch {
		b.t.Errorf("put: got %d rows at once, want at most %d", n, batch)
	}
	return b.Sink.Put(ctx, d)
}

func (b *bounded) Delete(ctx context.Context, stamps []doc.Stamp, found doc.FetchSeq, of int) (doc.Report, error) {
	if n := len(stamps); n > batch {
		b.t.Errorf("delete: got %d at once, want at most %d", n, batch)
	}
	return b.Sink.Delete(ctx, stamps, found, of)
}

// listed is a table whose listing is changed by pages.
type listed struct {
	*fakeworld.Table
	as func([]doc.Stamp) []doc.Stamp
}

func (l listed) StampsInRange(ctx context.Context, r doc.Range) iter.Seq2[[]doc.Stamp, error] {
	return func(yield func([]doc.Stamp, error) bool) {
		for page, err := range l.Table.StampsInRange(ctx, r) {
			if !yield(l.as(page), err) {
				return
			}
		}
	}
}

// If the database returns keys in another order than expected, the sweep fails:
// rows that come later would look gone.
func TestUnexpectedOrderOfKeysFails(t *testing.T) {
	w := loaded(t, 12)
	w.Table.Delete(w.key(1))
	s := w.sweep()
	s.Source = listed{w.Table, func(page []doc.Stamp) []doc.Stamp {
		slices.Reverse(page)
		return page
	}}
	if _, err := s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "does not return keys in the expected order") {
		t.Errorf("got %v, want an error that names the order", err)
	}
	if n := len(w.Index.Titles()); n != 12 {
		t.Errorf("got %d documents, want 12", n)
	}
}

// doubled is a table with two rows of one key.
type doubled struct {
	listed
	key doc.OID
}

func (d doubled) Docs(ctx context.Context, oids []doc.OID) iter.Seq2[doc.Batch, error] {
	return func(yield func(doc.Batch, error) bool) {
		for b, err := range d.Table.Docs(ctx, oids) {
			for i := range b.Docs {
				if b.Docs[i].OID == d.key {
					b.Docs = append(b.Docs, b.Docs[i])
				}
			}
			if !yield(b, err) {
				return
			}
		}
	}
}

// Two rows with one key are quarantined, wherever a page or a chunk ends, and the
// rows around them are compared.
func TestTwoRowsWithOneKeyAreQuarantined(t *testing.T) {
	for n := range 24 {
		begin := newWorld
		if n >= 12 {
			n, begin = n-12, newTextWorld
		}
		w := begin(t)
		w.put(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
		w.load(t)
		source := doubled{listed{w.Table, func(page []doc.Stamp) []doc.Stamp {
			var double []doc.Stamp
			for _, s := range page {
				double = append(double, s)
				if s.OID == w.key(n) {
					double = append(double, slices.Repeat([]doc.Stamp{s}, 3*chunk)...)
				}
			}
			return double
		}}, w.key(n)}
		s := w.sweep()
		s.Source = source
		runSweep(t, s)
		if reason := w.Quarantine.Reasons()[w.key(n)]; !strings.Contains(reason, "rows have this key") {
			t.Errorf("row %d: got reason %q, want that there are several rows", n, reason)
		}
		w.wantEqual(t)
	}
}

// sparse is an index that returns fewer documents than it is asked for, or none, as
// after deletions.
type sparse struct {
	*fakeworld.Index
	calls int
}

func (x *sparse) Documents(from doc.OID, n int) ([]doc.Indexed, doc.OID, error) {
	x.calls++
	docs, next, err := x.Index.Documents(from, n)
	switch {
	case err != nil || len(docs) < 2 || x.calls%3 == 0:
		return docs, next, err
	case from == "":
		return nil, docs[0].OID, nil // nothing before the first one
	}
	return docs[:1], docs[1].OID, nil
}

// Calls of Documents that return few or no documents do not end the listing.
func TestSparseIndex(t *testing.T) {
	w := loaded(t, 12)
	w.put(20)
	w.Table.Delete(w.key(0))
	w.Table.Delete(w.key(11))
	w.removeDocument(t, w.key(6))
	s := w.sweep()
	s.Chunk = 2
	s.Index = &sparse{Index: w.Index}
	runSweep(t, s)
	w.wantEqual(t)
}

// A sweep fetches the rows in quarantine again, once. Rows that became documents
// leave it, and so do rows that are gone. Rows without a key are listed.
func TestSweepRetriesTheQuarantine(t *testing.T) {
	w := loaded(t, 3)
	for _, n := range []int{1, 2, 5, 6, 7, 8, 9, 10} {
		w.Table.Put(w.key(n), fakeworld.Unfit)
	}
	w.load(t)
	w.Table.Put(w.key(5), "fit now")
	w.Table.Delete(w.key(1))
	w.Table.Delete(w.key(6))
	w.Table.NoKey = []doc.Reject{{Reason: "the key is NULL"}}
	w.limit(t, sink.Limits{Count: 1}) // of row 6 nothing is stored
	got := runSweep(t, w.sweep())
	if got.Quarantined != 6 || got.Deleted != 1 || got.Held != 0 {
		t.Errorf("quarantined %d, deleted %d, held %d, want 6, 1 and 0", got.Quarantined, got.Deleted, got.Held)
	}
	quarantined := w.Quarantine.Reasons()
	for oid, want := range map[doc.OID]bool{w.key(1): false, w.key(2): true, w.key(5): false, w.key(6): false, w.key(7): true, "": true} {
		if _, ok := quarantined[oid]; ok != want {
			t.Errorf("%v: quarantined %t, want %t", oid, ok, want)
		}
	}
	w.wantEqual(t)
	w.Table.NoKey = nil
	runSweep(t, w.sweep())
	if _, ok := w.Quarantine.Reasons()[""]; ok {
		t.Error("the row without a key is gone and is still listed")
	}
}

// A sweep ends the doubts of the list of documents that lack values: it fetches a row
// only if the page is not that of the listed document, and what is no longer true leaves
// the list.
func TestSweepChecksThePartialRows(t *testing.T) {
	w := loaded(t, 4)
	w.Table.Put(w.key(1), fakeworld.Flawed+"a")
	w.Table.Put(w.key(2), fakeworld.Flawed+"b")
	w.load(t)
	runSweep(t, w.sweep())
	w.Quarantine.Reopen()
	stale := doc.Partial{Hash: 1, Flaws: []doc.Flaw{{Column: "title", Reason: "before a crash"}}}
	for _, n := range []int{2, 3, 7} { // another document, a whole one, and none
		stale.OID = w.key(n)
		if err := w.Quarantine.Note([]doc.Partial{stale}, nil, time.Time{}); err != nil {
			t.Fatal(err)
		}
	}
	if got := runSweep(t, w.sweep()); got.Read != 2 {
		t.Errorf("got %d rows fetched, want those of keys 2 and 3", got.Read)
	}
	partial := w.Quarantine.Partial()
	if got := slices.Sorted(maps.Keys(partial)); !slices.Equal(got, w.keysOf(1, 2)) || len(w.Quarantine.Doubtful("", 9)) > 0 {
		t.Errorf("got %v, want keys 1 and 2, not in doubt", got)
	}
	if got := partial[w.key(2)].Flaws[0].Reason; got != fakeworld.Flawed+"b" {
		t.Errorf("key 2: got %s, want what its document lacks", got)
	}
	w.wantEqual(t)
	for content, want := range map[bool]int{false: 2, true: 2} {
		v := w.verify()
		v.Content, v.Hash = content, w.Index.Hash
		if got := runVerify(t, v); got.Partial != want || !got.Equal() {
			t.Errorf("content %t: got %+v, want %d partial rows and no difference", content, got, want)
		}
	}
}
