package postgres

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgtype"
)

// A decoder converts the text form of a value that is not NULL to a value of
// doc.Row. Its error is the reason of the reject.
type decoder func(text string) (any, error)

// value returns the conversion of values of a type. Values of other types, such as
// those of extensions, stay text.
func (t columnType) value() func(raw any) (any, error) {
	decode := scalarDecoder(t.OID)
	if t.Element != 0 {
		decode = arrayDecoder(scalarDecoder(t.Element))
	}
	return func(raw any) (any, error) { return decode(*raw.(*string)) }
}

func scalarDecoder(oid uint32) decoder {
	switch oid {
	case pgtype.BoolOID:
		return func(text string) (any, error) { return text == "t", nil }
	case pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID:
		return decodeInteger
	case pgtype.Float4OID, pgtype.Float8OID:
		return decodeFloat
	case pgtype.NumericOID:
		return decodeNumeric
	case pgtype.TimestampOID, pgtype.TimestamptzOID:
		return func(text string) (any, error) { return rfc3339(text), nil }
	case pgtype.BPCharOID:
		// The database ignores the padding, and it would make a filter for the word
		// miss the value.
		return func(text string) (any, error) { return decodeText(strings.TrimRight(text, " ")) }
	}
	return decodeText
}

func decodeInteger(text string) (any, error) {
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%q is not an integer", text)
	}
	return v, nil
}

func decodeFloat(text string) (any, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return nil, fmt.Errorf("%s is no number that can be indexed", text)
	}
	return v, nil
}

// decodeNumeric keeps every digit. The server writes no exponent, so a finite
// value is a JSON number.
func decodeNumeric(text string) (any, error) {
	if strings.Trim(text, "0123456789.-") != "" {
		return nil, fmt.Errorf("%s is no number that can be indexed", text)
	}
	return json.Number(text), nil
}

var errNotUTF8 = errors.New("text is not valid UTF-8")

func decodeText(text string) (any, error) {
	// A database without an encoding (SQL_ASCII) delivers any bytes.
	if !utf8.ValidString(text) {
		return nil, errNotUTF8
	}
	return text, nil
}

// The text form of an array:
//
//	array   = [bounds "="] list        bounds, as in [0:2]={...}, are dropped
//	list    = "{" [item {"," item}] "}"
//	item    = list | quoted | bare     a bare NULL is NULL
//	quoted  = '"' {char | "\" char} '"'

var errArray = errors.New("the array has an unknown text form")

// maxDimensions is the server's limit of an array's dimensions.
const maxDimensions = 6

// arrayDecoder decodes arrays whose elements item decodes. Arrays of several
// dimensions become lists of lists.
func arrayDecoder(item decoder) decoder {
	return func(text string) (any, error) {
		if strings.HasPrefix(text, "[") {
			var ok bool
			if _, text, ok = strings.Cut(text, "="); !ok {
				return nil, errArray
			}
		}
		list, rest, err := parseList(text, item, maxDimensions)
		if err != nil {
			return nil, err
		}
		if rest != "" {
			return nil, errArray
		}
		return list, nil
	}
}

// parseList reads a list of at most depth dimensions and returns the text after
// it.
func parseList(s string, item decoder, depth int) (list []any, rest string, err error) {
	if !strings.HasPrefix(s, "{") || depth == 0 {
		return nil, "", errArray
	}
	list = []any{}
	if s = s[1:]; strings.HasPrefix(s, "}") {
		return list, s[1:], nil
	}
	for {
		var v any
		if v, s, err = parseItem(s, item, depth); err != nil {
			return nil, "", err
		}
		list = append(list, v)
		if s == "" || s[0] != ',' && s[0] != '}' {
			return nil, "", errArray
		}
		end := s[0] == '}'
		if s = s[1:]; end {
			return list, s, nil
		}
	}
}

func parseItem(s string, item decoder, depth int) (v any, rest string, err error) {
	switch {
	case strings.HasPrefix(s, "{"):
		return parseList(s, item, depth-1)
	case strings.HasPrefix(s, `"`):
		var text string
		if text, rest, err = cutQuoted(s[1:]); err == nil {
			v, err = item(text)
		}
		return v, rest, err
	}
	end := strings.IndexAny(s, ",}")
	if end < 1 {
		return nil, "", errArray
	}
	if s[:end] == "NULL" {
		return nil, s[end:], nil
	}
	v, err = item(s[:end])
	return v, s[end:], err
}

func cutQuoted(s string) (text, rest string, err error) {
	var b strings.Builder
	for {
		i := strings.IndexAny(s, `"\`)
		if i < 0 || s[i] == '\\' && i+1 == len(s) {
			return "", "", errArray
		}
		b.WriteString(s[:i])
		if s[i] == '"' {
			return b.String(), s[i+1:], nil
		}
		b.WriteByte(s[i+1])
		s = s[i+2:]
	}
}
