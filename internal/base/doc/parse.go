package doc

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxDepth is the greatest depth of nested lists and objects, as in
// encoding/json. It keeps a damaged page from exhausting the stack.
const maxDepth = 10_000

// ParseRow parses what AppendJSON wrote. A number without fraction and exponent
// that fits is an int64, any other a json.Number, and an object a JSON. The row does not refer to
// body, which the store may reuse. Its texts share one copy of body, so each of
// them keeps the whole copy in memory.
//
// ParseRow accepts and returns what encoding/json would. It has a parser of its
// own because verify and search parse every page, and json.Decoder allocates for
// every token.
func ParseRow(body []byte) (Row, error) {
	p := parser{text: string(body)}
	row, err := p.page()
	if err != nil {
		return Row{}, fmt.Errorf("page body: %w", err)
	}
	return row, nil
}

// A parser reads text once from left to right. Each method reads the JSON element
// it is named after.
type parser struct {
	text  string
	pos   int
	depth int  // number of open lists and objects at pos
	bare  bool // it reads JSON of a database, not a page
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
		err = p.fault("the end of the text")
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

// columns collects up to 16 columns on the stack and allocates the result once
// their number is known.
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

// items reads a list or an object. It calls item for each element.
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
	case '{':
		if p.bare {
			return p.jsonValue()
		}
		return p.stored()
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
	// "-0" stays a json.Number: as an integer it would lose its sign, and the page
	// would index another text than the row. ParseInt would reject fractions too,
	// but allocates an error each time.
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
			i++ // the escaped character may be a quote
		case c < ' ':
			p.pos = i
			return "", p.fault("an escape sequence")
		}
	}
	p.pos = len(p.text)
	return "", p.fault("a closing quote")
}

// unquote decodes a quoted text as encoding/json does. Text that AppendJSON wrote
// takes a fast path; encoding/json decodes surrogates, bytes that are not UTF-8
// and malformed text.
func unquote(quoted string) (string, error) {
	if s, ok := unescape(quoted[1 : len(quoted)-1]); ok {
		return s, nil
	}
	var s string
	err := json.Unmarshal([]byte(quoted), &s)
	return s, err
}

// unescape is the fast path of unquote. It returns false for a text that
// encoding/json must decode.
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
		// Go has more escapes than JSON; the common ones mean the same.
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

// peek skips space and returns the next byte without reading it. At the end it
// returns 0, with which no JSON element begins.
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
