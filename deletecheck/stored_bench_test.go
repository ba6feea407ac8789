package deletecheck_test

import (
	"iter"
	"runtime"
	"testing"

	"indexerd/deletecheck"
	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
)

// A numbered is an index with the documents 0 to n-1, and their pages. It takes next to
// no time.
type numbered struct {
	keys []doc.OID
	at   map[doc.OID]int
}

func newNumbered(n int) numbered {
	d := numbered{at: map[doc.OID]int{}}
	for i := range n {
		key := fakeworld.Key(i)
		d.keys, d.at[key] = append(d.keys, key), i
	}
	return d
}

func (d numbered) Documents(from doc.OID, n int) (docs []doc.Indexed, next doc.OID, err error) {
	at := d.at[from]
	end := min(at+n, len(d.keys))
	for _, key := range d.keys[at:end] {
		docs = append(docs, doc.Indexed{OID: key, V: 1})
	}
	if end < len(d.keys) {
		next = d.keys[end]
	}
	return docs, next, nil
}

func (d numbered) Metas(keys []doc.OID) ([]doc.Meta, error) {
	metas := make([]doc.Meta, len(keys))
	for i, key := range keys {
		metas[i] = doc.Meta{Stamp: doc.Stamp{OID: key, Token: doc.Token{Digest: uint64(d.at[key]) + 1, Epoch: 1}}, V: 1}
	}
	return metas, nil
}

func (d numbered) Versions([]doc.OID) ([]doc.Version, error) { return nil, nil }
func (d numbered) Count() (uint64, error)                    { return uint64(len(d.keys)), nil }
func (d numbered) View(doc.OID, func(doc.Page) error) error  { return nil }
func (d numbered) All() iter.Seq2[doc.Meta, error]           { return nil }
func (d numbered) Len() int                                  { return len(d.keys) }
func (d numbered) read(t testing.TB, stored *deletecheck.Stored) { // all that has no sum
	t.Helper()
	if total, known, err := stored.Total(d, d); err != nil || !known || total.Rows != int64(len(d.keys)) {
		t.Fatalf("got %+v, %t, %v, want the sum of %d documents", total, known, err, len(d.keys))
	}
}

// memory returns what the sums of the documents take of memory.
func (d numbered) memory(t testing.TB, stored *deletecheck.Stored) float64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	d.read(t, stored)
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(stored)
	return float64(after.HeapAlloc) - float64(before.HeapAlloc)
}

// The bounds of memory in the comment of the package.
const (
	bytesForDocument = 1
	bytesAtMost      = 2 << 20
)

// BenchmarkStored prints the time for a document of the sums alone, without the index and
// the database, and their memory.
func BenchmarkStored(b *testing.B) {
	d := newNumbered(1_000_000)
	for b.Loop() {
		d.read(b, new(deletecheck.Stored))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(d.keys)), "ns/document")
	b.ReportMetric(d.memory(b, new(deletecheck.Stored))/float64(len(d.keys)), "B/document")
}

// The sums take little memory for a document, and no more in a larger table than in one
// that has all its ranges.
func TestMemoryOfSums(t *testing.T) {
	d := newNumbered(200_000)
	if got := d.memory(t, new(deletecheck.Stored)) / float64(len(d.keys)); got > bytesForDocument {
		t.Errorf("got %.2f bytes a document, want at most %d", got, bytesForDocument)
	}
	if got := d.memory(t, &deletecheck.Stored{Rows: 1}); got > bytesAtMost {
		t.Errorf("with as many ranges as there may be: got %.0f bytes, want at most %d", got, bytesAtMost)
	}
}
