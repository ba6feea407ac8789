package query

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// minTyped is the number of letters from which a last word may be incomplete. One
// letter begins too many words to search them at each key.
const minTyped = 2

// Typing returns the query of a text that is still being typed: its last word matches
// words that begin with it too, also that of a phrase that has no closing quote.
// Documents with the word itself have a higher score, since they match twice. A last part
// that does not end in a word, or that is excluded, stays as it is. n is the parsed text.
func Typing(n Node, text string) Node {
	if !endsInWord(text) {
		return n
	}
	switch n := n.(type) {
	case And:
		return And{typingLast(n.Nodes, text)}
	case Or:
		return Or{typingLast(n.Nodes, text)}
	case Word:
		if isTyped(n.Text) {
			return Or{[]Node{n, Prefix(n)}}
		}
	case Phrase:
		if isTyped(n.Text) && n.Slop == 0 {
			return PhrasePrefix{Field: n.Field, Text: n.Text}
		}
	}
	return n
}

// isTyped reports whether a text ends in letters that may be the beginning of a word.
func isTyped(text string) bool {
	return utf8.RuneCountInString(text[len(strings.TrimRightFunc(text, inWord)):]) >= minTyped
}

func typingLast(nodes []Node, text string) []Node {
	last := len(nodes) - 1
	return append(nodes[:last:last], Typing(nodes[last], text))
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// The letters from which a word of a query may have a slip, and two, and the number of
// such words up to which they are looked for.
const (
	oneSlip    = 5
	twoSlips   = 9
	maxSlipped = 8
)

// Slips returns the query that tolerates slips of the fingers in the words of the content:
// a letter that is missing, added, different or exchanged with the next. Documents with
// the word itself have a higher score, since they match twice. Words with other characters
// than letters, such as numbers, have no slips. It reports false if no word has, or more
// words than would be searched soon enough.
func Slips(n Node) (Node, bool) {
	slipped := 0
	n = MapIncluded(n, func(n Node) Node {
		w, ok := n.(Word)
		letters := utf8.RuneCountInString(w.Text)
		if !ok || w.Field != "" || letters < oneSlip || letters > MaxLetters || strings.ContainsFunc(w.Text, notLetter) {
			return n
		}
		edits := 1
		if letters >= twoSlips {
			edits = 2
		}
		slipped++
		return Or{[]Node{w, Fuzzy{Text: w.Text, Edits: edits}}}
	})
	return n, 0 < slipped && slipped <= maxSlipped
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }
