package fulltext

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"indexerd/internal/doc"
	"indexerd/internal/query"
)

func TestFilters(t *testing.T) {
	ix := newIndex(t, films)
	apply(t, ix, []doc.Doc{
		film(t, "a", 1, map[string]any{"title": "drama", "rating": "PG", "year": int64(2006), "updated": "2006-02-15", "rented": true}),
		film(t, "b", 1, map[string]any{"title": "drama", "rating": "G", "year": int64(2007), "rented": false}),
		film(t, "c", 1, map[string]any{"title": "shark", "rating": "PG"}),
	})
	for want, filters := range map[string][]query.Filter{
		"a c":   {{Field: "rating", Values: []string{"PG"}}},
		"a b c": {{Field: "rating", Values: []string{"PG", "G"}}},
		"a":     {{Field: "rating", Values: []string{"PG", "G"}}, {Field: "year", Values: []string{"2006"}}},
		"b":     {{Field: "rented", Values: []string{"false"}}},
		"a ":    {{Field: "updated", Values: []string{"2006-02"}}},
		"":      {{Field: "rating", Values: []string{""}}},
	} {
		got := find(t, ix, "", func(r *query.Request) { r.Filters = filters })
		slices.Sort(got)
		if !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%v: got %v, want %v", filters, got, want)
		}
	}
	// Filters don't count for the score.
	plain := ask(t, ix, "drama")
	filtered := ask(t, ix, "drama", func(r *query.Request) { r.Filters = []query.Filter{{Field: "rating", Values: []string{"PG", "G"}}} })
	if !slices.Equal(keys(plain), keys(filtered)) || filtered.Hits[0].Score != filtered.Hits[1].Score {
		t.Errorf("filtered: got %v, want the order of %v", filtered.Hits, plain.Hits)
	}
}

func TestScore(t *testing.T) {
	ix := newIndex(t, films)
	apply(t, ix, []doc.Doc{
		film(t, "a", 1, map[string]any{"description": "drama of a very long kind with many more words in it"}),
		film(t, "b", 1, map[string]any{"title": "drama"}),
		film(t, "c", 1, map[string]any{"title": "drama", "description": "drama drama"}),
		film(t, "d", 1, map[string]any{"title": "rare"}),
	})
	if got, want := find(t, ix, "drama"), []string{"c", "b", "a"}; !slices.Equal(got, want) {
		t.Errorf("best first: got %v, want %v", got, want)
	}
	if got := find(t, ix, "title:rare OR title:drama"); slices.Index(got, "d") > slices.Index(got, "b") {
		t.Errorf("the rare word first: got %v, want d before b", got)
	}
	worst := func(r *query.Request) { r.Sort = []query.Sort{{Field: query.ByScore}} }
	if got, want := find(t, ix, "drama", worst), []string{"a", "b", "c"}; !slices.Equal(got, want) {
		t.Errorf("worst first: got %v, want %v", got, want)
	}
	for _, h := range ask(t, ix, "dram*").Hits {
		if h.Score <= 0 {
			t.Errorf("prefix: got score %v of %s, want more than 0", h.Score, h.OID)
		}
	}
}

func TestFacets(t *testing.T) {
	ix := newIndex(t, films)
	var docs []doc.Doc
	for i := range int64(10) {
		docs = append(docs, film(t, i, 1, map[string]any{"title": fmt.Sprintf("w%d", i%2), "rating": fmt.Sprintf("r%d", i%3), "tags": []any{"all", fmt.Sprintf("t%d", i)}}))
	}
	apply(t, ix, docs)
	res := ask(t, ix, "", func(r *query.Request) {
		r.Size = 2                             // facets are of all matches
		r.Sort = []query.Sort{{Field: "tags"}} // which is then read once
		r.Facets = []query.Facet{{Field: "rating", Size: 2}, {Field: "tags", Size: 1}}
	})
	want := map[string][]query.Count{
		"rating": {{Value: "r0", Count: 4}, {Value: "r1", Count: 3}},
		"tags":   {{Value: "all", Count: 10}},
	}
	if !reflect.DeepEqual(res.Facets, want) {
		t.Errorf("got %v, want %v", res.Facets, want)
	}
	res = ask(t, ix, "nothing", func(r *query.Request) { r.Facets = []query.Facet{{Field: "rating", Size: 2}} })
	if counts, ok := res.Facets["rating"]; !ok || counts == nil || len(counts) != 0 {
		t.Errorf("nothing found: got %v, want an empty list", res.Facets)
	}
}

