package fulltext

import (
	"strings"
	"unicode/utf8"
)

// A slot is one place of a phrase: a term, or the beginning of one, or one that
// so many edits make of it, or, where it is empty, any word.
type slot struct {
	term   string
	prefix bool
	edits  int
}

// exact reports whether the slot wants its term and no other.
func (sl slot) exact() bool { return !sl.prefix && sl.edits == 0 }

func (sl slot) matches(term string) bool {
	switch {
	case sl.prefix:
		return strings.HasPrefix(term, sl.term)
	case sl.edits > 0:
		return within(sl.edits, sl.term, term)
	}
	return sl.term == term
}

// A phrase is slots at consecutive positions. The first and the last are not
// empty.
type phrase []slot

// phrase cuts text as the index does. It is nil where nothing of the text is
// searched.
//
// The last run of the text may go on in the index: its last character alone
// says nothing then, unless it is all there is. Of an earlier run it does: the
// run must end there.
func (a *analyzer) phrase(text string) phrase {
	tokens := a.tokens(nil, text)
	if n := len(tokens); n > 0 && tokens[n-1].form == tail {
		tokens = tokens[:n-1]
	}
	var p phrase
	for i, t := range tokens {
		if i > 0 {
			p = append(p, make(phrase, t.pos-tokens[i-1].pos-1)...)
		}
		p = append(p, slot{term: t.term, prefix: t.form == lone && i == len(tokens)-1})
	}
	return p
}

// prefix cuts text of which the last word goes on: the words before it, and
// the slot of the last one, which is empty where there is none. Scripts without
// spaces have no words that could go on: there it is no more than the phrase.
func (a *analyzer) prefix(text string) (before phrase, last slot) {
	tokens := a.unchanged().tokens(nil, text)
	if len(tokens) == 0 {
		return nil, slot{}
	}
	t := tokens[len(tokens)-1]
	if k, _ := a.kind(text, t.start); k != letter {
		return a.phrase(text), slot{}
	}
	return a.phrase(text[:t.start]), slot{term: t.term, prefix: true}
}

// fuzzy cuts text into words whose spelling is uncertain. It is false where a
// part of the text is no word: only of words are letters left out or swapped.
func (a *analyzer) fuzzy(text string, edits int) (words phrase, ok bool) {
	for _, t := range a.tokens(nil, text) {
		if k, _ := a.kind(text, t.start); k != letter {
			return nil, false
		}
		sl := slot{term: t.term, edits: edits}
		if edits == 0 {
			sl.edits = automaticEdits(text[t.start:t.end])
		}
		sl.edits = min(sl.edits, utf8.RuneCountInString(t.term)-1) // one letter at least is right: no pair of Chinese is like ma
		words = append(words, sl)
	}
	return words, true
}
