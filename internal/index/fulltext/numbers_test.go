package fulltext

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext/hits"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
)

// A numberDoc has any number of different values, and perhaps one that most documents have.
type numberDoc struct {
	oid     doc.OID
	numbers []float64
	common  int // 0: none
}

// numberSort is how a test sorts by a number.
type numberSort struct {
	query.Sort
	missing float64
	before  []query.Sort // by the common value, or none
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
	for _, by := range s.before {
		switch {
		case a.common == b.common:
		case a.common == 0 || b.common == 0:
			return cmp.Compare(b.common, a.common) // the last in either order
		case by.Descending:
			return cmp.Compare(b.common, a.common)
		default:
			return cmp.Compare(a.common, b.common)
		}
	}
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
	mapping := schema.Mapping{Content: []string{"title"}, Analyzer: "standard", Metadata: []schema.Field{{Name: "n", Type: schema.Number}, {Name: "k", Type: schema.Keyword}, {Name: "common", Type: schema.Number}}}
	for seed := range uint64(18) {
		r := rand.New(rand.NewPCG(seed, 31))
		spread, most, valued := []int{3, 400, 1 << 40}[seed%3], 1+r.IntN(3), []float64{1, 0.9, 0.1}[seed/3%3]
		ix := newIndex(t, mapping)
		docs := map[doc.OID]numberDoc{}
		for v := range 8 {
			var puts []doc.Doc
			seen := map[doc.OID]bool{}
			for range 1 + r.IntN(300) {
				d := numberDoc{oid: oid(t, int64(r.IntN(1500))), common: commonOf(r, v)}
				if seen[d.oid] {
					continue
				}
				seen[d.oid] = true
				var values, keywords []any
				for range r.IntN(most + 1) {
					if r.Float64() > valued {
						break
					}
					n := float64(r.IntN(spread)-spread/3) / 4
					d.numbers, values, keywords = append(d.numbers, n), append(values, n), append(keywords, keywordOf(n))
				}
				docs[d.oid] = d
				var common any
				if d.common > 0 {
					common = float64(d.common)
				}
				puts = append(puts, doc.Doc{Meta: doc.Meta{Stamp: doc.Stamp{OID: d.oid}, V: doc.Version(v + 1)}, Row: doc.Row{Names: []string{"title", "n", "k", "common"}, Values: []any{"film", values, keywords, common}}})
			}
			apply(t, ix, puts)
		}
		gone := oid(t, int64(7))
		apply(t, ix, nil, gone)
		delete(docs, gone)
		for range 25 {
			checkNumbers(t, ix, docs, r, spread, drawSort(r, spread))
			checkNumbers(t, ix, docs, r, spread, numberSort{Sort: query.Sort{Field: "k"}, before: byCommon(r)})
		}
	}
}

// Among documents with one number, the keyword decides, whatever segment they are in: also if
// two segments have the first keyword, and if one has many others before it.
func TestKeywordsOfOneNumber(t *testing.T) {
	mapping := schema.Mapping{Content: []string{"title"}, Analyzer: "standard", Metadata: []schema.Field{{Name: "n", Type: schema.Number}, {Name: "k", Type: schema.Keyword}}}
	for name, c := range map[string]struct {
		of    func(i int) (n float64, k string)
		first int64
	}{
		"the same keyword": {func(int) (float64, string) { return 1, "same" }, 0},
		"many keywords before": {func(i int) (float64, string) {
			switch {
			case i == 50:
				return 1, "b"
			case i < 200:
				return 2, fmt.Sprintf("a%03d", i)
			}
			return 1, "c"
		}, 50},
	} {
		ix := newIndex(t, mapping)
		for _, from := range []int{200, 0} {
			var puts []doc.Doc
			for i := from; i < from+200; i++ {
				n, k := c.of(i)
				puts = append(puts, doc.Doc{Meta: doc.Meta{Stamp: doc.Stamp{OID: oid(t, int64(i))}, V: 1}, Row: doc.Row{Names: []string{"title", "n", "k"}, Values: []any{"film", n, k}}})
			}
			apply(t, ix, puts)
		}
		res, err := ix.Search(t.Context(), query.Request{Query: query.Word{Text: "film"}, Size: 5, Sort: []query.Sort{{Field: "n"}, {Field: "k"}}})
		if err != nil || len(res.Hits) != 5 || res.Hits[0].OID != oid(t, c.first) {
			t.Errorf("%s: got %v, %v, want document %d first", name, res.Hits, err, c.first)
		}
	}
}

// drawSort draws how documents are sorted.
func drawSort(r *rand.Rand, spread int) numberSort {
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
	if r.IntN(2) == 0 {
		sort.before = byCommon(r)
	}
	return sort
}

func byCommon(r *rand.Rand) []query.Sort {
	return []query.Sort{{Field: "common", Descending: r.IntN(2) == 0}}
}

// checkNumbers compares the pages of one search with the model.
func checkNumbers(t *testing.T, ix *Index, docs map[doc.OID]numberDoc, r *rand.Rand, spread int, sort numberSort) {
	t.Helper()
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
	req := query.Request{Query: node, Size: 1 + r.IntN(40), Sort: append(slices.Clone(sort.before), sort.Sort)}
	total, limits := len(want), hits.NewLimits(2)
	limits.Terms = 1 + r.IntN(limits.Terms)
	for page := range 6 {
		res, err := ix.search(t.Context(), req, limits)
		if err != nil {
			t.Fatal(err)
		}
		var got []doc.OID
		for _, h := range res.Hits {
			got = append(got, h.OID)
		}
		var wanted []doc.OID
		for _, d := range want[:min(len(want), req.Size)] {
			wanted = append(wanted, d.oid)
		}
		want, req.Size = want[len(wanted):], 1+r.IntN(40)
		if res.Total != uint64(total) || !slices.Equal(got, wanted) || (res.Next != "") != (len(want) > 0) {
			t.Fatalf("%+v, %v, page %d: got %d documents, %q, next %q, want %d, %q", sort, node, page, res.Total, got, res.Next, total, wanted)
		}
		if req.After = res.Next; req.After == "" {
			break
		}
	}
}

// commonOf returns the common value of a document of a segment: most have the same.
func commonOf(r *rand.Rand, segment int) int {
	if r.IntN(10) == 0 {
		return r.IntN(4)
	}
	return 2 + segment%2
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
