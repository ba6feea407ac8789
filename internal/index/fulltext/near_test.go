package fulltext

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/analysis"
	"indexerd/internal/index/query"
)

// tuned is the tuned score of some words, written once more.
func (c corpus) tuned(k int64, words []string, p query.BM25) (score float64) {
	scores := map[string]float64{}
	for _, w := range words {
		scores[w] = c.anywhere(k, isWord(w), p)
		score += scores[w]
	}
	pairs := map[[2]string]bool{}
	for i, a := range words {
		for _, b := range words[i+1 : min(len(words), i+4)] {
			if pair := [2]string{min(a, b), max(a, b)}; a != b && !pairs[pair] {
				pairs[pair] = true
				if d := c.distance(k, a, b); d <= 8 {
					score += 0.05 * (scores[a] + scores[b]) / float64(d)
				}
			}
		}
	}
	return score
}

// anywhere is the score of a word in all columns together.
func (c corpus) anywhere(k int64, f freq, p query.BM25) float64 {
	columns := []map[int64][]string{c.column("title"), c.column("body")}
	means, longest := [2]float64{}, 0.0
	for i, column := range columns {
		for _, words := range column {
			means[i] += float64(len(words)) / float64(len(column))
		}
		longest = max(longest, means[i])
	}
	weight, having := 0.0, 0.0
	for i, column := range columns {
		boost := min(3, math.Sqrt(longest/means[i]))
		weight += boost * f(column[k]) / (1 - p.B + p.B*float64(len(column[k]))/means[i])
	}
	for k := range c {
		if f(columns[0][k])+f(columns[1][k]) > 0 {
			having++
		}
	}
	idf := math.Log(1 + (float64(len(c))-having+0.5)/(having+0.5))
	return idf * weight * (2*p.K1 + 1) / (weight + 2*p.K1)
}

// distance is that of the nearest occurrences of two words in a column.
func (c corpus) distance(k int64, a, b string) int {
	least := math.MaxInt
	for _, name := range []string{"title", "body"} {
		words := c.column(name)[k]
		for i, x := range words {
			for j, y := range words {
				if x == a && y == b {
					least = min(least, max(i-j, j-i))
				}
			}
		}
	}
	return least
}

// randomCorpus returns rows of few different words, so that many have equal scores.
func randomCorpus(r *rand.Rand, n int) corpus {
	text := func(most int) string {
		words := make([]string, r.IntN(most+1))
		for i := range words {
			words[i] = string(rune('a' + min(r.IntN(6), r.IntN(6))))
		}
		return strings.Join(words, " ")
	}
	c := corpus{}
	for k := range int64(n) {
		c[k] = struct{ title, body, group string }{text(3), text(20), []string{"red", "blue"}[r.IntN(2)]}
	}
	return c
}

// index writes the corpus in several segments, with rows that are deleted or written
// again later.
func (c corpus) index(t *testing.T, r *rand.Rand) *Index {
	ix := newIndex(t, corpusMapping)
	other := randomCorpus(r, 2*len(c))
	keys := func(c corpus) (all []int64) {
		for k := range c {
			all = append(all, k)
		}
		slices.Sort(all)
		return all
	}
	apply(t, ix, other.docs(t, keys(other)...))
	for some := range slices.Chunk(keys(c), 1+len(c)/3) {
		apply(t, ix, c.docs(t, some...))
	}
	var gone []doc.OID
	for k := len(c); k < len(other); k++ {
		gone = append(gone, oid(t, int64(k)))
	}
	apply(t, ix, nil, gone...)
	return ix
}

// Tuned scores are those of the formula, also of a caller who sees some rows only. Pages
// have the hits of the whole answer, in its order, however small they are.
func TestTunedScores(t *testing.T) {
	seeds := uint64(30)
	if testing.Short() {
		seeds = 6
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 1))
		c := randomCorpus(r, 20+r.IntN(60))
		ix := c.index(t, r)
		red := corpus{}
		for k, row := range c {
			if row.group == "red" {
				red[k] = row
			}
		}
		for range 20 {
			words := make([]string, 1+r.IntN(5))
			for i := range words {
				words[i] = string(rune('a' + r.IntN(6)))
			}
			seen, req := c, query.Request{Size: 1000, Tuned: true, Explain: true}
			if r.IntN(2) == 0 {
				seen, req.Visible = red, &query.Visible{Hidden: "grp", Filters: []query.Filter{{Field: "grp", Values: []string{"red"}}}}
			}
			match := query.Match(query.Matches()[r.IntN(3)])
			req.Query, _ = match.In(parse(t, strings.Join(words, " ")))
			name := fmt.Sprintf("seed %d: %s of %v", seed, match, words)
			res, err := ix.Search(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			seen.checkTuned(t, name, res, words)
			checkPages(t, name, ix, req, res, 1+r.IntN(7))
		}
	}
}

