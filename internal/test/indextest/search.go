package indextest

import (
	"cmp"
	"slices"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/query"
)

var searchBehaviours = []behaviour{
	{"a search finds what Apply has written, and nothing that it replaced or deleted", true, foundAtOnce},
	{"a total counts every document, also those that are not returned", true, totals},
	{"the strings and numbers in JSON are found, and its names are not", true, nestedFound},
	{"a value that does not fit its field is missing, and its row is found", true, badValues},
}

// find returns the total and the documents that have a word.
func (r *run) find(word string, size int) (uint64, []doc.Indexed) {
	r.Helper()
	s, ok := r.ix.(Searcher)
	if !ok {
		r.Fatalf("a %T has no method Search", r.ix)
	}
	result, err := s.Search(r.Context(), query.Request{Query: query.Word{Text: word}, Size: size})
	if err != nil {
		r.Fatal(err)
	}
	var docs []doc.Indexed
	for _, h := range result.Hits {
		docs = append(docs, indexed(h.OID, h.V))
	}
	slices.SortFunc(docs, func(a, b doc.Indexed) int { return cmp.Compare(a.OID, b.OID) })
	return result.Total, docs
}

func foundAtOnce(r *run) {
	a, b := key(int64(1)), key(int64(2))
	finds := func(word string, want ...doc.Indexed) {
		r.Helper()
		if total, got := r.find(word, 10); total != uint64(len(want)) || !slices.Equal(got, want) {
			r.Errorf("%s: got %v of %d, want %v", word, got, total, want)
		}
	}
	r.apply(r, []doc.Doc{film(a, 1, "quiet harbour"), film(b, 2, "quiet river")})
	finds("quiet", indexed(a, 1), indexed(b, 2))
	r.apply(r, []doc.Doc{film(a, 3, "loud harbour")})
	finds("quiet", indexed(b, 2))
	finds("loud", indexed(a, 3))
	r.apply(r, nil, removed(b, 4))
	finds("river")
	r.apply(r, []doc.Doc{film(b, 5, "first bridge"), film(b, 6, "second bridge")}) // a key twice in a batch
	finds("first")
	finds("bridge", indexed(b, 6))
	r.reopen(r)
	finds("harbour", indexed(a, 3))
}

// OpenSearch stops at 10,000 unless a search asks for more.
func totals(r *run) {
	const n = 10_001
	for from := int64(0); from < n; from += 2000 {
		var puts []doc.Doc
		for i := from; i < min(from+2000, n); i++ {
			puts = append(puts, film(key(i), 1, "common"))
		}
		r.apply(r, puts)
	}
	if total, docs := r.find("common", 5); total != n || len(docs) != 5 {
		r.Errorf("got %d documents of %d, want 5 of %d", len(docs), total, n)
	}
}

// Of JSON, strings and numbers are words and values, at any depth; names are not. The
// row is stored as it is.
func nestedFound(r *run) {
	a, b := film(key(int64(1)), 1, ""), film(key(int64(2)), 2, "")
	a.Row.Values = []any{doc.JSON(`{"name":"quiet harbour","parts":[{"title":"loud river","n":17}],"gone":null}`), doc.JSON(`{"from":1999,"to":[2001,2003]}`)}
	b.Row.Values = []any{[]any{"quiet", doc.JSON(`{"x":"bridge"}`)}, []any{int64(2001), doc.JSON(`{}`)}}
	r.apply(r, []doc.Doc{a, b})
	first, second := indexed(a.OID, 1), indexed(b.OID, 2)
	for word, want := range map[string][]doc.Indexed{"quiet": {first, second}, "river": {first}, "17": {first}, "bridge": {second}, "parts": nil, "name": nil, "x": nil, "null": nil} {
		if total, got := r.find(word, 10); total != uint64(len(want)) || !slices.Equal(got, want) {
			r.Errorf("%s: got %v of %d, want %v", word, got, total, want)
		}
	}
	for year, want := range map[string]uint64{"1999": 1, "2001": 2, "2003": 1, "2002": 0} {
		result, err := r.ix.(Searcher).Search(r.Context(), query.Request{Query: query.All{}, Filters: []query.Filter{{Field: "year", Values: []string{year}}}, Size: 10})
		if err != nil || result.Total != want {
			r.Errorf("year %s: got %d documents, %v, want %d", year, result.Total, err, want)
		}
	}
}

func badValues(r *run) {
	a, b := key(int64(1)), key(int64(2))
	soon := film(a, 1, "quiet harbour")
	soon.Row.Values[1] = []any{"soon", int64(1999), doc.NewBadValue("NaN", "NaN is no number")}
	bad := film(b, 2, "quiet river")
	bad.Row.Values[1] = doc.NewBadValue("NaN", "NaN is no number")
	for _, d := range []doc.Doc{soon, bad} {
		if _, flaws, err := r.ix.Hash(d.Row); err != nil || len(flaws) != 1 || flaws[0].Column != "year" {
			r.Errorf("%v: got flaws %v, %v, want one of the year", d.Row.Values, flaws, err)
		}
	}
	r.apply(r, []doc.Doc{soon, bad})
	if total, got := r.find("quiet", 10); total != 2 || !slices.Equal(got, []doc.Indexed{indexed(a, 1), indexed(b, 2)}) {
		r.Errorf("got %v of %d, want both", got, total)
	}
	result, err := r.ix.(Searcher).Search(r.Context(), query.Request{Query: query.Word{Text: "quiet"}, Filters: []query.Filter{{Field: "year", Values: []string{"1999"}}}, Size: 10})
	if err != nil || result.Total != 1 || result.Hits[0].OID != a {
		r.Errorf("with a filter: got %+v, %v, want the document that has the year beside others", result.Hits, err)
	}
}
