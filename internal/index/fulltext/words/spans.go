package words

import (
	"context"
	"slices"
	"unicode/utf8"

	"indexerd/internal/index/analysis"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
)

// NewMatcher returns a function that finds the matches of a query in the text of a
// content column, or of one row of a child: byte ranges, in order, without
// overlap. It ignores excluded parts of the query. It tokenizes text as the
// index does, so it marks exactly what the search has matched.
//
// The function must not be called concurrently. Its error is that of ctx. It
// makes one pass over the text and, for each prefix or fuzzy word, one pass over
// the distinct words of the text.
func NewMatcher(s *schema.Schema, n query.Node) func(ctx context.Context, field, text string) ([]query.Span, error) {
	patterns := map[string][]pattern{}
	for _, field := range s.Texts {
		patterns[field] = distinctWords(patternsOf(s, nil, n, field))
	}
	return func(ctx context.Context, field, text string) ([]query.Span, error) {
		if len(patterns[field]) == 0 {
			return nil, nil
		}
		return tokenize(text, s.Analysis).matches(ctx, patterns[field])
	}
}

// A pattern is a phrase to find in a text.
type pattern struct {
	Phrase
	slop int
}

// patternsOf appends the patterns of a query for a field.
func patternsOf(s *schema.Schema, dst []pattern, n query.Node, field string) []pattern {
	a := Analyzer{s.Analysis}
	add := func(in string, p Phrase, slop int) {
		if len(p) > 0 && (in == "" || in == field) {
			dst = append(dst, pattern{p, slop})
		}
	}
	addSet := func(in string, s Set) {
		for _, sl := range s.Words {
			add(in, Phrase{sl}, 0)
		}
		for _, p := range s.Phrases {
			add(in, p, 0)
		}
	}
	switch n := n.(type) {
	case query.And:
		for _, c := range n.Nodes {
			dst = patternsOf(s, dst, c, field)
		}
	case query.Or:
		for _, c := range n.Nodes {
			dst = patternsOf(s, dst, c, field)
		}
	case query.Some:
		return patternsOf(s, dst, query.Or(n), field)
	case query.Word:
		addSet(n.Field, a.Word(n.Text))
	case query.Synonym:
		for _, text := range n.Texts {
			addSet(n.Field, a.Word(text))
		}
	case query.Phrase:
		if n.Slop == 0 {
			addSet(n.Field, a.Quoted(n.Text))
		} else {
			add(n.Field, a.Phrase(n.Text), n.Slop)
		}
	case query.Prefix:
		if a.IsLatest() {
			set, ok := a.Typed(n.Text)
			if !ok {
				set = a.Word(n.Text)
			}
			addSet(n.Field, set)
			break
		}
		before, last := a.Prefix(n.Text)
		add(n.Field, before, 0)
		if last.Term != "" {
			add(n.Field, Phrase{last}, 0)
		}
	case query.Fuzzy:
		words, ok := a.Fuzzy(n.Text, n.Edits)
		if !ok {
			return patternsOf(s, dst, query.Word{Field: n.Field, Text: n.Text}, field)
		}
		for _, w := range words {
			add(n.Field, Phrase{w}, 0)
		}
	default:
		for _, c := range scoredParts(n) {
			dst = patternsOf(s, dst, c, field)
		}
		add(termsOf(s, n))
	}
	return dst
}

// scoredParts returns the parts of a node that combines scores.
func scoredParts(n query.Node) []query.Node {
	switch n := n.(type) {
	case query.AtLeast:
		return n.Nodes
	case query.Optional:
		return n.Nodes
	case query.DisMax:
		return n.Nodes
	case query.Boosted:
		return []query.Node{n.Node}
	case query.Constant:
		return []query.Node{n.Node}
	case query.Searched:
		return []query.Node{n.Node, n.Else}
	case query.Reweighted:
		return []query.Node{n.Node}
	case query.Nested:
		return []query.Node{n.Node}
	}
	return nil
}

// termsOf returns the pattern of a node that searches terms.
func termsOf(s *schema.Schema, n query.Node) (field string, p Phrase, slop int) {
	switch n := n.(type) {
	case query.Pattern:
		if accept, _, err := Accepting(n); err == nil && !n.Value {
			p = Phrase{{Term: n.Text, like: &likeness{accept}}}
		}
		return n.Field, p, 0
	case query.AnyTerm:
		if len(n.Texts) > 0 && !n.Value {
			any := make(map[string]bool, len(n.Texts))
			for _, text := range n.Texts {
				any[text] = true
			}
			p = Phrase{{Term: n.Texts[0], like: &likeness{func(term string) bool { return any[term] }}}}
		}
		return n.Field, p, 0
	case query.Similar:
		terms := []string{n.Text}
		if n.Value {
			return "", nil, 0
		}
		if n.Words {
			terms = nil
			for _, t := range (Analyzer{s.Analysis}).words(n.Text) {
				terms = append(terms, t.Term)
			}
		}
		accept := func(term string) bool {
			return slices.ContainsFunc(terms, func(like string) bool { return NewSimilar(like, n).accepts(term) })
		}
		return n.Field, Phrase{{Term: n.Text, like: &likeness{accept}}}, 0
	case query.PhrasePrefix:
		if p = (Analyzer{s.Analysis}).Phrase(n.Text); len(p) > 0 {
			p[len(p)-1].Prefix = true
		}
		return n.Field, p, n.Slop
	}
	return "", nil, 0
}

