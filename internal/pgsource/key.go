package pgsource

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"

	"indexerd/internal/doc"
)

const int8OID = pgtype.Int8OID

// A key is the columns of the OID. An index on the columns can answer its
// conditions: the columns stand alone on their side, in the database's order,
// and each parameter has its column's type (bigint for all integer types, which
// share an operator family).
//
// Integer keys are smallint, integer, bigint and numeric without decimals. Text
// keys are text, varchar, char (without its padding), name and citext. The
// third kind is uuid.
type key []keyPart

type keyPart struct {
	name   string
	column int // position in the SQL's result
	kind   doc.Kind
	param  uint32 // type of a parameter that is compared with it
	array  uint32 // type of an array of those
}

func newKey(columns []column, names []string, field string) (key, error) {
	if len(names) == 0 {
		return nil, &ConfigError{Field: field, What: "no column is named", Do: "name the columns that identify a row"}
	}
	var k key
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, &ConfigError{Field: field, What: fmt.Sprintf("column %s is named twice", name), Do: "name it once"}
		}
		at, err := find(columns, field, name)
		if err != nil {
			return nil, err
		}
		part, ok := newKeyPart(columns[at], at)
		if !ok {
			return nil, &ConfigError{
				Field: field,
				What:  fmt.Sprintf("column %s has type %s", name, columns[at].typ.name),
				Do:    "a key is made of integers, numeric without decimals, uuid or text",
			}
		}
		k = append(k, part)
	}
	return k, nil
}

// newKeyPart reports false for a type that can't be a key.
func newKeyPart(c column, at int) (keyPart, bool) {
	p := keyPart{name: c.name, column: at, param: c.typ.oid, array: c.typ.array}
	switch c.typ.oid {
	case pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID:
		p.kind, p.param, p.array = doc.Integer, pgtype.Int8OID, pgtype.Int8ArrayOID
	case pgtype.NumericOID:
		p.kind = doc.Integer
		return p, numericScale(c.mod) == 0
	case pgtype.UUIDOID:
		p.kind = doc.UUID
	case pgtype.TextOID, pgtype.VarcharOID, pgtype.BPCharOID, pgtype.NameOID:
		p.kind = doc.Text
	default:
		// citext is an extension's type and has no fixed OID.
		p.kind = doc.Text
		return p, c.typ.name == "citext" || strings.HasSuffix(c.typ.name, ".citext")
	}
	return p, true
}

// numericScale returns the number of decimals of a numeric type, or 0 if none
// is declared.
func numericScale(mod int32) int32 {
	if mod < 4 {
		return 0
	}
	// The low 11 bits hold the scale, in two's complement.
	return ((mod-4)&0x7ff ^ 1024) - 1024
}

func (k key) kinds() []doc.Kind {
	kinds := make([]doc.Kind, len(k))
	for i, p := range k {
		kinds[i] = p.kind
	}
	return kinds
}

func (k key) columns(sql wrapped) []string {
	columns := make([]string, len(k))
	for i, p := range k {
		columns[i] = sql.column(p.name)
	}
	return columns
}

// byteOrder returns expressions by which the database orders keys as OIDs are
// ordered. They are the columns; text is compared by bytes, since collations
// order by language or ignore case.
func (k key) byteOrder(sql wrapped) []string {
	columns := k.columns(sql)
	for i, p := range k {
		if p.kind == doc.Text {
			columns[i] += `::text COLLATE "C"`
		}
	}
	return columns
}

// order returns the expressions by which pages of rows are ordered: the
// columns, which an index can answer, then the bytes of text columns. Without
// the bytes, a page's border between texts that the collation treats as equal
// could skip one.
func (k key) order(sql wrapped) []string {
	order := k.columns(sql)
	for _, p := range k {
		if p.kind == doc.Text {
			order = append(order, sql.column(p.name)+`::text COLLATE "C"`)
		}
	}
	return order
}

// after is the condition that a row comes after a key by order.
func (k key) after(q *query, sql wrapped, texts []string) string {
	return fmt.Sprintf("(%s) > (%s)", strings.Join(k.order(sql), ", "), strings.Join(k.afterParams(q, texts), ", "))
}

