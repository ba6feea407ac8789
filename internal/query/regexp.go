package query

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxRegexp is the length of a regular expression, in characters.
const MaxRegexp = 1000

// RE2 returns a regular expression of Lucene as one of package regexp, for a whole term
// with the flag s. Of Lucene's optional operators it knows @, any text, and #, no text.
// Intersections and intervals are errors. The cost of a match is linear in the length
// of the term.
func RE2(text string) (string, error) {
	if n := utf8.RuneCountInString(text); n > MaxRegexp {
		return "", Errorf("shorten it", "a regular expression has %d characters, more than %d", n, MaxRegexp)
	}
	p := regexpParser{text: []rune(text)}
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
		p.escaped("")
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
		from := p.escaped("]")
		if p.take('-') {
			p.out.WriteByte('-')
			if to := p.escaped(""); to < from {
				p.fail("exchange its ends", "a range of characters is empty")
			}
		}
	}
	if !p.take(']') {
		p.fail("write ]", "a class of characters is not closed")
		return
	}
	p.out.WriteByte(']')
}

// escaped reads a character, possibly behind a backslash.
func (p *regexpParser) escaped(end string) rune {
	if p.take('\\') {
		if p.peek("dDsSwW") {
			p.out.WriteString(`\` + string(p.text[p.at]))
			p.at++
			return 0
		}
		end = ""
	}
	if !p.more() || end != "" && p.peek(end) {
		p.fail("write more", "a character is missing")
		return 0
	}
	r := p.text[p.at]
	p.at++
	p.char(r)
	return r
}

func (p *regexpParser) char(r rune) { fmt.Fprintf(&p.out, `\x{%x}`, r) }
