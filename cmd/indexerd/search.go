package main

import (
	"context"
	"fmt"
	"html"
	"io"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"indexerd/internal/doc"
	"indexerd/internal/search"
	"indexerd/internal/terminal"
)

type searchCommand struct {
	asking
	Table     string   `arg:"" help:"The table."`
	Words     []string `arg:"" optional:"" help:"The query. Put -- before words that begin with a hyphen."`
	From      int      `placeholder:"N" help:"Hits to leave out."`
	Size      int      `default:"10" placeholder:"N" help:"Hits to return, up to 1000 (${default})."`
	After     string   `placeholder:"NEXT" help:"Go on after the last answer: its \"next\"."`
	Filter    []string `sep:"none" placeholder:"FIELD:VALUE" help:"Only documents with this value; repeat it for more."`
	Sort      []string `placeholder:"FIELD" help:"Sort by a metadata field, -FIELD for descending."`
	Facets    []string `placeholder:"FIELD:N" help:"Count the most frequent values of a keyword field."`
	Fields    []string `placeholder:"FIELD" help:"Show only these fields."`
	Highlight bool     `default:"true" negatable:"" help:"Mark what was found."`
}

// Help shows examples.
func (searchCommand) Help() string {
	return "Words must all be there; OR, ( ), -without, \"a phrase\", \"a phrase\"~2, pre*, fuzzy~, field:value, field:>=5 and field:[a TO b] work.\n\n" +
		"Examples:\n" +
		"  indexerd search -c configs/pagila.yaml film drama shark\n" +
		"  indexerd search -c configs/pagila.yaml film 'drama release_year:>=2000' --filter rating:PG --sort -release_year --json"
}

// values are the parameters as the HTTP call has them.
func (c searchCommand) values() url.Values {
	v := url.Values{"q": {strings.Join(c.Words, " ")}, "size": {strconv.Itoa(c.Size)}, "highlight": {strconv.FormatBool(c.Highlight)}}
	if c.From != 0 {
		v.Set("from", strconv.Itoa(c.From))
	}
	if c.After != "" {
		v.Set("after", c.After)
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
	var a search.Answer
	path := "/api/v1/tables/" + url.PathEscape(c.Table) + "/search?" + c.values().Encode()
	return c.ask(ctx, w, path, &a, func() error {
		printAnswer(w.stdout, a, isTerminal(w.stdout))
		return nil
	})
}

func printAnswer(w io.Writer, a search.Answer, bold bool) {
	for _, hit := range a.Hits {
		fmt.Fprintf(w, "%s\n", terminal.Line(hit.OID))
		printFields(w, hit.Fields, func(f search.Field) string {
			if found := hit.Highlights[f.Name]; len(found) > 0 {
				return mark(strings.Join(found, " ... "), bold)
			}
			return shorten(listed(f.Value))
		})
	}
	fmt.Fprintf(w, "%d found in %s, %d shown, %d ms\n", a.Total, a.Table, len(a.Hits), a.TookMS)
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

// printFields prints a line for each field that has something to say. say
// returns text that is safe on a terminal, or marked for one.
func printFields(w io.Writer, fields search.Fields, say func(search.Field) string) {
	for _, f := range fields {
		if text := say(f); text != "" {
			fmt.Fprintf(terminal.Raw(w), "  %s: %s\n", terminal.Line(f.Name), text)
		}
	}
}

// listed is a value as people read it.
func listed(value any) string {
	list, ok := value.([]any)
	if !ok {
		return doc.FormatText(value)
	}
	texts := make([]string, len(list))
	for i, one := range list {
		texts[i] = doc.FormatText(one)
	}
	return strings.Join(texts, ", ")
}

// mark shows a highlight: bold on a terminal, in brackets elsewhere.
func mark(fragment string, bold bool) string {
	on, off := "[", "]"
	if bold {
		on, off = "\x1b[1m", "\x1b[0m"
	}
	marked := strings.NewReplacer("<mark>", on, "</mark>", off).Replace(harmless(fragment))
	return html.UnescapeString(marked)
}

// shorten cuts text to what fits on a line or two.
func shorten(text string) string {
	const most = 160
	r := []rune(strings.Join(strings.Fields(harmless(text)), " "))
	if len(r) <= most {
		return string(r)
	}
	return string(r[:most]) + "..."
}

// harmless is text on one line, without what steers a terminal: a row may say
// anything, and people read it better without escapes of its newlines.
func harmless(text string) string {
	return terminal.Line(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text))
}
