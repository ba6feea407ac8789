package search

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"indexerd/internal/index/analysis"
	"indexerd/internal/index/query"
)

// ask answers a search in one table, or in all of them for "*".
func ask(t interface{ Fatalf(string, ...any) }, in string, all []Part, p Params) Results {
	for _, part := range all {
		if part.Table == in {
			p.Caller = part.Caller
			r, err := part.Search(context.Background(), p)
			if err != nil {
				t.Fatalf("%s in %s: %v", p.Query, in, err)
			}
			return r
		}
	}
	r, err := SearchAll(context.Background(), all, nil, p)
	if err != nil {
		t.Fatalf("%s: %v", p.Query, err)
	}
	return r
}

// What a person types is answered, with notes about what is not read as a query.
func TestSearchBox(t *testing.T) {
	for _, version := range []int{analysis.First, analysis.Latest} {
		searchBox(t, version)
	}
}

func searchBox(t *testing.T, version int) {
	film := newTable(t, "film", "title", "plot", "rating:keyword", "year:number")
	film.mapping.AnalysisVersion = version
	film.create(t)
	film.put(t,
		[]any{1, "sharks", "see https://example.com/a/b?c=d at 12:30", "PG", 2001},
		[]any{2, "an error", "error: x in the year 2001 or later", "G", 2002},
		[]any{3, "bolts", "the bolt -54-OR323014- of the sci-fi shark", "PG", 2003})
	song := newTable(t, "song", "title", "error:keyword")
	song.put(t, []any{1, "shark", "x"}, []any{2, "this or that", "y"})
	all := partsOf(film, song)
	for _, c := range []struct {
		in    string
		query string
		total uint64
		notes []string
	}{
		{"film", "https://example.com/a/b?c=d", 1, []string{"read as text: https"}},
		{"film", "12:30", 1, []string{"read as text: 12"}},
		{"film", "error: x", 1, []string{"read as text: error"}},
		{"song", "error:x", 1, nil},
		{"*", "error:x", 1, nil},
		{"song", "OR", 1, []string{"read as text: OR"}},
		{"film", "(", 3, []string{"closed at the end: ("}},
		{"film", `"`, 3, []string{`closed at the end: "`}},
		{"film", `"the year`, 1, []string{`closed at the end: "`}},
		{"film", `\`, 0, nil},
		{"film", "year:", 1, []string{"read as text: year"}},
		{"film", "year:2001", 1, nil},
		{"film", "year:x", 0, []string{"read as text: year"}},
		{"film", "plot:>x", 0, []string{"read as text: plot"}},
		{"film", "rating:PG~", 2, []string{"read as words: rating:PG~"}},
		{"film", "year:2001*", 1, []string{"read as words: year:2001*"}},
		{"film", "rting:PG", 0, []string{"read as text: rting: did you mean rating?"}},
		{"film", strings.Repeat("x", query.MaxLetters+1) + "~", 0, []string{"read as words: " + strings.Repeat("x", query.MaxLetters+1) + "~"}},
		{"film", "-54-OR323014-", 1, []string{"read as text: -54-OR323014-"}},
		{"film", "shark -54-or323014-", 1, []string{"read as text: -54-or323014-"}},
		{"film", "-54-OR323014", 1, []string{"read as text: -54-OR323014"}},
		{"film", "-54-OR3230", 3, nil}, // no word of a text
		{"film", "-OR323014-", 2, nil}, // in a text behind a 54
		{"film", "bolt -sci-fi", 0, nil},
		{"film", "-2001", 2, nil},
		{"*", "-54-OR323014-", 1, []string{"read as text: -54-OR323014-"}},
		{"*", "yaer:x", 0, []string{"read as text: yaer: did you mean year?"}},
	} {
		r := ask(t, c.in, all, Params{Query: c.query, Size: 3})
		if r.Total != c.total || !slices.Equal(r.Notes, c.notes) {
			t.Errorf("analysis %d: %s in %s: got %d, notes %q, want %d, notes %q", version, c.query, c.in, r.Total, r.Notes, c.total, c.notes)
		}
	}
}

// Without positions a phrase is words.
func TestSearchBoxWithoutPositions(t *testing.T) {
	film := newTable(t, "film", "title")
	film.mapping.Positions = false
	film.create(t)
	film.put(t, []any{1, "the mad scientist"})
	r := ask(t, "film", partsOf(film), Params{Query: `"scientist mad`, Typing: true, Size: 1})
	if want := []string{`closed at the end: "`, `read as words: "scientist mad"`}; r.Total != 1 || !slices.Equal(r.Notes, want) {
		t.Errorf("got %d, notes %q, want 1, notes %q", r.Total, r.Notes, want)
	}
}

// What exceeds a limit of the index is searched without * and ~, or with fewer words.
func TestSearchBoxBeyondTheLimits(t *testing.T) {
	film := newTable(t, "film", "title", "plot")
	var many strings.Builder
	for i := range query.MaxTerms/2 + 1 {
		fmt.Fprintf(&many, "a%dz ", i)
	}
	film.put(t, []any{1, many.String(), many.String()}, []any{2, "ab", ""})
	film.searcher.Expand = func(n query.Node) (query.Node, error) {
		if and, ok := n.(query.And); ok && len(and.Nodes) > 20 {
			return nil, query.Errorf("search for fewer words", "too many synonyms")
		}
		return n, nil
	}
	for text, notes := range map[string][]string{
		"ab OR a*":                 {"without * and ~: with a* the query stands for more than 65536 words"},
		strings.Repeat("ab ", 21):  {"only the first words: too many synonyms"},
		strings.Repeat("ab* ", 33): {"ignored: * and ~ after the first 16", "only the first 32 words", "only the first words: too many synonyms"},
	} {
		for _, typing := range []bool{false, true} {
			r := ask(t, "film", partsOf(film), Params{Query: text, Size: 3, Typing: typing})
			if r.Total != 1 || !slices.Equal(r.Notes, notes) {
				t.Errorf("%.20s: got %d, notes %q, want 1, notes %q", text, r.Total, r.Notes, notes)
			}
		}
	}
	_, err := film.searcher.Search(t.Context(), Params{Query: "ab OR a*", Sort: []query.Sort{{Field: "zz"}}})
	checkBadQuery(t, err, "no field zz: there are title, plot")
}

// A caller finds no difference between a document that may not be seen and none.
func TestSearchBoxReveals(t *testing.T) {
	film := newTable(t, "film", "title", "grp:keyword")
	film.put(t, []any{1, "bolt -54-OR323014- quokka", "secret"}, []any{2, "bolt", "open"})
	film.searcher.ACL = "grp"
	for _, c := range []struct {
		query  string
		groups []string
		total  uint64
		notes  []string
	}{
		{"-54-OR323014-", []string{"secret"}, 1, []string{"read as text: -54-OR323014-"}},
		{"-54-OR323014-", []string{"open"}, 1, nil}, // an exclusion, as without the first
		{"-54-OR323014-", nil, 0, nil},
		{"grp:secret", []string{"secret"}, 0, []string{"read as text: grp"}},
		{"quokak", []string{"secret"}, 1, []string{"nothing has these words: similar ones are found"}},
		{"quokak", []string{"open"}, 0, nil},
	} {
		parts := []Part{{film.searcher, Caller{Groups: c.groups}}}
		for _, in := range []string{"film", "*"} {
			r := ask(t, in, parts, Params{Query: c.query, Size: 3, Typing: true})
			if r.Total != c.total || !slices.Equal(r.Notes, c.notes) || r.Suggest != nil {
				t.Errorf("%s as %q in %s: got %d, notes %q, suggestion %v, want %d, notes %q", c.query, c.groups, in, r.Total, r.Notes, r.Suggest, c.total, c.notes)
			}
		}
	}
}

// A word that is typed with slips is found if nothing has it as it is written. Hits with
// more words as they are written are first.
func TestSlipsWhileTyping(t *testing.T) {
	film := newTable(t, "film", "title")
	film.put(t,
		[]any{1, "dinosaurus and sharks"},
		[]any{2, "the shark and a dinosaur"},
		[]any{3, "a shrak"},
		[]any{4, "an encyclopedia"},
		[]any{5, "a sharp and the dinosaur"})
	for text, want := range map[string]string{
		"shrak":               "3",
		"sahrk":               "1, 2",
		"dinosuar":            "2, 5",
		"shark dinosuar":      "2, 5",
		"sharp dinosuar":      "5, 2",
		"dinosuar and":        "2, 5",
		"encyclpoedai":        "4",
		"encyclopdiea sharks": "",
		"darm":                "", // too short
		"-dinosuar":           "1, 2, 3, 4, 5",
		`"dinosuar"`:          "",
		"title:dinosuar":      "",
	} {
		for _, strict := range []bool{false, true} {
			r := ask(t, "film", partsOf(film), Params{Query: text, Size: 9, Typing: true, Strict: strict})
			var got []string
			for i := range r.Len {
				hit, err := r.Hit(t.Context(), i)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, hit.OID)
			}
			if strings.Join(got, ", ") != want {
				t.Errorf("%s: got %s, want %s", text, strings.Join(got, ", "), want)
			}
		}
		if r := ask(t, "film", partsOf(film), Params{Query: text, Size: 9}); r.Total != map[string]uint64{"shrak": 1, "-dinosuar": 5}[text] {
			t.Errorf("%s when it is not being typed: got %d", text, r.Total)
		}
	}
}

// Any text is answered.
func TestEveryTextIsAnswered(t *testing.T) {
	film, song, note := library(t)
	note.searcher.ACL = "rating"
	all := partsOf(film, song, note)
	piece := rapid.SampledFrom([]string{"sha", "drama", "shrak", "OR", "TO", "-", "*", "~", "~2", ":", `"`, `\`, "(", ")", "[", "]", ">", "<", "=", " ", " ", "\t", "é", "武", "\xff", "title:", "year:", "rating:", "body:", "2001", "-5-x", "https://"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 1, 12).Draw(t, "text"), "")
		p := Params{Query: text, Size: 2, Typing: rapid.Bool().Draw(t, "typing"), Highlight: true,
			Match: rapid.SampledFrom([]query.Match{"", query.MatchMost, query.MatchAny}).Draw(t, "match")}
		r := ask(t, rapid.SampledFrom([]string{"film", "song", "note", "*"}).Draw(t, "table"), all, p)
		for i := range r.Len {
			if _, err := r.Hit(context.Background(), i); err != nil {
				t.Fatal(err)
			}
		}
	})
}
