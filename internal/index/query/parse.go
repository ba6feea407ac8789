package query

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The limits of a query.
const (
	MaxLength  = 8 << 10 // bytes
	MaxClauses = 1024    // words, phrases, prefixes and ranges
	MaxDepth   = 32      // nested parentheses and minus signs
	MaxFuzzy   = 64      // words with a ~; each is compared with all words of the index
	MaxEdits   = 2       // of a word with a ~
	MaxSlop    = 100     // of a phrase
)

const orWord = "OR"

// Parse reads a query. Its error is an *Error with the position, counted in
// characters from 1.
func Parse(text string) (Node, error) {
	if len(text) > MaxLength {
		return nil, Errorf("shorten it", "the query has %d bytes, more than %d", len(text), MaxLength)
	}
	if !utf8.ValidString(text) {
		return nil, Errorf("send it as UTF-8", "the query is not valid UTF-8")
	}
	p := parser{text: text}
	return p.whole()
}

// whole reads all of the text. It returns All if there is nothing.
func (p *parser) whole() (Node, error) {
	p.space()
	if p.end() {
		return All{}, nil
	}
	n, err := p.or()
	switch {
	case err != nil:
		return nil, err
	case !p.end(): // or stops only at the end and at a parenthesis
		return nil, p.fail(p.at, `remove it or write \)`, "closing parenthesis without an opening one")
	case n == nil:
		return All{}, nil
	}
	return n, nil
}

// A parser reads text from position at.
type parser struct {
	text    string
	at      int
	clauses int
	fuzzies int
	depth   int
	groups  int       // parentheses that are open
	lenient *leniency // nil: a fault is an error
}

func (p *parser) fail(at int, hint, format string, args ...any) error {
	e := Errorf(hint, format, args...)
	e.Message = fmt.Sprintf("%s at character %d", e.Message, utf8.RuneCountInString(p.text[:at])+1)
	return e
}

func (p *parser) end() bool { return p.at == len(p.text) }

// next reports whether s comes next.
func (p *parser) next(s string) bool { return strings.HasPrefix(p.text[p.at:], s) }

// take skips s if it comes next.
func (p *parser) take(s string) bool {
	if !p.next(s) {
		return false
	}
	p.at += len(s)
	return true
}

func (p *parser) rune() (rune, int) { return utf8.DecodeRuneInString(p.text[p.at:]) }

func isSpace(r rune) bool { return unicode.IsSpace(r) }

func (p *parser) space() {
	for !p.end() {
		r, size := p.rune()
		if !isSpace(r) {
			return
		}
		p.at += size
	}
}

// nextIs reports whether this whole word comes next.
func (p *parser) nextIs(word string) bool {
	if !p.next(word) {
		return false
	}
	rest := p.text[p.at+len(word):]
	r, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || isSpace(r) || r == '(' || r == ')'
}

// keyword skips a word and the white space after it, if the word comes next.
func (p *parser) keyword(word string) bool {
	if !p.nextIs(word) {
		return false
	}
	p.at += len(word)
	p.space()
	return true
}

// or reads nodes that are separated by OR. Only a lenient parser returns nil: there are
// none.
func (p *parser) or() (Node, error) {
	var nodes []Node
	ors, missing := 0, 0
	for ; ; ors++ {
		at := p.at
		n, err := p.and()
		if err != nil {
			return nil, err
		}
		switch n := n.(type) {
		case nil:
			if p.lenient == nil {
				return nil, p.fail(at, "write a word there", "missing word")
			}
			missing++
		case Or: // of redundant parentheses
			nodes = append(nodes, n.Nodes...)
		default:
			nodes = append(nodes, n)
		}
		if !p.keyword(orWord) {
			break
		}
	}
	switch {
	case len(nodes) == 0:
		return p.loneOr(ors), nil
	case missing > 0 && p.lenient.words <= MaxTyped:
		p.ignore(orWord)
	}
	if len(nodes) == 1 {
		return nodes[0], nil
	}
	return Or{nodes}, nil
}

// and reads adjacent nodes. It returns nil if there are none.
func (p *parser) and() (Node, error) {
	var nodes []Node
	for !p.end() && !p.nextIs(orWord) {
		if p.next(")") {
			if !p.stray() {
				break
			}
			continue
		}
		n, err := p.unary()
		if err != nil {
			return nil, err
		}
		switch n := n.(type) {
		case nil: // it is left out
		case And: // of redundant parentheses
			nodes = append(nodes, n.Nodes...)
		default:
			nodes = append(nodes, n)
		}
		p.space()
	}
	switch len(nodes) {
	case 0:
		return nil, nil
	case 1:
		return nodes[0], nil
	}
	return And{nodes}, nil
}

// unary reads a node and the minus signs and parentheses around it. Only a lenient
// parser returns nil: the node is left out.
func (p *parser) unary() (Node, error) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > MaxDepth {
		if p.lenient != nil {
			return p.tooDeep()
		}
		return nil, p.fail(p.at, "use fewer parentheses and minus signs", "nested deeper than %d", MaxDepth)
	}
	at := p.at
	if p.take("-") {
		if r, _ := p.rune(); p.end() || isSpace(r) || r == ')' {
			p.at = at // a single minus sign is text
			return p.clause()
		}
		n, err := p.unary()
		if err != nil || n == nil {
			return nil, err
		}
		return Not{n}, nil
	}
	if p.take("(") {
		return p.group(at)
	}
	return p.clause()
}

// group reads what is in the parentheses that open at a position.
func (p *parser) group(at int) (Node, error) {
	p.groups++
	p.space()
	n, err := p.or()
	p.groups--
	if err != nil {
		return nil, err
	}
	if !p.take(")") {
		if p.lenient == nil {
			return nil, p.fail(at, `write ) or \(`, "unclosed parenthesis")
		}
		p.note("closed at the end: (")
	}
	return n, nil
}
