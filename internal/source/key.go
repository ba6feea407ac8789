package source

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"indexerd/internal/base/doc"
)

// Keys are ordered as the database orders the columns, which an index answers,
// then by the bytes of texts that this order takes for equal. Without the bytes,
// the end of a page could separate such texts and skip one.

// field returns a column as statements name it.
func (v *view) field(at int) field { return field{v.exprs[at], &v.Columns[at]} }

func (v *view) keyFields() fields {
	key := make(fields, len(v.key))
	for i, at := range v.key {
		key[i] = v.field(at)
	}
	return key
}

// tie orders by bytes the texts that a part of the key takes for equal. Its
// expression is "" for a part that needs none.
func (v *view) tie(part int) field {
	if v.kinds[part] != doc.Text {
		return field{}
	}
	f := v.field(v.key[part])
	return field{expr: v.dialect.Tie(f.as, f.expr)}
}

// keyOrder is the order of pages of rows: by key, then by its ties, if it needs
// them.
func (v *view) keyOrder() fields {
	order := v.keyFields()
	if v.unique {
		return order
	}
	for i := range v.key {
		if tie := v.tie(i); tie.expr != "" {
			order = append(order, tie)
		}
	}
	return order
}

// place returns the values of a key in keyOrder, as parameters.
func (v *view) place(key []any) []any {
	place := keepAll(key)
	for i, at := range v.key {
		if v.unique || v.tie(i).expr == "" {
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
func (v *view) after(order fields, place []any) condition {
	form, n := v.dialect.Keyset(), len(order)
	for n > 0 && order[n-1].as == nil {
		n--
	}
	columns, ties := order[:n], order[n:]
	if len(ties) == 0 {
		return columns.are(" > ", place, form)
	}
	var later []condition
	for i, f := range columns {
		later = append(later, f.is(" <> ", place[i]))
	}
	return and(columns.are(" >= ", place, form), or(append(later, ties.are(" > ", place[n:], form))...))
}

// notNull returns the condition that no part of the key is NULL.
func (v *view) notNull() condition {
	key := v.keyFields()
	return func(q *Query) { q.List(len(key), " AND ", func(i int) { q.Write(key[i].expr, " IS NOT NULL") }) }
}

// null returns the condition that a part of the key is NULL.
func (v *view) null() condition {
	var parts []condition
	for _, f := range v.keyFields() {
		parts = append(parts, text(f.expr+" IS NULL"))
	}
	return or(parts...)
}

// among returns the condition that the key is one of some keys. Keys that the
// columns' order takes for equal match too, unless there is only one key: an error
// for it must not be that of another row.
func (v *view) among(oids []doc.OID) (condition, error) {
	keys := make([][]any, len(oids))
	for i, oid := range oids {
		parts, err := v.parts(oid)
		if err != nil {
			return nil, err
		}
		keys[i] = parts
	}
	all := []condition{v.oneOf(keys)}
	for i := range v.key {
		if tie := v.tie(i); tie.expr != "" && len(keys) == 1 {
			all = append(all, tie.is(" = ", keys[0][i]))
		}
	}
	return and(all...), nil
}

// noKey returns the condition that the key is NULL in the form of a list, which no
// row meets. The database does not find that out when it prepares a statement.
func (v *view) noKey() condition { return v.oneOf([][]any{make([]any, len(v.key))}) }

// oneOf returns the condition that the key is one of a list.
func (v *view) oneOf(keys [][]any) condition {
	fields := v.keyFields()
	return func(q *Query) {
		if lister, ok := v.dialect.(Lister); ok {
			columns, exprs := fields.split()
			if lister.Among(q, columns, exprs, keys) {
				return
			}
		}
		if len(fields) == 1 {
			fields[0].in(slices.Concat(keys...))(q)
			return
		}
		q.Write("(").List(len(keys), " OR ", func(i int) {
			q.Write("(").List(len(fields), " AND ", func(j int) { q.Write(fields[j].expr, " = ").Bind(keys[i][j], fields[j].as) }).Write(")")
		}).Write(")")
	}
}

// maxKeys returns the number of keys that one statement selects by.
func (v *view) maxKeys() int { return v.dialect.MaxKeys(len(v.key)) }

// eachOf calls row with each row that has one of some keys. ask selects the key
// first. Rows whose key only the column's order takes for one of them are left out.
func (v *view) eachOf(ctx context.Context, x *tx, oids []doc.OID, ask func(among condition) *Query, row func(oid doc.OID, raw []any)) error {
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
	if doc.KindOf(part) != kind {
		return nil, fmt.Errorf("%s is no %v, as the table's key is", Show(raw), kind)
	}
	return part, nil
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