// checkTuned compares the scores of an answer with the formula.
func (c corpus) checkTuned(t *testing.T, name string, res query.Result, words []string) {
	t.Helper()
	for i, h := range res.Hits {
		k := slices.IndexFunc(slices.Collect(func(yield func(doc.OID) bool) {
			for k := int64(0); yield(oid(t, k)) && k < 1000; k++ {
			}
		}), func(o doc.OID) bool { return o == h.OID })
		if want := c.tuned(int64(k), words, query.DefaultBM25); math.Abs(h.Score-want) > 1e-5*want || want == 0 {
			t.Fatalf("%s: score of %d: got %v, want %v; parts %+v", name, k, h.Score, want, h.Explain)
		}
		sum := 0.0
		for _, part := range h.Explain {
			sum += part.Score
		}
		if math.Abs(sum-h.Score) > 1e-5*h.Score {
			t.Fatalf("%s: the parts %+v add up to %v, want %v", name, h.Explain, sum, h.Score)
		}
		if i > 0 && cmp.Or(cmp.Compare(h.Score, res.Hits[i-1].Score), cmp.Compare(res.Hits[i-1].OID, h.OID)) >= 0 {
			t.Fatalf("%s: hit %d does not follow the one before: %+v", name, i, res.Hits)
		}
	}
}

// checkPages compares the pages of a search with its whole answer.
func checkPages(t *testing.T, name string, ix *Index, req query.Request, whole query.Result, size int) {
	t.Helper()
	var got []query.Hit
	for req.Size, req.Explain = size, false; ; {
		res, err := ix.Search(t.Context(), req)
		if err != nil || res.Total != whole.Total || res.Best != whole.Best {
			t.Fatalf("%s: a page has total %d and best %v, %v; want %d and %v", name, res.Total, res.Best, err, whole.Total, whole.Best)
		}
		got = append(got, res.Hits...)
		if req.After = res.Next; res.Next == "" {
			break
		}
	}
	if !slices.EqualFunc(got, whole.Hits, func(a, b query.Hit) bool { return a.OID == b.OID && a.Score == b.Score }) {
		t.Fatalf("%s: pages of %d have\n%v, want\n%v", name, size, got, whole.Hits)
	}
}

// A word of a text with several forms, such as a stem, stands at one position: it is not near
// itself, and a text that repeats no word has no pairs.
func TestTunedFormsOfOneWord(t *testing.T) {
	m := textMapping
	m.AnalysisVersion, m.Language = analysis.Latest, "en"
	ix := newIndex(t, m)
	apply(t, ix, textDocs(t, []string{"the résumé of running", "a house", "résumés, resume, runs and running"}))
	for words, want := range map[string][]int{ // distances in the texts
		"resume résumé":  {1},
		"running runs":   {2},
		"résumé running": {1, 2},
	} {
		res := ask(t, ix, words, func(r *query.Request) { r.Tuned, r.Explain = true, true })
		var distances []int
		for _, h := range res.Hits {
			sum := 0.0
			for _, part := range h.Explain {
				if sum += part.Score; part.Distance > 0 {
					distances = append(distances, part.Distance)
				}
			}
			if math.IsInf(h.Score, 0) || math.Abs(sum-h.Score) > 1e-5*h.Score {
				t.Errorf("%s: the score of %v is %v, its parts %+v", words, h.OID, h.Score, h.Explain)
			}
		}
		if slices.Sort(distances); !slices.Equal(distances, want) || len(res.Hits) != 2 {
			t.Errorf("%s: %d hits with the distances %v, want 2 with %v", words, len(res.Hits), distances, want)
		}
	}
}

// An index without positions has no words near each other.
func TestTunedWithoutPositions(t *testing.T) {
	m := corpusMapping
	m.Positions = false
	ix := newIndex(t, m)
	apply(t, ix, corpusTexts.docs(t, 0, 1, 2, 3))
	res := ask(t, ix, "mad scientist", func(r *query.Request) { r.Tuned, r.Explain = true, true })
	for _, part := range res.Hits[0].Explain {
		if part.Distance != 0 {
			t.Errorf("got %+v from an index without positions", part)
		}
	}
}

// Where words are near each other in so many rows that the positions of the best are read
// first, the pages have all hits once, each with the score of all its parts, in order.
func TestTunedPagesOfManyRows(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	ix := newIndex(t, corpusMapping)
	const fewPairs = 2000 // the positions of so many are read at once
	c := randomCorpus(r, 3*fewPairs)
	for from := int64(0); from < int64(len(c)); from += fewPairs {
		var keys []int64
		for k := from; k < from+fewPairs; k++ {
			keys = append(keys, k)
		}
		apply(t, ix, c.docs(t, keys...))
	}
	req := query.Request{Query: parse(t, "a OR b OR c"), Size: 700, Tuned: true, Explain: true}
	var hits []query.Hit
	for {
		res, err := ix.Search(t.Context(), req)
		if err != nil || res.Total <= 2*fewPairs {
			t.Fatalf("got %d hits, %v", res.Total, err)
		}
		for _, h := range res.Hits {
			sum := 0.0
			for _, part := range h.Explain {
				sum += part.Score
			}
			if math.Abs(sum-h.Score) > 1e-5*h.Score {
				t.Fatalf("the parts of hit %d, %+v, add up to %v, want %v", len(hits), h.Explain, sum, h.Score)
			}
			if n := len(hits); n > 0 && cmp.Or(cmp.Compare(h.Score, hits[n-1].Score), cmp.Compare(hits[n-1].OID, h.OID)) >= 0 {
				t.Fatalf("hit %d, %+v, does not follow the one before, %+v", n, h, hits[n-1])
			}
			hits = append(hits, h)
		}
		if req.After = res.Next; res.Next == "" {
			if uint64(len(hits)) != res.Total {
				t.Fatalf("the pages have %d hits, want %d", len(hits), res.Total)
			}
			return
		}
	}
}
