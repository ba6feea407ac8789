package pgsource

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

// A decoder turns the text form of a value, which is not NULL, into a value of
// doc.Row. Its error is the reason why the row is rejected.
type decoder func(text string) (any, error)

// newDecoder returns the decoder of a type. A type that is not known here, an
// extension's as well, stays the text that the server makes of it.
func newDecoder(t columnType) decoder {
	if t.element != 0 {
		return arrayDecoder(scalarDecoder(t.element))
	}
	return scalarDecoder(t.oid)
}

func scalarDecoder(oid uint32) decoder {
	switch oid {
	case pgtype.BoolOID:
		return decodeBool
	case pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID:
		return decodeInteger
	case pgtype.Float4OID, pgtype.Float8OID:
		return decodeFloat
	case pgtype.NumericOID:
		return decodeNumeric
	case pgtype.TimestampOID, pgtype.TimestamptzOID:
		return decodeTimestamp
	case pgtype.BPCharOID:
		return decodePadded
	}
	return decodeText
}

func decodeBool(text string) (any, error) { return text == "t", nil }

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

// decodeNumeric keeps every digit. The server writes no exponent, so what is
// finite is a number of JSON.
func decodeNumeric(text string) (any, error) {
	for i := range len(text) {
		if c := text[i]; (c < '0' || c > '9') && c != '.' && c != '-' {
			return nil, fmt.Errorf("%s is no number that can be indexed", text)
		}
	}
	return json.Number(text), nil
}

func decodeTimestamp(text string) (any, error) { return rfc3339(text), nil }

// decodePadded cuts the blanks that fill up a char(n): they mean nothing to the
// database, and a filter for the word would miss the value because of them.
func decodePadded(text string) (any, error) { return decodeText(unpad(text)) }

func unpad(text string) string { return strings.TrimRight(text, " ") }

var errNotUTF8 = errors.New("text is not valid UTF-8")

func decodeText(text string) (any, error) {
	// A database without an encoding (SQL_ASCII) delivers any bytes.
	if !utf8.ValidString(text) {
		return nil, errNotUTF8
	}
	return text, nil
}
