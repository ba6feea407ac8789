package fulltext

import (
	"slices"
	"strings"
	"unicode/utf8"

	"indexerd/internal/query"
)

// Spans returns the bytes of a content column's text, or of the text of one row
// of a child, that a query matches, in order and without overlap. What the query excludes is not looked for. It is
// cut as the index has cut it; so what it finds is what was found.
func (ix *Index) Spans(n query.Node, field, text string) []query.Span {
	s := ix.schema
	if !slices.Contains(s.texts, field) {
		return nil
	}
	phrases := s.wanted(nil, n, field)
	if len(phrases) == 0 {
		return nil
	}
	tokens := s.analyzer.tokens(nil, text)
	var spans []query.Span
	for _, p := range phrases {
		spans = append(spans, p.find(text, tokens)...)
	}
	return merge(spans)
}

// wanted appends the phrases that a query wants of a field.
func (s *schema) wanted(dst []phrase, n query.Node, field string) []phrase {
	add := func(in string, phrases ...phrase) {
		for _, p := range phrases {
			if len(p) > 0 && (in == "" || in == field) {
				dst = append(dst, p)
			}
		}
	}
	switch n := n.(type) {
	case query.And:
		for _, c := range n.Nodes {
			dst = s.wanted(dst, c, field)
		}
	case query.Or:
		for _, c := range n.Nodes {
			dst = s.wanted(dst, c, field)
		}
	case query.Word:
		add(n.Field, s.analyzer.phrase(n.Text))
	case query.Phrase:
		add(n.Field, s.analyzer.phrase(n.Text))
	case query.Prefix:
		before, last := s.analyzer.prefix(n.Text)
		add(n.Field, before)
		if last.term != "" {
			add(n.Field, phrase{last})
		}
	}
	return dst
}

// find returns where a phrase stands among the tokens of a text.
func (p phrase) find(text string, tokens []token) []query.Span {
	var spans []query.Span
	for i, t := range tokens {
		if !p[0].matches(t) {
			continue
		}
		if end, ok := p[1:].follows(text, tokens[i+1:], t); ok {
			spans = append(spans, query.Span{Start: t.start, End: max(end, p[0].end(text, t))})
		}
	}
	return spans
}

func (sl slot) matches(t token) bool {
	if sl.prefix {
		return strings.HasPrefix(t.term, sl.term)
	}
	return sl.term == t.term
}

// end returns the end of what a slot matches of a token: of a piece of a run
// that begins with one character, just that.
func (sl slot) end(text string, t token) int {
	if sl.prefix && t.form != whole {
		_, size := utf8.DecodeRuneInString(text[t.start:])
		return t.start + size
	}
	return t.end
}

// follows reports whether the slots match at the positions after a token, and
// where the last of them ends. With an index without positions the answer is
// the same: only whole phrases are worth a mark.
func (p phrase) follows(text string, tokens []token, after token) (end int, ok bool) {
	pos := after.pos
	for _, sl := range p {
		pos++
		if sl.term == "" {
			continue
		}
		for len(tokens) > 0 && tokens[0].pos < pos {
			tokens = tokens[1:]
		}
		if len(tokens) == 0 || tokens[0].pos != pos || !sl.matches(tokens[0]) {
			return 0, false
		}
		end = sl.end(text, tokens[0])
	}
	return end, true
}

// merge sorts spans and joins those that touch.
func merge(spans []query.Span) []query.Span {
	slices.SortFunc(spans, func(a, b query.Span) int { return a.Start - b.Start })
	var out []query.Span
	for _, s := range spans {
		if last := len(out) - 1; last >= 0 && s.Start <= out[last].End {
			out[last].End = max(out[last].End, s.End)
		} else {
			out = append(out, s)
		}
	}
	return out
}
