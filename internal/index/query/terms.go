package query

import (
	"fmt"
	"strconv"
)

// No text parses to the nodes of this file. They search terms as the index has them.
type (
	// A Pattern matches documents with a term that the text describes. The text is
	// not analyzed: words of the content are in lower case. With Fold ASCII letters
	// match in either case. On fields that are no text and no keywords only Exact is
	// supported. With Value the values of a field are searched that is also text.
	Pattern struct {
		Field string
		Kind  PatternKind
		Text  string
		Fold  bool
		Value bool
	}

	// An AnyTerm matches documents with one of some terms: as a Pattern that is Exact for
	// each, but it costs little more than looking the terms up.
	AnyTerm struct {
		Field string
		Texts []string
		Value bool
	}

	// A Similar matches documents with a term of similar spelling. The first Prefix
	// letters are the same. With Most only so many terms count, the most similar ones.
	// The text is analyzed if Words is set. With Value the values of a field are
	// searched that is also text.
	Similar struct {
		Field, Text  string
		Edits        Edits
		Prefix, Most int
		NoSwaps      bool // two exchanged letters are two edits
		Words        bool
		Value        bool
	}

	// A PhrasePrefix matches a phrase whose last word is the beginning of a word: of
	// the first Most words that begin with it. Most 0 is all.
	PhrasePrefix struct {
		Field, Text string
		Slop, Most  int
	}

	// Between is Range for the terms of text.
	Between Range

	// Has matches documents with a word in a field, or, of a field that is no text or
	// with Value, with a value.
	Has struct {
		Field string
		Value bool
	}
)

// A PatternKind is how a Pattern describes terms.
type PatternKind string

// The kinds of a Pattern.
const (
	Exact     PatternKind = "exact"    // the term
	Beginning PatternKind = "prefix"   // the beginning of the term
	Wildcard  PatternKind = "wildcard" // ? is any character, * any number of them, \ makes the next one plain
	Regexp    PatternKind = "regexp"   // a regular expression of Lucene, for the whole term
)

// Edits are how many letters may differ: Most, or, if High is not 0, 0 in a word of
// fewer than Low letters, 1 in one of fewer than High, and 2 in a longer one.
type Edits struct{ Most, Low, High int }

// Of returns the number for a word of so many letters.
func (e Edits) Of(letters int) int {
	switch {
	case e.High == 0:
		return e.Most
	case letters < e.Low:
		return 0
	case letters < e.High:
		return 1
	}
	return 2
}

func (Pattern) node()      {}
func (AnyTerm) node()      {}
func (Similar) node()      {}
func (PhrasePrefix) node() {}
func (Has) node()          {}
func (Between) node()      {}

// String implements Node.
func (n Pattern) String() string {
	fold := ""
	if n.Fold {
		fold = "i"
	}
	return inValue(n.Field, n.Value) + string(n.Kind) + "[" + quote(n.Text) + fold + "]"
}

// String implements Node.
func (n AnyTerm) String() string {
	return inValue(n.Field, n.Value) + fmt.Sprintf("any%q", n.Texts)
}

// String implements Node.
func (n Similar) String() string {
	text := inValue(n.Field, n.Value) + "similar[" + quote(n.Text)
	for _, x := range []int{n.Edits.Most, n.Edits.Low, n.Edits.High, n.Prefix, n.Most} {
		text += " " + strconv.Itoa(x)
	}
	return text + " " + strconv.FormatBool(n.NoSwaps) + " " + strconv.FormatBool(n.Words) + "]"
}

// String implements Node.
func (n PhrasePrefix) String() string {
	return Phrase{n.Field, n.Text, n.Slop}.String() + "*" + strconv.Itoa(n.Most)
}

// String implements Node.
func (n Between) String() string {
	side := map[bool]string{true: "{", false: "["}
	return inField(n.Field) + "terms" + side[n.Min.Exclusive] + n.Min.String() + " TO " + n.Max.String() + side[n.Max.Exclusive]
}

// String implements Node.
func (n Has) String() string { return inValue(n.Field, n.Value) + "*" }

func inValue(field string, value bool) string {
	if value {
		return inField(field) + "="
	}
	return inField(field)
}
