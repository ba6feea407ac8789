package segment

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"indexerd/internal/index/fulltext/numbers"

	"github.com/RoaringBitmap/roaring/v2"
	segment "github.com/blevesearch/scorch_segment_api/v2"
	"github.com/blevesearch/zapx/v17"
)

// numberRows returns rows with up to three numbers of a span from a base on.
func numberRows(r *rand.Rand, n int, base, span uint64, most int) []Row {
	rows := make([]Row, n)
	for i := range rows {
		rows[i] = Row{ID: fmt.Sprintf("%08d", i), Stored: []byte{1}, Texts: [][]string{{"a word"}}, Values: [][]string{{"kind"}, {string(numbers.Append(nil, base))}}}
		if i > 0 {
			rows[i].Values[1] = nil
		}
		for range r.IntN(most + 1) {
			rows[i].Values[1] = append(rows[i].Values[1], string(numbers.Append(nil, base+r.Uint64N(span))))
		}
	}
	return rows
}

// A column has the numbers that the docvalues have, before and after merges, and zapx reads
// the segments.
func TestColumn(t *testing.T) {
	for seed := range uint64(16) {
		r := rand.New(rand.NewPCG(seed, 5))
		s := newSchema(t, "standard", true)
		span := uint64(1) << r.IntN(63)
		base := r.Uint64N(math.MaxUint64 - span)
		segments, drops := make([]segment.Segment, 3), make([]*roaring.Bitmap, 3)
		for i := range segments {
			rows := numberRows(r, 1+r.IntN(1500), base, span, 1+r.IntN(3))
			library, own := checkRows(t, s, rows)
			if segments[i] = own; seed%4 == 0 && i == 1 {
				segments[i] = library // of an earlier version
			}
			drops[i] = everyThird(r, len(rows))
			checkColumn(t, r, own)
			checkColumn(t, r, onDisk(t, own))
		}
		if seed%4 == 0 {
			checkMerges(t, segments, drops)
		}
		path := filepath.Join(t.TempDir(), "merged")
		if _, _, err := newBuilder().mergeSegments(segments, drops, path, nil); err != nil {
			t.Fatal(err)
		}
		if err := CheckLayout(path); err != nil {
			t.Fatal(err)
		}
		checkColumn(t, r, openFile(t, path))
	}
}

// checkColumn compares a column with docvalues.
func checkColumn(t *testing.T, r *rand.Rand, s segment.Segment) {
	t.Helper()
	reader, err := NewReader(s)
	if err != nil {
		t.Fatal(err)
	}
	c, err := reader.Column("m:n")
	if err != nil {
		t.Fatal(err)
	}
	had, any := make([][]uint64, s.Count()), false
	var state segment.DocVisitState
	for doc := range s.Count() {
		state, err = s.(segment.DocValueVisitable).VisitDocValues(doc, []string{"m:n"}, func(_ string, term []byte) {
			n, _ := numbers.Of(term)
			had[doc], any = append(had[doc], n), true
		}, state)
		if err != nil {
			t.Fatal(err)
		}
	}
	if c.Has() != any {
		t.Fatalf("got a column: %t, want %t", c.Has(), any)
	}
	if !any {
		return
	}
	for doc, all := range had {
		least, ok := c.Least(uint32(doc))
		greatest, _ := c.Greatest(uint32(doc))
		if ok != (len(all) > 0) || ok && (least != slices.Min(all) || greatest != slices.Max(all)) {
			t.Fatalf("document %d: got %d, %d, %t, want %v", doc, least, greatest, ok, all)
		}
	}
	checkIn(t, r, c, had)
	checkPlaces(t, r, c, had)
}

// checkIn compares ranges of a column with the numbers.
func checkIn(t *testing.T, r *rand.Rand, c numbers.Column, had [][]uint64) {
	t.Helper()
	some := slices.Concat(had...)
	docs := NewBits(len(had))
	for doc := range had {
		if r.IntN(4) > 0 {
			docs.Set(uint32(doc))
		}
	}
	for range 20 {
		in := numbers.Range{From: some[r.IntN(len(some))] - uint64(r.IntN(2)), Before: some[r.IntN(len(some))] + uint64(r.IntN(2)), NoEnd: r.IntN(5) == 0}
		if r.IntN(5) == 0 {
			in.From = 0
		}
		found, unsure := NewBits(len(had)), NewBits(len(had))
		c.In(in, docs, found, unsure)
		for doc, all := range had {
			want := docs.Has(uint32(doc)) && slices.ContainsFunc(all, func(n uint64) bool { return n >= in.From && (in.NoEnd || n < in.Before) })
			if unsure.Has(uint32(doc)) {
				if found.Has(uint32(doc)) || len(all) < 2 {
					t.Fatalf("%+v: document %d with %v is unsure", in, doc, all)
				}
				continue
			}
			if found.Has(uint32(doc)) != want {
				t.Fatalf("%+v: document %d with %v: got %t", in, doc, all, !want)
			}
		}
	}
}

