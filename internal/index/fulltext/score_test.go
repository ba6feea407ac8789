package fulltext

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2/index/scorch"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
)

// A corpus is a table of texts in two columns, with the group that may see each row.
type corpus map[int64]struct{ title, body, group string }

var corpusMapping = schema.Mapping{
	Content: []string{"title", "body"}, Analyzer: "standard", Positions: true,
	Metadata: []schema.Field{{Name: "grp", Type: schema.Keyword}},
}

var corpusTexts = corpus{
	0: {"shark", "a mad shark meets a mad scientist and a mad scientist meets a shark", "red"},
	1: {"mad shark", "shark", "red"},
	2: {"the scientist", "sharks are not mad", "blue"},
	3: {"", "mad mad mad mad scientist", "red"},
	4: {"a long title of many words about nothing at all", "", "blue"},
	5: {"scientist", "old scientist mad world and an old mad world", "red"},
	6: {"world", "mad", "blue"},
	7: {"shar", "the science of a shark", "red"},
}

func (c corpus) docs(t *testing.T, keys ...int64) (docs []doc.Doc) {
	t.Helper()
	for _, k := range keys {
		d := c[k]
		docs = append(docs, doc.Doc{
			Meta: doc.Meta{Stamp: doc.Stamp{OID: oid(t, k)}, V: 1},
			Row:  doc.Row{Names: []string{"title", "body", "grp"}, Values: []any{d.title, d.body, d.group}},
		})
	}
	return docs
}

// column returns the words of a column of each row.
func (c corpus) column(name string) map[int64][]string {
	words := map[int64][]string{}
	for k, d := range c {
		text := d.title
		if name == "body" {
			text = d.body
		}
		words[k] = strings.Fields(text)
	}
	return words
}

// A freq tells how often a text has what is searched.
type freq func(words []string) float64

func isWord(word string) freq {
	return func(words []string) (n float64) {
		for _, w := range words {
			if w == word {
				n++
			}
		}
		return n
	}
}

func hasPrefix(prefix string) freq {
	return func(words []string) (n float64) {
		for _, w := range words {
			if strings.HasPrefix(w, prefix) {
				n++
			}
		}
		return n
	}
}

func isPhrase(phrase ...string) freq {
	return func(words []string) (n float64) {
		for i := range words {
			if len(words) >= i+len(phrase) && slices.Equal(words[i:i+len(phrase)], phrase) {
				n++
			}
		}
		return n
	}
}

func (f freq) idf(column map[int64][]string) float64 {
	having := 0.0
	for _, words := range column {
		if f(words) > 0 {
			having++
		}
	}
	return math.Log(1 + (float64(len(column))-having+0.5)/(having+0.5))
}

// bm25 is the formula, written once more. weigh returns the idf.
func (c corpus) bm25(k int64, f freq, p query.BM25, weigh func(column map[int64][]string) float64) (score float64) {
	for _, name := range []string{"title", "body"} {
		column, total := c.column(name), 0
		for _, words := range column {
			total += len(words)
		}
		n := f(column[k])
		length := float64(len(column[k])) / (float64(total) / float64(len(column)))
		score += weigh(column) * n * (p.K1 + 1) / (n + p.K1*(1-p.B+p.B*length))
	}
	return score
}

// check compares the scores of several queries with the formula.
func (c corpus) check(t *testing.T, ix *Index, visible *query.Visible, p *query.BM25) {
	t.Helper()
	params := query.DefaultBM25
	if p != nil {
		params = *p
	}
	one := func(f freq) func(int64) float64 {
		return func(k int64) float64 { return c.bm25(k, f, params, f.idf) }
	}
	phrase := func(words ...string) func(int64) float64 {
		idf := func(column map[int64][]string) (sum float64) {
			for _, w := range words {
				sum += isWord(w).idf(column)
			}
			return sum
		}
		return func(k int64) float64 { return c.bm25(k, isPhrase(words...), params, idf) }
	}
	mad, shark, scientist, world := one(isWord("mad")), one(isWord("shark")), one(isWord("scientist")), one(isWord("world"))
	misspelt := one(func(words []string) float64 { // w differs in one letter or in none
		return isWord("shark")(words) + isWord("shar")(words)/2 + isWord("sharks")(words)/2
	})
	for text, want := range map[string]func(int64) float64{
		"mad":             mad,
		"shar*":           one(hasPrefix("shar")),
		"shark~1":         misspelt,
		`"mad scientist"`: phrase("mad", "scientist"),
		"mad shark":       func(k int64) float64 { return mad(k) + shark(k) },
		"mad OR world":    func(k int64) float64 { return mad(k) + world(k) },
		"mad -scientist":  mad,
		"(mad shark) OR scientist": func(k int64) float64 {
			if mad(k) > 0 && shark(k) > 0 {
				return mad(k) + shark(k) + scientist(k)
			}
			return scientist(k)
		},
	} {
		res := ask(t, ix, text, func(r *query.Request) { r.Visible, r.BM25, r.Explain = visible, p, true })
		if res.Total == 0 {
			t.Errorf("%s: got no hits", text)
		}
		for _, h := range res.Hits {
			k := int64(-1)
			for i := range c {
				if oid(t, i) == h.OID {
					k = i
				}
			}
			if score := want(k); math.Abs(h.Score-score) > 1e-6*score || score == 0 {
				t.Errorf("%s: score of %d: got %v, want %v", text, k, h.Score, score)
			}
			c.checkParts(t, text, h, params)
		}
	}
}

