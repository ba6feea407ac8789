package query

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"indexerd/internal/base/nearest"
)

// Notes say how a text was read in another way than it may have been meant, each in a few
// words. They contain nothing but what is in the text, and names of fields.
type Notes []string

// maxNotes is the number of notes of a query: more say nothing more to a person.
const maxNotes = 8

// Add adds a note, unless it is there already or there are enough.
func (n *Notes) Add(note string) {
	if len(*n) < maxNotes && !slices.Contains(*n, note) {
		*n = append(*n, note)
	}
}

// minNear is the number of letters from which a name that is no field may be a field that
// is misspelt. A shorter one is near many.
const minNear = 3

// A leniency is what a parser that never fails knows and finds.
type leniency struct {
	fields   []string
	notes    Notes
	unclosed bool // the last quote
	words    int  // of the content, those of phrases too
	many     int  // words of the content with a * or ~
}

// The words of the content that ParseLenient reads, so that the answer to a page of text
// comes as soon as any other. Google reads as many.
const (
	MaxTyped = 32
	MaxMany  = 16 // with a * or ~
)

// ParseLenient reads what a person types into a search box, and never fails. fields are
// the names that stand before a colon. Text that Parse reads, with fields that exist, is
// read in the same way, but for a backslash before a letter, which is text. What Parse
// does not read becomes text, is closed at the end, or is left out:
//
//	https://example.com/a  a word, since there is no field https
//	rating:                a word, since there is no value
//	rating:(PG OR G)       a word and a group
//	"mad sci               a phrase up to the end
//	(drama OR              drama
//	OR                     the word or
//	a*b C:\temp 3/4" pipe  words
//
// Words of the content after the first MaxTyped are left out, and so is a * or ~ after the
// first MaxMany.
//
// A note is such as "read as text: https".
func ParseLenient(text string, fields []string) (Node, Notes) {
	p := parser{lenient: &leniency{fields: fields}}
	p.text = p.cut(text)
	n, err := p.whole()
	if err != nil { // a fault that a rule above lacks; FuzzParseLenient finds none
		p.note("read as text: " + Shorten(text))
		return Word{Text: p.text}, p.lenient.notes
	}
	return n, p.lenient.notes
}

// note notes how something was read.
func (p *parser) note(note string) { p.lenient.notes.Add(note) }

// ignore notes that a part of the text means nothing.
func (p *parser) ignore(part string) { p.note("ignored: " + Shorten(part)) }

// cut returns the part of a text that is read: valid UTF-8 of MaxLength, up to the last
// space before that if there is one.
func (p *parser) cut(text string) string {
	if len(text) > MaxLength {
		p.note(fmt.Sprintf("cut after %d bytes", MaxLength))
		text = text[:MaxLength]
		for i := len(text); i > 0; {
			r, size := utf8.DecodeLastRuneInString(text[:i])
			if i -= size; isSpace(r) {
				text = text[:i]
				break
			}
		}
	}
	if utf8.ValidString(text) {
		return text
	}
	p.note("ignored: bytes that are not UTF-8")
	return strings.ToValidUTF8(text, " ")
}

// few returns a part of a query, without words after the first MaxTyped of a text that a
// person types: nil for none.
func (p *parser) few(n Node) Node {
	if p.lenient == nil || n == nil || FieldOf(n) != "" {
		return n
	}
	words, phrase := 1, Phrase{}
	switch n := n.(type) {
	case All:
		return n
	case Phrase:
		phrase, words = n, len(strings.Fields(n.Text))
	case Prefix, Fuzzy:
		if p.lenient.many++; p.lenient.many > MaxMany {
			p.note(fmt.Sprintf("ignored: * and ~ after the first %d", MaxMany))
			word, _ := Plainer(n)
			return p.few(word)
		}
	}
	left := MaxTyped - p.lenient.words
	if p.lenient.words += words; words <= left {
		return n
	}
	p.note(fmt.Sprintf("only the first %d words", MaxTyped))
	if left <= 0 || phrase.Text == "" {
		return nil
	}
	phrase.Text = strings.Join(strings.Fields(phrase.Text)[:left], " ")
	return phrase
}

// loneOr returns the node of text without a node: the word or if there is an OR.
func (p *parser) loneOr(ors int) Node {
	if ors == 0 || p.lenient.words > MaxTyped {
		return nil
	}
	p.note("read as text: " + orWord)
	return Word{Text: orWord}
}

// stray skips a closing parenthesis without an opening one, and reports whether it did.
func (p *parser) stray() bool {
	if p.lenient == nil || p.groups > 0 {
		return false
	}
	for p.take(")") {
		p.space()
	}
	p.ignore(")")
	return true
}

// tooDeep reads a node without the minus signs and parentheses around it.
func (p *parser) tooDeep() (Node, error) {
	if !p.take("(") && !p.take("-") {
		return p.clause()
	}
	p.note(fmt.Sprintf("ignored: parentheses and minus signs deeper than %d", MaxDepth))
	return nil, nil
}

