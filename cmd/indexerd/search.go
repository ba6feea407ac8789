package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"maps"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/terminal"
	"indexerd/internal/index/query"
	"indexerd/internal/index/search"
	"indexerd/internal/serve/httpapi"
)

type searchCommand struct {
	requestFlags
	Table     string   `arg:"" help:"The table, or '*' for all tables."`
	Words     []string `arg:"" optional:"" help:"The query. Write -- before words that begin with a hyphen."`
	From      int      `placeholder:"N" help:"Hits to skip."`
	Size      int      `default:"10" placeholder:"N" help:"Hits to return, up to 1000 (${default})."`
	After     string   `placeholder:"NEXT" help:"Continue after a previous answer: its \"next\"."`
	Filter    []string `sep:"none" placeholder:"FIELD:VALUE" help:"Only documents with this value; may be repeated."`
	Sort      []string `placeholder:"FIELD" help:"Sort by a metadata field, -FIELD for descending."`
	Facets    []string `placeholder:"FIELD:N" help:"Count the most frequent values of a keyword field."`
	Fields    []string `placeholder:"FIELD" help:"Show only these fields."`
	Match     string   `default:"all" enum:"all,most,any" placeholder:"HOW" help:"Documents must have all words of the query, most (70 %%) or any of them (${default})."`
	Relevance string   `default:"" enum:",tuned,plain" placeholder:"HOW" help:"Order hits as tuned, where short fields and words near each other count more, or plain; default: the table's relevance."`
	Strict    bool     `help:"Reject what is no query, with the position of the error; else it is text."`
	Highlight bool     `default:"true" negatable:"" help:"Mark the words of the query."`
	Explain   bool     `help:"Show for each hit what each word adds to its score."`
	Fresh     *bool    `negatable:"" help:"Check the hits in the database before they are shown; default: the table's fresh."`
}

// Help implements kong.HelpProvider.
func (searchCommand) Help() string {
	return "A document must have all words, or with --match most of them. Also: OR, ( ), -without, \"a phrase\", \"a phrase\"~2, pre*, fuzzy~, field:value, field:>=5 and field:[a TO b].\n\n" +
		"Examples:\n" +
		"  indexerd search -c configs/pagila.yaml film drama shark\n" +
		"  indexerd search -c configs/pagila.yaml film 'drama release_year:>=2000' --filter rating:PG --sort -release_year --json\n" +
		"  indexerd search -c configs/pagila.yaml '*' drama"
}

// values returns the parameters of the URL.
func (c searchCommand) values() url.Values {
	v := url.Values{"q": {strings.Join(c.Words, " ")}, "size": {strconv.Itoa(c.Size)}, "highlight": {strconv.FormatBool(c.Highlight)}}
	if c.From != 0 {
		v.Set("from", strconv.Itoa(c.From))
	}
	if c.After != "" {
		v.Set("after", c.After)
	}
	if c.Match != "all" {
		v.Set("match", c.Match)
	}
	if c.Relevance != "" {
		v.Set("relevance", c.Relevance)
	}
	if c.Explain {
		v.Set("explain", "true")
	}
	if c.Strict {
		v.Set("strict", "true")
	}
	if c.Fresh != nil {
		v.Set("fresh", strconv.FormatBool(*c.Fresh))
	}
	if len(c.Filter) > 0 {
		v["filter"] = c.Filter
	}
	for name, list := range map[string][]string{"sort": c.Sort, "facets": c.Facets, "fields": c.Fields} {
		if len(list) > 0 {
			v.Set(name, strings.Join(list, ","))
		}
	}
	return v
}

// Run searches and prints.
func (c searchCommand) Run(ctx context.Context, w world) error {
	c.Table = c.called(c.Table, w)
	var a search.Answer
	path := "/api/v1/tables/" + url.PathEscape(c.Table) + "/search?" + c.values().Encode()
	err := c.get(ctx, w, needs{databases: c.Fresh != nil && *c.Fresh}, path, &a, func() error {
		printAnswer(w.stdout, a, isTerminal(w.stdout))
		return nil
	})
	var unknown *httpapi.Error
	if _, noFile := os.Stat(c.Table); noFile == nil && errors.As(err, &unknown) && unknown.Code == "unknown_table" {
		unknown.Hint = "it is the name of a file: if you wrote * without quotes, the shell replaced it: write '*' to search all tables"
	}
	return err
}