// checkParts compares the parts of a score with the formula, and their sum with the
// score. No number of theirs depends on a document that is not in the corpus.
func (c corpus) checkParts(t *testing.T, text string, h query.Hit, p query.BM25) {
	t.Helper()
	sum := 0.0
	for _, part := range h.Explain {
		column, words := c.column(part.Field), 0.0
		for _, w := range column {
			words += float64(len(w))
		}
		if mean := words / float64(len(column)); p.B > 0 && math.Abs(part.Average-mean) > 1e-9 {
			t.Errorf("%s: %s has mean length %v, want %v", text, part.Field, part.Average, mean)
		}
		if idf := isWord(part.Word).idf(column); !strings.ContainsAny(part.Word, `"*~`) && math.Abs(part.IDF-idf) > 1e-9 {
			t.Errorf("%s: %s in %s has idf %v, want %v", text, part.Word, part.Field, part.IDF, idf)
		}
		length := 1.0
		if p.B > 0 {
			length = float64(part.Length) / part.Average
		}
		score := part.Boost * part.IDF * part.Freq * (p.K1 + 1) / (part.Freq + p.K1*(1-p.B+p.B*length))
		if !(math.Abs(part.Score-score) < 1e-9) {
			t.Errorf("%s: part %+v has not the score of its numbers, %v", text, part, score)
		}
		sum += part.Score
	}
	if math.Abs(sum-h.Score) > 1e-6*h.Score {
		t.Errorf("%s: the parts %+v add up to %v, want %v", text, h.Explain, sum, h.Score)
	}
}

