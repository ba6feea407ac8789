package main

import (
	"strings"
	"testing"

	"indexerd/internal/query"
	"indexerd/internal/search"
)

// Fields keep their order, a list reads as one, and nothing in a row
// steers the terminal.
func TestPrintAnswer(t *testing.T) {
	answer := search.Answer{Table: "film", Total: 1, TookMS: 3, Hits: []search.Hit{{
		OID:        "7",
		Fields:     search.Fields{{Name: "title", Value: "GREEDY ROOTS"}, {Name: "note", Value: "red \x1b[31malarm\x07"}, {Name: "length", Value: int64(62)}, {Name: "seen", Value: nil}, {Name: "actors", Value: []any{"BELA WALKEN", "FAY WOOD"}}},
		Highlights: map[string][]string{"title": {"<mark>GREEDY</mark> \x1b[2JROOTS &lt;mark&gt; &amp;amp;"}},
	}}, Facets: map[string][]query.Count{"rating": {{Value: "R", Count: 1}}}}
	for _, c := range []struct {
		terminal bool
		on, off  string
	}{{false, "[", "]"}, {true, "\x1b[1m", "\x1b[0m"}} {
		var out strings.Builder
		printAnswer(&out, answer, c.terminal)
		want := "7\n  title: " + c.on + "GREEDY" + c.off + "  [2JROOTS <mark> &amp;\n  note: red [31malarm\n  length: 62\n  actors: BELA WALKEN, FAY WOOD\n" +
			"1 found in film, 1 shown, 3 ms\nrating: R (1)\n"
		if got := out.String(); got != want {
			t.Errorf("terminal %v: got\n%q\nwant\n%q", c.terminal, got, want)
		}
	}
}