// distinctWords drops repeated patterns of one word.
func distinctWords(all []pattern) []pattern {
	seen := map[Slot]bool{}
	return slices.DeleteFunc(all, func(p pattern) bool {
		if len(p.Phrase) > 1 {
			return false
		}
		again := seen[p.Phrase[0]]
		seen[p.Phrase[0]] = true
		return again
	})
}

// A tokenizedText is a text with its tokens.
type tokenizedText struct {
	text   string
	tokens []analysis.Token
	byTerm map[string][]int // ascending positions
}

func tokenize(text string, a *analysis.Analyzer) tokenizedText {
	t := tokenizedText{text, a.Tokens(nil, text), map[string][]int{}}
	for _, tok := range t.tokens {
		t.byTerm[tok.Term] = append(t.byTerm[tok.Term], tok.Pos)
	}
	return t
}

// positions returns the positions that a slot matches.
func (t tokenizedText) positions(sl Slot, step func() error) ([]int, error) {
	if sl.exact() {
		return t.byTerm[sl.Term], nil
	}
	var all []int
	for term, positions := range t.byTerm {
		if err := step(); err != nil {
			return nil, err
		}
		if sl.matches(term) {
			all = append(all, positions...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// at returns the longest token at a position that a slot matches. There must be one.
func (t tokenizedText) at(pos int, sl Slot) (found analysis.Token) {
	i, _ := slices.BinarySearchFunc(t.tokens, pos, func(t analysis.Token, pos int) int { return t.Pos - pos })
	for ; i < len(t.tokens) && t.tokens[i].Pos == pos; i++ {
		if tok := t.tokens[i]; sl.matches(tok.Term) && tok.End-tok.Start > found.End-found.Start {
			found = tok
		}
	}
	return found
}

// matches returns the matches of any of the patterns.
func (t tokenizedText) matches(ctx context.Context, patterns []pattern) ([]query.Span, error) {
	step := stepper(ctx)
	var spans []query.Span
	for _, p := range patterns {
		if first := p.Phrase[0]; first.exact() && len(t.byTerm[first.Term]) == 0 {
			continue // fast path: most words of a long query are in few texts
		}
		found, err := p.find(t, step)
		if err != nil {
			return nil, err
		}
		spans = append(spans, found...)
	}
	return merge(spans), nil
}

// stepper returns a function that loops call in each iteration. Its error is that of ctx,
// which it checks now and then.
func stepper(ctx context.Context) func() error {
	const checkEvery = 64
	steps := 0
	return func() error {
		if steps++; steps%checkEvery != 0 {
			return nil
		}
		return ctx.Err()
	}
}

func (p pattern) find(t tokenizedText, step func() error) (spans []query.Span, err error) {
	positions := make(Positions, len(p.Phrase))
	for i, sl := range p.Phrase {
		if sl.Term == "" {
			continue
		}
		if positions[i], err = t.positions(sl, step); err != nil || len(positions[i]) == 0 {
			return nil, err
		}
	}
	err = positions.Each(p.slop, step, func(chosen []int, width int) bool {
		if width > 0 {
			spans = append(spans, p.words(t, chosen)...)
		} else {
			spans = append(spans, p.whole(t, chosen))
		}
		return true
	})
	return spans, err
}

// whole returns the span from the first word of a match to its last.
func (p pattern) whole(t tokenizedText, chosen []int) query.Span {
	last := len(chosen) - 1
	from, to := t.at(chosen[0], p.Phrase[0]), t.at(chosen[last], p.Phrase[last])
	return query.Span{Start: from.Start, End: max(p.Phrase[0].end(t.text, from), p.Phrase[last].end(t.text, to))}
}

// words returns the span of each word of a match, which may have other words in
// between.
func (p pattern) words(t tokenizedText, chosen []int) (spans []query.Span) {
	for i, sl := range p.Phrase {
		if sl.Term != "" {
			tok := t.at(chosen[i], sl)
			spans = append(spans, query.Span{Start: tok.Start, End: sl.end(t.text, tok)})
		}
	}
	return spans
}

// end returns the end of the match of a slot in a token. A prefix of a run in
// pairs is one character, which matches only the first of a pair.
func (sl Slot) end(text string, t analysis.Token) int {
	if sl.Prefix && (t.Form == analysis.Pair || t.Form == analysis.Tail || t.Form == analysis.Lone) {
		_, size := utf8.DecodeRuneInString(text[t.Start:])
		return t.Start + size
	}
	return t.End
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
