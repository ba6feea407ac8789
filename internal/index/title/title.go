// Package title makes the titles of hits: a line by which people know a row, such as the
// name of a film. The key stays the address of a row; a title need not be unique.
//
// A Template is a column, or a text with columns in braces: {first_name} {last_name}.
// Of never fails: a NULL or a missing column is empty, and the text before an empty column
// and brackets around it are left out. Default finds the columns of a
// table that name its rows.
package title

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"indexerd/internal/base/doc"
)

// most is how many characters a title has. A longer one is cut.
const most = 200

// A Template makes the titles of the rows of a table. The zero Template makes none.
type Template struct {
	parts []part
}

// A part is a text and the column that follows it, "" at the end.
type part struct {
	text, column string
}

// ErrBraces is the fault of a template whose braces do not enclose columns.
var ErrBraces = errors.New("a brace without the name of a column")

// Parse reads a column, or a text with columns in braces. It does not check that the
// columns exist. Its error is ErrBraces.
func Parse(text string) (Template, error) {
	if !strings.ContainsAny(text, "{}") {
		return Column(strings.TrimSpace(text)), nil
	}
	var t Template
	for text != "" {
		before, rest, found := strings.Cut(text, "{")
		column, after, closed := strings.Cut(rest, "}")
		if strings.Contains(before, "}") || found && (!closed || strings.TrimSpace(column) == "" || strings.Contains(column, "{")) {
			return Template{}, fmt.Errorf("title %q: %w", text, ErrBraces)
		}
		t.parts, text = append(t.parts, part{before, strings.TrimSpace(column)}), after
	}
	return t, nil
}

// Column returns the template of a column.
func Column(name string) Template { return Template{[]part{{column: name}}} }

// Columns returns the columns of the template, each once.
func (t Template) Columns() (names []string) {
	for _, p := range t.parts {
		if p.column != "" && !slices.Contains(names, p.column) {
			names = append(names, p.column)
		}
	}
	return names
}

// String returns the template as Parse reads it.
func (t Template) String() string {
	if len(t.parts) == 1 && t.parts[0].text == "" {
		return t.parts[0].column
	}
	var b strings.Builder
	for _, p := range t.parts {
		b.WriteString(p.text)
		if p.column != "" {
			b.WriteString("{" + p.column + "}")
		}
	}
	return b.String()
}

// Of returns the title of a row: one line of at most 200 characters, without control
// characters. It is "" if all columns of the template are empty.
func (t Template) Of(row doc.Row) string {
	var b strings.Builder
	some, all, open := false, true, ""
	for _, p := range t.parts {
		text, words := p.text, ""
		if open != "" { // it was left out before an empty column
			text = strings.TrimPrefix(text, closing[open])
		}
		open = ""
		if v, ok := row.Get(p.column); ok {
			words = line(doc.FormatText(v))
		}
		switch {
		case p.column == "" || words != "":
			b.WriteString(text + words)
			some = some || words != ""
		default:
			all = false
			if text = strings.TrimRight(text, " "); text != "" {
				open = text[len(text)-1:]
			}
		}
	}
	switch title := cut(line(b.String())); {
	case !some:
		return ""
	case all:
		return title
	default:
		return strings.Trim(title, separators)
	}
}

// closing has the bracket that closes another one.
var closing = map[string]string{"(": ")", "[": "]", "<": ">"}

// separators are what an empty column leaves at the ends of a title.
const separators = " ,;:/|-–—·"

// line returns the beginning of a text with single blanks between its words, longer
// than a title unless all of the text is shorter.
func line(text string) string {
	text = strings.TrimLeftFunc(text, blank)
	if end := 4 * most * utf8.UTFMax; len(text) > end {
		text = strings.ToValidUTF8(text[:end], "")
	}
	return strings.Join(strings.FieldsFunc(text, blank), " ")
}

func blank(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

func cut(text string) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	r := []rune(text)
	return strings.TrimRight(string(r[:most-1]), " ") + "…"
}