// A range of more terms than are looked up one by one, alone and beside a
// word, finds what the short way finds.
func TestWideRange(t *testing.T) {
	ix := newIndex(t, films)
	const n = 3 * maxSpanTerms
	for _, half := range []int64{0, 1} { // two segments
		var docs []doc.Doc
		for i := half; i < n; i += 2 {
			docs = append(docs, film(t, i, 1, map[string]any{"title": fmt.Sprintf("w%d", i%10), "year": i}))
		}
		apply(t, ix, docs)
	}
	apply(t, ix, nil, oid(t, int64(100)))
	for text, want := range map[string]uint64{
		"year:>=10":                n - 10 - 1,
		"year:>10":                 n - 11 - 1,
		"year:<=3000":              3000,
		"-year:<=3000":             n - 3001,
		"year:[50 TO 3000]":        2950,
		"w3 year:<3000":            300,
		"w0 year:<3000":            299,
		"year:[50 TO 3000] -w3":    2655,
		"year:[99 TO 101]":         2,
		"year:<1000 OR year:>2000": 999 + n - 2001,
		"year:*":                   n - 1,
	} {
		if got := ask(t, ix, text).Total; got != want {
			t.Errorf("%s: got %d, want %d", text, got, want)
		}
	}
}

func TestSpans(t *testing.T) {
	for _, c := range []struct{ analyzer, query, text, want string }{
		{"standard", "drama shark", "A DRAMA of sharks and a Shark", "A [DRAMA] of sharks and a [Shark]"},
		{"standard", "-drama shark", "a drama of a shark", "a drama of a [shark]"},
		{"standard", `"mad scientist"`, "mad and Mad Scientist; mad", "mad and [Mad Scientist]; mad"},
		{"standard", `"man of the year"`, "man of the year, man in a year, man year", "[man of the year], [man in a year], man year"},
		{"standard", "dram*", "drama dramatic undramatic", "[drama] [dramatic] undramatic"},
		{"standard", "title:drama", "drama", "[drama]"},
		{"standard", "description:drama", "drama", "drama"},
		{"standard", "rating:drama", "drama", "drama"},
		{"standard", "git.exe", "a git.exe, git exe, exe", "a [git.exe], [git exe], exe"},
		{"standard", "元衡", "武元衡 元", "武[元衡] 元"},
		{"standard", "the OR *", "the", "the"},
		{"en", "runs", "Running dogs run", "[Running] dogs [run]"},
		{"cjk", "今", "月今 今夜 夜", "月[今] [今]夜 夜"},
		{"cjk", "夜月", "今夜月明 夜", "今[夜月]明 夜"},
		{"cjk", "今夜月", "今夜月明 今夜", "[今夜月]明 今夜"},
		{"ngram", "ram", "Drama RAM", "D[ram]a [RAM]"},
		{"ngram", "a", "bab", "b[a]b"},
	} {
		m := films
		m.Analyzer = c.analyzer
		schema, err := newSchema(m)
		if err != nil {
			t.Fatal(err)
		}
		if got := marked(t, &Index{schema: schema}, parse(t, c.query), c.text); got != c.want {
			t.Errorf("%s %s:\ngot  %s\nwant %s", c.analyzer, c.query, got, c.want)
		}
	}
}

// marked puts what a query matches in a title into brackets. Of the index it
// takes no more than the schema.
func marked(t *testing.T, ix *Index, n query.Node, text string) string {
	t.Helper()
	spans, err := ix.Matcher(n)(context.Background(), "title", text)
	if err != nil {
		t.Fatal(err)
	}
	out, at := "", 0
	for _, s := range spans {
		out += text[at:s.Start] + "[" + text[s.Start:s.End] + "]"
		at = s.End
	}
	return out + text[at:]
}

func TestAfterOfAnotherSort(t *testing.T) {
	ix := newIndex(t, films)
	apply(t, ix, []doc.Doc{film(t, "a", 1, nil), film(t, "b", 1, nil)})
	one := func(r *query.Request) { r.Size = 1 }
	next := ask(t, ix, "", one).Next
	req := query.Request{Size: 1, After: next, Sort: []query.Sort{{Field: "year"}}}
	_, err := ix.Search(context.Background(), req)
	var bad *query.Error
	if !errors.As(err, &bad) {
		t.Errorf("got %v, want a query.Error", err)
	}
}

func FuzzCursor(f *testing.F) {
	schema, err := newSchema(films)
	if err != nil {
		f.Fatal(err)
	}
	o, err := schema.newOrder([]query.Sort{{Field: "year"}, {Field: query.ByScore, Descending: true}, {Field: "rating"}})
	if err != nil {
		f.Fatal(err)
	}
	full := &candidate{score: 1.5, keys: []key{{present: true, term: []byte("x")}, {}, {}}, id: "\x11\x00\xff"}
	f.Add(o.encode(full))
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := o.decode(text)
		if err != nil {
			return
		}
		again, err := o.decode(o.encode(c))
		if err != nil || again.id != c.id || !reflect.DeepEqual(again.keys, c.keys) {
			t.Errorf("%q: got %+v, %v; want %+v", text, again, err, c)
		}
	})
}

