package search

import (
	"cmp"
	"context"
	"html"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/query"
)

// The limits of highlights.
const (
	maxFragments   = 3         // per field, unless a Marking sets another
	fragmentRunes  = 200       // per fragment, unless a Marking sets another
	highlightBytes = 256 << 10 // searched for matches, per field
)

// A Marking is how the matches in one field of a hit are shown.
type Marking struct {
	Field     string     // content column, or child
	Query     query.Node // whose matches are marked; nil: the query that is searched
	Pre, Post string     // around a match
	Fragments int        // the best ones are returned; 0: the whole text of each value with a match
	Runes     int        // of a fragment
	Cut       string     // in place of the cut parts of a sentence
	Escape    bool       // the text is escaped as HTML
	Words     bool       // each word of a phrase is marked by itself
	InOrder   bool       // fragments are in the order of the text, not the best first
	NoMatch   int        // characters of the text to return if nothing matches
}

// plainMarking is the marking of Params.Highlight.
func plainMarking(field string) Marking {
	return Marking{Field: field, Pre: "<mark>", Post: "</mark>", Fragments: maxFragments, Runes: fragmentRunes, Cut: ellipsis, Escape: true}
}

// lead is how many characters are shown before the first match of a longer sentence.
func (m Marking) lead() int { return m.Runes * 3 / 10 }

// ellipsis marks a cut sentence.
const ellipsis = "…"

// A fragment is a piece of a text with its matches.
type fragment struct {
	text  string // the whole text
	piece query.Span
	spans []query.Span
	words int // distinct words among the matches
	at    int // its place in the field
	// The sentence is cut before the piece, or after it.
	begun, unfinished bool
}

// A marker finds the matches of a marking.
type marker struct {
	Marking
	find matcher
}

// markers returns the markers of a search. A field that is not searched here has none.
func (s *Searcher) markers(p Params, n query.Node) (list []marker) {
	searched := slices.Clone(s.Content)
	for _, c := range s.Children {
		if c.Searched {
			searched = append(searched, c.Name)
		}
	}
	markings := p.Markings
	if p.Highlight {
		for _, name := range searched {
			markings = append(markings, plainMarking(name))
		}
	}
	find := matcher(nil)
	for _, m := range markings {
		switch {
		case !slices.Contains(searched, m.Field):
		case m.Query != nil:
			list = append(list, marker{m, s.Index.Matcher(m.Query)})
		default:
			if find == nil {
				find = s.Index.Matcher(n)
			}
			list = append(list, marker{m, find})
		}
	}
	return list
}

// highlights returns the fragments of the matching fields of a row.
func (t *tableSearch) highlights(ctx context.Context, row doc.Row) (map[string][]string, error) {
	found := map[string][]string{}
	for _, m := range t.marks {
		var values []any
		if i := slices.IndexFunc(t.Children, func(c Child) bool { return c.Name == m.Field }); i >= 0 {
			values, _ = t.Children[i].values(row)
		} else if v, ok := row.Get(m.Field); ok {
			values = []any{v}
		}
		texts, err := m.mark(ctx, values)
		if err != nil {
			return nil, err
		}
		if texts != nil {
			found[m.Field] = texts
		}
	}
	return found, nil
}

// mark returns the fragments of a field's values. It reads the first highlightBytes of
// the field.
func (m marker) mark(ctx context.Context, values []any) ([]string, error) {
	var all []fragment
	left := highlightBytes
	for _, v := range values {
		text := doc.FormatText(v)
		if len(text) > left {
			text = strings.ToValidUTF8(text[:left], "")
		}
		left -= len(text)
		spans, err := m.find(ctx, m.Field, text)
		if err = cmp.Or(err, ctx.Err()); err != nil { // checked here too, because a child may have thousands of short texts
			return nil, err
		}
		if m.Words {
			spans = wordsIn(text, spans)
		}
		for _, f := range m.fragments(text, spans) {
			f.at = len(all)
			all = append(all, f)
		}
	}
	if len(all) == 0 {
		return m.beginning(values), nil
	}
	return m.best(all), nil
}

// wordsIn returns the words of spans.
func wordsIn(text string, spans []query.Span) (words []query.Span) {
	for _, s := range spans {
		at := s.Start
		for at < s.End {
			word := query.Span{Start: at + strings.IndexFunc(text[at:s.End]+"x", isLetter), End: s.End}
			if gap := strings.IndexFunc(text[min(word.Start, s.End):s.End], func(r rune) bool { return !isLetter(r) }); gap >= 0 {
				word.End = word.Start + gap
			}
			if word.Start < word.End {
				words = append(words, word)
			}
			at = max(word.End, word.Start)
		}
	}
	return words
}

