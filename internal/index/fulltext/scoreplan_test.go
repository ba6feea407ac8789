package fulltext

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
)

// A scoreModel computes the scores of nodes that combine others from the scores of
// these.
type scoreModel struct {
	*model
	t  *rapid.T
	ix *Index
}

// scores returns the score of each match of a query with a boost around it, and whether
// it is ignored.
func (m scoreModel) scores(n query.Node, boost float64) (all map[doc.OID]float64, ignored bool) {
	_, ignored = m.matches(n, modelDoc{})
	if b, ok := n.(query.Boosted); ok {
		return m.scores(b.Node, boost*b.Factor)
	}
	if parts := m.parts(n, boost); parts != nil && !ignored {
		return m.combine(n, parts, boost), false
	}
	all = map[doc.OID]float64{}
	res, err := m.ix.Search(context.Background(), query.Request{Query: n, Size: query.MaxSize, Lucene: true})
	if err != nil {
		m.t.Fatal(err)
	}
	for _, h := range res.Hits {
		all[h.OID] = h.Score * boost
	}
	return all, ignored
}

// parts returns the scores of the parts of a node, nil for a node without.
func (m scoreModel) parts(n query.Node, boost float64) (all []map[doc.OID]float64) {
	var nodes []query.Node
	switch n := n.(type) {
	case query.AtLeast:
		nodes = n.Nodes
	case query.Optional:
		nodes = n.Nodes
	case query.DisMax:
		nodes = n.Nodes
	case query.Boosted:
		nodes = []query.Node{n.Node}
	case query.Constant:
		nodes = []query.Node{n.Node}
	case query.Reweighted:
		nodes = []query.Node{n.Node}
	case query.Nested:
		nodes = []query.Node{n.Node}
	case query.Or:
		nodes = n.Nodes
	case query.Searched:
		if _, ignored := m.matches(n.Node, modelDoc{}); ignored {
			nodes = []query.Node{n.Else}
		} else {
			nodes = []query.Node{n.Node}
		}
	}
	for _, part := range nodes {
		if scores, ignored := m.scores(part, boost); !ignored {
			all = append(all, scores)
		}
	}
	return all
}

func (m scoreModel) combine(n query.Node, parts []map[doc.OID]float64, boost float64) map[doc.OID]float64 {
	sum, best, matched := map[doc.OID]float64{}, map[doc.OID]float64{}, map[doc.OID]int{}
	for _, part := range parts {
		for oid, score := range part {
			sum[oid] += score
			best[oid] = max(best[oid], score)
			matched[oid]++
		}
	}
	switch n := n.(type) {
	case query.AtLeast:
		least := max(1, n.Least.Of(len(parts)))
		if len(parts) == 1 {
			least = 1
		}
		maps.DeleteFunc(sum, func(oid doc.OID, _ float64) bool { return matched[oid] < least })
	case query.Optional:
		for oid := range m.docs {
			sum[oid] += 0
		}
	case query.DisMax:
		for oid := range sum {
			sum[oid] = best[oid] + n.Tie*(sum[oid]-best[oid])
		}
	case query.Constant:
		for oid := range sum {
			sum[oid] = n.Score * boost
		}
	case query.Reweighted:
		for oid := range sum {
			sum[oid] = m.reweighted(n, m.docs[oid], sum[oid])
		}
	}
	return sum
}

