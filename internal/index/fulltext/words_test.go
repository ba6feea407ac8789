package fulltext

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
)

// titled indexes texts as the titles of films with the keys 0, 1, 2 ...
func titled(t *testing.T, analyzer string, texts ...string) *Index {
	t.Helper()
	ix := newIndex(t, with(films, analyzer))
	docs := make([]doc.Doc, len(texts))
	for i, text := range texts {
		docs[i] = film(t, int64(i), 1, map[string]any{"title": text})
	}
	apply(t, ix, docs)
	return ix
}

func TestFuzzyWords(t *testing.T) {
	texts := []string{"scientist", "sceintist", "scientists", "scints", "mad", "mda", "made", "spider-man", "今夜月", "naïve"}
	for _, c := range []struct{ analyzer, query, want string }{
		{"standard", "scientist~", "0 1 2"}, // the exact word first, then one edit; 3 has 3 edits
		{"standard", "scientist~1", "0 1 2"},
		{"standard", "sceintist~2", "1 0 2"},
		{"standard", "sceintist~1", "1 0"},
		{"standard", "MAD~", "4 5 6 7"},
		{"standard", "mad~2", "4 5 6 7"},
		{"standard", "spidr-man~", "7"},
		{"standard", "naive~", "9"},
		{"standard", "the~", ""},
		{"standard", "the~ mad", "4"},
		{"standard", "title:mda~", "5 4"},
		{"standard", "description:mda~", ""},
		{"standard", "今夜~", "8"},
		{"cjk", "今夜~", "8"},
		{"cjk", "今月~", ""},
		{"cjk", "mda~", "5 4"},
		{"ngram", "ientis~", "0 2"}, // pieces are not fuzzy
		{"en", "sceintists~", "1 0 2"},
	} {
		ix := titled(t, c.analyzer, texts...)
		got, want := find(t, ix, c.query), strings.Fields(c.want)
		if !slices.Equal(got, want) {
			t.Errorf("%s %s: got %v, want %v", c.analyzer, c.query, got, want)
		}
	}
}

// Words of deleted documents stay in the dictionary until segments are merged.
// They change no score, so a merge between two pages of an answer does not
// either.
func TestRemovedWordsDoNotCount(t *testing.T) {
	for _, words := range []string{"scientist~2", "mad~1 shark~", "scien* OR sharc~1", "mad OR scientist~"} {
		titles := []string{"scientist", "shark", "mad scientist shark", "mad shark"}
		want := ask(t, titled(t, "standard", titles...), words)
		ix := titled(t, "standard", append(titles, "sceintist mda", "scientists sharc", "scintist mad")...)
		if err := ix.Apply(nil, doc.Removals(1<<62, oid(t, int64(4)), oid(t, int64(5)), oid(t, int64(6)))); err != nil {
			t.Fatal(err)
		}
		got := ask(t, ix, words)
		if got.Total != want.Total || !slices.EqualFunc(got.Hits, want.Hits, func(a, b query.Hit) bool { return a.OID == b.OID && a.Score == b.Score }) {
			t.Errorf("%s: got %+v, want those of an index that never had them, %+v", words, got.Hits, want.Hits)
		}
	}
}

// A fuzzy word may have any length up to query.MaxLetters.
func TestFuzzyOfLongWords(t *testing.T) {
	for _, letter := range []string{"x", "é", "й", "𐐨"} {
		var texts []string
		for n := 3; n <= query.MaxLetters; n++ {
			texts = append(texts, "q"+strings.Repeat(letter, n-1))
		}
		ix := titled(t, "standard", texts...)
		for n := 4; n < query.MaxLetters; n++ {
			word := strings.Repeat(letter, n)
			if got, want := findSorted(t, ix, word+"~1"), slices.Sorted(slices.Values([]string{fmt.Sprint(n - 3), fmt.Sprint(n - 2)})); !slices.Equal(got, want) {
				t.Errorf("%s: got %v, want %v", word, got, want)
			}
		}
		long := strings.Repeat(letter, query.MaxLetters+1)
		checkError(t, ix, query.Request{Query: query.Fuzzy{Text: long}}, fmt.Sprintf("the word %s has 51 letters, and a word with ~ may have 50: leave the ~ out", query.Shorten(long)))
	}
}

