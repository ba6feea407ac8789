// Package words turns the text of a query into the terms that an index has, with their
// positions, and finds these terms in a text: a hit shows exactly the words for which it
// was found. It also replaces the words of queries by their synonyms.
package words

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"indexerd/internal/base/nearest"
	"indexerd/internal/index/analysis"
)

// An Analyzer also splits the text of queries.
type Analyzer struct{ *analysis.Analyzer }

// A Slot is one position of a phrase. It matches a term, or with Prefix the
// terms that begin with it, the first Most of them unless Most is 0, or with an
// EditDistance the terms of similar spelling, or with like those that it accepts.
// Without a term it matches any word.
type Slot struct {
	Term         string
	Prefix       bool
	Most         int
	EditDistance int
	like         *likeness
	Weight       float64 // what a term counts in a score; 0: 1
	One          *Set    // matches any of its words, or in place of a phrase any of its phrases too
}

// Forms returns the term of a slot, or those of its forms with | between them.
func (sl Slot) Forms() string {
	if sl.One == nil {
		return sl.Term
	}
	terms := make([]string, len(sl.One.Words))
	for i, w := range sl.One.Words {
		terms[i] = w.Term
	}
	return strings.Join(terms, "|")
}

// A Set is the words and phrases that count as one word.
type Set struct {
	Text    string // as explanations show them
	Words   []Slot
	Phrases []Phrase
	Loose   bool // a phrase matches where all of its words are
}

