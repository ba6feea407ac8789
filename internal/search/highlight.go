package search

import (
	"cmp"
	"context"
	"html"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"indexerd/internal/doc"
	"indexerd/internal/query"
)

// The limits of highlights.
const (
	maxFragments   = 3         // per field
	fragmentRunes  = 200       // per fragment
	leadRunes      = 60        // of these, before the first match of a longer sentence
	highlightBytes = 256 << 10 // searched for matches, per field

	fragmentBytes = fragmentRunes * utf8.UTFMax
)

// ellipsis marks a cut sentence.
const ellipsis = "…"

// A fragment is a piece of a text with its matches.
type fragment struct {
	text  string // the whole text
	piece query.Span
	spans []query.Span
	words int // distinct words among the matches
	// The sentence is cut before the piece, or after it.
	begun, unfinished bool
}

// highlights returns the best fragments of the matching fields of a row.
func (s *Searcher) highlights(ctx context.Context, row doc.Row, find matcher) (map[string][]string, error) {
	found := map[string][]string{}
	for _, name := range s.Content {
		v, _ := row.Get(name)
		if err := find.highlight(ctx, found, name, v); err != nil {
			return nil, err
		}
	}
	for _, c := range s.Children {
		if !c.Searched {
			continue
		}
		values, _ := c.values(row)
		if err := find.highlight(ctx, found, c.Name, values...); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// highlight adds the best fragments of a field's values. It reads the first
// highlightBytes of the field.
func (find matcher) highlight(ctx context.Context, found map[string][]string, field string, values ...any) error {
	var all []fragment
	left := highlightBytes
	for _, v := range values {
		text := doc.FormatText(v)
		if len(text) > left {
			text = strings.ToValidUTF8(text[:left], "")
		}
		left -= len(text)
		spans, err := find(ctx, field, text)
		if err = cmp.Or(err, ctx.Err()); err != nil { // checked here too, because a child may have thousands of short texts
			return err
		}
		all = append(all, fragments(text, spans)...)
	}
	if len(all) > 0 {
		found[field] = best(all)
	}
	return nil
}

// fragments returns pieces of a text around its matches. The spans are in order and
// don't overlap.
func fragments(text string, spans []query.Span) []fragment {
	if len(spans) == 0 {
		return nil
	}
	ends := sentenceEnds(text, min(spans[len(spans)-1].End+fragmentBytes, len(text)))
	var out []fragment
	for shown, within := 0, false; len(spans) > 0; {
		f := around(text, ends, shown, within, spans[0])
		n := 1
		for n < len(spans) && spans[n].End <= f.piece.End {
			n++
		}
		if n < len(spans) && spans[n].Start < f.piece.End { // a mark is not split: it begins the next piece
			f.piece.End, f.unfinished = spans[n].Start, true
		}
		f.spans, spans = spans[:n], spans[n:]
		f.words = distinctWords(text, f.spans)
		shown, within = f.piece.End, f.unfinished
		out = append(out, f)
	}
	return out
}

// around returns the piece for a match, from the text that is not shown yet: whole
// sentences, as many as fit, first the following and then the preceding ones.
// within is true if the part before shown ends inside a sentence.
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

// beginning returns the start of the n-th sentence, or of its part that is not
// shown yet.
func beginning(ends []int, n, shown int) int {
	if n == 0 {
		return shown
	}
	return max(ends[n-1], shown)
}

// tooLong reports whether a text is longer than a fragment. It reads no more than
// a fragment.
func tooLong(text string) bool {
	n := 0
	for range strings.TrimSpace(text) {
		if n++; n > fragmentRunes {
			return true
		}
	}
	return false
}

// part returns the part of a long sentence for a match. It begins and ends between
// words if there is white space close enough.
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

// afterSpace returns the offset of the first word after white space, or 0.
func afterSpace(text string) int {
	space := strings.IndexFunc(text, unicode.IsSpace)
	if space < 0 {
		return 0
	}
	return len(text) - len(strings.TrimLeftFunc(text[space:], unicode.IsSpace))
}

// best returns the best fragments: those with the most distinct words, then those
// with the most matches, then the first in the text.
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

// distinctWords counts the distinct words among the matches.
func distinctWords(text string, spans []query.Span) int {
	words := map[string]bool{}
	for _, s := range spans {
		words[strings.ToLower(text[s.Start:s.End])] = true
	}
	return len(words)
}

// html returns the piece as escaped HTML with marked matches. A match that is
// longer than the piece is cut.
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

// sentenceEnds returns the ends of the sentences of a text, up to the first end at
// or after upTo.
func sentenceEnds(text string, upTo int) []int {
	var ends []int
	for at := 0; at < upTo; {
		at = sentence(text, at)
		ends = append(ends, at)
	}
	return ends
}

// sentence returns the end of the sentence that begins at from, including the white
// space after it.
//
// A sentence ends after . ! ? or an ellipsis followed by white space, after 。 ！ ？,
// and at an empty line. Closing quotes and parentheses belong to it. A full stop
// after a single letter, or before a lower-case letter, is part of an abbreviation
// and does not end a sentence.
func sentence(text string, from int) int {
	for at := from; at < len(text); {
		if c := text[at]; c < utf8.RuneSelf && c != '.' && c != '!' && c != '?' && c != '\n' {
			at++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[at:])
		next := at + size
		switch {
		case r == '\n':
			if rest := strings.TrimLeft(text[next:], " \t\r"); strings.HasPrefix(rest, "\n") {
				return pastSpace(text, next)
			}
		case strings.ContainsRune("。！？｡", r):
			return pastSpace(text, pastClosing(text, next))
		case strings.ContainsRune(".!?…", r):
			end := pastClosing(text, next)
			after := pastSpace(text, end)
			if after == len(text) || after > end && !(r == '.' && abbreviated(text[from:at], text[after:])) {
				return after
			}
			next = end
		}
		at = next
	}
	return len(text)
}

// pastClosing skips closing punctuation.
func pastClosing(text string, at int) int {
	return len(text) - len(strings.TrimLeft(text[at:], `.!?…。！？｡"')]}»”’」』）】》`))
}

func pastSpace(text string, at int) int {
	return len(text) - len(strings.TrimLeftFunc(text[at:], unicode.IsSpace))
}

// abbreviated reports whether the full stop between two texts is part of an
// abbreviation.
func abbreviated(before, after string) bool {
	next, _ := utf8.DecodeRuneInString(after)
	last, size := utf8.DecodeLastRuneInString(before)
	earlier, _ := utf8.DecodeLastRuneInString(before[:len(before)-size])
	return unicode.IsLower(next) || unicode.IsLetter(last) && !unicode.IsLetter(earlier) && !unicode.IsDigit(earlier)
}
