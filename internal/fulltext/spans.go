package fulltext

import (
	"context"
	"slices"
	"unicode/utf8"

	"indexerd/internal/query"
)

// Matcher returns a function that finds what a query matches in the text of a
// content column, or of one row of a child: bytes of the text, in order and
// without overlap. What the query excludes is not looked for. Text is cut as
// the index has cut it; so what is found there is what was found.
//
// The function is for one goroutine. Its error is ctx's. It goes once over the
// text and, for each prefix and fuzzy word, once over the text's different words.
func (ix *Index) Matcher(n query.Node) func(ctx context.Context, field, text string) ([]query.Span, error) {
	s := ix.schema
	wanted := map[string][]sought{}
	for _, field := range s.texts {
		wanted[field] = distinct(s.wanted(nil, n, field))
	}
	return func(ctx context.Context, field, text string) ([]query.Span, error) {
		if len(wanted[field]) == 0 {
			return nil, nil
		}
		return newCutText(text, s.analyzer).matches(ctx, wanted[field])
	}
}

// A sought is what a part of a query wants of a text.
type sought struct {
	phrase
	slop int
}

// wanted appends what a query wants of a field.
func (s *schema) wanted(dst []sought, n query.Node, field string) []sought {
	add := func(in string, p phrase, slop int) {
		if len(p) > 0 && (in == "" || in == field) {
			dst = append(dst, sought{p, slop})
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
		add(n.Field, s.analyzer.phrase(n.Text), 0)
	case query.Phrase:
		add(n.Field, s.analyzer.phrase(n.Text), n.Slop)
	case query.Prefix:
		before, last := s.analyzer.prefix(n.Text)
		add(n.Field, before, 0)
		if last.term != "" {
			add(n.Field, phrase{last}, 0)
		}
	case query.Fuzzy:
		words, ok := s.analyzer.fuzzy(n.Text, n.Edits)
		if !ok {
			return s.wanted(dst, query.Word{Field: n.Field, Text: n.Text}, field)
		}
		for _, w := range words {
			add(n.Field, phrase{w}, 0)
		}
	}
	return dst
}

// distinct leaves out words that are wanted already.
func distinct(all []sought) []sought {
	seen := map[slot]bool{}
	return slices.DeleteFunc(all, func(q sought) bool {
		if len(q.phrase) > 1 {
			return false
		}
		again := seen[q.phrase[0]]
		seen[q.phrase[0]] = true
		return again
	})
}

// A cutText is a text and its tokens.
type cutText struct {
	text   string
	tokens []token
	of     map[string][]int // term -> positions, ascending
}

func newCutText(text string, a *analyzer) cutText {
	t := cutText{text, a.tokens(nil, text), map[string][]int{}}
	for _, tok := range t.tokens {
		t.of[tok.term] = append(t.of[tok.term], tok.pos)
	}
	return t
}

// positions returns where what a slot wants stands.
func (t cutText) positions(sl slot, step func() error) ([]int, error) {
	if sl.exact() {
		return t.of[sl.term], nil
	}
	var all []int
	for term, positions := range t.of {
		if err := step(); err != nil {
			return nil, err
		}
		if sl.matches(term) {
			all = append(all, positions...)
		}
	}
	slices.Sort(all)
	return all, nil
}

// at returns the token at a position that has one.
func (t cutText) at(pos int) token {
	i, _ := slices.BinarySearchFunc(t.tokens, pos, func(t token, pos int) int { return t.pos - pos })
	return t.tokens[i]
}

// matches returns where a text has any of what is sought.
func (t cutText) matches(ctx context.Context, all []sought) ([]query.Span, error) {
	end := deadline{ctx: ctx}
	var spans []query.Span
	for _, q := range all {
		if first := q.phrase[0]; first.exact() && len(t.of[first.term]) == 0 {
			continue // most words of a long query are in few texts
		}
		found, err := q.find(t, end.step)
		if err != nil {
			return nil, err
		}
		spans = append(spans, found...)
	}
	return merge(spans), nil
}

func (q sought) find(t cutText, step func() error) (spans []query.Span, err error) {
	pl := make(places, len(q.phrase))
	for i, sl := range q.phrase {
		if sl.term == "" {
			continue
		}
		if pl[i], err = t.positions(sl, step); err != nil || len(pl[i]) == 0 {
			return nil, err
		}
	}
	err = pl.each(q.slop, step, func(chosen []int, width int) bool {
		if width > 0 {
			spans = append(spans, q.words(t, chosen)...)
		} else {
			spans = append(spans, q.whole(t, chosen))
		}
		return true
	})
	return spans, err
}

// whole marks a phrase from its first word to its last.
func (q sought) whole(t cutText, chosen []int) query.Span {
	last := len(chosen) - 1
	from, to := t.at(chosen[0]), t.at(chosen[last])
	return query.Span{Start: from.start, End: max(q.phrase[0].end(t.text, from), q.phrase[last].end(t.text, to))}
}

// words marks each word of a phrase where others may stand between them.
func (q sought) words(t cutText, chosen []int) (spans []query.Span) {
	for i, sl := range q.phrase {
		if sl.term != "" {
			tok := t.at(chosen[i])
			spans = append(spans, query.Span{Start: tok.start, End: sl.end(t.text, tok)})
		}
	}
	return spans
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
