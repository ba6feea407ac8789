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
	finders := map[string]*finder{}
	for _, field := range s.Texts {
		if patterns := distinctWords(patternsOf(s, nil, n, field)); len(patterns) > 0 {
			finders[field] = newFinder(patterns, s.Analysis)
		}
	}
	return func(ctx context.Context, field, text string) ([]query.Span, error) {
		f := finders[field]
		if f == nil {
			return nil, nil
		}
		f.read(text)
		return f.matches(ctx)
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

// A finder finds patterns in one text after another. It keeps the tokens of a text that a
// slot can match.
type finder struct {
	patterns []pattern
	analyzer *analysis.Analyzer
	exact    bool // all slots match one term: the numbers of terms are the same for each text
	text     string
	tokens   []analysis.Token
	numbers  map[string]int // of terms
	places   [][]int        // ascending positions, by the number of a term
}

func newFinder(patterns []pattern, a *analysis.Analyzer) *finder {
	f := &finder{patterns: patterns, analyzer: a, exact: true, numbers: map[string]int{}}
	for _, p := range patterns {
		for _, sl := range p.Phrase {
			f.exact = f.exact && sl.exact()
			if _, known := f.numbers[sl.Term]; !known {
				f.numbers[sl.Term] = len(f.numbers)
			}
		}
	}
	f.places = make([][]int, len(f.numbers))
	return f
}

// read reads the next text.
func (f *finder) read(text string) {
	f.text, f.tokens = text, f.tokens[:0]
	for i := range f.places {
		f.places[i] = f.places[i][:0]
	}
	if !f.exact {
		clear(f.numbers)
	}
	f.analyzer.Each(text, func(t analysis.Token) bool {
		n, known := f.numbers[t.Term]
		switch {
		case !known && f.exact:
			return true
		case !known:
			n = len(f.numbers)
			f.numbers[t.Term] = n
			if n == len(f.places) {
				f.places = append(f.places, nil)
			}
		}
		f.tokens = append(f.tokens, t)
		f.places[n] = append(f.places[n], t.Pos)
		return true
	})
}

// at returns the positions of a term.
func (f *finder) at(term string) []int {
	if n, known := f.numbers[term]; known {
		return f.places[n]
	}
	return nil
}

// positions returns the positions that a slot matches.
func (f *finder) positions(sl Slot, step func() error) ([]int, error) {
	if sl.exact() {
		return f.at(sl.Term), nil
	}
	var all []int
	for term, n := range f.numbers {
		if err := step(); err != nil {
			return nil, err
		}
		if sl.matches(term) {
			all = append(all, f.places[n]...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// token returns the longest token at a position that a slot matches. There must be one.
func (f *finder) token(pos int, sl Slot) (found analysis.Token) {
	i, _ := slices.BinarySearchFunc(f.tokens, pos, func(t analysis.Token, pos int) int { return t.Pos - pos })
	for ; i < len(f.tokens) && f.tokens[i].Pos == pos; i++ {
		if tok := f.tokens[i]; sl.matches(tok.Term) && tok.End-tok.Start > found.End-found.Start {
			found = tok
		}
	}
	return found
}

// matches returns the matches of any of the patterns.
func (f *finder) matches(ctx context.Context) ([]query.Span, error) {
	step := stepper(ctx)
	var spans []query.Span
	for _, p := range f.patterns {
		if first := p.Phrase[0]; first.exact() && len(f.at(first.Term)) == 0 {
			continue // fast path: most words of a long query are in few texts
		}
		found, err := p.find(f, step)
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

func (p pattern) find(f *finder, step func() error) (spans []query.Span, err error) {
	positions := make(Positions, len(p.Phrase))
	for i, sl := range p.Phrase {
		if sl.Term == "" {
			continue
		}
		if positions[i], err = f.positions(sl, step); err != nil || len(positions[i]) == 0 {
			return nil, err
		}
	}
	err = positions.Each(p.slop, step, func(chosen []int, width int) bool {
		if width > 0 {
			spans = append(spans, p.words(f, chosen)...)
		} else {
			spans = append(spans, p.whole(f, chosen))
		}
		return true
	})
	return spans, err
}

// whole returns the span from the first word of a match to its last.
func (p pattern) whole(f *finder, chosen []int) query.Span {
	last := len(chosen) - 1
	from, to := f.token(chosen[0], p.Phrase[0]), f.token(chosen[last], p.Phrase[last])
	return query.Span{Start: from.Start, End: max(p.Phrase[0].end(f.text, from), p.Phrase[last].end(f.text, to))}
}

// words returns the span of each word of a match, which may have other words in
// between.
func (p pattern) words(f *finder, chosen []int) (spans []query.Span) {
	for i, sl := range p.Phrase {
		if sl.Term != "" {
			tok := f.token(chosen[i], sl)
			spans = append(spans, query.Span{Start: tok.Start, End: sl.end(f.text, tok)})
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
	out := spans[:0]
	for _, s := range spans {
		if last := len(out) - 1; last >= 0 && s.Start <= out[last].End {
			out[last].End = max(out[last].End, s.End)
		} else {
			out = append(out, s)
		}
	}
	return out
}
