package source

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Keys are ordered as the database orders the columns, which an index answers,
// then by the bytes of texts that this order takes for equal. Without the bytes,
// the end of a page could separate such texts and skip one.

// field returns a column as statements name it.
func (v *view) field(at int) dialect.Field {
	return dialect.Field{Expr: v.exprs[at], As: &v.Columns[at]}
}

func (v *view) keyFields() dialect.Fields {
	key := make(dialect.Fields, len(v.key))
	for i, at := range v.key {
		key[i] = v.field(at)
	}
	return key
}

// tie orders by bytes the texts that a part of the key takes for equal. Its
// expression is "" for a part that needs none.
func (v *view) tie(part int) dialect.Field {
	if v.kinds[part] != doc.Text {
		return dialect.Field{}
	}
	f := v.field(v.key[part])
	return dialect.Field{Expr: v.dialect.Tie(f.As, f.Expr)}
}

// keyOrder is the order of pages of rows: by key, then by its ties, if it needs
// them.
func (v *view) keyOrder() dialect.Fields {
	order := v.keyFields()
	if v.unique {
		return order
	}
	for i := range v.key {
		if tie := v.tie(i); tie.Expr != "" {
			order = append(order, tie)
		}
	}
	return order
}

// place returns the values of a key in keyOrder, as parameters.
func (v *view) place(key []any) []any {
	place := keepAll(key)
	for i, at := range v.key {
		if v.unique || v.tie(i).Expr == "" {
			continue
		}
		value := place[i]
		if padded, ok := key[i].(*string); ok {
			if text, err := v.Columns[at].Value(padded); err == nil { // without padding
				value = text
			}
		}
		place = append(place, value)
	}
	return place
}

// after returns the condition that a row comes after a place in an order of columns,
// then of ties.
//
// A comparison of rows that includes the ties would be shorter. But PostgreSQL
// estimates it by the first column alone: if all rows have one updateTime, it
// expects none after the place, and for each page sorts all of them.
func (v *view) after(order dialect.Fields, place []any) dialect.Condition {
	form, n := v.dialect.Keyset(), len(order)
	for n > 0 && order[n-1].As == nil {
		n--
	}
	columns, ties := order[:n], order[n:]
	if len(ties) == 0 {
		return columns.Are(" > ", place, form)
	}
	var later []dialect.Condition
	for i, f := range columns {
		later = append(later, f.Is(" <> ", place[i]))
	}
	return dialect.And(columns.Are(" >= ", place, form), dialect.Or(append(later, ties.Are(" > ", place[n:], form))...))
}

// notNull returns the condition that no part of the key is NULL.
func (v *view) notNull() dialect.Condition {
	key := v.keyFields()
	return func(q *dialect.Query) {
		q.List(len(key), " AND ", func(i int) { q.Write(key[i].Expr, " IS NOT NULL") })
	}
}

// null returns the condition that a part of the key is NULL.
func (v *view) null() dialect.Condition {
	var parts []dialect.Condition
	for _, f := range v.keyFields() {
		parts = append(parts, dialect.SQL(f.Expr+" IS NULL"))
	}
	return dialect.Or(parts...)
}

// among returns the condition that the key is one of some keys. Keys that the
// columns' order takes for equal match too, unless there is only one key: an error
// for it must not be that of another row.
func (v *view) among(oids []doc.OID) (dialect.Condition, error) {
	keys := make([][]any, 0, len(oids))
	for _, oid := range oids {
		parts, err := v.parts(oid)
		if err != nil {
			return nil, err
		}
		if v.asIntegers(parts) {
			keys = append(keys, parts)
		}
	}
	if len(keys) == 0 {
		return v.noKey(), nil
	}
	all := []dialect.Condition{v.oneOf(keys)}
	for i := range v.key {
		if tie := v.tie(i); tie.Expr != "" && len(keys) == 1 {
			all = append(all, tie.Is(" = ", keys[0][i]))
		}
	}
	return dialect.And(all...), nil
}

// asIntegers makes integers of the decimals of a key that are compared with a column of
// integers, as a child's may be. It reports false if no row can have the key.
func (v *view) asIntegers(parts []any) bool {
	for i, at := range v.key {
		n, decimal := parts[i].(doc.Number)
		if c := &v.Columns[at]; !decimal || c.Kind != doc.Integer || c.Untyped {
			continue
		}
		whole, err := strconv.ParseInt(string(n), 10, 64)
		if err != nil {
			return false
		}
		parts[i] = whole
	}
	return true
}

// noKey returns the condition that the key is NULL in the form of a list, which no
// row meets. The database does not find that out when it prepares a statement.
func (v *view) noKey() dialect.Condition { return v.oneOf([][]any{make([]any, len(v.key))}) }

// oneOf returns the condition that the key is one of a list.
func (v *view) oneOf(keys [][]any) dialect.Condition {
	fields := v.keyFields()
	return func(q *dialect.Query) {
		if lister, ok := v.dialect.(dialect.Lister); ok {
			columns, exprs := fields.Split()
			if lister.Among(q, columns, exprs, keys) {
				return
			}
		}
		if len(fields) == 1 {
			fields[0].In(slices.Concat(keys...))(q)
			return
		}
		q.Write("(").List(len(keys), " OR ", func(i int) {
			q.Write("(").List(len(fields), " AND ", func(j int) { q.Write(fields[j].Expr, " = ").Bind(keys[i][j], fields[j].As) }).Write(")")
		}).Write(")")
	}
}

