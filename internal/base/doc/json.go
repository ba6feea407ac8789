package doc

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A JSON is a JSON object as a value of a Row: the text that the database has, which is
// valid. Lists and scalars of JSON are values of their own types.
//
// Its text in the index is that of its strings and numbers, in their order: see
// FormatText. Names, true, false and null are no part of it.
type JSON string

// The limits of what FormatText takes from a JSON. What is deeper or comes later is in the
// row, and is not searched.
const (
	JSONDepth = 32
	JSONText  = 1 << 20 // bytes of text
)

// rowDepth is how deep in a page an object of a child's row is.
const rowDepth = 5

// ParseJSON returns the value of a JSON text. The value refers to the text.
func ParseJSON(text string) (any, error) {
	if !utf8.ValidString(text) {
		return nil, fmt.Errorf("the JSON is not valid UTF-8")
	}
	p := parser{text: text, depth: rowDepth, bare: true}
	v, err := p.value()
	if err == nil && !p.atEnd() {
		err = p.fault("the end of the text")
	}
	if err != nil {
		return nil, fmt.Errorf("JSON: %w", err)
	}
	return v, nil
}

// MarshalJSON implements json.Marshaler.
func (j JSON) MarshalJSON() ([]byte, error) { return []byte(j), nil }

// Leaves calls yield with each string, number and boolean of the object, in their order,
// until yield returns false.
func (j JSON) Leaves(yield func(any) bool) {
	p := parser{text: string(j), bare: true}
	p.leaves(JSONDepth, yield)
}

// leaves passes a value, and reports whether yield has not ended it. Objects and lists
// are at most most deep.
func (p *parser) leaves(most int, yield func(any) bool) (more bool) {
	more = true
	item := func() error {
		if more && most > 0 {
			more = p.leaves(most-1, yield)
			return nil
		}
		return p.skip()
	}
	var err error
	switch p.peek() {
	case '{':
		err = p.object(func(string) error { return item() })
	case '[':
		err = p.items('[', ']', item)
	default:
		var v any
		if v, err = p.value(); err == nil && v != nil {
			more = yield(v)
		}
	}
	return more && err == nil
}

// text returns the text of the object in the index.
func (j JSON) text() string {
	var b strings.Builder
	for v := range j.Leaves {
		if _, is := v.(bool); is {
			continue
		}
		text := FormatText(v)
		if b.Len()+len(text) > JSONText {
			break
		}
		if b.Len() > 0 && text != "" {
			b.WriteByte(' ')
		}
		b.WriteString(text)
	}
	return b.String()
}

// At returns what is at a path of names in a value. In a list the path is followed in
// each element, and the result is a list, without the elements that have nothing there.
// A text is read as JSON if it is some. The result is nil if nothing is there.
func At(value any, path []string) any {
	switch v := value.(type) {
	case JSON:
		p := parser{text: string(v), bare: true}
		if found, err := p.at(path); err == nil {
			return found
		}
	case string:
		if parsed, err := ParseJSON(v); err == nil {
			if _, scalar := parsed.(string); !scalar {
				return At(parsed, path)
			}
		}
	case []any:
		var all []any
		for _, e := range v {
			all = appendFound(all, At(e, path))
		}
		if all != nil {
			return all
		}
	}
	return nil
}

// appendFound appends what was found in an element of a list.
func appendFound(all []any, found any) []any {
	switch v := found.(type) {
	case nil:
		return all
	case []any:
		return append(all, v...)
	}
	return append(all, found)
}

// at passes a value, and returns what is at a path in it.
func (p *parser) at(path []string) (found any, err error) {
	if len(path) == 0 {
		return p.value()
	}
	switch p.peek() {
	case '{':
		err = p.object(func(name string) error {
			if name != path[0] {
				return p.skip()
			}
			found, err = p.at(path[1:])
			return err
		})
	case '[':
		var all []any
		err = p.items('[', ']', func() error {
			one, err := p.at(path)
			all = appendFound(all, one)
			return err
		})
		if all != nil {
			found = all
		}
	default:
		err = p.skip()
	}
	return found, err
}

// jsonValue returns the object at the parser's place.
func (p *parser) jsonValue() (any, error) {
	if p.peek() != '{' {
		return nil, p.fault("an object")
	}
	start := p.pos
	err := p.skip()
	if err == nil && !utf8.ValidString(p.text[start:p.pos]) {
		err = fmt.Errorf("byte %d: the object is not valid UTF-8", start)
	}
	if err != nil {
		return nil, err
	}
	return JSON(p.text[start:p.pos]), nil
}

// skip passes a value.
func (p *parser) skip() error {
	switch p.peek() {
	case '{':
		return p.object(func(string) error { return p.skip() })
	case '[':
		return p.items('[', ']', p.skip)
	case '"':
		_, err := p.string()
		return err
	}
	n := numberLen(p.text[p.pos:])
	if p.pos += n; n > 0 {
		return nil
	}
	_, err := p.value()
	return err
}
