package fulltext

import (
	"fmt"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/query"
)

// Different values are counted without memory for each of them, if documents are many.
// Microseconds of one millisecond are one value.
func TestDistinctOfManyValues(t *testing.T) {
	ix := newIndex(t, shopMapping)
	for batch := range int64(3) {
		var puts []doc.Doc
		for i := batch * 500; i < batch*500+1000; i++ { // half of them are in the next batch too
			at := time.UnixMicro(i / 2 * 500)
			d := shopDoc{oid: oid(t, i), word: "red", tags: []string{fmt.Sprint("tag ", i/4)}, seen: &at}
			puts = append(puts, d.doc(doc.Version(i+1)))
		}
		apply(t, ix, puts)
	}
	res, err := ix.search(t.Context(), query.Request{Aggs: []query.Agg{{Of: query.DistinctAgg{Field: "tags"}}, {Of: query.DistinctAgg{Field: "seen"}}}}, limited(1000))
	if err != nil {
		t.Fatal(err)
	}
	got := res.Aggs
	for i, want := range []uint64{500, 500} { // 2000 rows: four a tag, and four a millisecond
		if got[i].Stats.Count != want {
			t.Errorf("aggregation %d: got %d different values, want %d", i, got[i].Stats.Count, want)
		}
	}
}

// A terms aggregation of many values holds those only that can be in the answer.
func TestTermsOfManyValues(t *testing.T) {
	ix := newIndex(t, shopMapping)
	for batch := range int64(3) {
		var puts []doc.Doc
		for i := batch * 700; i < batch*700+1400; i++ { // half of them are in the next batch too
			d := shopDoc{oid: oid(t, i), word: "red", tags: []string{fmt.Sprint("tag ", i/2+i%3)}}
			puts = append(puts, d.doc(doc.Version(i+1)))
		}
		apply(t, ix, puts)
	}
	want := map[string]uint64{}
	for i := range 2800 {
		want[fmt.Sprint("tag ", i/2+i%3)]++
	}
	of := query.TermsAgg{Field: "tags", Size: 5, MinCount: 2, Order: []query.BucketOrder{{By: query.ByCount, Descending: true}, {By: query.ByKey, Descending: true}}}
	res, err := ix.search(t.Context(), query.Request{Aggs: []query.Agg{{Of: of}}}, limited(30_000)) // of 300 buckets
	if err != nil {
		t.Fatal(err)
	}
	results := res.Aggs
	var all []query.Bucket
	total := uint64(0)
	for text, n := range want {
		if n >= 2 {
			all, total = append(all, query.Bucket{Key: []query.BucketValue{{Text: text}}, Count: n}), total+n
		}
	}
	naive{}.sort(of.Order, all)
	for _, b := range all[:5] {
		total -= b.Count
	}
	if wanted := []query.AggResult{{Buckets: all[:5], Other: total}}; !equalResults(results, wanted) {
		t.Errorf("got %+v, want %+v", results, wanted)
	}
}