// maxKeys returns the number of keys that one statement selects by.
func (v *view) maxKeys() int { return v.dialect.MaxKeys(len(v.key)) }

// eachOf calls row with each row that has one of some keys. ask selects the key
// first. Rows whose key only the column's order takes for one of them are left out.
func (v *view) eachOf(ctx context.Context, x *tx, oids []doc.OID, ask func(among dialect.Condition) *dialect.Query, row func(oid doc.OID, raw []any)) error {
	asked := doc.SetOf(oids)
	for part := range slices.Chunk(oids, v.maxKeys()) {
		among, err := v.among(part)
		if err != nil {
			return err
		}
		_, err = x.each(ctx, ask(among), func(raw []any) bool {
			if oid, err := v.oid(raw); err == nil && asked[oid] {
				row(oid, raw)
			}
			return true
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// oid returns the OID of a raw row that begins with the key. The error names a
// part that is NULL or has another type than the table's key.
func (v *view) oid(raw []any) (doc.OID, error) {
	var room [maxKeyParts]any
	parts := room[:len(v.key)]
	for i := range v.key {
		if raw[i] == nil {
			return "", v.nullFault()
		}
		part, err := v.part(i, raw[i])
		if err != nil {
			return "", fmt.Errorf("key column %s: %w", v.names[v.key[i]], err)
		}
		parts[i] = part
	}
	return doc.NewOID(parts...)
}

// part converts a raw value that is not NULL to a part of the key.
func (v *view) part(i int, raw any) (part any, err error) {
	kind, column := v.kinds[i], &v.Columns[v.key[i]]
	if _, ok := raw.(int64); ok && kind == doc.Integer {
		return raw, nil
	}
	_, text := raw.(string)
	switch _, bytes := raw.([]byte); {
	case kind == doc.Integer, kind == doc.UUID, kind == doc.Boolean, column.Printed && text && kind != doc.Text:
		if part, err = column.Value(raw); err != nil {
			return nil, err
		}
		part = partOfValue(part, kind)
	case kind == doc.Text && bytes:
	case kind == doc.Text:
		if part, err = column.Value(raw); err != nil {
			return nil, err
		}
	default:
		part = partOfRaw(raw, kind)
	}
	switch {
	case part == doc.Number("NaN"):
		return nil, errors.New("NaN is no key")
	case doc.KindOf(part) == kind:
		return part, nil
	case column.Unscaled && kind == doc.Integer:
		return nil, fmt.Errorf("%s is no integer, as the table's key is: a table that is loaded again has decimal keys", dialect.Show(raw))
	}
	return nil, fmt.Errorf("%s is no %v, as the table's key is", dialect.Show(raw), kind)
}

// partOfValue converts a document's value to a part of a key, if it is one.
func partOfValue(value any, kind doc.Kind) any {
	text, ok := value.(string)
	if n, number := value.(json.Number); number {
		text, ok = n.String(), true
	}
	if ok {
		return parsed(text, kind)
	}
	return value
}

// parsed returns a part of a key; nil if the text is none.
func parsed(text string, kind doc.Kind) any {
	part, err := doc.ParsePart(text, kind)
	if err != nil {
		return nil
	}
	return part
}

// partOfRaw converts a raw value to a part of a key, if it is one. It takes the
// database's text form, since a document has no infinity, and other digits.
func partOfRaw(raw any, kind doc.Kind) any {
	switch v := raw.(type) {
	case *string:
		return parsed(strings.TrimPrefix(*v, hexPrefix[kind]), kind)
	case int64:
		if kind == doc.Decimal {
			return doc.Number(strconv.FormatInt(v, 10))
		}
	case float64:
		if kind == doc.Decimal {
			return decimalOf(v)
		}
		return v + 0 // -0 is 0
	case []byte:
		return doc.Blob(v)
	}
	return nil
}

// hexPrefix is what bytes begin with as text.
var hexPrefix = map[doc.Kind]string{doc.Bytes: `\x`}

// wholeReals is the size from which a real has no fraction.
const wholeReals = 1 << 53

// decimalOf returns the decimal of a real, so that reals and integers of one column
// sort as numbers: the shortest digits that mean this real, and from wholeReals on,
// where these may pass an integer, all digits.
func decimalOf(v float64) doc.Number {
	digits := -1
	if math.Abs(v) >= wholeReals {
		digits = 0
	}
	if math.IsInf(v, 0) {
		return doc.Number(doc.PartText(v))
	}
	n, _ := doc.ParseNumber(strconv.FormatFloat(v, 'f', digits, 64))
	return n
}

// nullFault is the reason of a row without a key, no matter which column is NULL.
func (v *view) nullFault() error {
	names := make([]string, len(v.key))
	for i, at := range v.key {
		names[i] = v.names[at]
	}
	return doc.NullKey(names)
}

// keyOf returns the key of a raw row of all columns.
func (v *view) keyOf(raw []any, key []any) []any {
	for i, at := range v.key {
		key[i] = raw[at]
	}
	return key
}

// parts returns the parts of a key of this table.
func (v *view) parts(oid doc.OID) ([]any, error) {
	parts, err := oid.Parts()
	if err != nil {
		return nil, err
	}
	if len(parts) != len(v.key) {
		return nil, fmt.Errorf("key %v has %d parts, want %d", oid, len(parts), len(v.key))
	}
	for i, part := range parts {
		if kind := doc.KindOf(part); kind != v.kinds[i] {
			return nil, fmt.Errorf("key %v: part %d is %v, want %v", oid, i+1, kind, v.kinds[i])
		}
	}
	return parts, nil
}