// checkPlaces compares the places of documents with an order of the numbers.
func checkPlaces(t *testing.T, r *rand.Rand, c numbers.Column, had [][]uint64) {
	t.Helper()
	p := &numbers.Places{Column: c, Greatest: r.IntN(2) == 0, Descending: r.IntN(2) == 0, Absent: []uint64{0, math.MaxUint64}[r.IntN(2)]}
	all := NewBits(len(had))
	for doc := range had {
		all.Set(uint32(doc))
	}
	var got []uint64
	last := uint64(math.MaxUint64)
	p.UpTo(all, &last, func(_ uint32, place uint64) { got = append(got, place) })
	if len(got) != len(had) {
		t.Fatalf("got %d places, want %d", len(got), len(had))
	}
	number := func(doc int) uint64 {
		if p.Greatest {
			return slices.Max(had[doc])
		}
		return slices.Min(had[doc])
	}
	for range 1000 {
		a, b := r.IntN(len(had)), r.IntN(len(had))
		if len(had[a]) == 0 {
			if got[a] != p.Absent {
				t.Fatalf("a document without a number has place %d", got[a])
			}
			continue
		}
		if len(had[b]) == 0 {
			continue
		}
		want := cmp.Compare(number(a), number(b))
		if p.Descending {
			want = -want
		}
		if cmp.Compare(got[a], got[b]) != want {
			t.Fatalf("%v at %d and %v at %d, descending %t", had[a], got[a], had[b], got[b], p.Descending)
		}
	}
	limit := got[r.IntN(len(got))]
	p.UpTo(all, &limit, func(doc uint32, place uint64) {
		if place > limit || place != got[doc] {
			t.Fatalf("document %d at %d, behind %d", doc, place, limit)
		}
	})
}

// A field has no column if a term is not a number, or if its numbers are too far apart.
func TestNoColumn(t *testing.T) {
	for name, values := range map[string][]string{
		"a word":       {string(numbers.Append(nil, 5)), "5"},
		"all numbers":  {string(numbers.Append(nil, 0)), string(numbers.Append(nil, math.MaxUint64))},
		"no number":    {"5"},
		"no value":     {},
		"only a blank": {" "},
	} {
		rows := numberRows(rand.New(rand.NewPCG(1, 2)), 20, 5, 10, 1)
		rows[3].Values[1] = values
		if len(values) == 0 {
			for i := range rows {
				rows[i].Values[1] = nil
			}
		}
		_, own := checkRows(t, newSchema(t, "standard", true), rows)
		r, err := NewReader(own)
		if err != nil {
			t.Fatal(err)
		}
		for _, field := range []string{"m:n", "m:kind", "c:text", "l:text", "none"} {
			if c, err := r.Column(field); c.Has() || err != nil {
				t.Errorf("%s: got a column of %s, or %v", name, field, err)
			}
		}
	}
}

// BenchmarkColumn reads the numbers of a segment.
func BenchmarkColumn(b *testing.B) {
	const rows = 100_000
	own := built(b, newBuilder(), newSchema(b, "standard", true), numberRows(rand.New(rand.NewPCG(1, 2)), rows, 1<<63, 1<<46, 1)).(*zap.SegmentBase)
	r, err := NewReader(own)
	if err != nil {
		b.Fatal(err)
	}
	c, err := r.Column("m:n")
	if err != nil {
		b.Fatal(err)
	}
	docs := NewBits(rows)
	for doc := range uint32(rows) {
		docs.Set(doc)
	}
	b.Run("in", func(b *testing.B) {
		for b.Loop() {
			c.In(numbers.Range{From: 1<<63 + 1<<44, Before: 1<<63 + 1<<45}, docs, NewBits(rows), nil)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/doc")
	})
	b.Run("places", func(b *testing.B) {
		for b.Loop() {
			last := uint64(1 << 63)
			(&numbers.Places{Column: c}).UpTo(docs, &last, func(uint32, uint64) {})
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/doc")
	})
}
