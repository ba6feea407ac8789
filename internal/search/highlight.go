package search

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"indexerd/internal/query"
)

// What is shown of a long text.
const (
	maxFragments  = 3   // of one field
	fragmentRunes = 200 // of one fragment, about
	leadRunes     = 60  // of them before the first match
)

// fragments cuts pieces around the matches out of a text, in escaped HTML with
// the matches marked. The spans are in order and don't overlap.
func fragments(text string, spans []query.Span) []string {
	var out []string
	for from := 0; len(spans) > 0 && len(out) < maxFragments; {
		piece := around(text, from, spans[0])
		n := 0
		for n < len(spans) && spans[n].Start < piece.End {
			n++
		}
		out = append(out, mark(text, piece, spans[:n]))
		from, spans = piece.End, spans[n:]
	}
	return out
}

// around returns the piece of a text to show for a match, beginning at from or
// after. It begins and ends between words where that is near enough.
func around(text string, from int, match query.Span) query.Span {
	start := match.Start
	for n := 0; n < leadRunes && start > from; n++ {
		_, size := utf8.DecodeLastRuneInString(text[from:start])
		start -= size
	}
	if start > from {
		start += afterSpace(text[start:match.Start])
	}
	end := start
	for n := 0; n < fragmentRunes && end < len(text); n++ {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	if end < len(text) && match.End < end {
		if at := strings.LastIndexFunc(text[match.End:end], unicode.IsSpace); at >= 0 {
			end = match.End + at
		}
	}
	return query.Span{Start: start, End: end}
}

// afterSpace is the offset of the first word that begins in the text, or 0.
func afterSpace(text string) int {
	space := strings.IndexFunc(text, unicode.IsSpace)
	if space < 0 {
		return 0
	}
	return len(text) - len(strings.TrimLeftFunc(text[space:], unicode.IsSpace))
}

// mark writes a piece of a text with its matches marked. A match that goes on
// beyond the piece is cut with it.
func mark(text string, piece query.Span, spans []query.Span) string {
	var b strings.Builder
	at := piece.Start
	for _, s := range spans {
		end := min(s.End, piece.End)
		b.WriteString(html.EscapeString(text[at:s.Start]))
		b.WriteString("<mark>")
		b.WriteString(html.EscapeString(text[s.Start:end]))
		b.WriteString("</mark>")
		at = end
	}
	b.WriteString(html.EscapeString(text[at:piece.End]))
	return b.String()
}
