package search

import (
	"testing"

	"indexerd/internal/index/query"
)

// An answer without hits suggests the words of documents that the caller may see, as
// they are written there: the index has stems.
func TestSpelling(t *testing.T) {
	film := newTable(t, "film", "title", "plot", "rating:keyword")
	film.put(t,
		[]any{1, "Sharks & Mountains", "a drama about a shark", "PG"},
		[]any{2, "a long day", "nothing but a drama of a day", "G"},
		[]any{3, "Quokkas", "on an island", "secret"},
		[]any{4, "Ingenious", "an engineer's dramatic <day>", "G"},
	)
	song := newTable(t, "song", "title")
	song.put(t, []any{1, "Mountains of Madness"})
	film.searcher.ACL = "rating"
	caller := Caller{Groups: []string{"PG", "G"}}
	all := []Part{{film.searcher, caller}, {song.searcher, caller}}
	for _, c := range []struct {
		in    string // "film" or "*"
		query string
		match query.Match
		want  Suggestion
	}{
		{"film", "moutains", "", Suggestion{"mountains", "all", 1}},
		{"film", "MOUTAINS sharks", "", Suggestion{"mountains sharks", "all", 1}},
		{"film", "moutains -drama", "", Suggestion{}},
		{"film", "moutains -island", "", Suggestion{"mountains -island", "all", 1}},
		{"film", "moutains -dayy", "", Suggestion{"mountains -dayy", "all", 1}},
		{"film", "moutains OR zzzzz", "", Suggestion{"mountains OR zzzzz", "all", 1}},
		{"film", "moutains zzzzz", "", Suggestion{"mountains zzzzz", "most", 1}},
		{"film", "moutains zzzzz", query.MatchAny, Suggestion{"mountains zzzzz", "any", 1}},
		{"film", "dramma dayy zzzzz", "", Suggestion{"drama day zzzzz", "most", 1}},
		{"film", "drama dayy", "", Suggestion{"drama day", "all", 1}},
		{"film", "drama zzzzz", "", Suggestion{"", "most", 2}},
		{"film", "quokas", "", Suggestion{}},                    // only a hidden document has it
		{"film", "drama quokas", "", Suggestion{"", "most", 2}}, // likewise
		{"film", "title:moutains", "", Suggestion{}},
		{"film", `"moutains"`, "", Suggestion{}},
		{"film", "e-moutains", "", Suggestion{}},
		{"*", "moutains", "", Suggestion{"mountains", "all", 2}},
		{"*", "moutains madnes", "", Suggestion{"mountains madness", "all", 1}},
	} {
		p := Params{Query: c.query, Match: c.match, Size: 3, Caller: caller}
		var r Results
		var err error
		if c.in == "*" {
			r, err = SearchAll(t.Context(), all, nil, p)
		} else {
			r, err = film.searcher.Search(t.Context(), p)
		}
		if err != nil {
			t.Fatal(err)
		}
		got := Suggestion{}
		if r.Suggest != nil {
			got = *r.Suggest
		}
		if got != c.want {
			t.Errorf("%s, match %q in %s: got %+v of %d hits, want %+v", c.query, c.match, c.in, got, r.Total, c.want)
		}
	}
}
