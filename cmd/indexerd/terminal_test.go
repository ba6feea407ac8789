package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"indexerd/internal/index/query"
	"indexerd/internal/index/search"
)

// steering is what a terminal would obey.
var steering = regexp.MustCompile("[\x00-\x08\x0b-\x1f\x7f\u0080-\u009f\u202a-\u202e\u2066-\u2069]")

// Whatever a row contains, no command prints what steers a terminal, and a key with a
// line in it begins no line. As JSON it is still the key.
func TestCommandsPrintNothingThatSteers(t *testing.T) {
	t.Parallel()
	const nasty = "k\x1b]0;owned\a\u009b31m\u202e\x7f\nnote: equal"
	db, file := newNotes(t, [2]string{nasty, "found \x1b[2J\u009b2J\u202e word"}, [2]string{"deleted" + nasty, "found as well"})
	p := follow(t, file)
	p.stop(t)
	execute(t, db, "DELETE FROM note WHERE id LIKE 'deleted%'; UPDATE note SET body = 'changed'")
	for _, args := range [][]string{
		{"search", "note", "found"}, {"search", "note", "found", "--json"}, {"search", "note", "found", "--no-highlight"},
		{"verify", "--wait", "1s"}, {"verify", "--wait", "1s", "--json"}, {"explain", "note", nasty}, {"explain", "note", nasty, "--json"},
		{"explain", "note", "none" + nasty}, {"versions", "note", nasty}, {"history", "note"}, {"status"}, {"check"}, {"check", "--json"},
		{"search", "note", "nofield\x1b[2J:x"}, {"search", "no\x1b[2Jtable", "x"},
	} {
		args = append([]string{args[0], "-c", file}, args[1:]...)
		out, stderr, _ := ask(t, args...)
		for _, text := range []string{out, stderr} {
			if at := steering.FindString(text); at != "" {
				t.Errorf("%q prints %q: %q", args, at, text)
			}
			if strings.HasPrefix(text, "note: equal\n") || strings.Contains(text, "\nnote: equal\n") {
				t.Errorf("%q prints a line that a key has in it: %q", args, text)
			}
		}
	}
	out, _, _ := ask(t, "search", "-c", file, "note", "found", "--json")
	if !strings.Contains(out, `k\u001b]0;owned\u0007\u009b31m\u202e\u007f\nnote: equal`) {
		t.Errorf("as JSON the key is %s", out)
	}
}

// A log line of either format escapes too.
func TestLogLinesSteerNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, format := range []string{"text", "json"} {
		file := writeFile(t, strings.ReplaceAll("data: DIR/data-"+format+"\nhttp: {listen: 127.0.0.1:0}\nlog: {format: "+format+"}\nsources:\n  db: {driver: sqlite, dsn: \"DIR/none\\e[2J\\u009b2J\\u202e.sqlite\"}\n"+
			"tables:\n  note: {source: db, sql: SELECT * FROM note, key: id, updated: u, content: {fields: [text]}}\n", "DIR", dir))
		p := start(t, "run", "-c", file)
		eventually(t, soon, "the log names the file", func() error {
			if !strings.Contains(p.log.String(), "none") {
				return os.ErrNotExist
			}
			return nil
		})
		p.stop(t)
		if at := steering.FindString(p.log.String()); at != "" {
			t.Errorf("%s: the log has %q: %q", format, at, p.log)
		}
	}
}

// Fields keep their order, a list reads as one, and nothing in a row
// steers the terminal.
func TestPrintAnswer(t *testing.T) {
	answer := search.Answer{Table: "film", Total: 1, TookMS: 3, Hits: []search.Hit{{
		OID: "7", Score: 3.25,
		Fields:     search.Fields{{Name: "title", Value: "GREEDY ROOTS"}, {Name: "note", Value: "red \x1b[31malarm\x07"}, {Name: "length", Value: int64(62)}, {Name: "seen", Value: nil}, {Name: "actors", Value: []any{"BELA WALKEN", "FAY WOOD"}}},
		Highlights: map[string][]string{"title": {"<mark>GREEDY</mark> \x1b[2JROOTS &lt;mark&gt; &amp;amp;"}},
		Explain:    []query.ScorePart{{Word: "greedy\x1b[2J", Field: "title", Boost: 2, IDF: 1.5, Freq: 1, Length: 2, Average: 2.5, Score: 2.25}, {Score: 1}},
	}, {Table: "film", OID: "8", Title: "\x1b[2JGREEDY"}}, Notes: query.Notes{"read as text: a\x1b[2J"}, Facets: map[string][]query.Count{"rating": {{Value: "R", Count: 1}}}}
	for _, c := range []struct {
		terminal bool
		on, off  string
	}{{false, "[", "]"}, {true, "\x1b[1m", "\x1b[0m"}} {
		var out strings.Builder
		printAnswer(&out, answer, c.terminal)
		want := "7\n  title: " + c.on + "GREEDY" + c.off + "  [2JROOTS <mark> &amp;\n  note: red [31malarm\n  length: 62\n  actors: BELA WALKEN, FAY WOOD\n" +
			"  score 3.2500\n    2.2500  greedy\\u001b[2J in title: frequency 1 in 2 words (mean 2.5), idf 1.500, boost 2\n    1.0000  matches without a word\n" +
			"\\u001b[2JGREEDY (film 8)\n1 found in film, 2 shown, 3 ms\nnote: read as text: a\\u001b[2J\nrating: R (1)\n"
		if got := out.String(); got != want {
			t.Errorf("terminal %v: got\n%q\nwant\n%q", c.terminal, got, want)
		}
	}
}
