package fulltext

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
)

// A numberDoc has any number of different values.
type numberDoc struct {
	oid     doc.OID
	numbers []float64
}

// numberSort is how a test sorts by a number.
type numberSort struct {
	query.Sort
	missing float64
}

// value returns the value by which a document is sorted, false for none.
func (s numberSort) value(d numberDoc) (float64, bool) {
	switch greatest := s.Descending && s.Pick == "" || s.Pick == query.PickMax; {
	case len(d.numbers) == 0:
		return s.missing, s.Missing != ""
	case greatest:
		return slices.Max(d.numbers), true
	}
	return slices.Min(d.numbers), true
}

func (s numberSort) compare(a, b numberDoc) int {
	x, hasX := s.value(a)
	y, hasY := s.value(b)
	switch {
	case hasX != hasY && hasX != s.First:
		return -1
	case hasX != hasY:
		return 1
	}
	order := cmp.Compare(x, y)
	if s.Descending {
		order = -order
	}
	return cmp.Or(order, cmp.Compare(a.oid, b.oid))
}

// Pages sorted by numbers or keywords, and ranges of many numbers, are those of a model: whatever numbers
// a document has, in segments that are merged, and after documents are replaced and removed.
func TestNumbersAgainstModel(t *testing.T) {
	t.Parallel()
	mapping := schema.Mapping{Content: []string{"title"}, Analyzer: "standard", Metadata: []schema.Field{{Name: "n", Type: schema.Number}, {Name: "k", Type: schema.Keyword}}}
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 31))
		spread, most := []int{3, 400, 1 << 40}[seed%3], 1+r.IntN(3)
		ix := newIndex(t, mapping)
		docs := map[doc.OID]numberDoc{}
		for v := range 8 {
			var puts []doc.Doc
			seen := map[doc.OID]bool{}
			for range 1 + r.IntN(300) {
				d := numberDoc{oid: oid(t, int64(r.IntN(1500)))}
				if seen[d.oid] {
					continue
				}
				seen[d.oid] = true
				var values, keywords []any
				for range r.IntN(most + 1) {
					n := float64(r.IntN(spread)-spread/3) / 4
					d.numbers, values, keywords = append(d.numbers, n), append(values, n), append(keywords, keywordOf(n))
				}
				docs[d.oid] = d
				puts = append(puts, doc.Doc{Meta: doc.Meta{Stamp: doc.Stamp{OID: d.oid}, V: doc.Version(v + 1)}, Row: doc.Row{Names: []string{"title", "n", "k"}, Values: []any{"film", values, keywords}}})
			}
			apply(t, ix, puts)
		}
		gone := oid(t, int64(7))
		apply(t, ix, nil, gone)
		delete(docs, gone)
		for range 25 {
			checkNumbers(t, ix, docs, r, spread)
		}
	}
}

// checkNumbers compares the pages of one search with the model.
func checkNumbers(t *testing.T, ix *Index, docs map[doc.OID]numberDoc, r *rand.Rand, spread int) {
	t.Helper()
	sort := numberSort{Sort: query.Sort{Field: "n", Descending: r.IntN(2) == 0, First: r.IntN(3) == 0}}
	if r.IntN(3) == 0 {
		sort.missing = float64(r.IntN(spread) / 4)
		sort.Missing = fmt.Sprint(sort.missing)
	}
	if r.IntN(2) == 0 {
		sort.Field = "k"
		if sort.Missing != "" {
			sort.Missing = keywordOf(sort.missing)
		}
	}
	if r.IntN(3) == 0 {
		sort.Pick = []query.Pick{query.PickMax, query.PickMin}[r.IntN(2)]
	}
	in := func(numberDoc) bool { return true }
	node := query.Node(query.Word{Text: "film"})
	if r.IntN(3) > 0 {
		bounds := query.Range{Field: "n", Min: numberBound(r, spread), Max: numberBound(r, spread)}
		node = query.And{Nodes: []query.Node{node, bounds}}
		in = func(d numberDoc) bool {
			return slices.ContainsFunc(d.numbers, func(n float64) bool { return between(bounds, n) })
		}
	}
	var want []numberDoc
	for _, d := range docs {
		if in(d) {
			want = append(want, d)
		}
	}
	slices.SortFunc(want, sort.compare)
	req := query.Request{Query: node, Size: 1 + r.IntN(40), Sort: []query.Sort{sort.Sort}}
	total := len(want)
	for page := range 6 {
		res, err := ix.Search(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		var got []doc.OID
		for _, h := range res.Hits {
			got = append(got, h.OID)
		}
		var hits []doc.OID
		for _, d := range want[:min(len(want), req.Size)] {
			hits = append(hits, d.oid)
		}
		want = want[len(hits):]
		if res.Total != uint64(total) || !slices.Equal(got, hits) || (res.Next != "") != (len(want) > 0) {
			t.Fatalf("%+v, %v, page %d: got %d documents, %q, next %q, want %d, %q", sort, node, page, res.Total, got, res.Next, total, hits)
		}
		if req.After = res.Next; req.After == "" {
			break
		}
	}
}

// keywordOf returns a keyword for each number, in the order of numbers.
func keywordOf(n float64) string { return fmt.Sprintf("%016.2f", n+1e12) }

func numberBound(r *rand.Rand, spread int) query.Bound {
	if r.IntN(4) == 0 {
		return query.Bound{}
	}
	return query.Bound{Text: fmt.Sprint(float64(r.IntN(spread)-spread/3) / 4), Exclusive: r.IntN(2) == 0}
}

// between reports whether a range has a number.
func between(in query.Range, n float64) bool {
	at := func(b query.Bound) (x float64) {
		if _, err := fmt.Sscan(b.Text, &x); err != nil {
			panic(err)
		}
		return x
	}
	low, high := in.Min, in.Max
	return (low.Text == "" || n > at(low) || n == at(low) && !low.Exclusive) && (high.Text == "" || n < at(high) || n == at(high) && !high.Exclusive)
}