// Key is equal for sets of the same words and phrases.
func (s Set) Key() string {
	var b strings.Builder
	for _, p := range append(s.Phrases, Phrase(s.Words)) {
		for _, sl := range p {
			fmt.Fprintf(&b, "%s %t ", sl.Forms(), sl.Prefix)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// IsStem reports whether a term of words is a stem, which only words in queries find.
func IsStem(term string) bool { return analysis.IsStem(term) }

// A likeness is another description of terms. Only a Matcher has slots with one.
type likeness struct{ accept func(term string) bool }

// exact reports whether the slot matches its term only.
func (sl Slot) exact() bool {
	return !sl.Prefix && sl.EditDistance == 0 && sl.like == nil && sl.One == nil
}

func (sl Slot) matches(term string) bool {
	switch {
	case sl.One != nil:
		return slices.ContainsFunc(sl.One.Words, func(w Slot) bool { return w.matches(term) })
	case sl.like != nil:
		return sl.like.accept(term) && !analysis.IsStem(term)
	case sl.Prefix:
		return strings.HasPrefix(term, sl.Term) && !analysis.IsStem(term)
	case sl.EditDistance > 0:
		return WithinDistance(sl.EditDistance, sl.Term, term)
	}
	return sl.Term == term
}

// defaultDistance returns the edit distance of a fuzzy word without a number.
func defaultDistance(word string) int {
	const short = 5
	if utf8.RuneCountInString(word) <= short {
		return 1
	}
	return 2
}

// WithinDistance reports whether the edit distance of two words is at most
// distance.
func WithinDistance(distance int, a, b string) bool {
	if d := utf8.RuneCountInString(a) - utf8.RuneCountInString(b); d > distance || -d > distance {
		return false
	}
	return nearest.Distance(a, b) <= distance
}

// A Phrase is a list of slots at consecutive positions. The first and the last
// slot have a term.
type Phrase []Slot

// Phrase tokenizes text as the index does. The result is nil if no part of the
// text is searched.
//
// The last run of the text may be followed by more characters in the index. So
// the token of its last character is dropped, unless it is the only one. The
// last character of an earlier run is kept: the run must end there.
func (a Analyzer) Phrase(text string) Phrase {
	tokens := a.words(text)
	if n := len(tokens); n > 0 && tokens[n-1].Form == analysis.Tail {
		tokens = tokens[:n-1]
	}
	var p Phrase
	for i, t := range tokens {
		if i > 0 {
			p = append(p, make(Phrase, t.Pos-tokens[i-1].Pos-1)...)
		}
		p = append(p, Slot{Term: t.Term, Prefix: t.Form == analysis.Lone && i == len(tokens)-1})
	}
	return p
}

// words returns the tokens of a text that count as words.
func (a Analyzer) words(text string) []analysis.Token {
	return slices.DeleteFunc(a.Tokens(nil, text), func(t analysis.Token) bool { return t.Form.Extra() })
}

// Keys returns the terms by which words are compared: stems, if there are any.
func (a Analyzer) Keys(text string) (terms []string) {
	for _, t := range a.words(text) {
		term := t.Term
		if stem := a.Stem(strings.ToLower(text[t.Start:t.End])); t.Form == analysis.Whole && stem != "" {
			term = stem
		}
		terms = append(terms, term)
	}
	return terms
}

// Prefix tokenizes text whose last word is a prefix. It returns the preceding
// words and the slot of the last one, which is empty if there is none. In
// scripts without spaces no word is a prefix: the result is the phrase.
func (a Analyzer) Prefix(text string) (before Phrase, last Slot) {
	tokens := a.WithoutStems().Tokens(nil, text)
	if len(tokens) == 0 {
		return nil, Slot{}
	}
	t := tokens[len(tokens)-1]
	if !a.InWord(text, t.Start) {
		return a.Phrase(text), Slot{}
	}
	return a.Phrase(text[:t.Start]), Slot{Term: t.Term, Prefix: true}
}

// Fuzzy tokenizes text into words of uncertain spelling. distance 0 means the
// default. It reports false if a part of the text is not a word of letters:
// only such words have misspellings.
func (a Analyzer) Fuzzy(text string, distance int) (words Phrase, ok bool) {
	for _, t := range a.words(text) {
		if !a.InWord(text, t.Start) {
			return nil, false
		}
		sl := Slot{Term: t.Term, EditDistance: distance}
		if distance == 0 {
			sl.EditDistance = defaultDistance(text[t.Start:t.End])
		}
		sl.EditDistance = min(sl.EditDistance, utf8.RuneCountInString(t.Term)-1) // at least one letter must match
		words = append(words, sl)
	}
	return words, true
}

// Positions has, for each slot of a phrase, the ascending positions in a
// text that the slot matches, or nil for a slot that matches any word. The first
// and the last entry are not nil.
//
// A match has a start and a position for each slot, all different: slot i has a
// position from start+i to start+i+slop. With slop 0 the positions are adjacent.
// Each step of slop allows one more word in between, or moves swapped words one
// position closer.
type Positions [][]int

// Each calls f with the closest match at each possible start. chosen has the
// position of each slot, 0 for any word, and is valid until f returns. width is
// the slop that the match needs. each stops when f returns false.
func (sp Positions) Each(slop int, step func() error, f func(chosen []int, width int) bool) error {
	chosen := make([]int, len(sp))
	for _, start := range sp.starts(slop) {
		if err := step(); err != nil {
			return err
		}
		if width, ok := sp.matchAt(start, slop, chosen); ok && !f(chosen, width) {
			return nil
		}
	}
	return nil
}

// Adjacent returns how many matches there are with slop 0, and with any no more than one. It
// uses the memory of from, which has an entry for each slot.
func (sp Positions) Adjacent(from []int, any bool) (n int) {
	clear(from)
starts:
	for _, start := range sp[0] {
		for i := 1; i < len(sp); i++ {
			positions := sp[i]
			if positions == nil {
				continue
			}
			k := from[i]
			for k < len(positions) && positions[k] < start+i {
				k++
			}
			if from[i] = k; k == len(positions) {
				return n
			}
			if positions[k] > start+i {
				continue starts
			}
		}
		if n++; any {
			return n
		}
	}
	return n
}

// starts returns the possible starts of a match: those that put at least one
// slot at its first allowed position.
func (sp Positions) starts(slop int) []int {
	if slop == 0 {
		return sp[0]
	}
	var starts []int
	for i, positions := range sp {
		for _, p := range positions {
			starts = append(starts, p-i)
		}
	}
	slices.Sort(starts)
	return slices.Compact(starts)
}

// matchAt gives each slot the first free position. Equal slots take positions in
// order, so no other choice needs less slop.
func (sp Positions) matchAt(start, slop int, chosen []int) (width int, ok bool) {
	for i, positions := range sp {
		chosen[i] = 0
		if positions == nil {
			continue
		}
		k, _ := slices.BinarySearch(positions, start+i)
		for slop > 0 && k < len(positions) && slices.Contains(chosen[:i], positions[k]) {
			k++
		}
		if k == len(positions) || positions[k] > start+i+slop {
			return 0, false
		}
		chosen[i] = positions[k]
		width = max(width, positions[k]-start-i)
	}
	return width, true
}
