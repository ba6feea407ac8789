package pgsource

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"indexerd/internal/doc"
)

// A rowDecoder decodes the rows of one query on a view. One goroutine uses it.
type rowDecoder struct {
	view    *view
	epoch   uint32
	key     []int         // positions of the key's columns in the row
	updated int           // position; -1: none
	token   int           // position
	unit    time.Duration // of an updateTime that is a number
	groups  groups        // to read for a row that can't become a document
	raw     [][]byte      // the current row in the driver's buffers; nil: NULL
	texts   []string      // its values, copied
	size    int           // bytes copied

	tooLarge error // why the row can't become a document; nil: within the limits
}

func (t *Table) bodyDecoder(unit time.Duration) *rowDecoder {
	d := t.view.bodyDecoder(unit)
	d.epoch, d.groups = t.epoch, t.groups
	return d
}

func (v *view) bodyDecoder(unit time.Duration) *rowDecoder {
	d := &rowDecoder{view: v, updated: -1, token: len(v.columns), unit: unit}
	if v.updated != nil {
		d.updated = v.updated.column
	}
	for _, p := range v.key {
		d.key = append(d.key, p.column)
	}
	return d
}

// stampDecoder decodes rows of key, updateTime and token.
func (t *Table) stampDecoder(unit time.Duration) *rowDecoder {
	d := &rowDecoder{view: &t.view, epoch: t.epoch, updated: len(t.key), token: len(t.key) + 1, unit: unit}
	for i := range t.key {
		d.key = append(d.key, i)
	}
	return d
}

// load copies the row's values, since the driver reuses their buffers. Of a row
// larger than the limits it copies only key and groups and returns the reason.
func (d *rowDecoder) load(raw [][]byte, limits doc.Limits) error {
	size := 0
	for _, v := range raw {
		size += len(v)
	}
	d.tooLarge = limits.CheckText(size)
	if d.tooLarge != nil {
		raw = d.keyAlone(raw)
	}
	d.copy(raw)
	return d.tooLarge
}

// keyAlone returns the row with only the values of key and groups.
func (d *rowDecoder) keyAlone(raw [][]byte) [][]byte {
	key := make([][]byte, len(raw))
	for _, at := range d.key {
		key[at] = raw[at]
	}
	if d.groups.acl.Column != "" {
		at := d.groups.values[0]
		key[at] = raw[at]
	}
	return key
}

// copy copies the values into one string that all of them share.
func (d *rowDecoder) copy(raw [][]byte) {
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

// textsOf copies the values of a row; NULL becomes "".
func textsOf(raw [][]byte) []string {
	texts := make([]string, len(raw))
	for i, v := range raw {
		texts[i] = string(v)
	}
	return texts
}

// loadStamp loads a row and decodes its stamp, with zero Updated if that is
// NULL or unusable. It reports false if the row has no usable key.
func (d *rowDecoder) loadStamp(raw [][]byte) (doc.Stamp, bool) {
	d.copy(raw)
	oid, err := d.oid()
	if err != nil {
		return doc.Stamp{}, false
	}
	s, err := d.stamp(oid)
	if err != nil {
		s.Updated = time.Time{}
	}
	return s, true
}

// document decodes the current row, or returns why it can't become a document.
func (d *rowDecoder) document() (doc.Doc, *doc.Reject) {
	oid, err := d.oid()
	if err != nil {
		return doc.Doc{}, &doc.Reject{Reason: err.Error()}
	}
	if d.tooLarge != nil {
		return doc.Doc{}, d.reject(oid, d.tooLarge)
	}
	stamp, err := d.stamp(oid)
	if err != nil {
		return doc.Doc{}, d.reject(oid, err)
	}
	values, err := d.values()
	if err != nil {
		return doc.Doc{}, d.reject(oid, err)
	}
	return doc.Doc{Meta: doc.Meta{Stamp: stamp}, Row: doc.Row{Names: d.view.names, Values: values}}, nil
}

func (d *rowDecoder) reject(oid doc.OID, err error) *doc.Reject {
	return &doc.Reject{OID: oid, Reason: err.Error(), Groups: d.groups.ofMain(d)}
}

func (d *rowDecoder) oid() (doc.OID, error) {
	texts := make([]string, len(d.key))
	for i, at := range d.key {
		if d.raw[at] == nil {
			return "", d.view.key.nullFault()
		}
		texts[i] = d.texts[at]
	}
	return d.view.key.oid(texts)
}

// stamp returns the stamp of the row without its children. If updateTime is
// unusable, it returns the error and a stamp with the token.
func (d *rowDecoder) stamp(oid doc.OID) (doc.Stamp, error) {
	s := doc.Stamp{OID: oid, Token: doc.Token{Epoch: d.epoch}}
	if d.raw[d.token] != nil {
		digest, err := d.digest()
		if err != nil {
			return s, err
		}
		// A digest of 0 means unknown.
		s.Token.Digest = max(digest, 1)
	}
	var err error
	s.Updated, err = d.time()
	return s, err
}

func (d *rowDecoder) digest() (uint64, error) {
	v, err := strconv.ParseInt(d.texts[d.token], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("token: %w", err)
	}
	return uint64(v), nil
}

// time returns the row's updateTime, or zero if it is NULL or the view has
// none.
func (d *rowDecoder) time() (time.Time, error) {
	if d.updated < 0 || d.raw[d.updated] == nil {
		return time.Time{}, nil
	}
	u, err := d.view.updated.parse(d.texts[d.updated], d.unit)
	if err != nil {
		return time.Time{}, fmt.Errorf("column %s: %w", d.view.updated.name, err)
	}
	return u, nil
}

func (d *rowDecoder) values() ([]any, error) {
	values := make([]any, len(d.view.columns))
	for i, c := range d.view.columns {
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