// inField reads a field and its value. at is where the name of the field begins.
func (p *parser) inField(name string, at int) (Node, error) {
	if p.lenient == nil {
		return p.value(name, at)
	}
	if !slices.Contains(p.lenient.fields, name) {
		return p.token(name, at), nil
	}
	notes := p.lenient.notes
	n, err := p.value(name, at)
	if err != nil {
		p.lenient.notes = notes
		return p.token(name, at), nil
	}
	return n, nil
}

// token reads all from position at to the next space or quote as text, because the name
// before its colon is no field, or has no value.
func (p *parser) token(name string, at int) Node {
	var b strings.Builder
	open := 0
	p.at = at
	for !p.end() {
		r, size := p.rune()
		group := r == '(' && p.text[at:p.at] == name+":" || r == ')' && open == 0 && p.groups > 0
		if isSpace(r) || r == '"' || group {
			break
		}
		switch {
		case r == '(':
			open++
		case r == ')':
			open--
		case r == '\\' && !p.literalBackslash(false):
			p.at += size
			r, size = p.rune()
		}
		b.WriteRune(r)
		p.at += size
	}
	note := "read as text: " + Shorten(name)
	if near := nearest.Name(name, p.lenient.fields); near != "" && near != name && utf8.RuneCountInString(name) >= minNear {
		note += ": did you mean " + near + "?"
	}
	p.note(note)
	text := b.String()
	if begin, star := strings.CutSuffix(text, "*"); star && endsInWord(begin) {
		return Prefix{Text: begin}
	}
	return Word{Text: text}
}

// endsInWord reports whether the last character of a text is one of a word.
func endsInWord(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	return inWord(r)
}

// literalStar reports whether the star that comes next is text: one inside a word.
func (p *parser) literalStar(bracket bool) bool {
	if p.lenient == nil {
		return false
	}
	p.at++
	defer func() { p.at-- }()
	return !p.ends(bracket)
}

// literalBackslash reports whether the backslash that comes next is text: at the end,
// and before a letter or digit, as in C:\temp. The first of \OR is none.
func (p *parser) literalBackslash(first bool) bool {
	if p.lenient == nil {
		return false
	}
	rest := p.text[p.at+1:]
	next, _ := utf8.DecodeRuneInString(rest)
	behind, _ := utf8.DecodeRuneInString(strings.TrimPrefix(rest, orWord))
	escaped := first && strings.HasPrefix(rest, orWord) && !inWord(behind)
	return rest == "" || inWord(next) && !escaped
}

// inchMark reports whether the quote that comes next is text: behind a digit and before
// a space, as in 3/4" pipe.
func (p *parser) inchMark() bool {
	if p.lenient == nil {
		return false
	}
	r, _ := utf8.DecodeLastRuneInString(p.text[:p.at])
	p.at++
	defer func() { p.at-- }()
	return unicode.IsDigit(r) && p.ends(false)
}

// Plainer returns a part of a query in a form that is searched where the part itself
// can't be, for example a word for one with a ~ in a field of values, and text for a
// value of another type than its field. It reports false if there is none.
func Plainer(n Node) (Node, bool) {
	switch n := n.(type) {
	case PhrasePrefix:
		return Phrase{Field: n.Field, Text: n.Text}, true
	case Phrase:
		if n.Slop > 0 {
			return Phrase{Field: n.Field, Text: n.Text}, true
		}
		return Word{n.Field, n.Text}, true
	case Prefix:
		return Word(n), true
	case Fuzzy:
		return Word{n.Field, n.Text}, true
	case Word:
		if n.Field != "" {
			return Word{Text: n.Field + ":" + n.Text}, true
		}
	case Range:
		return Word{Text: n.Field + ":" + n.Min.Text + " " + n.Max.Text}, true
	}
	return n, false
}

// Words returns a query of words in place of the parts that stand for many words or
// places, which may be too many: those with a * or ~.
func Words(n Node) Node {
	return Map(n, func(n Node) Node {
		switch n := n.(type) {
		case Prefix, Fuzzy, PhrasePrefix:
			word, _ := Plainer(n)
			return word
		case Phrase:
			n.Slop = 0
			return n
		}
		return n
	})
}

// FirstParts returns a query of at most n parts of a query, the first ones, and reports
// whether there are more. Parts of parts that are neither And nor Or are not counted.
func FirstParts(of Node, n int) (Node, bool) {
	first, _ := firstOf(&n, of)
	return first, n < 0
}

// firstOf takes so many parts that left becomes 0, and reports false for none.
func firstOf(left *int, of Node) (Node, bool) {
	var nodes []Node
	switch of := of.(type) {
	case And:
		nodes = of.Nodes
	case Or:
		nodes = of.Nodes
	default:
		*left--
		return of, *left >= 0
	}
	var first []Node
	for _, n := range nodes {
		if n, ok := firstOf(left, n); ok {
			first = append(first, n)
		}
	}
	if _, and := of.(And); and {
		return And{first}, len(first) > 0
	}
	return Or{first}, len(first) > 0
}
