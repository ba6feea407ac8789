package search

import (
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"indexerd/internal/index/query"
	_ "indexerd/internal/test/nofailfile"
)

func partsOf(tables ...*realTable) []Part {
	var parts []Part
	for _, r := range tables {
		parts = append(parts, Part{Searcher: r.searcher})
	}
	return parts
}

// answerAll returns a search in several tables with all of its hits.
func answerAll(t *testing.T, parts []Part, p Params) (Answer, error) {
	t.Helper()
	r, err := SearchAll(t.Context(), parts, []string{"absent"}, p)
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Table: r.Table, Total: r.Total, Missing: r.Missing, Facets: r.Facets, Next: r.Next(r.Len)}
	for i := range r.Len {
		hit, err := r.Hit(t.Context(), i)
		if err != nil {
			t.Fatal(err)
		}
		a.Hits = append(a.Hits, hit)
	}
	return a, nil
}

// found lists the hits of an answer as table and key.
func found(a Answer) string {
	var all []string
	for _, h := range a.Hits {
		all = append(all, h.Table+" "+h.OID)
	}
	return strings.Join(all, ", ")
}

func TestSearchAll(t *testing.T) {
	film, song, note := library(t)
	parts := partsOf(film, song, note)
	year := []query.Sort{{Field: "year"}}
	for _, c := range []struct {
		name  string
		p     Params
		want  string
		total uint64
	}{
		{"a word in all tables, each table's best hit first", Params{Query: "shark"}, "film 1, song 2, note 8, film 3", 4},
		{"a field that one table has", Params{Query: "body:drama"}, "note 7", 1},
		{"a field of one table or of another", Params{Query: "body:drama OR plot:shark"}, "film 1, note 7", 2},
		{"an excluded field that some tables lack", Params{Query: "drama -plot:shark"}, "film 2, song 1, note 7", 3},
		{"a field of two types", Params{Query: "year:>=2002"}, "film 2, song 1, note 7, note 8", 4},
		{"a value that is no number", Params{Query: "year:<=many"}, "note 7, note 8", 2},
		{"a prefix of keywords, which numbers do not have", Params{Query: "year:20*"}, "note 7, note 8", 2},
		{"a filter leaves out the tables that can't answer it", Params{Query: "shark", Filters: []query.Filter{{Field: "rating", Values: []string{"PG"}}}}, "film 1, note 8, film 3", 3},
		{"sorted by a shared field, type by type, without a value last", Params{Query: "shark", Sort: year}, "note 8, song 2, film 1, film 3", 4},
		{"descending", Params{Query: "shark", Sort: []query.Sort{{Field: "year", Descending: true}}}, "film 1, song 2, note 8, film 3", 4},
		{"sorted by a field that some tables lack", Params{Query: "drama", Sort: []query.Sort{{Field: "rating", Descending: true}, {Field: "year"}}}, "film 1, note 7, film 2, song 1", 4},
		{"the worst first", Params{Query: "shark", Sort: []query.Sort{{Field: query.ByScore}}}, "film 3, film 1, song 2, note 8", 4},
		{"skipped hits", Params{Query: "shark", From: 2}, "note 8, film 3", 4},
		{"no hits wanted", Params{Query: "shark", Size: -10}, "", 4},
		{"nothing", Params{Query: "whale"}, "", 0},
	} {
		c.p.Size += 10
		a, err := answerAll(t, parts, c.p)
		if err != nil || found(a) != c.want || a.Total != c.total || a.Next != nil {
			t.Errorf("%s: got %s; total %d, next %v, %v\nwant %s; total %d", c.name, found(a), a.Total, a.Next, err, c.want, c.total)
		}
	}
}

