package deletecheck

import (
	"context"
	"encoding/binary"
	"iter"
	"sort"
	"testing"

	"indexerd/internal/base/doc"
)

// flat is an equal index and database that cost almost nothing.
type flat struct {
	Source
	Index
	Pages
	docs   []doc.Indexed
	metas  []doc.Meta
	stamps []doc.Stamp
}

func newFlat(b *testing.B, n int) *flat {
	b.Helper()
	f := &flat{}
	for i := range n {
		oid, err := doc.NewOID(int64(i))
		if err != nil {
			b.Fatal(err)
		}
		s := doc.Stamp{OID: oid, Token: doc.Token{Digest: uint64(i), Epoch: 1}}
		f.stamps = append(f.stamps, s)
		f.docs = append(f.docs, doc.Indexed{OID: oid, V: 7})
		f.metas = append(f.metas, doc.Meta{Stamp: s, V: 7})
	}
	return f
}

func (f *flat) at(oid doc.OID) int {
	return sort.Search(len(f.docs), func(i int) bool { return f.docs[i].OID >= oid })
}

func (f *flat) Documents(from doc.OID, n int) ([]doc.Indexed, doc.OID, error) {
	first := f.at(from)
	if end := first + n; end < len(f.docs) {
		return f.docs[first:end], f.docs[end].OID, nil
	}
	return f.docs[first:], "", nil
}

func (f *flat) Meta(oid doc.OID) (doc.Meta, bool, error) {
	return f.metas[binary.BigEndian.Uint64([]byte(oid[1:]))^(1<<63)], true, nil
}

func (f *flat) StampsInRange(_ context.Context, r doc.Range) iter.Seq2[[]doc.Stamp, error] {
	return func(yield func([]doc.Stamp, error) bool) {
		from, to := f.at(r.From), len(f.stamps)
		if r.To != "" {
			to = f.at(r.To)
		}
		for ; from < to; from += 2000 {
			if !yield(f.stamps[from:min(from+2000, to)], nil) {
				return
			}
		}
	}
}

// BenchmarkCompare measures the comparison by ranges of equal sides.
func BenchmarkCompare(b *testing.B) {
	const rows = 1_000_000
	f := newFlat(b, rows)
	c := &comparison{source: f, index: f, pages: f, chunk: chunkSize}
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		compared := 0
		for p, err := range chunks(b.Context(), "", c.byRange) {
			if err != nil || len(p.differ)+len(p.extra) > 0 {
				b.Fatal(err, p)
			}
			compared += p.compared
		}
		if compared != rows {
			b.Fatalf("compared %d, want %d", compared, rows)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
}