// afterParams binds a key for comparison with order.
func (k key) afterParams(q *query, texts []string) (params []string) {
	for i, p := range k {
		params = append(params, q.bind(p.param, texts[i]))
	}
	for i, p := range k {
		if p.kind == doc.Text {
			params = append(params, q.bind(pgtype.TextOID, p.unpadded(texts[i])))
		}
	}
	return params
}

func (k key) notNull(sql wrapped) string {
	return strings.Join(k.columns(sql), " IS NOT NULL AND ") + " IS NOT NULL"
}

func (k key) null(sql wrapped) string {
	return strings.Join(k.columns(sql), " IS NULL OR ") + " IS NULL"
}

// nullFault is the reason of a row without a key, whichever column is NULL.
func (k key) nullFault() error {
	names := make([]string, len(k))
	for i, p := range k {
		names[i] = p.name
	}
	return doc.NullKey(names)
}

// compare compares the key with an OID by operator, >= or <.
func (k key) compare(q *query, sql wrapped, operator string, oid doc.OID) (string, error) {
	texts, err := k.texts(oid)
	if err != nil {
		return "", err
	}
	params := make([]string, len(k))
	for i, p := range k {
		params[i] = q.bind(p.param, texts[i])
	}
	return fmt.Sprintf("(%s) %s (%s)", strings.Join(k.columns(sql), ", "), operator, strings.Join(params, ", ")), nil
}

// among is the condition that a row has one of these OIDs.
func (k key) among(q *query, sql wrapped, oids []doc.OID) (string, error) {
	lists := make([][]string, len(k))
	for _, oid := range oids {
		texts, err := k.texts(oid)
		if err != nil {
			return "", err
		}
		if slices.ContainsFunc(texts, func(s string) bool { return strings.IndexByte(s, 0) >= 0 }) {
			continue // text in PostgreSQL has no NUL, so there is no such row
		}
		for i, text := range texts {
			lists[i] = append(lists[i], text)
		}
	}
	params := make([]string, len(k))
	for i, p := range k {
		params[i] = q.bind(p.array, arrayLiteral(lists[i]))
	}
	columns := k.columns(sql)
	if len(k) == 1 {
		return fmt.Sprintf("%s = ANY (%s)", columns[0], params[0]), nil
	}
	return fmt.Sprintf("(%s) IN (SELECT * FROM unnest(%s))", strings.Join(columns, ", "), strings.Join(params, ", ")), nil
}

func (k key) texts(oid doc.OID) ([]string, error) {
	parts, err := oid.Parts()
	if err != nil {
		return nil, err
	}
	if len(parts) != len(k) {
		return nil, fmt.Errorf("key %v has %d parts, want %d", oid, len(parts), len(k))
	}
	texts := make([]string, len(k))
	for i, part := range parts {
		kind := k[i].kind
		switch v := part.(type) {
		case int64:
			texts[i] = strconv.FormatInt(v, 10)
			kind = doc.Integer
		case [16]byte:
			texts[i] = doc.FormatUUID(v)
			kind = doc.UUID
		case string:
			texts[i] = v
			kind = doc.Text
		}
		if kind != k[i].kind {
			return nil, fmt.Errorf("key %v: part %d is %v, want %v", oid, i+1, kind, k[i].kind)
		}
	}
	return texts, nil
}

func (k key) oid(texts []string) (doc.OID, error) {
	parts := make([]any, len(k))
	for i, p := range k {
		part, err := p.parse(texts[i])
		if err != nil {
			return "", fmt.Errorf("key column %s: %w", p.name, err)
		}
		parts[i] = part
	}
	return doc.NewOID(parts...)
}

// rawOID returns the OID of a row that begins with the key's columns.
func (k key) rawOID(row [][]byte) (doc.OID, error) {
	texts := make([]string, len(k))
	for i := range k {
		if row[i] == nil {
			return "", k.nullFault()
		}
		texts[i] = string(row[i])
	}
	return k.oid(texts)
}

func (p keyPart) parse(text string) (any, error) {
	switch p.kind {
	case doc.Integer:
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s is not an integer of 64 bits", text)
		}
		return v, nil
	case doc.UUID:
		return doc.ParseUUID(text)
	}
	return p.unpadded(text), nil
}

func (p keyPart) unpadded(text string) string {
	if p.param == pgtype.BPCharOID {
		return unpad(text)
	}
	return text
}
