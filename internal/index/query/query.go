// Package query parses the query language, and defines the types of a search
// request and its result.
//
// The language:
//
//	drama shark           both words, anywhere in the content
//	drama OR shark        either; OR binds looser than standing side by side
//	(a OR b) -c           parentheses; a minus excludes
//	"mad scientist"       a phrase
//	"mad scientist"~2     the same words, each up to two positions away from its place
//	scien*                words with this prefix
//	sceintist~            words with a similar spelling; ~1 and ~2 limit the number of edits
//	title:shark           in one column or child of the content, or an exact metadata value
//	rating:"PG-13"        the same, quoted
//	year:>=2005           > >= < <= on metadata
//	year:[2005 TO 2007]   from and to, both included; * is open
//	updated:2006-02       dates 2006, 2006-01, 2006-01-02 or RFC 3339
//	\:                    a backslash makes the next character plain
//
// An empty query and * match everything. A query of exclusions only matches
// everything else.
//
// Parse does not know which fields exist and what types they have; the index
// checks that. ParseLenient reads any text, for people. The String of a node parses to an equal node. Parse reads the text
// once. Its length, number of clauses and depth are limited, and so is what a
// Request may ask for, so that no caller can make the server use much memory.
package query

import (
	"strconv"
	"strings"
)

// A Node is a part of a query: All, And, Or, Some, Not, Word, Synonym, Phrase, Prefix,
// Fuzzy, Range or Keys, or one that combines scores or searches terms, which have types of
// their own files. String returns its canonical text.
type Node interface {
	String() string
	node()
}

type (
	// All is every document.
	All struct{}

	// And matches what all of two or more nodes match.
	And struct{ Nodes []Node }

	// Or matches what any of two or more nodes matches.
	Or struct{ Nodes []Node }

	// Some matches what most of two or more nodes match. No text parses to it, see
	// Match.
	Some struct{ Nodes []Node }

	// Not matches every document that its node does not match.
	Not struct{ Node Node }

	// A Word is one word of the content, or the value of a field. Without a field,
	// it is searched in all content.
	Word struct{ Field, Text string }

	// A Phrase is a sequence of words, or the value of a field. Slop is the number
	// of positions that the words may be away from their places; two exchanged
	// words count 2.
	Phrase struct {
		Field, Text string
		Slop        int
	}

	// A Prefix is the beginning of a word or of a value.
	Prefix struct{ Field, Text string }

	// A Fuzzy is a word with a similar spelling. Edits is the number of letters
	// that may be missing, added, different or exchanged with the next one. If it
	// is 0, it depends on the length of the word.
	Fuzzy struct {
		Field, Text string
		Edits       int
	}

	// A Range matches values of a field between two bounds.
	Range struct {
		Field    string
		Min, Max Bound
	}

	// A Bound is one end of a Range. Without text, the range is open.
	Bound struct {
		Text      string
		Exclusive bool
	}
)

func (All) node()    {}
func (And) node()    {}
func (Or) node()     {}
func (Some) node()   {}
func (Not) node()    {}
func (Word) node()   {}
func (Phrase) node() {}
func (Prefix) node() {}
func (Fuzzy) node()  {}
func (Range) node()  {}

// None returns a query that matches nothing.
func None() Node { return Not{All{}} }

// Map returns a query with every part that consists of no other parts replaced by
// what f returns for it.
func Map(n Node, f func(Node) Node) Node {
	switch n := n.(type) {
	case And:
		return And{mapAll(n.Nodes, f)}
	case Or:
		return Or{mapAll(n.Nodes, f)}
	case Some:
		return Some{mapAll(n.Nodes, f)}
	case Not:
		return Not{Map(n.Node, f)}
	}
	if mapped, ok := mapScored(n, f); ok {
		return mapped
	}
	return f(n)
}

