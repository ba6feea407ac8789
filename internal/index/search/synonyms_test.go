package search

import (
	"strings"
	"testing"

	"indexerd/internal/index/query"
)

// A search uses the synonyms of its table: in all searches of words, in highlights, and
// in the suggestion of another query. A search of all tables uses those of each.
func TestSynonymsOfATable(t *testing.T) {
	film, song, note := library(t)
	film.searcher.Expand = film.Synonyms([]query.Synonyms{{From: []string{"fish", "shark"}, To: []string{"fish", "shark"}}, {From: []string{"dull"}, To: []string{"long day"}}}).Expand
	song.searcher.Expand = song.Synonyms([]query.Synonyms{{From: []string{"fish"}, To: []string{"drama"}}}).Expand
	all := partsOf(film, song, note)
	for _, c := range []struct {
		table *realTable // nil: all
		query string
		match query.Match
		want  uint64
	}{
		{film, "fish", "", 2},
		{film, "fish drama", "", 1},
		{film, "dull", "", 1},
		{film, "fish quokka koala", query.MatchMost, 0},
		{film, "fish drama quokka", query.MatchMost, 1},
		{film, "title:fish", "", 2},
		{film, "plot:fish", "", 1},
		{film, `"fish"`, "", 0},
		{song, "fish", "", 1},
		{note, "fish", "", 0},
		{nil, "fish", "", 3},
		{nil, "title:fish", "", 3}, // note has no title
	} {
		p := Params{Query: c.query, Match: c.match, Size: 5, Highlight: true, Typing: c.match == ""}
		var a Answer
		var err error
		if c.table == nil {
			a, err = answerAll(t, all, p)
		} else {
			a, err = searchAll(c.table.searcher, p)
		}
		if err != nil || a.Total != c.want {
			t.Errorf("%s: got %d, %v, want %d", c.query, a.Total, err, c.want)
		}
		for _, h := range a.Hits {
			if len(h.Highlights) == 0 {
				t.Errorf("%s: hit %s of %s has no highlights", c.query, h.OID, h.Table)
			}
		}
	}
	a, err := film.searcher.Search(t.Context(), Params{Query: "fish dramma", Size: 1})
	if err != nil || a.Suggest == nil || a.Suggest.Query != "fish drama" || a.Suggest.Total != 1 {
		t.Errorf("got suggestion %+v, %v, want fish drama", a.Suggest, err)
	}
	for _, parts := range [][]Part{partsOf(film), all} {
		_, err := SearchAll(t.Context(), parts, nil, Params{Query: strings.Repeat("fish ", query.MaxSynonyms), Size: 1, Strict: true})
		checkBadQuery(t, err, "with its synonyms the query stands for more than 1024 words and phrases: search for fewer words")
	}
}
