package query

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxRegexp is the length of a regular expression, in characters.
const MaxRegexp = 1000

// RE2 returns a regular expression of Lucene as one of package regexp, for a whole term
// with the flag s. Of Lucene's optional operators it has @, any text, and #, no text.
// Intersections and intervals are errors. The cost of a match is linear in the length
// of the term. With fold, ASCII letters match in either case, but not in a range such as
// a-z, as Lucene has it.
func RE2(text string, fold bool) (string, error) {
	if n := utf8.RuneCountInString(text); n > MaxRegexp {
		return "", Errorf("shorten it", "a regular expression has %d characters, more than %d", n, MaxRegexp)
	}
	p := regexpParser{text: []rune(text), fold: fold}
	if len(text) > 0 {
		p.union()
	}
	if p.err == nil && p.more() {
		p.fail("remove it or write \\ before it", "character %q", p.text[p.at])
	}
	return p.out.String(), p.err
}

// A regexpParser reads text from position at.
type regexpParser struct {
	text []rune
	fold bool
	at   int
	out  strings.Builder
	err  error
}

func (p *regexpParser) fail(hint, format string, args ...any) {
	if p.err == nil {
		p.err = Errorf(hint, "regular expression %s: %s at character %d", Shorten(string(p.text)), fmt.Sprintf(format, args...), p.at+1)
	}
	p.at = len(p.text)
}

func (p *regexpParser) more() bool { return p.at < len(p.text) }

func (p *regexpParser) peek(any string) bool {
	return p.more() && strings.ContainsRune(any, p.text[p.at])
}

func (p *regexpParser) take(r rune) bool {
	if !p.more() || p.text[p.at] != r {
		return false
	}
	p.at++
	return true
}

// union reads alternatives.
func (p *regexpParser) union() {
	p.out.WriteString("(?:")
	p.concat()
	for p.take('|') {
		p.out.WriteByte('|')
		p.concat()
	}
	p.out.WriteByte(')')
	if p.peek("&") {
		p.fail(`write \& for the character`, "an intersection is not supported")
	}
}

func (p *regexpParser) concat() {
	p.repeat()
	for p.more() && !p.peek(")|&") {
		p.repeat()
	}
}

func (p *regexpParser) repeat() {
	p.out.WriteString("(?:")
	from := p.out.Len()
	p.simple()
	for p.peek("?*+{") {
		inner := p.out.String()
		op := string(p.text[p.at])
		if p.at++; op == "{" {
			op = p.bounds()
		}
		p.out.Reset()
		p.out.WriteString(inner[:from] + "(?:" + inner[from:] + ")" + op)
	}
	p.out.WriteByte(')')
}

// bounds reads {n}, {n,} or {n,m} after its brace.
func (p *regexpParser) bounds() string {
	from := p.at
	for p.peek("0123456789,") {
		p.at++
	}
	text := string(p.text[from:p.at])
	least, most, several := strings.Cut(text, ",")
	if least == "" || len(least) > 4 || len(most) > 4 || several && strings.Contains(most, ",") || !p.take('}') {
		p.fail("write {2}, {2,} or {2,5}", "invalid number of repetitions")
		return ""
	}
	return "{" + text + "}"
}

// simple reads one character, class, quoted text or group.
func (p *regexpParser) simple() {
	if !p.more() {
		p.fail("write more", "it ends too early")
		return
	}
	switch r := p.text[p.at]; r {
	case '.':
		p.at++
		p.out.WriteByte('.')
	case '@':
		p.at++
		p.out.WriteString(".*")
	case '#':
		p.at++
		p.out.WriteString(`[^\x00-\x{10FFFF}]`)
	case '"':
		p.quoted()
	case '(':
		p.at++
		if p.take(')') {
			return
		}
		if p.union(); !p.take(')') {
			p.fail("close it", "a group is not closed")
		}
	case '<':
		p.fail(`write \< for the character`, "an interval is not supported")
	case '[':
		p.class()
	default:
		if r, ok := p.escaped(""); ok {
			p.char(r)
		}
	}
}

func (p *regexpParser) quoted() {
	p.at++
	for p.more() && p.text[p.at] != '"' {
		p.char(p.text[p.at])
		p.at++
	}
	if !p.take('"') {
		p.fail(`write another "`, "a quote is not closed")
	}
}

// class reads characters in brackets.
func (p *regexpParser) class() {
	p.at++
	p.out.WriteByte('[')
	if p.take('^') {
		p.out.WriteByte('^')
	}
	for first := true; first || p.more() && !p.peek("]"); first = false {
		p.member()
	}
	if !p.take(']') {
		p.fail("write ]", "a class of characters is not closed")
		return
	}
	p.out.WriteByte(']')
}

// member reads a character or a range in brackets.
func (p *regexpParser) member() {
	from, ok := p.escaped("]")
	switch {
	case ok && p.take('-'):
		to, _ := p.escaped("")
		if to < from {
			p.fail("exchange its ends", "a range of characters is empty")
		}
		fmt.Fprintf(&p.out, `\x{%x}-\x{%x}`, from, to)
	case ok && p.fold:
		p.out.WriteString(bothCases(from))
	case ok:
		fmt.Fprintf(&p.out, `\x{%x}`, from)
	}
}

// escaped reads a character, possibly behind a backslash, and reports whether it is one
// and not a class of them, which it writes.
func (p *regexpParser) escaped(end string) (r rune, ok bool) {
	if p.take('\\') {
		if p.peek("dDsSwW") {
			p.out.WriteString(`\` + string(p.text[p.at]))
			p.at++
			return 0, false
		}
		end = ""
	}
	if !p.more() || end != "" && p.peek(end) {
		p.fail("write more", "a character is missing")
		return 0, false
	}
	p.at++
	return p.text[p.at-1], true
}

func (p *regexpParser) char(r rune) { p.out.WriteString(Char(r, p.fold)) }

// Char returns a regular expression of one character. With fold it matches an ASCII
// letter in either case: the flag i of package regexp would fold all letters.
func Char(r rune, fold bool) string {
	if fold {
		return "[" + bothCases(r) + "]"
	}
	return fmt.Sprintf(`\x{%x}`, r)
}

// bothCases returns a letter in both cases, for a class of characters.
func bothCases(r rune) string {
	text := fmt.Sprintf(`\x{%x}`, r)
	if other := r ^ ' '; other|' ' >= 'a' && other|' ' <= 'z' {
		text += fmt.Sprintf(`\x{%x}`, other)
	}
	return text
}
