package sqlsource

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"indexerd/internal/doc"
)

// Keys are ordered as the database orders the columns, which an index answers,
// then by the bytes of texts that this order takes for equal. Without the bytes,
// the end of a page could separate such texts and skip one.

func (v *view) keyExprs() []string {
	exprs := make([]string, len(v.key))
	for i, at := range v.key {
		exprs[i] = v.exprs[at]
	}
	return exprs
}

// ties returns the expressions that order equal texts by bytes; "" for a part that
// needs none.
func (v *view) ties() []string {
	ties := make([]string, len(v.key))
	for i, at := range v.key {
		if v.kinds[i] == doc.Text {
			ties[i] = v.dialect.Tie(&v.Columns[at], v.exprs[at])
		}
	}
	return ties
}

// keyOrder returns the expressions by which pages of rows are ordered.
func (v *view) keyOrder() []string {
	return append(v.keyExprs(), slices.DeleteFunc(v.ties(), func(s string) bool { return s == "" })...)
}

// A place is the key of a row, and its updateTime in the order of windows, as
// parameters.
type place struct {
	updated   any
	key, ties []any
}

// placeOf returns the place of a raw row that begins with the key.
func (v *view) placeOf(raw []any) *place {
	p := &place{}
	for i, at := range v.key {
		p.key = append(p.key, keep(raw[i]))
		tie := p.key[i]
		if padded, ok := raw[i].(*string); ok && v.kinds[i] == doc.Text {
			if text, err := v.Columns[at].Value(padded); err == nil { // without padding
				tie = text
			}
		}
		p.ties = append(p.ties, tie)
	}
	return p
}

// placeOfOID returns the place of a key.
func (v *view) placeOfOID(oid doc.OID) (*place, error) {
	parts, err := v.parts(oid)
	return &place{key: parts, ties: parts}, err
}

// terms compares the key with a place, in the columns' order.
func (v *view) terms(p *place) (terms []term) {
	for i, at := range v.key {
		terms = append(terms, term{v.exprs[at], p.key[i], &v.Columns[at]})
	}
	return terms
}

// afterPlace returns the condition that a row comes after a place in the order of
// the columns, then of ties.
//
// A comparison of rows that includes the ties would be shorter. But PostgreSQL
// estimates it by the first column alone: if all rows have one updateTime, it
// expects none after the place, and for each page sorts all of them.
func (v *view) afterPlace(terms []term, p *place) condition {
	var other []condition
	var ties []term
	for i, tie := range v.ties() {
		if tie != "" {
			ties = append(ties, term{expr: tie, value: p.ties[i]})
		}
	}
	if len(ties) == 0 {
		return after(v.dialect, terms)
	}
	for _, t := range terms {
		other = append(other, compare(t.expr, " <> ", t.value, t.as))
	}
	return and(within(v.dialect, terms, " >= "), or(append(other, after(v.dialect, ties))...))
}

// notNull returns the condition that no part of the key is NULL.
func (v *view) notNull() condition {
	return func(q *Query) {
		for i, expr := range v.keyExprs() {
			q.Write([]string{"", " AND "}[min(i, 1)], expr, " IS NOT NULL")
		}
	}
}

// null returns the condition that a part of the key is NULL.
func (v *view) null() condition {
	var parts []condition
	for _, expr := range v.keyExprs() {
		parts = append(parts, text(expr+" IS NULL"))
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
	if len(keys) != 1 {
		return v.list(keys), nil
	}
	all := []condition{v.list(keys)}
	for i, tie := range v.ties() {
		if tie != "" {
			all = append(all, compare(tie, " = ", keys[0][i], nil))
		}
	}
	return and(all...), nil
}

// noKey returns the condition that the key is NULL in the form of a list, which no
// row meets. The database does not find that out when it prepares a statement.
func (v *view) noKey() condition { return v.list([][]any{make([]any, len(v.key))}) }

// list returns the condition that the key is one of a list.
func (v *view) list(keys [][]any) condition {
	columns := make([]*Column, len(v.key))
	for i, at := range v.key {
		columns[i] = &v.Columns[at]
	}
	exprs := v.keyExprs()
	return func(q *Query) {
		if lister, ok := v.dialect.(Lister); ok && lister.Among(q, columns, exprs, keys) {
			return
		}
		if len(exprs) == 1 {
			q.Write(exprs[0], " IN (")
			for i, key := range keys {
				q.Write([]string{"", ", "}[min(i, 1)]).Bind(key[0], columns[0])
			}
			q.Write(")")
			return
		}
		for i, key := range keys {
			q.Write([]string{"(", " OR "}[min(i, 1)], "(")
			for j, expr := range exprs {
				q.Write([]string{"", " AND "}[min(j, 1)], expr, " = ").Bind(key[j], columns[j])
			}
			q.Write(")")
		}
		q.Write(")")
	}
}

// maxKeys returns the number of keys that one statement selects by.
func (v *view) maxKeys() int { return v.dialect.MaxKeys(len(v.key)) }

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

func (v *view) part(i int, raw any) (any, error) {
	kind := v.kinds[i]
	if _, ok := raw.(int64); ok && kind == doc.Integer {
		return raw, nil
	}
	if _, ok := raw.([]byte); ok && kind == doc.Text {
		return nil, fmt.Errorf("%s is no text, as the table's key is", Show(raw))
	}
	value, err := v.Columns[v.key[i]].Value(raw)
	if err != nil {
		return nil, err
	}
	switch value := value.(type) {
	case int64:
		if kind == doc.Integer {
			return value, nil
		}
	case json.Number:
		n, err := strconv.ParseInt(value.String(), 10, 64)
		if kind == doc.Integer && err == nil {
			return n, nil
		}
	case string:
		switch kind {
		case doc.Text:
			return value, nil
		case doc.UUID:
			return doc.ParseUUID(value)
		}
	}
	return nil, fmt.Errorf("%s is no %v, as the table's key is", Show(raw), kind)
}

// nullFault is the reason of a row without a key, whichever column is NULL.
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
		if kind := kindOf(part); kind != v.kinds[i] {
			return nil, fmt.Errorf("key %v: part %d is %v, want %v", oid, i+1, kind, v.kinds[i])
		}
	}
	return parts, nil
}

func kindOf(part any) doc.Kind {
	switch part.(type) {
	case int64:
		return doc.Integer
	case [16]byte:
		return doc.UUID
	}
	return doc.Text
}