func isLetter(r rune) bool { return r == '_' || unicode.In(r, unicode.L, unicode.M, unicode.N) }

// beginning returns the beginning of a field without a match, if it is to be shown.
func (m marker) beginning(values []any) []string {
	if m.NoMatch == 0 || len(values) == 0 {
		return nil
	}
	text := doc.FormatText(values[0])
	whole := query.Span{End: min(len(text), highlightBytes)}
	m.Runes = m.NoMatch
	f := fragment{text: text, piece: whole}
	if m.tooLong(text[:whole.End]) {
		f = m.part(text, whole, query.Span{})
	}
	return []string{m.show(f)}
}

// fragments returns pieces of a text around its matches. The spans are in order and
// don't overlap.
func (m marker) fragments(text string, spans []query.Span) []fragment {
	switch {
	case len(spans) == 0:
		return nil
	case m.Fragments == 0:
		return []fragment{{text: text, piece: query.Span{End: len(text)}, spans: spans}}
	}
	ends := sentenceEnds(text, min(spans[len(spans)-1].End+m.Runes*utf8.UTFMax, len(text)))
	var out []fragment
	for shown, within := 0, false; len(spans) > 0; {
		f := m.around(text, ends, shown, within, spans[0])
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
func (m marker) around(text string, ends []int, shown int, within bool, match query.Span) fragment {
	first, _ := slices.BinarySearch(ends, match.Start+1)
	last, _ := slices.BinarySearch(ends, match.End)
	start, end := sentenceStart(ends, first, shown), ends[last]
	if m.tooLong(text[start:end]) {
		f := m.part(text, query.Span{Start: start, End: end}, match)
		f.begun = f.begun || within && start == shown
		return f
	}
	for last+1 < len(ends) && !m.tooLong(text[start:ends[last+1]]) {
		last++
	}
	end = ends[last]
	for start > shown && !m.tooLong(text[sentenceStart(ends, first-1, shown):end]) {
		first--
		start = sentenceStart(ends, first, shown)
	}
	return fragment{text: text, piece: query.Span{Start: start, End: end}, begun: within && start == shown}
}

// sentenceStart returns the start of the n-th sentence, or of its part that is not
// shown yet.
func sentenceStart(ends []int, n, shown int) int {
	if n == 0 {
		return shown
	}
	return max(ends[n-1], shown)
}

// tooLong reports whether a text is longer than a fragment. It reads no more than
// a fragment.
func (m marker) tooLong(text string) bool {
	n := 0
	for range strings.TrimSpace(text) {
		if n++; n > m.Runes {
			return true
		}
	}
	return false
}

// part returns the part of a long sentence for a match. It begins and ends between
// words if there is white space close enough.
func (m marker) part(text string, of, match query.Span) fragment {
	start := match.Start
	for n := 0; n < m.lead() && start > of.Start; n++ {
		_, size := utf8.DecodeLastRuneInString(text[of.Start:start])
		start -= size
	}
	if start > of.Start {
		start += afterSpace(text[start:match.Start])
	}
	end := start
	for n := 0; n < m.Runes && end < of.End; n++ {
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
func (m marker) best(all []fragment) []string {
	if m.Fragments > 0 {
		slices.SortStableFunc(all, func(a, b fragment) int {
			return cmp.Or(cmp.Compare(b.words, a.words), cmp.Compare(len(b.spans), len(a.spans)))
		})
		all = all[:min(len(all), m.Fragments)]
	}
	if m.InOrder {
		slices.SortFunc(all, func(a, b fragment) int { return cmp.Compare(a.at, b.at) })
	}
	var out []string
	for _, f := range all {
		out = append(out, m.show(f))
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

// show returns the piece with marked matches. A match that is longer than the piece is
// cut.
func (m marker) show(f fragment) string {
	text := func(s string) string { return s }
	if m.Escape {
		text = html.EscapeString
	}
	var b strings.Builder
	if f.begun {
		b.WriteString(m.Cut)
	}
	at := len(f.text) - len(strings.TrimLeftFunc(f.text[f.piece.Start:], unicode.IsSpace))
	for _, s := range f.spans {
		end := min(s.End, f.piece.End)
		at = min(at, s.Start)
		b.WriteString(text(f.text[at:s.Start]) + m.Pre + text(f.text[s.Start:end]) + m.Post)
		at = end
	}
	b.WriteString(text(strings.TrimRightFunc(f.text[min(at, f.piece.End):f.piece.End], unicode.IsSpace)))
	if f.unfinished {
		b.WriteString(m.Cut)
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
