package stdsql

import (
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
)

// Columns describes the columns of a query by their types, as the driver reports them.
func Columns(ctx context.Context, q Querier, query string, describe func(*sql.ColumnType) dialect.Column) ([]dialect.Column, error) {
	rows, err := q.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	columns := make([]dialect.Column, len(types))
	for i, t := range types {
		columns[i] = describe(t)
	}
	return columns, errors.Join(err, rows.Err())
}

// Raw returns what stores a driver's value as a raw value of source. Bytes are
// text, unless the column is binary. An integer of more than 63 bits becomes text.
func Raw(to *any, binary bool) sql.Scanner { return &rawValue{to, binary} }

type rawValue struct {
	to     *any
	binary bool
}

// Scan implements sql.Scanner. The bytes are the driver's.
func (r *rawValue) Scan(value any) error {
	switch v := value.(type) {
	case []byte:
		if *r.to = string(v); r.binary {
			*r.to = slices.Clone(v)
		}
	case float32:
		*r.to = Widened(v)
	case uint64:
		if *r.to = int64(v); v > math.MaxInt64 {
			*r.to = strconv.FormatUint(v, 10)
		}
	default:
		*r.to = v
	}
	return nil
}

// Widened returns the float64 of the shortest decimal form of 32 bits.
func Widened(f float32) float64 {
	v, _ := strconv.ParseFloat(strconv.FormatFloat(float64(f), 'g', -1, 32), 64)
	return v
}

// Scalar converts a raw value to a value of a document: bytes are hexadecimal.
func Scalar(raw any) (any, error) {
	switch v := raw.(type) {
	case []byte:
		return `\x` + hex.EncodeToString(v), nil
	case string:
		if !utf8.ValidString(v) {
			return nil, fmt.Errorf("%s is not valid UTF-8", dialect.Show(v))
		}
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return nil, fmt.Errorf("%s is no number that can be indexed", dialect.Show(v))
		}
	}
	return raw, nil
}

// ScalarOrUUID is Scalar, but sixteen bytes are a UUID.
func ScalarOrUUID(raw any) (any, error) {
	if b, ok := raw.([]byte); ok && len(b) == 16 {
		return doc.FormatUUID([16]byte(b)), nil
	}
	return Scalar(raw)
}

// Number converts the text of a number and keeps every digit.
func Number(raw any) (any, error) {
	if text, ok := raw.(string); ok {
		return json.Number(text), nil
	}
	return raw, nil
}

// Nested is dialect.Column.Form of JSON and XML, whose values were text once.
const Nested = "nested"

// JSON converts a raw value of JSON. A text that is none, or is nested too deeply, stays
// a text.
func JSON(raw any) (any, error) {
	if text, ok := raw.(string); ok {
		if v, err := doc.ParseJSON(text); err == nil {
			return v, nil
		}
	}
	return Scalar(raw)
}

// XML converts a raw value of XML to its text.
func XML(raw any) (any, error) {
	if text, ok := raw.(string); ok {
		raw = doc.TextOfXML(text)
	}
	return Scalar(raw)
}