// Scores are those of the formula, whatever segments, deleted and replaced documents
// an index has. A merge, a deletion of a document that does not match and documents
// that are hidden change none.
func TestScoresAreBM25(t *testing.T) {
	ix := newIndex(t, corpusMapping)
	old := corpusTexts.docs(t, 4, 4, 4, 4)
	for i, d := range old { // deleted or replaced below
		d.OID = oid(t, int64(i+4))
		old[i] = d
	}
	other := corpusTexts.docs(t, 3)
	other[0].OID = oid(t, int64(100))
	apply(t, ix, append(old, other...))
	apply(t, ix, corpusTexts.docs(t, 0, 1, 2, 3, 4))
	apply(t, ix, corpusTexts.docs(t, 5, 6, 7), oid(t, int64(100)))
	corpusTexts.check(t, ix, nil, nil)
	corpusTexts.check(t, ix, nil, &query.BM25{K1: 0.5, B: 0.2})
	corpusTexts.check(t, ix, nil, &query.BM25{K1: 2})

	red := corpus{}
	for k, d := range corpusTexts {
		if d.group == "red" {
			red[k] = d
		}
	}
	visible := &query.Visible{Hidden: "grp", Filters: []query.Filter{{Field: "grp", Values: []string{"red"}}}}
	red.check(t, ix, visible, nil)

	s := ix.store.(*scorch.Scorch)
	if err := s.ForceMerge(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	err := ix.read(func(r *scorch.IndexSnapshot) error {
		if n := len(r.Segments()); n != 1 {
			return fmt.Errorf("got %d segments, want the merged one", n)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	corpusTexts.check(t, ix, nil, nil)
	red.check(t, ix, visible, nil)
}

// The scores of an index of the release before, which has no lengths of documents,
// do not depend on them.
func TestScoresWithoutLengths(t *testing.T) {
	m := corpusMapping
	m.Unmeasured = true
	ix := newIndex(t, m)
	apply(t, ix, corpusTexts.docs(t, 0, 1, 2, 3, 4, 5, 6, 7))
	res := ask(t, ix, "body:shark")
	if res.Total != 3 || res.Hits[1].Score != res.Hits[2].Score || res.Hits[0].OID != oid(t, int64(0)) {
		t.Errorf("got %+v, want the same score for one shark, and more for two", res.Hits)
	}
	corpusTexts.check(t, ix, nil, &query.BM25{K1: 1.2}) // b = 0
	tuned := ask(t, ix, "world", func(r *query.Request) { r.Tuned = true })
	if idf := math.Log(1 + (8-2+0.5)/(2+0.5)); tuned.Total != 2 || math.Abs(tuned.Hits[0].Score-idf*2*3.4/(2+2.4)) > 1e-6 {
		t.Errorf("got tuned %+v, want the score of a word that occurs twice", tuned.Hits)
	}
}

// Pages show each hit once and in the order of scores, then keys, where very many
// documents have the same score, which a page reads in the order of keys.
func TestPagesOfEqualScores(t *testing.T) {
	ix := newIndex(t, films)
	const n = 3000
	var want []doc.OID
	for half := range int64(2) { // two segments
		var docs []doc.Doc
		for i := half; i < n; i += 2 {
			title := "odd"
			if i%500 == 7 {
				title = "odd odd"
			}
			docs = append(docs, film(t, i, 1, map[string]any{"title": title, "rating": "PG"}))
		}
		apply(t, ix, docs)
	}
	for i := range int64(n) {
		want = append(want, oid(t, i))
	}
	apply(t, ix, nil, want[0], want[1000])
	want = slices.Delete(slices.Delete(want, 1000, 1001), 0, 1)
	for text, better := range map[string]int{"": 0, "rating:PG": 0, "odd": n / 500} {
		req := query.Request{Query: parse(t, text), Size: 100}
		order := slices.Clone(want)
		for i := range better { // shorter is better, but more is better still
			k := oid(t, int64(i*500+7))
			order = slices.DeleteFunc(order, func(o doc.OID) bool { return o == k })
		}
		for i := better - 1; i >= 0; i-- {
			order = slices.Insert(order, 0, oid(t, int64(i*500+7)))
		}
		var got []doc.OID
		for page := 0; page <= n/req.Size; page++ {
			res, err := ix.Search(t.Context(), req)
			if err != nil || res.Total != uint64(len(want)) {
				t.Fatalf("%q: total %d, %v, want %d", text, res.Total, err, len(want))
			}
			got = append(got, oids(res)...)
			if req.After = res.Next; res.Next == "" {
				break
			}
		}
		if !slices.Equal(got, order) {
			t.Errorf("%q: got %d hits page by page, want %d in the order of scores and keys", text, len(got), len(order))
		}
	}
}

// Rows that are written between two pages neither repeat nor hide a hit, although
// they change how rare a word is and how long texts are.
func TestPagesWhileScoresChange(t *testing.T) {
	for i, text := range []string{"mad shark", "mad OR shark OR world", `"mad scientist" OR shark`, "shar* OR mad~1", "mad shark", "mad OR shark OR world", "mad (scientist OR shar*)"} {
		tuned := i > 3
		ix := newIndex(t, corpusMapping)
		apply(t, ix, corpusTexts.docs(t, 0, 1, 2, 3, 4, 5, 6, 7))
		want := ask(t, ix, text, func(r *query.Request) { r.Tuned = tuned })
		req := query.Request{Query: parse(t, text), Size: 1, Tuned: tuned}
		var got []query.Hit
		for i := range want.Hits {
			res, err := ix.Search(t.Context(), req)
			if err != nil || len(res.Hits) != 1 || (res.Next == "") != (i == len(want.Hits)-1) {
				t.Fatalf("%s: page %d: got %+v, %v", text, i, res, err)
			}
			got, req.After = append(got, res.Hits[0]), res.Next
			more := corpusTexts.docs(t, 4) // without a word of the queries
			more[0].OID = oid(t, int64(100+i))
			apply(t, ix, more)
		}
		if !slices.EqualFunc(got, want.Hits, func(a, b query.Hit) bool { return a.OID == b.OID && a.Score == b.Score }) {
			t.Errorf("%s: got %+v page by page, want %+v", text, got, want.Hits)
		}
	}
}