func printAnswer(w io.Writer, a search.Answer, bold bool) {
	for _, hit := range a.Hits {
		fmt.Fprintln(w, terminal.Line(nameOf(hit)))
		printFields(w, hit.Fields, func(f search.Field) string {
			if found := hit.Highlights[f.Name]; len(found) > 0 {
				return mark(strings.Join(found, " ... "), bold)
			}
			return shorten(formatValue(f.Value))
		})
		printScore(w, hit)
	}
	in := a.Table
	if in == search.AllTables {
		in = "all tables"
	}
	fmt.Fprintf(w, "%d found in %s, %d shown, %d ms\n", a.Total, in, len(a.Hits), a.TookMS)
	if a.Fresh != nil && !*a.Fresh {
		fmt.Fprintln(w, "not fresh: not all hits could be checked in the database, so deleted rows may be shown")
	}
	for _, note := range a.Notes {
		fmt.Fprintf(w, "note: %s\n", terminal.Line(note))
	}
	if a.Suggest != nil {
		printSuggestion(w, *a.Suggest)
	}
	if len(a.Missing) > 0 {
		fmt.Fprintf(w, "not ready: %s\n", strings.Join(a.Missing, ", "))
	}
	for _, name := range slices.Sorted(maps.Keys(a.Facets)) {
		fmt.Fprintf(w, "%s:", name)
		for _, c := range a.Facets[name] {
			fmt.Fprintf(w, " %s (%d)", terminal.Line(c.Value), c.Count)
		}
		fmt.Fprintln(w)
	}
	if a.Next != nil {
		fmt.Fprintf(w, "more: --after %s\n", *a.Next)
	}
}

// nameOf returns the title of a hit and its address, or the address alone.
func nameOf(hit search.Hit) string {
	address := strings.TrimSpace(hit.Table + " " + hit.OID)
	if hit.Title == "" || hit.Title == hit.OID {
		return address
	}
	return hit.Title + " (" + address + ")"
}

// printScore prints the parts of a hit's score, if it has them.
func printScore(w io.Writer, hit search.Hit) {
	if len(hit.Explain) == 0 {
		return
	}
	fmt.Fprintf(w, "  score %.4f\n", hit.Score)
	for _, p := range hit.Explain {
		if p.Word == "" {
			fmt.Fprintf(w, "    %.4f  matches without a word\n", p.Score)
			continue
		}
		if p.Distance > 0 {
			fmt.Fprintf(w, "    %.4f  %s near each other in %s: distance %d\n", p.Score, terminal.Line(p.Word), terminal.Line(p.Field), p.Distance)
			continue
		}
		fmt.Fprintf(w, "    %.4f  %s in %s: frequency %.4g in %d words (mean %.1f), idf %.3f, boost %g\n",
			p.Score, terminal.Line(p.Word), terminal.Line(p.Field), p.Freq, p.Length, p.Average, p.IDF, p.Boost)
	}
}

func printSuggestion(w io.Writer, s search.Suggestion) {
	switch {
	case s.Query == "":
		fmt.Fprintf(w, "%d have %s of the words: --match %s\n", s.Total, s.Match, s.Match)
	case s.Match == query.MatchAll:
		fmt.Fprintf(w, "did you mean %s (%d)\n", terminal.Line(s.Query), s.Total)
	default:
		fmt.Fprintf(w, "did you mean %s (%d have %s of the words: --match %s)\n", terminal.Line(s.Query), s.Total, s.Match, s.Match)
	}
}

// printFields prints a line for each field that is not empty. format returns text
// that is safe on a terminal.
func printFields(w io.Writer, fields search.Fields, format func(search.Field) string) {
	for _, f := range fields {
		if text := format(f); text != "" {
			fmt.Fprintf(terminal.Raw(w), "  %s: %s\n", terminal.Line(f.Name), text)
		}
	}
}

// formatValue formats a value or a list of values.
func formatValue(value any) string {
	switch value := value.(type) {
	case doc.JSON:
		return string(value)
	case map[string]any: // a JSON of the daemon's answer
		object, err := json.Marshal(value)
		if err != nil {
			return doc.FormatText(value)
		}
		return string(object)
	case []any:
		texts := make([]string, len(value))
		for i, one := range value {
			texts[i] = formatValue(one)
		}
		return strings.Join(texts, ", ")
	}
	return doc.FormatText(value)
}

// mark formats a highlight: bold on a terminal, in brackets otherwise.
func mark(fragment string, bold bool) string {
	on, off := "[", "]"
	if bold {
		on, off = "\x1b[1m", "\x1b[0m"
	}
	marked := strings.NewReplacer("<mark>", on, "</mark>", off).Replace(oneLine(fragment))
	return html.UnescapeString(marked)
}

// shorten cuts text to 160 characters on one line.
func shorten(text string) string {
	const limit = 160
	r := []rune(strings.Join(strings.Fields(oneLine(text)), " "))
	if len(r) <= limit {
		return string(r)
	}
	return string(r[:limit]) + "..."
}

// oneLine replaces control characters by blanks, so that text of a row can't
// control the terminal.
func oneLine(text string) string {
	return terminal.Line(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text))
}