// MapIncluded is Map without the parts that the query excludes.
func MapIncluded(n Node, f func(Node) Node) Node {
	included := func(n Node) Node { return MapIncluded(n, f) }
	switch n := n.(type) {
	case Not:
		return n
	case And:
		return And{each(n.Nodes, included)}
	case Or:
		return Or{each(n.Nodes, included)}
	case Some:
		return Some{each(n.Nodes, included)}
	}
	return Map(n, f)
}

func mapAll(nodes []Node, f func(Node) Node) []Node {
	return each(nodes, func(n Node) Node { return Map(n, f) })
}

func each(nodes []Node, f func(Node) Node) []Node {
	mapped := make([]Node, len(nodes))
	for i, n := range nodes {
		mapped[i] = f(n)
	}
	return mapped
}

// FieldOf returns the field of a part that consists of no other parts; "" if it
// names none.
func FieldOf(n Node) string {
	switch n := n.(type) {
	case Word:
		return n.Field
	case Phrase:
		return n.Field
	case Prefix:
		return n.Field
	case Fuzzy:
		return n.Field
	case Range:
		return n.Field
	case Pattern:
		return n.Field
	case AnyTerm:
		return n.Field
	case Similar:
		return n.Field
	case PhrasePrefix:
		return n.Field
	case Has:
		return n.Field
	case Between:
		return n.Field
	case Nested:
		return n.Path
	case Synonym:
		return n.Field
	}
	return ""
}

// String implements Node.
func (All) String() string { return "*" }

// String implements Node.
func (n And) String() string {
	texts := make([]string, len(n.Nodes))
	for i, c := range n.Nodes {
		texts[i] = c.String()
		if _, or := c.(Or); or {
			texts[i] = "(" + texts[i] + ")"
		}
	}
	return strings.Join(texts, " ")
}

// String implements Node.
func (n Or) String() string {
	texts := make([]string, len(n.Nodes))
	for i, c := range n.Nodes {
		texts[i] = c.String()
	}
	return strings.Join(texts, " OR ")
}

// String returns the text of the query for all nodes.
func (n Some) String() string { return And(n).String() }

// String implements Node.
func (n Not) String() string {
	switch n.Node.(type) {
	case And, Or:
		return "-(" + n.Node.String() + ")"
	}
	return "-" + n.Node.String()
}

// String implements Node.
func (n Word) String() string { return inField(n.Field) + escape(n.Text) }

// String implements Node.
func (n Phrase) String() string {
	text := inField(n.Field) + quote(n.Text)
	if n.Slop > 0 {
		text += "~" + strconv.Itoa(n.Slop)
	}
	return text
}

// String implements Node.
func (n Prefix) String() string { return inField(n.Field) + escape(n.Text) + "*" }

// String implements Node.
func (n Fuzzy) String() string {
	text := inField(n.Field) + escape(n.Text) + "~"
	if n.Edits > 0 {
		text += strconv.Itoa(n.Edits)
	}
	return text
}

// String implements Node.
func (n Range) String() string {
	switch {
	case n.Min.Exclusive:
		return inField(n.Field) + ">" + quote(n.Min.Text)
	case n.Max.Exclusive:
		return inField(n.Field) + "<" + quote(n.Max.Text)
	}
	return inField(n.Field) + "[" + n.Min.String() + " TO " + n.Max.String() + "]"
}

// String returns the bound as written in brackets.
func (b Bound) String() string {
	if b.Text == "" {
		return "*"
	}
	return quote(b.Text)
}

func inField(name string) string {
	if name == "" {
		return ""
	}
	return escape(name) + ":"
}

// special are the ASCII characters, besides white space, that have a meaning
// outside quotes.
const special = `()":*~\[]<>=-`

// escape returns text as written outside quotes.
func escape(text string) string {
	var b strings.Builder
	for i, r := range text {
		if isSpace(r) || strings.ContainsRune(special, r) || i == 0 && text == orWord {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

var quoteEscape = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

func quote(text string) string { return `"` + quoteEscape.Replace(text) + `"` }
