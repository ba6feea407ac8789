package doc

import (
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Row holds the columns that the main SQL returned for one OID, and its
// children. A value is nil, bool, int64, float64, json.Number (an exact decimal),
// string, JSON (an object), BadValue, or []any of these. Times are text: RFC 3339 in UTC with
// microseconds
// if the column has a time zone, without an offset if it has none; dates are
// 2006-01-02.
type Row struct {
	Names    []string // shared by all rows of a query
	Values   []any
	Children []Child // in the order of the configuration
}

// A Child holds the rows of one child SQL that belong to one row.
type Child struct {
	Name string
	Rows []Row
}

// Get returns the value of a column, and whether the row has that column.
func (r Row) Get(name string) (any, bool) {
	for i, n := range r.Names {
		if n == name {
			return r.Values[i], true
		}
	}
	return nil, false
}

// FormatText returns the text that is indexed for a value. A list is its elements
// joined by spaces, and a JSON its strings and numbers; NULL is the empty text. A value that was stored in a page and
// parsed again gives the same text.
func FormatText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return formatFloat(v)
	case json.Number:
		return v.String()
	case JSON:
		return v.text()
	case BadValue:
		return v.Text
	case []any:
		texts := make([]string, len(v))
		for i, e := range v {
			texts[i] = FormatText(e)
		}
		return strings.Join(texts, " ")
	}
	return fmt.Sprint(v)
}

// formatFloat writes sizes from 1e-6 up to 1e21 as plain digits, so that a
// search for 1234567 finds it, and -0 as 0.
func formatFloat(v float64) string {
	size := math.Abs(v)
	switch {
	case size == 0:
		return "0"
	case size < 1e-6 || size >= 1e21:
		return strconv.FormatFloat(v, 'e', -1, 64)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// AppendJSON appends the canonical JSON of the row:
//
//	{"row":{"film_id":7,"title":"..."},"children":{"actors":[{"name":"..."}]}}
//
// Columns are in the SQL's order. A row without children has no "children". NaN,
// infinity, text that is not UTF-8 and unknown types are errors that name the
// column.
func (r Row) AppendJSON(dst []byte) ([]byte, error) {
	dst, err := r.appendColumns(append(dst, `{"row":`...))
	if err != nil {
		return nil, err
	}
	if len(r.Children) > 0 {
		dst = append(dst, `,"children":{`...)
		for i, c := range r.Children {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = c.appendJSON(dst); err != nil {
				return nil, err
			}
		}
		dst = append(dst, '}')
	}
	return append(dst, '}'), nil
}

func (c Child) appendJSON(dst []byte) ([]byte, error) {
	dst, err := AppendString(dst, c.Name)
	if err != nil {
		return nil, err
	}
	dst = append(dst, ':', '[')
	for i, row := range c.Rows {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = row.appendColumns(dst); err != nil {
			return nil, fmt.Errorf("child %s: %w", c.Name, err)
		}
	}
	return append(dst, ']'), nil
}

func (r Row) appendColumns(dst []byte) (_ []byte, err error) {
	dst = append(dst, '{')
	for i, name := range r.Names {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = AppendString(dst, name); err == nil {
			dst, err = appendValue(append(dst, ':'), r.Values[i])
		}
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", name, err)
		}
	}
	return append(dst, '}'), nil
}

func appendValue(dst []byte, v any) (_ []byte, err error) {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...), nil
	case bool:
		return strconv.AppendBool(dst, v), nil
	case int64:
		return strconv.AppendInt(dst, v, 10), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%v is no number that can be indexed", v)
		}
		return append(dst, formatFloat(v)...), nil
	case json.Number:
		if !isNumber(string(v)) {
			return nil, fmt.Errorf("%q is no number that can be indexed", string(v))
		}
		return append(dst, v...), nil
	case string:
		return AppendString(dst, v)
	case JSON:
		return append(append(append(dst, `{"json":`...), v...), '}'), nil
	case BadValue:
		return appendBadValue(dst, v)
	case []any:
		dst = append(dst, '[')
		for i, e := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = appendValue(dst, e); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	}
	return nil, fmt.Errorf("a value of type %T can't be stored", v)
}

// isNumber reports whether s is a JSON number without surrounding space.
func isNumber(s string) bool {
	return s != "" && numberLen(s) == len(s)
}

const hexDigits = "0123456789abcdef"

// AppendString writes a text as a JSON string. It returns an error if the text is not
// valid UTF-8.
func AppendString(dst []byte, s string) ([]byte, error) {
	dst = append(dst, '"')
	for {
		n := plain(s)
		dst = append(dst, s[:n]...)
		if s = s[n:]; s == "" {
			return append(dst, '"'), nil
		}
		switch c := s[0]; {
		case c >= utf8.RuneSelf:
			end := 1
			for end < len(s) && s[end] >= utf8.RuneSelf {
				end++
			}
			if !utf8.ValidString(s[:end]) {
				return nil, fmt.Errorf("text is not valid UTF-8")
			}
			dst, s = append(dst, s[:end]...), s[end:]
			continue
		case c == '"', c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		s = s[1:]
	}
}

// plain returns how many characters at the start of a text are ASCII and stand for
// themselves in JSON. It looks at eight at once: the high bit of a byte of special
// marks one that is not.
func plain(s string) (n int) {
	const low, high = 0x0101010101010101, 0x8080808080808080
	for ; len(s)-n >= 8; n += 8 {
		b := s[n : n+8]
		v := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 | uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		quote, slash := v^low*'"', v^low*'\\'
		special := v | (v - low*' ') | (quote - low) | (slash - low)
		if special &= high; special != 0 {
			return n + bits.TrailingZeros64(special)/8
		}
	}
	for n < len(s) && s[n] >= ' ' && s[n] < utf8.RuneSelf && s[n] != '"' && s[n] != '\\' {
		n++
	}
	return n
}
