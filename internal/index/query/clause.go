package query

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// clause reads a word, phrase or prefix of the content, or a field and its
// value. Only a lenient parser returns nil: there is none.
func (p *parser) clause() (Node, error) {
	n, err := p.one()
	return p.few(n), err
}

func (p *parser) one() (Node, error) {
	p.clauses++
	if p.clauses > MaxClauses {
		if p.lenient != nil {
			p.at = len(p.text)
			p.note(fmt.Sprintf("cut after %d words", MaxClauses))
			return nil, nil
		}
		return nil, p.fail(p.at, "search for fewer words", "more than %d words", MaxClauses)
	}
	if p.next(`"`) {
		return p.phrase("")
	}
	at := p.at
	w, err := p.word(true)
	if err != nil {
		return nil, err
	}
	if w.colon {
		return p.inField(w.text, at)
	}
	if w.star && w.text == "" {
		return All{}, nil
	}
	return w.node(""), nil
}

// value reads the value after the colon of a field.
func (p *parser) value(field string, at int) (Node, error) {
	for _, op := range []string{">=", "<=", ">", "<"} {
		if p.take(op) {
			return p.compare(field, op)
		}
	}
	switch r, _ := p.rune(); {
	case p.end() || isSpace(r) || r == ')':
		return nil, p.noValue(at, field)
	case r == '(':
		return nil, p.fail(p.at, "write the field before each value, such as (a:1 OR a:2)", "parenthesis after %s:", Shorten(field))
	case r == '[':
		return p.brackets(field)
	case r == '"':
		return p.phrase(field)
	}
	w, err := p.word(false)
	if err != nil {
		return nil, err
	}
	if w.star && w.text == "" {
		return Range{Field: field}, nil
	}
	if w.text == "" {
		return nil, p.noValue(at, field)
	}
	return w.node(field), nil
}

func (p *parser) noValue(at int, field string) error {
	return p.fail(at, `write \: for a colon in a word`, "no value after %s:", Shorten(field))
}

// compare reads the bound after a comparison operator.
func (p *parser) compare(field, op string) (Node, error) {
	at := p.at
	text, star, err := p.bound()
	if err != nil {
		return nil, err
	}
	if text == "" || star {
		return nil, p.fail(at, "write a value there", "no value after %s:%s", Shorten(field), op)
	}
	bound := Bound{Text: text, Exclusive: len(op) == 1}
	if op[0] == '>' {
		return Range{Field: field, Min: bound}, nil
	}
	return Range{Field: field, Max: bound}, nil
}

// brackets reads [a TO b].
func (p *parser) brackets(field string) (Node, error) {
	at := p.at
	p.take("[")
	p.space()
	lo, loStar, err := p.bound()
	if err != nil {
		return nil, err
	}
	p.space()
	to := p.keyword("TO")
	hi, hiStar, err := p.bound()
	if err != nil {
		return nil, err
	}
	p.space()
	if !to || !p.take("]") || lo == "" && !loStar || hi == "" && !hiStar {
		return nil, p.fail(at, "write "+Shorten(field)+":[1 TO 5], with * for an open end", "invalid range")
	}
	return Range{Field: field, Min: Bound{Text: lo}, Max: Bound{Text: hi}}, nil
}

// ParseRange reads the value of a filter as a range of a field: one comparison as >=2005,
// two as ">=2005 <2008", or brackets as [2005 TO 2008]. It reports false if the text
// does not begin as one of these. The error is an *Error.
func ParseRange(field, text string) (r Range, ok bool, err error) {
	if text == "" || !strings.ContainsRune("<>[", rune(text[0])) {
		return Range{}, false, nil
	}
	p := parser{text: text}
	for !p.end() {
		n, err := p.value(field, 0)
		if err != nil {
			return Range{}, true, err
		}
		one, isRange := n.(Range)
		if !isRange || one.Min.Text != "" && r.Min.Text != "" || one.Max.Text != "" && r.Max.Text != "" {
			return Range{}, true, Errorf("write >=1, <5, \">=1 <5\" or [1 TO 5]", "%s is no range", Shorten(text))
		}
		r = Range{Field: field, Min: cmp.Or(r.Min, one.Min), Max: cmp.Or(r.Max, one.Max)}
		p.space()
	}
	return r, true, nil
}

// bound reads one end of a range. A star alone is an open end.
func (p *parser) bound() (text string, star bool, err error) {
	at := p.at
	if p.next(`"`) {
		text, err = p.quoted()
		if err == nil && p.next("~") {
			err = p.fail(at, "remove it", "~ in the bound of a range")
		}
		return text, false, err
	}
	w, err := p.word(false)
	switch {
	case err != nil:
	case w.star && w.text != "":
		err = p.fail(at, "remove it", "* in the bound of a range")
	case w.fuzzy:
		err = p.fail(at, "remove it", "~ in the bound of a range")
	}
	return w.text, w.star, err
}

