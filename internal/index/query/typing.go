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
// words that begin with it too. Documents with the word itself have a higher score,
// since they match twice. A last part that is no plain word, or that is excluded, stays
// as it is. n is the parsed text.
func Typing(n Node, text string) Node {
	if r, _ := utf8.DecodeLastRuneInString(text); !inWord(r) {
		return n
	}
	switch n := n.(type) {
	case And:
		return And{typingLast(n.Nodes, text)}
	case Or:
		return Or{typingLast(n.Nodes, text)}
	case Word:
		if utf8.RuneCountInString(n.Text) >= minTyped && strings.TrimFunc(n.Text, inWord) == "" {
			return Or{[]Node{n, Prefix(n)}}
		}
	}
	return n
}

func typingLast(nodes []Node, text string) []Node {
	last := len(nodes) - 1
	return append(nodes[:last:last], Typing(nodes[last], text))
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }
