package postgres

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"

	"github.com/jackc/pgx/v5/pgtype"
)

// A decoder converts the text form of a value that is not NULL to a value of
// doc.Row. Its error is the reason of a doc.BadValue.
type decoder func(text string) (any, error)

// value returns the conversion of values of a type. Values of other types, such as
// those of extensions, stay text.
func (t columnType) value() func(raw any) (any, error) {
	decode := scalarDecoder(t.OID)
	switch {
	case t.Element != 0:
		decode = arrayDecoder(scalarDecoder(t.Element))
	case t.isNamed("hstore"):
		decode = decodeHstore
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
	case pgtype.TimestampOID:
		return func(text string) (any, error) { return dialect.TimeText(text, ""), nil }
	case pgtype.TimestamptzOID:
		return func(text string) (any, error) { return dialect.TimeText(text, "Z"), nil }
	case pgtype.JSONOID, pgtype.JSONBOID:
		return decodeJSON
	case pgtype.XMLOID:
		return decodeXML
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

// arrayDecoder decodes arrays whose elements item decodes. Arrays of several
// dimensions become lists of lists. Bounds, as in [0:2]={...}, are dropped.
func arrayDecoder(item decoder) decoder {
	return func(text string) (any, error) {
		var array pgtype.Array[*string]
		err := pgtype.NewMap().Scan(pgtype.TextArrayOID, pgtype.TextFormatCode, []byte(text), &array)
		if err != nil {
			return nil, errors.New("the array has an unknown text form")
		}
		list := make([]any, len(array.Elements))
		for i, element := range array.Elements {
			if element == nil {
				continue
			}
			if list[i], err = item(*element); err != nil {
				list[i] = doc.NewBadValue(*element, err.Error()) // the others are values
			}
		}
		return nested(list, array.Dims), nil
	}
}

// nested makes lists of lists of an array's elements.
func nested(list []any, dimensions []pgtype.ArrayDimension) []any {
	for n := len(dimensions) - 1; n > 0; n-- {
		var outer []any
		for inner := range slices.Chunk(list, int(dimensions[n].Length)) {
			outer = append(outer, inner)
		}
		list = outer
	}
	return list
}