// reweighted returns a score as the functions change it.
func (m scoreModel) reweighted(n query.Reweighted, d modelDoc, score float64) float64 {
	var numbers []float64
	sum, weights, product := 0.0, 0.0, 1.0
	for _, f := range n.Functions {
		if f.Filter != nil {
			if yes, ignored := m.matches(f.Filter, d); !yes || ignored {
				continue
			}
		}
		x := f.Weight
		if f.Value != nil {
			of, err := f.Value.WithoutValue()
			if d.year != nil {
				of, err = f.Value.Of(float64(*d.year))
			}
			if err != nil {
				m.t.Fatal(err)
			}
			x *= of
		}
		numbers, sum, weights, product = append(numbers, x), sum+x, weights+f.Weight, product*x
	}
	given := 1.0
	if len(numbers) > 0 {
		average := sum / weights
		if weights == 0 {
			average = 0
		}
		given = map[query.Mode]float64{query.Multiply: product, query.Sum: sum, query.Average: average, query.Least: slices.Min(numbers), query.Greatest: slices.Max(numbers), query.First: numbers[0]}[n.Mode]
	}
	if n.Most > 0 {
		given = min(given, n.Most)
	}
	return map[query.Mode]float64{query.Multiply: score * given, query.Sum: score + given, query.Average: (score + given) / 2, query.Least: min(score, given), query.Greatest: max(score, given), query.Replace: given}[n.Combine]
}

// The score of a node that combines others is made of theirs, the parts of an
// explanation add up to it, and a hit in the middle of the order continues it.
func TestScoresCombine(t *testing.T) {
	t.Parallel()
	m := newModel("standard")
	ix := newIndex(t, modelMapping("standard"))
	drawn := rapid.Custom(drawDoc)
	for batch := range 3 {
		var puts []doc.Doc
		for i := batch * 20; i < batch*20+20; i++ {
			d := drawn.Example(i)
			d.v = doc.Version(i + 1)
			m.docs[oid(t, int64(i))] = d
			puts = append(puts, doc.Doc{Meta: doc.Meta{Stamp: doc.Stamp{OID: oid(t, int64(i))}, V: d.v}, Row: d.row()})
		}
		apply(t, ix, puts)
	}
	rapid.Check(t, func(t *rapid.T) {
		n := drawOther(t, 2, true)
		want, ignored := scoreModel{m, t, ix}.scores(n, 1)
		if ignored {
			want = nil
		}
		res := mustSearch(t, ix, query.Request{Query: n, Size: query.MaxSize, Lucene: true, Explain: true})
		if len(res.Hits) != len(want) {
			t.Fatalf("%v: got %d hits, want %d", n, len(res.Hits), len(want))
		}
		for _, h := range res.Hits {
			explained := 0.0
			for _, part := range h.Explain {
				explained += part.Score
			}
			if w := want[h.OID]; !near(h.Score, w) || !near(explained, w) {
				t.Fatalf("%v in %s: got score %g and parts of %g (%+v), want %g", n, h.OID, h.Score, explained, h.Explain, w)
			}
		}
	})
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-5*max(1, math.Abs(a)) }

// The scores of words are those of Lucene: idf * freq / (freq + k1*(1-b + b*length/average)).
func TestLuceneScore(t *testing.T) {
	m := schema.Mapping{Content: []string{"title"}, Analyzer: "standard", Positions: true}
	ix := newIndex(t, m)
	var puts []doc.Doc
	for i, title := range []string{"mad scientist", "shark", "academy dinosaur", "quiet harbour", "sceintist dramatic dramas", "a"} {
		puts = append(puts, doc.Doc{Meta: doc.Meta{Stamp: doc.Stamp{OID: oid(t, int64(i))}, V: 1}, Row: doc.Row{Names: []string{"title"}, Values: []any{title}}})
	}
	apply(t, ix, puts)
	for word, want := range map[string]float64{"mad": 0.6751, "shark": 0.8601} { // of OpenSearch 3.8
		for _, lucene := range []bool{true, false} {
			res, err := ix.Search(t.Context(), query.Request{Query: query.Word{Field: "title", Text: word}, Size: 1, Lucene: lucene})
			if err != nil {
				t.Fatal(err)
			}
			factor := 1 / cmp.Or(query.DefaultBM25.K1+1, 1)
			if lucene {
				factor = 1
			}
			if got := res.Hits[0].Score * factor; math.Abs(got-want) > 1e-4 {
				t.Errorf("%s: got %g, want %g", word, got, want)
			}
		}
	}
}
