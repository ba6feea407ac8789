package pgsource

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"indexerd/internal/doc"
)

// A rowDecoder decodes the rows of one query. It knows at which position of a
// row key, updateTime and token stand, and is used by one goroutine.
type rowDecoder struct {
	table   *Table
	key     []int
	updated int
	token   int
	unit    time.Duration // of an updateTime that is an epoch
	raw     [][]byte      // the row in hand, as the driver holds it; nil: NULL
	texts   []string      // its values, copied
	size    int           // of its text
}

// bodyDecoder decodes rows of all columns and the token.
func (t *Table) bodyDecoder(unit time.Duration) *rowDecoder {
	d := &rowDecoder{table: t, updated: t.updated.column, token: len(t.columns), unit: unit}
	for _, p := range t.key {
		d.key = append(d.key, p.column)
	}
	return d
}

// stampDecoder decodes rows of key, updateTime and token.
func (t *Table) stampDecoder(unit time.Duration) *rowDecoder {
	d := &rowDecoder{table: t, updated: len(t.key), token: len(t.key) + 1, unit: unit}
	for i := range t.key {
		d.key = append(d.key, i)
	}
	return d
}

// load copies the row's values, which the driver overwrites with the next row,
// into one string that all of them share.
func (d *rowDecoder) load(raw [][]byte) {
	d.raw, d.size = raw, 0
	for _, v := range raw {
		d.size += len(v)
	}
	var b strings.Builder
	b.Grow(d.size)
	for _, v := range raw {
		b.Write(v)
	}
	text, at := b.String(), 0
	d.texts = d.texts[:0]
	for _, v := range raw {
		d.texts = append(d.texts, text[at:at+len(v)])
		at += len(v)
	}
}

// loadStamp loads a row and decodes its stamp. It reports false for a row
// without a usable key or updateTime.
func (d *rowDecoder) loadStamp(raw [][]byte) (doc.Stamp, bool) {
	d.load(raw)
	oid, err := d.oid()
	if err != nil {
		return doc.Stamp{}, false
	}
	s, err := d.stamp(oid)
	return s, err == nil
}

// document decodes the row in hand, or says why it can't become a document.
func (d *rowDecoder) document() (doc.Doc, *doc.Reject) {
	oid, err := d.oid()
	if err != nil {
		return doc.Doc{}, &doc.Reject{Reason: err.Error()}
	}
	stamp, err := d.stamp(oid)
	if err != nil {
		return doc.Doc{}, &doc.Reject{OID: oid, Reason: err.Error()}
	}
	values, err := d.values()
	if err != nil {
		return doc.Doc{}, &doc.Reject{OID: oid, Reason: err.Error()}
	}
	return doc.Doc{Meta: doc.Meta{Stamp: stamp}, Row: doc.Row{Names: d.table.names, Values: values}}, nil
}

func (d *rowDecoder) oid() (doc.OID, error) {
	texts := make([]string, len(d.key))
	for i, at := range d.key {
		if d.raw[at] == nil {
			return "", fmt.Errorf("key column %s is NULL", d.table.key[i].name)
		}
		texts[i] = d.texts[at]
	}
	return d.table.key.oid(texts)
}

func (d *rowDecoder) stamp(oid doc.OID) (doc.Stamp, error) {
	s := doc.Stamp{OID: oid, Token: doc.Token{Epoch: d.table.epoch}}
	if d.raw[d.updated] != nil {
		var err error
		if s.Updated, err = d.table.updated.parse(d.texts[d.updated], d.unit); err != nil {
			return doc.Stamp{}, fmt.Errorf("column %s: %w", d.table.updated.name, err)
		}
	}
	digest, err := strconv.ParseInt(d.texts[d.token], 10, 64)
	if err != nil {
		return doc.Stamp{}, fmt.Errorf("token: %w", err)
	}
	// A digest of 0 would mean that it is not known.
	s.Token.Digest = max(uint64(digest), 1)
	return s, nil
}

func (d *rowDecoder) values() ([]any, error) {
	values := make([]any, len(d.table.columns))
	for i, c := range d.table.columns {
		if d.raw[i] == nil {
			continue
		}
		v, err := c.decode(d.texts[i])
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", c.name, err)
		}
		values[i] = v
	}
	return values, nil
}