// A word is text up to a character that ends it.
type word struct {
	text  string
	colon bool // ended by the colon of a field
	star  bool // ended by a star
	fuzzy bool // ended by a tilde
	edits int  // the number after the tilde, 0 for none
}

func (w word) node(field string) Node {
	switch {
	case w.star:
		return Prefix{Field: field, Text: w.text}
	case w.fuzzy:
		return Fuzzy{Field: field, Text: w.text, Edits: w.edits}
	}
	return Word{Field: field, Text: w.text}
}

// word reads up to white space, a parenthesis, a quote or a closing bracket. If
// mayBeField is true, it also ends at the first colon.
func (p *parser) word(mayBeField bool) (word, error) {
	var b strings.Builder
	for !p.end() {
		r, size := p.rune()
		switch {
		case isSpace(r) || r == '(' || r == ')' || r == '"' && !p.inchMark():
			return word{text: b.String()}, nil
		case r == ']' && !mayBeField:
			return word{text: b.String()}, nil
		case r == ':' && mayBeField && b.Len() > 0:
			p.at += size
			return word{text: b.String(), colon: true}, nil
		case r == '*' && !p.literalStar(!mayBeField):
			return p.star(b.String(), !mayBeField)
		case r == '~' && b.Len() > 0 && p.tilde(!mayBeField):
			return p.fuzzy(b.String())
		case r == '\\' && !p.literalBackslash(b.Len() == 0):
			p.at += size
			if p.end() {
				return word{}, p.fail(p.at-1, `write \\ for a backslash`, "backslash at the end")
			}
			r, size = p.rune()
		}
		b.WriteRune(r)
		p.at += size
	}
	return word{text: b.String()}, nil
}

// star ends a word at its star, which must be its last character.
func (p *parser) star(text string, bracket bool) (word, error) {
	at := p.at
	p.take("*")
	if !p.ends(bracket) {
		return word{}, p.fail(at, `write it at the end of the word, or \* for a star`, "* inside a word")
	}
	return word{text: text, star: true}, nil
}

// ends reports whether a word ends here.
func (p *parser) ends(bracket bool) bool {
	r, _ := p.rune()
	return p.end() || isSpace(r) || r == ')' || bracket && r == ']'
}

// tilde reports whether a tilde, possibly with a number, ends the word here.
func (p *parser) tilde(bracket bool) bool {
	rest := strings.TrimLeft(p.text[p.at+1:], "0123456789.")
	r, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || isSpace(r) || r == ')' || bracket && r == ']'
}

// fuzzy ends a word at its tilde.
func (p *parser) fuzzy(text string) (word, error) {
	at := p.at
	p.take("~")
	w := word{text: text, fuzzy: true}
	switch number := p.number(); number {
	case "":
	case "1", "2":
		w.edits = int(number[0] - '0')
	default:
		if p.lenient != nil {
			p.ignore(number)
			break
		}
		return word{}, p.fail(at, "write ~1, ~2 or ~", "invalid number ~%s of different letters", number)
	}
	if p.fuzzies++; p.fuzzies > MaxFuzzy {
		if p.lenient != nil {
			p.ignore("~")
			return word{text: text}, nil
		}
		return word{}, p.fail(at, "search for fewer words with ~", "more than %d words with ~", MaxFuzzy)
	}
	return w, nil
}

// number reads digits and decimal points.
func (p *parser) number() string {
	from := p.at
	p.at = len(p.text) - len(strings.TrimLeft(p.text[from:], "0123456789."))
	return p.text[from:p.at]
}

// phrase reads text in quotes and an optional tilde with a number.
func (p *parser) phrase(field string) (Node, error) {
	text, err := p.quoted()
	if err != nil {
		return nil, err
	}
	if text == "" && p.lenient != nil && p.lenient.unclosed {
		return nil, nil // its first word is not typed yet
	}
	n := Phrase{Field: field, Text: text}
	at := p.at
	if !p.take("~") {
		return n, nil
	}
	slop, err := strconv.Atoi(p.number())
	if err != nil || slop > MaxSlop {
		if p.lenient != nil {
			p.ignore(p.text[at:p.at])
			return n, nil
		}
		return nil, p.fail(at, fmt.Sprintf("write ~ and how many positions the words may be away from their places, 0 to %d", MaxSlop), "invalid ~ after a phrase")
	}
	n.Slop = slop
	return n, nil
}

// quoted reads text in quotes.
func (p *parser) quoted() (string, error) {
	var b strings.Builder
	at := p.at
	p.take(`"`)
	for !p.end() {
		r, size := p.rune()
		plain := r == '\\' && p.literalBackslash(false)
		p.at += size
		switch {
		case plain:
		case r == '"':
			return b.String(), nil
		case r == '\\':
			if p.end() {
				continue // there is no closing quote
			}
			r, size = p.rune()
			p.at += size
		}
		b.WriteRune(r)
	}
	if p.lenient != nil {
		p.lenient.unclosed = true
		p.note(`closed at the end: "`)
		return b.String(), nil
	}
	return "", p.fail(at, `write the closing quote, or \" for a quote`, "unclosed quote")
}
