package search

import (
	"testing"

	"indexerd/internal/index/query"
)

// An answer without hits suggests the search for most words, with the number of
// documents that the caller may see.
func TestSuggestion(t *testing.T) {
	film, song, note := library(t)
	note.searcher.ACL = "rating"
	all := []Part{{film.searcher, Caller{Admin: true}}, {song.searcher, Caller{}}, {note.searcher, Caller{Groups: []string{"PG"}}}}
	for _, c := range []struct {
		table *realTable // nil: all
		query string
		match query.Match
		want  uint64 // 0: no suggestion
	}{
		{film, "drama quokka", "", 2},
		{film, "drama quokka", query.MatchAll, 2},
		{film, "drama quokka", query.MatchMost, 0},
		{film, "drama quokka", query.MatchAny, 0},
		{film, "drama shark", "", 0},
		{film, "quokka", "", 0},
		{film, "quokka koala", "", 0},
		{film, `"drama quokka"`, "", 0},
		{film, "drama quokka rating:R", "", 0},
		{film, "drama quokka -shark", "", 1},
		{note, "shark quokka", "", 1},
		{note, "drama quokka", "", 0}, // only documents that are hidden have it
		{nil, "shark quokka", "", 4},
		{nil, "drama quokka", "", 3},
	} {
		p := Params{Query: c.query, Match: c.match, Size: 3}
		var r Results
		var err error
		switch {
		case c.table == nil:
			r, err = SearchAll(t.Context(), all, nil, p)
		default:
			p.Caller = Caller{Groups: []string{"PG"}}
			r, err = c.table.searcher.Search(t.Context(), p)
		}
		if err != nil {
			t.Fatal(err)
		}
		got := Suggestion{}
		if r.Suggest != nil {
			got = *r.Suggest
		}
		if got.Total != c.want || r.Suggest != nil && got.Match != query.MatchMost {
			t.Errorf("%s, match %q: got %+v of %d hits, want a suggestion of %d", c.query, c.match, got, r.Total, c.want)
		}
	}
}
