package search

import (
	"errors"
	"testing"
)

// The last word of a query that is being typed matches what begins with it. What can't
// be completed is searched as it is, and an error is that of the query itself.
func TestTyping(t *testing.T) {
	film, song, note := library(t)
	note.searcher.ACL = "rating"
	all := []Part{{film.searcher, Caller{Admin: true}}, {song.searcher, Caller{}}, {note.searcher, Caller{Groups: []string{"PG"}}}}
	for _, c := range []struct {
		table *realTable // nil: all
		query string
		want  uint64
		err   string
	}{
		{film, "sha", 2, ""},
		{film, "drama sha", 1, ""},
		{film, "sha drama", 0, ""}, // only the last word
		{film, "sha ", 0, ""},      // a blank ends it
		{film, "rating:P", 0, ""},  // a letter is too short
		{film, "year:20", 0, ""},   // of numbers
		{film, "yaer:20", 0, "no field yaer: did you mean year?"},
		{film, `"sha`, 0, `unclosed quote at character 1: write the closing quote, or \" for a quote`},
		{note, "sha", 1, ""},
		{note, "dra", 0, ""}, // only a hidden document has it
		{nil, "sha", 4, ""},
		{nil, "year:20", 1, ""}, // of the table where it is text
	} {
		p := Params{Query: c.query, Size: 3, Typing: true, Strict: true, Caller: Caller{Groups: []string{"PG"}}}
		var r Results
		var err error
		if c.table == nil {
			r, err = SearchAll(t.Context(), all, nil, p)
		} else {
			r, err = c.table.searcher.Search(t.Context(), p)
		}
		if err == nil {
			err = errors.New("")
		}
		if err.Error() != c.err || r.Total != c.want {
			t.Errorf("%s: got %d, %v, want %d, %s", c.query, r.Total, err, c.want, c.err)
		}
	}
}
