package sqlitesource

import (
	"database/sql"
	"encoding/hex"
	"fmt"
	"math"
	"unicode/utf8"

	"indexerd/internal/doc"
)

// A scanner reads all rows into the same memory.
type scanner struct {
	raw  []any // the row: nil, int64, float64, string or []byte
	dest []any // pointers to raw
}

func newScanner(columns int) *scanner {
	s := &scanner{raw: make([]any, columns), dest: make([]any, columns)}
	for i := range s.raw {
		s.dest[i] = &s.raw[i]
	}
	return s
}

func (s *scanner) scan(rows *sql.Rows) error { return rows.Scan(s.dest...) }

// document returns the document of a row with this key, without its children. An
// error is the reason of a reject.
func (t *Table) document(oid doc.OID, raw []any, f *timeFormat) (d doc.Doc, err error) {
	d.OID = oid
	if raw[t.updated] != nil {
		if d.Updated, err = f.time(raw[t.updated]); err != nil {
			return d, fmt.Errorf("updated %s: %w", t.columns[t.updated], err)
		}
	}
	d.Token.Epoch = t.epoch
	if d.Token.Digest, err = digest(raw); err != nil {
		return d, err
	}
	d.Row, err = t.row(raw)
	return d, err
}

// row converts a row of stored values.
func (v *view) row(raw []any) (doc.Row, error) {
	row := doc.Row{Names: v.columns, Values: make([]any, len(raw))}
	for i, stored := range raw {
		var err error
		if row.Values[i], err = value(stored, v.booleans[i]); err != nil {
			return row, fmt.Errorf("column %s: %w", v.columns[i], err)
		}
	}
	return row, nil
}

// value converts a stored value to a document's value.
func value(v any, boolean bool) (any, error) {
	switch v := v.(type) {
	case int64:
		if boolean && (v == 0 || v == 1) {
			return v == 1, nil
		}
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return nil, fmt.Errorf("%s is no number that can be indexed", showValue(v))
		}
	case string:
		if !utf8.ValidString(v) {
			return nil, fmt.Errorf("%s is not valid UTF-8", showValue(v))
		}
	case []byte:
		return `\x` + hex.EncodeToString(v), nil
	}
	return v, nil
}

// size returns the bytes of text of a row, as pageBytes counts them.
func size(raw []any) (n int) {
	for _, v := range raw {
		switch v := v.(type) {
		case string:
			n += len(v)
		case []byte:
			n += 2 * len(v)
		}
	}
	return n
}
