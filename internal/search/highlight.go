package search

import (
	"cmp"
	"html"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"indexerd/internal/query"
)

// What is shown of a long text.
const (
	maxFragments  = 3         // of one field
	fragmentRunes = 200       // of one fragment
	leadRunes     = 60        // of them before the first match, where a sentence is longer
	lookedAt      = 256 << 10 // bytes of one field in which matches are looked for

	fragmentBytes = fragmentRunes * utf8.UTFMax
)

// ellipsis stands where a sentence is cut.
const ellipsis = "…"

// A fragment is a piece of a text with its matches.
type fragment struct {
	text  string // of the field
	piece query.Span
	spans []query.Span
	words int // that are marked and different
	// A sentence goes on before the piece, or after it.
	begun, unfinished bool
}

// fragments cuts pieces around the matches out of a text. The spans are in order
// and don't overlap.
func fragments(text string, spans []query.Span) []fragment {
	if len(spans) == 0 {
		return nil
	}
	ends := borders(text, min(spans[len(spans)-1].End+fragmentBytes, len(text)))
	var out []fragment
	for shown, within := 0, false; len(spans) > 0; {
		f := around(text, ends, shown, within, spans[0])
		n := 1
		for n < len(spans) && spans[n].End <= f.piece.End {
			n++
		}
		if n < len(spans) && spans[n].Start < f.piece.End { // a mark is shown whole, later
			f.piece.End, f.unfinished = spans[n].Start, true
		}
		f.spans, spans = spans[:n], spans[n:]
		f.words = different(text, f.spans)
		shown, within = f.piece.End, f.unfinished
		out = append(out, f)
	}
	return out
}

// around returns the piece to show for a match, of what is not shown yet: whole
// sentences, as many as a fragment holds, first those that follow. within says
// that a part of the first of them is shown already.
func around(text string, ends []int, shown int, within bool, match query.Span) fragment {
	first, _ := slices.BinarySearch(ends, match.Start+1)
	last, _ := slices.BinarySearch(ends, match.End)
	start, end := beginning(ends, first, shown), ends[last]
	if tooLong(text[start:end]) {
		f := part(text, query.Span{Start: start, End: end}, match)
		f.begun = f.begun || within && start == shown
		return f
	}
	for last+1 < len(ends) && !tooLong(text[start:ends[last+1]]) {
		last++
	}
	end = ends[last]
	for start > shown && !tooLong(text[beginning(ends, first-1, shown):end]) {
		first--
		start = beginning(ends, first, shown)
	}
	return fragment{text: text, piece: query.Span{Start: start, End: end}, begun: within && start == shown}
}

// beginning returns where a sentence begins, or what is not shown of it.
func beginning(ends []int, n, shown int) int {
	if n == 0 {
		return shown
	}
	return max(ends[n-1], shown)
}

// tooLong reports whether a text is longer than a fragment. Of a long one it
// looks at no more than that.
func tooLong(text string) bool {
	n := 0
	for range strings.TrimSpace(text) {
		if n++; n > fragmentRunes {
			return true
		}
	}
	return false
}

// part returns the part of a long sentence to show for a match. It begins and
// ends between words where that is near enough.
func part(text string, of, match query.Span) fragment {
	start := match.Start
	for n := 0; n < leadRunes && start > of.Start; n++ {
		_, size := utf8.DecodeLastRuneInString(text[of.Start:start])
		start -= size
	}
	if start > of.Start {
		start += afterSpace(text[start:match.Start])
	}
	end := start
	for n := 0; n < fragmentRunes && end < of.End; n++ {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	if end < of.End && match.End < end {
		if at := strings.LastIndexFunc(text[match.End:end], unicode.IsSpace); at >= 0 {
			end = match.End + at
		}
	}
	return fragment{text: text, piece: query.Span{Start: start, End: end}, begun: start > of.Start, unfinished: end < of.End}
}

// afterSpace is the offset of the first word that begins in the text, or 0.
func afterSpace(text string) int {
	space := strings.IndexFunc(text, unicode.IsSpace)
	if space < 0 {
		return 0
	}
	return len(text) - len(strings.TrimLeftFunc(text[space:], unicode.IsSpace))
}

// best returns the fragments to show: those with the most different words first,
// then those with the most matches, then those that come first.
func best(all []fragment) []string {
	slices.SortStableFunc(all, func(a, b fragment) int {
		return cmp.Or(cmp.Compare(b.words, a.words), cmp.Compare(len(b.spans), len(a.spans)))
	})
	var out []string
	for _, f := range all[:min(len(all), maxFragments)] {
		out = append(out, f.html())
	}
	return out
}

// different counts the different words that are marked.
func different(text string, spans []query.Span) int {
	words := map[string]bool{}
	for _, s := range spans {
		words[strings.ToLower(text[s.Start:s.End])] = true
	}
	return len(words)
}

// html writes the piece in escaped HTML with its matches marked. A match that
// is longer than a piece is cut with it.
func (f fragment) html() string {
	var b strings.Builder
	if f.begun {
		b.WriteString(ellipsis)
	}
	at := f.piece.Start + strings.IndexFunc(f.text[f.piece.Start:], func(r rune) bool { return !unicode.IsSpace(r) })
	for _, s := range f.spans {
		end := min(s.End, f.piece.End)
		at = min(at, s.Start)
		b.WriteString(html.EscapeString(f.text[at:s.Start]))
		b.WriteString("<mark>")
		b.WriteString(html.EscapeString(f.text[s.Start:end]))
		b.WriteString("</mark>")
		at = end
	}
	b.WriteString(html.EscapeString(strings.TrimRightFunc(f.text[at:f.piece.End], unicode.IsSpace)))
	if f.unfinished {
		b.WriteString(ellipsis)
	}
	return b.String()
}