// The scores of each table are divided by that of its best hit.
func TestScoresOfAllTables(t *testing.T) {
	film, song, note := library(t)
	a, err := answerAll(t, partsOf(film, song, note), Params{Query: "shark", Size: 10, Highlight: true})
	if err != nil {
		t.Fatal(err)
	}
	single, err := searchAll(film.searcher, Params{Query: "shark", Size: 10})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{1, 1, 1, single.Hits[1].Score / single.Hits[0].Score} {
		if got := a.Hits[i].Score; math.Abs(got-want) > 1e-6 || want > 1 {
			t.Errorf("hit %d: got score %v, want %v", i, got, want)
		}
	}
	if got := jsonOf(t, a.Hits[2]); got != `{"table":"note","oid":"8","score":1,"fields":{"body":"shark","rating":"PG","year":"2010"},"highlights":{"body":["<mark>shark</mark>"]}}` {
		t.Errorf("got %s", got)
	}
	if got := jsonOf(t, a.Missing); got != `["absent"]` {
		t.Errorf("got missing %s", got)
	}
	explained, err := answerAll(t, partsOf(film, song, note), Params{Query: "shark", Size: 10, Explain: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, h := range explained.Hits {
		sum := 0.0
		for _, part := range h.Explain {
			sum += part.Score
		}
		if math.Abs(sum-h.Score) > 1e-6 || h.Score != a.Hits[i].Score {
			t.Errorf("hit %d: the explanation adds up to %v and the score is %v, want %v", i, sum, h.Score, a.Hits[i].Score)
		}
	}
	boosted, err := answerAll(t, partsOf(film, song, note), Params{Query: "shark", Size: 10, Explain: true, TableBoosts: map[string]float64{"note": 3, "film": 0.5}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{3, 1, 0.5} {
		h, sum := boosted.Hits[i], 0.0
		for _, part := range h.Explain {
			sum += part.Score
		}
		if math.Abs(h.Score-want) > 1e-6 || math.Abs(sum-want) > 1e-6 {
			t.Errorf("with boosts, hit %d is %s %s with score %v, %v, want %v", i, h.Table, h.OID, h.Score, h.Explain, want)
		}
	}
	a, err = answerAll(t, partsOf(film, song), Params{Query: "drama", Size: 10, Explain: true, Sort: []query.Sort{{Field: "rating"}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range a.Hits {
		if h.Score != 0 || h.Explain != nil {
			t.Errorf("%s %s: got score %v, %v in a search that is not sorted by it, want 0 and no parts", h.Table, h.OID, h.Score, h.Explain)
		}
	}
}

func TestFacetsOfAllTables(t *testing.T) {
	film, song, note := library(t)
	p := Params{Facets: []query.Facet{{Field: "rating", Size: 1}, {Field: "year", Size: 9}}}
	a, err := answerAll(t, partsOf(film, song, note), p)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"rating":[{"value":"PG","count":3}],"year":[{"value":"2009","count":1},{"value":"2010","count":1}]}`
	if got := jsonOf(t, a.Facets); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	// The most frequent value of all tables is that of neither.
	film.put(t, []any{4, "", "", "X", 1}, []any{5, "", "", "X", 1}, []any{6, "", "", "X", 1})
	note.put(t, []any{9, "", "Y", nil}, []any{10, "", "Y", nil}, []any{11, "", "Y", nil}, []any{12, "", "PG", nil})
	if a, err = answerAll(t, partsOf(film, song, note), p); err != nil {
		t.Fatal(err)
	}
	if got := jsonOf(t, a.Facets["rating"]); got != `[{"value":"PG","count":4}]` {
		t.Errorf("got %s, want 4 of PG", got)
	}
}

// What no table can answer is an error.
func TestErrorsOfAllTables(t *testing.T) {
	film, song, note := library(t)
	parts := partsOf(film, song, note)
	for want, p := range map[string]Params{
		"no field rting: did you mean rating?":                                                                                       {Query: "rting:PG", Strict: true},
		"no field bod: did you mean body?":                                                                                           {Fields: []string{"title", "bod"}},
		"no field zz: there are title, plot, rating, year, body":                                                                     {Filters: []query.Filter{{Field: "zz", Values: []string{"a"}}}},
		"field plot is text, searched by its words: list it under metadata to filter, sort, compare or count it":                     {Sort: []query.Sort{{Field: "plot"}}},
		"facet rating: 1001 values, not 1 to 1000: write the number of values to return":                                             {Facets: []query.Facet{{Field: "rating", Size: 1001}}},
		"from 9991 and size 10 reach beyond hit 10000: set after to the next of the previous answer":                                 {From: 9991},
		"after AQ is not valid in a search in all tables: set after to the next of the previous answer, or leave it out":             {After: "AQ"},
		"after film is not valid in a search in all tables: set after to the next of the previous answer, or leave it out":           {After: "film"},
		`unclosed quote at character 1: write the closing quote, or \" for a quote`:                                                  {Query: `"a`, Strict: true},
		"size is 1010 and must be between 0 and 1000: page with after":                                                               {Size: 1000},
		"a search takes from or after, not both: leave one of them out":                                                              {From: 1, After: positions{"song": {1, "AAAA"}}.encode()},
		"after AAAA is not valid in this search: set after to the next of the previous answer and keep the sort, or leave after out": {After: positions{"song": {1, "AAAA"}}.encode()},
	} {
		p.Size += 10
		_, err := answerAll(t, parts, p)
		checkBadQuery(t, err, want)
	}
}

func TestFieldsOfAllTables(t *testing.T) {
	film, song, note := library(t)
	a, err := answerAll(t, partsOf(film, song, note), Params{Query: "shark", Size: 3, Fields: []string{"year", "body"}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{`{"year":2001}`, `{"year":2000}`, `{"year":"2010","body":"shark"}`} {
		if got := jsonOf(t, a.Hits[i].Fields); got != want {
			t.Errorf("hit %d: got %s, want %s", i, got, want)
		}
	}
}

// Each table shows what its caller may see, and the answer is that without all
// other documents.
func TestGroupsInAllTables(t *testing.T) {
	film, song, note := library(t)
	film.searcher.ACL = "rating"
	p := Params{Query: "shark", Size: 10, Facets: []query.Facet{{Field: "rating", Size: 9}}}
	for _, c := range []struct {
		caller Caller
		want   string
		facets string
	}{
		{Caller{Admin: true}, "film 1, song 2, note 8, film 3", `[{"value":"PG","count":3}]`},
		{Caller{Groups: []string{"PG"}}, "film 1, song 2, note 8, film 3", `[{"value":"PG","count":1}]`},
		{Caller{Groups: []string{"G"}}, "song 2, note 8", `[{"value":"PG","count":1}]`},
		{Caller{}, "song 2, note 8", `[{"value":"PG","count":1}]`},
	} {
		parts := partsOf(film, song, note)
		for i := range parts {
			parts[i].Caller = c.caller
		}
		a, err := answerAll(t, parts, p)
		if err != nil || found(a) != c.want || a.Total != uint64(len(strings.Split(c.want, ","))) || jsonOf(t, a.Facets["rating"]) != c.facets {
			t.Errorf("%+v: got %s, total %d, facets %v, %v\nwant %s, facets %s", c.caller, found(a), a.Total, a.Facets, err, c.want, c.facets)
		}
		for _, h := range a.Hits {
			if h.Table == "film" && (h.Fields.Get("rating") != nil) != c.caller.Admin {
				t.Errorf("%+v: film has the field of groups: %v", c.caller, h.Fields)
			}
		}
		if _, err := answerAll(t, parts[:1], Params{Query: "rating:PG", Strict: true}); (err == nil) != c.caller.Admin {
			t.Errorf("%+v: a query of the field of groups: got %v", c.caller, err)
		}
	}
}

// The pages of an answer, one after the other, are the whole answer, whatever their
// sizes and wherever the first begins.
func TestPagesOfAllTables(t *testing.T) {
	tables := []*realTable{newTable(t, "a", "text", "n:number", "k:keyword"), newTable(t, "b", "text", "n:number"), newTable(t, "c", "text", "k:keyword", "n:keyword")}
	words := []string{"red", "green", "blue", "red red", "red green", "blue red green", "green green blue"}
	for i, r := range tables {
		for id := range 30 {
			row := []any{id, words[(id*7+i)%len(words)], (id * id) % 5, fmt.Sprint(id % (3 + i))}
			switch i {
			case 1:
				row = row[:3]
			case 2:
				row[2], row[3] = row[3], fmt.Sprint(row[2])
			}
			r.put(t, row)
		}
	}
	parts := partsOf(tables...)
	rapid.Check(t, func(r *rapid.T) {
		p := Params{Query: rapid.SampledFrom([]string{"", "red", "red OR blue", "text:green", "n:>=2 OR k:1"}).Draw(r, "query"), Size: 200}
		for _, field := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"n", "k", query.ByScore}), 0, 3, rapid.ID).Draw(r, "sort") {
			p.Sort = append(p.Sort, query.Sort{Field: field, Descending: rapid.Bool().Draw(r, "descending")})
		}
		whole, err := answerAll(t, parts, p)
		if err != nil || whole.Next != nil {
			r.Fatalf("got next %v, %v", whole.Next, err)
		}
		p.From = rapid.IntRange(0, 40).Draw(r, "from")
		got := slices.Clone(whole.Hits[:min(p.From, len(whole.Hits))])
		for p.Size = rapid.IntRange(1, 9).Draw(r, "size"); ; {
			page, err := answerAll(t, parts, p)
			if err != nil {
				r.Fatal(err)
			}
			got = append(got, page.Hits...)
			if page.Total != whole.Total || len(page.Hits) > p.Size {
				r.Fatalf("got %d of %d hits, want %d of %d", len(page.Hits), page.Total, p.Size, whole.Total)
			}
			if page.Next == nil {
				break
			}
			p.From, p.After = 0, *page.Next
		}
		if g, w := found(Answer{Hits: got}), found(whole); g != w || uint64(len(got)) != whole.Total {
			r.Errorf("got  %s\nwant %s", g, w)
		}
	})
}

// Rows that are written between two pages neither repeat nor skip others.
func TestPagesOfAllTablesWhileRowsChange(t *testing.T) {
	film, song, note := library(t)
	parts := partsOf(film, song, note)
	p := Params{Query: "shark", Size: 3}
	first, err := answerAll(t, parts, p)
	if err != nil || first.Next == nil {
		t.Fatal(err)
	}
	song.put(t, []any{0, "shark shark shark", 2000})
	p.After = *first.Next
	second, err := answerAll(t, parts, p)
	if err != nil {
		t.Fatal(err)
	}
	if got := found(first) + " | " + found(second); got != "film 1, song 2, note 8 | film 3" {
		t.Errorf("got %s, want film 3 on the second page", got)
	}
}

// The scores of a table are divided by the same score on all pages, also if a better
// hit is written between two of them: 0.5 / 0.71 here, but for the rarity of the
// word, and not 0.5.
func TestScoresOfAllTablesWhileRowsChange(t *testing.T) {
	song := newTable(t, "song", "title")
	song.put(t, []any{1, "shark two"}, []any{2, "shark two three four"})
	p := Params{Query: "shark", Size: 1}
	first, err := answerAll(t, partsOf(song), p)
	if err != nil || first.Next == nil {
		t.Fatalf("got next %v, %v", first.Next, err)
	}
	song.put(t, []any{0, "shark"})
	p.After = *first.Next
	second, err := answerAll(t, partsOf(song), p)
	if err != nil || found(second) != "song 2" || second.Hits[0].Score < 0.7 {
		t.Errorf("got %+v, %v", second.Hits, err)
	}
}

func FuzzPositions(f *testing.F) {
	f.Add(positions{"film": {1.5, "AV5y"}, "a": {0, "AAAA"}}.encode())
	f.Add(base64.RawURLEncoding.EncodeToString([]byte{positionsVersion, 1, 'a', 0, 0, 0xc0, 0x7f, 1, 1}))
	f.Fuzz(func(t *testing.T, text string) {
		p, err := decodePositions(text)
		if err != nil || text == "" {
			return
		}
		for name, at := range p {
			if math.IsNaN(float64(at.best)) || math.IsInf(float64(at.best), 0) || at.best < 0 {
				t.Errorf("%q: best of %s is %v", text, name, at.best)
			}
		}
		again, err := decodePositions(p.encode())
		if err != nil || len(again) != len(p) {
			t.Errorf("%q: got %v again, %v, want %v", text, again, err, p)
		}
	})
}