func FuzzRecord(f *testing.F) {
	f.Add(record{fingerprint: 1, generation: 2, batch: 3}.encode())
	f.Add([]byte{})
	f.Add([]byte{recordVersion})
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := decodeRecord(b)
		if err == nil && string(r.encode()) != string(b) {
			t.Errorf("%x: encodes to %x", b, r.encode())
		}
	})
}

// Real texts: a word is found in just the texts that have it, in Chinese a pair
// of characters.
func TestRealTexts(t *testing.T) {
	n := 800
	if testing.Short() {
		n = 200
	}
	for name, analyzers := range map[string][]string{"en.jsonl.gz": {"standard", "ngram"}, "zh.jsonl.gz": {"cjk", "ngram"}} {
		all := readLines(t, name, n)
		docs, texts := make([]doc.Doc, n), make([]string, n)
		for i, l := range all {
			docs[i], texts[i] = l.doc(t), strings.Map(foldRune, l.Text)
		}
		words := sample(texts, newTestAnalyzer(t, "standard").stop)
		if len(words) < 50 {
			t.Fatalf("%s: a sample of %d words, want more", name, len(words))
		}
		for _, analyzer := range analyzers {
			t.Run(name+" "+analyzer, func(t *testing.T) {
				m := lines
				m.Analyzer = analyzer
				ix := newIndex(t, m)
				apply(t, ix, docs[:n/2])
				apply(t, ix, docs[n/2:])
				for _, word := range words {
					if got, want := ask(t, ix, query.Word{Text: word}.String()).Total, having(texts, word, analyzer); got != want {
						t.Errorf("%s: got %d, want %d", word, got, want)
					}
				}
			})
		}
	}
}

// sample draws words, and pairs of Chinese characters, that are no stop words.
func sample(texts []string, stop map[string]bool) []string {
	words := map[string]bool{}
	for i := 0; i < len(texts); i += len(texts) / 10 {
		for _, w := range strings.FieldsFunc(texts[i], func(r rune) bool { return !isWord(r) || r == '_' }) {
			if runes := []rune(w); runes[0] > 0x2e80 {
				w = string(runes[:min(2, len(runes))])
			}
			if !stop[w] {
				words[w] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(words))
}

// having counts the texts that have a word: as a whole, or anywhere where the
// analyzer finds any piece.
func having(texts []string, word, analyzer string) (n uint64) {
	whole := regexp.MustCompile(`(^|[^\pL\p{Nd}\pM_])` + regexp.QuoteMeta(word) + `($|[^\pL\p{Nd}\pM_])`)
	for _, text := range texts {
		if strings.Contains(text, word) && (analyzer != "standard" || whole.MatchString(text)) {
			n++
		}
	}
	return n
}

// What facets and orders hold of a search's matches is bounded: beyond it the
// search is refused, and neither answered wrongly nor out of memory.
func TestHeldValuesAreBounded(t *testing.T) {
	ix := newIndex(t, films)
	long := strings.Repeat("x", 20_000)
	for first := int64(0); first < 1000; first += 100 {
		var docs []doc.Doc
		for i := first; i < first+100; i++ {
			docs = append(docs, film(t, i, 1, map[string]any{"title": "w", "rating": fmt.Sprintf("%d %s", i, long)}))
		}
		apply(t, ix, docs)
	}
	for want, req := range map[string]query.Request{
		"facet rating: the documents found have too many different values to count": {Facets: []query.Facet{{Field: "rating", Size: 1}}},
		"the values to sort by are too long for so many hits":                       {Size: 1000, Sort: []query.Sort{{Field: "rating"}}},
	} {
		_, err := ix.Search(t.Context(), req)
		var bad *query.Error
		if !errors.As(err, &bad) || bad.Message != want || bad.Hint == "" {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	for _, req := range []query.Request{
		{Query: query.Word{Text: "w"}, Filters: []query.Filter{{Field: "rating", Values: []string{"7 " + long}}}, Facets: []query.Facet{{Field: "rating", Size: 1}}},
		{Size: 10, Sort: []query.Sort{{Field: "rating", Descending: true}}}, // goes through all of them, and holds few
	} {
		if res, err := ix.Search(t.Context(), req); err != nil || len(res.Hits) == 0 && req.Size > 0 {
			t.Errorf("a search that holds little: got %d hits, %v", len(res.Hits), err)
		}
	}
}
