package doc

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxDepth is how deep lists and objects nest at most, as in json.Valid: a
// damaged page must not run the stack full.
const maxDepth = 10_000

// ParseRow reads what AppendJSON wrote. Numbers come back as int64 where they
// are written as one and as json.Number otherwise. The row keeps nothing of
// body, which a store only lends: its texts are parts of one copy, and each of
// them keeps the whole copy in memory.
//
// It takes and returns what encoding/json would, and is written by hand because
// verify and search read every page, and json.Decoder boxes every token.
func ParseRow(body []byte) (Row, error) {
	p := parser{text: string(body)}
	row, err := p.page()
	if err != nil {
		return Row{}, fmt.Errorf("page body: %w", err)
	}
	return row, nil
}

// A parser goes over text once, from left to right; each method reads what it
// is named after.
type parser struct {
	text  string
	pos   int
	depth int // lists and objects that are open at pos
}

func (p *parser) page() (Row, error) {
	var row Row
	err := p.object(func(key string) (err error) {
		switch key {
		case "row":
			row.Names, row.Values, err = p.columns()
			return err
		case "children":
			return p.object(func(name string) error {
				rows, err := p.rows()
				row.Children = append(row.Children, Child{Name: name, Rows: rows})
				return err
			})
		}
		return fmt.Errorf("unknown member %q", key)
	})
	if err == nil && !p.atEnd() {
		err = p.fault("its end")
	}
	return row, err
}

func (p *parser) rows() (rows []Row, err error) {
	err = p.items('[', ']', func() error {
		names, values, err := p.columns()
		rows = append(rows, Row{Names: names, Values: values})
		return err
	})
	return rows, err
}

// columns gathers on the stack, where they fit, and allocates when it knows how
// many there are.
func (p *parser) columns() ([]string, []any, error) {
	names, values := make([]string, 0, 16), make([]any, 0, 16)
	err := p.object(func(name string) error {
		v, err := p.value()
		names, values = append(names, name), append(values, v)
		return err
	})
	return append([]string(nil), names...), append([]any(nil), values...), err
}

// object calls member for each key; member reads the value.
func (p *parser) object(member func(key string) error) error {
	return p.items('{', '}', func() error {
		key, err := p.string()
		if err == nil {
			err = p.expect(':')
		}
		if err != nil {
			return err
		}
		return member(key)
	})
}

// items reads a list or an object; item reads one item of it.
func (p *parser) items(open, end byte, item func() error) error {
	if err := p.expect(open); err != nil {
		return err
	}
	if p.depth++; p.depth > maxDepth {
		return fmt.Errorf("byte %d: nested deeper than %d", p.pos-1, maxDepth)
	}
	for first := true; p.peek() != end; first = false {
		if !first {
			if err := p.expect(','); err != nil {
				return err
			}
		}
		if err := item(); err != nil {
			return err
		}
	}
	p.pos++
	p.depth--
	return nil
}

func (p *parser) value() (any, error) {
	switch c := p.peek(); c {
	case '"':
		return p.string()
	case '[':
		list := []any{}
		err := p.items('[', ']', func() error {
			v, err := p.value()
			list = append(list, v)
			return err
		})
		return list, err
	case 'n':
		return nil, p.word("null")
	case 't':
		return true, p.word("true")
	case 'f':
		return false, p.word("false")
	}
	return p.number()
}

func (p *parser) word(want string) error {
	if !strings.HasPrefix(p.text[p.pos:], want) {
		return p.fault(want)
	}
	p.pos += len(want)
	return nil
}

func (p *parser) number() (any, error) {
	n := numberLen(p.text[p.pos:])
	if n == 0 {
		return nil, p.fault("a value")
	}
	s := p.text[p.pos : p.pos+n]
	p.pos += n
	// "-0" stays as it is: as an integer it would lose its sign, and the page
	// would index another text than the row. ParseInt refuses fractions itself,
	// but allocates an error to say so.
	if s != "-0" && !strings.ContainsAny(s, ".eE") {
		if i, err := strconv.ParseInt(s, 10, 64); err == nil {
			return i, nil
		}
	}
	return json.Number(s), nil
}

// numberLen returns the length of the JSON number at the start of s, or 0.
func numberLen(s string) int {
	whole := 0
	if strings.HasPrefix(s, "-") {
		whole = 1
	}
	n := skipDigits(s, whole)
	if n == whole || s[whole] == '0' && n > whole+1 {
		return 0
	}
	if n < len(s) && s[n] == '.' {
		fraction := n + 1
		if n = skipDigits(s, fraction); n == fraction {
			return 0
		}
	}
	if n < len(s) && (s[n] == 'e' || s[n] == 'E') {
		exponent := n + 1
		if exponent < len(s) && (s[exponent] == '+' || s[exponent] == '-') {
			exponent++
		}
		if n = skipDigits(s, exponent); n == exponent {
			return 0
		}
	}
	return n
}

func skipDigits(s string, i int) int {
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	return i
}

func (p *parser) string() (string, error) {
	if err := p.expect('"'); err != nil {
		return "", err
	}
	start, escaped := p.pos, false
	for i := start; i < len(p.text); i++ {
		switch c := p.text[i]; {
		case c == '"':
			p.pos = i + 1
			if s := p.text[start:i]; !escaped && utf8.ValidString(s) {
				return s, nil
			}
			s, err := unquote(p.text[start-1 : p.pos])
			if err != nil {
				return "", fmt.Errorf("byte %d: %w", start-1, err)
			}
			return s, nil
		case c == '\\':
			escaped = true
			i++ // what it escapes may be a quote
		case c < ' ':
			p.pos = i
			return "", p.fault("it escaped")
		}
	}
	p.pos = len(p.text)
	return "", p.fault("a closing quote")
}

// unquote returns what encoding/json makes of a quoted text. What AppendJSON
// writes takes the quick way; surrogates, bytes that are not UTF-8 and faults
// are left to encoding/json, which has rules of its own for them.
func unquote(quoted string) (string, error) {
	if s, ok := unescape(quoted[1 : len(quoted)-1]); ok {
		return s, nil
	}
	var s string
	err := json.Unmarshal([]byte(quoted), &s)
	return s, err
}

// unescape returns false for what is encoding/json's.
func unescape(s string) (string, bool) {
	if !utf8.ValidString(s) {
		return "", false
	}
	var text strings.Builder
	text.Grow(len(s))
	for {
		before, after, found := strings.Cut(s, `\`)
		text.WriteString(before)
		if !found {
			return text.String(), true
		}
		// Go has escapes that JSON has not; those it has too mean the same.
		if after == "" || !strings.Contains(`"\bfnrtu`, after[:1]) {
			return "", false
		}
		r, _, tail, err := strconv.UnquoteChar(s[len(before):], '"')
		if err != nil {
			return "", false
		}
		text.WriteRune(r)
		s = tail
	}
}

func (p *parser) expect(c byte) error {
	if p.peek() != c {
		return p.fault(strconv.QuoteRune(rune(c)))
	}
	p.pos++
	return nil
}

func (p *parser) atEnd() bool {
	p.peek()
	return p.pos == len(p.text)
}

// peek skips space and returns the byte after it, 0 at the end: nothing that
// is read begins with 0.
func (p *parser) peek() byte {
	for ; p.pos < len(p.text); p.pos++ {
		switch c := p.text[p.pos]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

func (p *parser) fault(want string) error {
	if p.pos >= len(p.text) {
		return fmt.Errorf("ends at byte %d, want %s", len(p.text), want)
	}
	return fmt.Errorf("byte %d: found %q, want %s", p.pos, p.text[p.pos:p.pos+1], want)
}