func TestPhrasesWithSlop(t *testing.T) {
	ix := titled(t, "standard",
		"a mad scientist", "mad old scientist", "scientist, mad", "mad and very old scientist",
		"mad mad world", "mad world", "old scientist of a mad world")
	for text, want := range map[string]string{
		`"mad scientist"`:           "0",
		`"mad scientist"~1`:         "0 1",
		`"mad scientist"~2`:         "0 1 2",
		`"mad scientist"~3`:         "0 1 2 3",
		`"scientist mad"~1`:         "2", // the others need 2, because words swap
		`"mad mad"~5`:               "4", // needs the word twice
		`"mad mad world"~0`:         "4",
		`"world mad"~2`:             "5 4 6",
		`"scientist of the mad"~1`:  "6",
		`"mad"~3 scientist`:         "0 2 1 3 6",
		`title:"old scientist"~1`:   "6 1 3",
		`description:"mad world"~9`: "",
		`"the of"~9`:                "",
	} {
		if got, want := findSorted(t, ix, text), slices.Sorted(slices.Values(strings.Fields(want))); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
	}
	// The closer the words, the higher the score.
	if got, want := find(t, ix, `"mad scientist"~5 -world`), []string{"0", "1", "2", "3"}; !slices.Equal(got, want) {
		t.Errorf("nearest first: got %v, want %v", got, want)
	}
	checkError(t, ix, query.Request{Query: query.Phrase{Field: "rating", Text: "a b", Slop: 1}}, `"rating:\"a b\"~1" can't be found: field rating is a keyword, and only the content has words: leave the ~ out`)
	many := query.Phrase{Text: strings.Repeat("word ", query.MaxSlots+1), Slop: 1}
	checkError(t, ix, query.Request{Query: many}, "a phrase with ~ has 65 words, more than 64: shorten it, or leave the ~ out")
}

func TestBoostsOrderHits(t *testing.T) {
	ix := newIndex(t, films)
	apply(t, ix, []doc.Doc{
		film(t, "description", 1, map[string]any{"title": "a b c d e f", "description": "mad scientist"}),
		film(t, "title", 1, map[string]any{"title": "mad scientist with a long title of many words", "description": "x"}),
	})
	for _, text := range []string{"mad", "mad scientist", `"mad scientist"`, `"scientist mad"~3`, "scien*", "sceintist~", "mad OR nothing"} {
		for first, boosts := range map[string]map[string]float64{
			"title":       {"title": 4},
			"description": {"title": 0.25},
		} {
			got := find(t, ix, text, func(r *query.Request) { r.Boosts = boosts })
			if len(got) != 2 || got[0] != first {
				t.Errorf("%s with %v: got %v, want %s first", text, boosts, got, first)
			}
		}
	}
}

// A query whose prefixes stand for too many words is rejected.
func TestTooManyTermsAreRejected(t *testing.T) {
	ix := newIndex(t, films)
	var words []string
	for i := range query.MaxTerms/2 + 1 {
		words = append(words, fmt.Sprintf("w%d", i))
	}
	apply(t, ix, []doc.Doc{film(t, int64(1), 1, map[string]any{"title": strings.Join(words, " ")})})
	if got := ask(t, ix, "w*").Total; got != 1 {
		t.Errorf("w*: got %d, want 1", got)
	}
	checkError(t, ix, query.Request{Query: query.And{Nodes: []query.Node{query.Prefix{Text: "w"}, query.Prefix{Text: "w"}}}},
		"with w* the query stands for more than 65536 words: write more letters, or name a field")
}

// A lapsing context ends after a number of checks.
type lapsing struct {
	context.Context
	checks, most int
}

func (c *lapsing) Err() error {
	if c.checks++; c.checks > c.most {
		return context.DeadlineExceeded
	}
	return nil
}

// checkEvery is the number of steps between two checks of the context.
const checkEvery = 64

// Every loop over documents, terms or positions checks the context repeatedly,
// and ends with its error.
func TestDeadlineEndsEverySearch(t *testing.T) {
	t.Parallel()
	const n = 2000
	ix := newIndex(t, films)
	var docs []doc.Doc
	for i := range int64(n) {
		docs = append(docs, film(t, i, 1, map[string]any{"title": fmt.Sprintf("odd even w%d", i), "year": i, "rating": fmt.Sprint(i)}))
	}
	var many strings.Builder
	for i := range 2 * n {
		fmt.Fprintf(&many, "x%d ", i)
	}
	docs = append(docs, film(t, int64(n), 1, map[string]any{"description": many.String()}))
	apply(t, ix, docs)
	few := []string{`"odd even w1"~9 OR "even w2 even"~3`, "year:[0 TO 1998] rating:none", "(odd OR even) (nothing OR w1*)"}
	for _, text := range append([]string{
		"*", "odd", "w*", "odd~", "x*", "-year:>=0", "-odd", "odd -even", "nothing OR -odd", `"even odd"`, "year:[0 TO 1998]", "odd OR even OR w*", `"odd even" -"odd even"`,
	}, few...) {
		req := query.Request{Query: parse(t, text)}
		all := &lapsing{context.Background(), 0, math.MaxInt}
		if _, err := ix.Search(all, req); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		want := n / checkEvery
		switch text {
		case "x*":
			want *= 2 // a step for each term, and one for its documents
		case "*", "odd", "odd~", "-odd", "odd -even", "nothing OR -odd", "-year:>=0", "year:[0 TO 1998]":
			want = 2 // whole sets of documents, or a column
		}
		if all.checks < want && !slices.Contains(few, text) {
			t.Errorf("%s: %d checks of the deadline, want at least %d", text, all.checks, want)
		}
		for most := 0; most < all.checks; most += 1 + all.checks/10 {
			ix.filters.Drop() // or fewer checks are made
			if _, err := ix.Search(&lapsing{context.Background(), 0, most}, req); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: after %d checks of %d got %v, want DeadlineExceeded", text, most, all.checks, err)
			}
		}
	}
	plain, counted := &lapsing{context.Background(), 0, math.MaxInt}, &lapsing{context.Background(), 0, math.MaxInt}
	for ctx, facets := range map[*lapsing][]query.Facet{plain: nil, counted: {{Field: "rating", Size: 3}}} {
		if _, err := ix.Search(ctx, query.Request{Facets: facets}); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := counted.checks-plain.checks, n/checkEvery-1; got < want {
		t.Errorf("facets: %d more checks of the deadline, want %d", got, want)
	}
}

// So does the search for matches in a text.
func TestDeadlineEndsAMatcher(t *testing.T) {
	ix := titled(t, "standard")
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, "w%d odd ", i)
	}
	for _, q := range []string{"x*", "odd~", `"odd odd"`, `"odd odd"~1`} {
		all := &lapsing{context.Background(), 0, math.MaxInt}
		if _, err := ix.Matcher(parse(t, q))(all, "title", text.String()); err != nil || all.checks < 1000/checkEvery {
			t.Errorf("%s: %v after %d checks, want one for each %d words", q, err, all.checks, checkEvery)
		}
		if _, err := ix.Matcher(parse(t, q))(&lapsing{context.Background(), 0, 3}, "title", text.String()); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: got %v, want DeadlineExceeded", q, err)
		}
	}
}

// Every word is indexed unless the mapping drops it.
func TestNoWordIsDropped(t *testing.T) {
	kept := schema.Mapping{Content: []string{"title"}, Analyzer: "standard", Positions: true}
	dropped, stems := kept, kept
	dropped.Stopwords, stems.Analyzer = []string{"The", "of", "的"}, "en"
	for _, c := range []struct {
		mapping schema.Mapping
		query   string
		want    int
	}{
		{kept, `"to be or not to be"`, 1}, {kept, "the who", 1}, {kept, `"vitamin a"`, 1}, {kept, "的", 1},
		{stems, `"to be or not to be"`, 1}, {stems, "the who", 1}, {stems, `"vitamin a"`, 1},
		{dropped, "the who", 1}, {dropped, "the", 0}, {dropped, "的", 0}, {dropped, "我 书", 1},
	} {
		ix := newIndex(t, c.mapping)
		for i, title := range []string{"To be, or not to be", "The Who", "Vitamin A", "我的书"} {
			apply(t, ix, []doc.Doc{film(t, int64(i), 1, map[string]any{"title": title})})
		}
		if got := ask(t, ix, c.query).Total; got != uint64(c.want) {
			t.Errorf("%s, stop words %v: %s: got %d hits, want %d", c.mapping.Analyzer, c.mapping.Stopwords, c.query, got, c.want)
		}
	}
}
