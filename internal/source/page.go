package source

import (
	"context"
	"fmt"
	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"slices"
	"time"
)

// A pageReader fills a batch with rows that come in the order of keys.
type pageReader struct {
	table *Table
	times dialect.Times
	batch *doc.Batch
	limit int              // rows of the page; the next one shows that there are more
	asked map[doc.OID]bool // the keys to read; nil: all

	key      [maxKeyParts]any
	read     int // rows read
	rows     int // rows in the batch
	text     int // bytes of these
	children int // bytes of their children

	last []any   // the place of the page's last row
	more bool    // rows follow the page
	oid  doc.OID // of the last row
	run  int     // rows of this key

	groups *doc.Row // the groups of all these rows; nil: they differ
	split  doc.OID  // the last row's key, if the row after the page has it too
}

// add adds a row. It returns false if the page has too much text. Of more than two
// rows of a key, add keeps two, and one with other groups: two show that the key
// is not unique.
func (p *pageReader) add(raw []any) bool {
	t := p.table
	p.read++
	key := t.keyOf(raw, p.key[:len(t.view.key)])
	oid, fault := t.oid(key)
	again := oid != "" && oid == p.oid
	switch {
	case p.asked != nil:
		if !p.asked[oid] {
			return true // only the column's order takes the key for one that was asked
		}
	case p.read > p.limit:
		if p.more = true; again {
			p.split = oid
		}
		return true
	case p.read == p.limit:
		p.last = t.place(key)
	}
	if !again {
		p.oid, p.run = oid, 0
	}
	p.run++
	groups := t.groups.ofMain(raw)
	if !p.wanted(groups) {
		return true
	}
	bytes := size(raw)
	tooLarge := t.limits.CheckText(bytes)
	if tooLarge != nil {
		bytes = 0 // the row is not kept
	}
	if p.rows > 0 && !again && p.text+bytes > pageText {
		return false
	}
	p.rows++
	p.text += bytes
	if fault == nil {
		fault = tooLarge
	}
	p.addRow(oid, fault, raw, groups)
	return true
}

// fewRows is the number of rows from which on a page gets memory for as many as it may
// have.
const fewRows = 64

func (p *pageReader) addRow(oid doc.OID, fault error, raw []any, groups *doc.Row) {
	var d doc.Doc
	if fault == nil {
		d, fault = p.document(oid, raw)
	}
	if fault != nil {
		p.batch.Rejects = append(p.batch.Rejects, doc.Reject{OID: oid, Reason: fault.Error(), Seen: p.seen(oid, raw), Groups: groups})
		return
	}
	d.Fetch, d.Fetched = p.batch.Fetch, p.batch.At
	if n := len(p.batch.Docs); n == cap(p.batch.Docs) && n >= fewRows && n < p.limit {
		p.batch.Docs = slices.Grow(p.batch.Docs, p.limit-n)
	}
	p.batch.Docs = append(p.batch.Docs, d)
}

// seen returns the stamp of a row that is rejected. Its token is unknown if there are
// children: they are not read.
func (p *pageReader) seen(oid doc.OID, raw []any) (s doc.Stamp) {
	t := p.table
	digest, err := t.digest(raw)
	if oid == "" || err != nil || len(t.children) > 0 {
		return s
	}
	s = doc.Stamp{OID: oid, Token: doc.Token{Digest: digest, Epoch: t.epoch}}
	if t.updated != nil {
		s.Updated = t.timeOf(raw[t.updated.at], p.times)
	}
	return s
}

// wanted reports whether another row of a key adds information.
func (p *pageReader) wanted(groups *doc.Row) bool {
	before := p.groups
	switch {
	case p.run == 1:
		p.groups = groups
	case !doc.SameGroups(before, groups):
		p.groups = nil
		return p.run == 2 || before != nil
	}
	return p.run <= 2
}

// document returns the document of a row, without its children. An error is the
// reason of a reject.
func (p *pageReader) document(oid doc.OID, raw []any) (d doc.Doc, err error) {
	t := p.table
	d.OID, d.Token.Epoch = oid, t.epoch
	if d.Token.Digest, err = t.digest(raw); err != nil {
		return d, err
	}
	if t.updated != nil {
		d.Updated = t.timeOf(raw[t.updated.at], p.times)
	}
	d.Row = t.documentRow(raw)
	return d, nil
}

// finish removes the rows of a key that is split by the end of the page.
func (p *pageReader) finish() {
	if p.split == "" {
		return
	}
	p.batch.Docs = slices.DeleteFunc(p.batch.Docs, func(d doc.Doc) bool { return d.OID == p.split })
	p.batch.Rejects = slices.DeleteFunc(p.batch.Rejects, func(r doc.Reject) bool { return r.OID == p.split })
}

// digestOf returns a digest; 0: unknown.
func digestOf(token any) (uint64, error) {
	if token == nil {
		return 0, nil
	}
	n, err := dialect.Integer(token)
	if err != nil {
		return 0, fmt.Errorf("token: %w", err)
	}
	return max(uint64(n), 1), nil
}

// timeOf converts a raw updateTime. What is no time is the zero time, as NULL is: the
// row is indexed, no window has it, and a comparison of all rows finds its changes.
func (v *view) timeOf(raw any, times dialect.Times) time.Time {
	if raw == nil || times == nil {
		return time.Time{}
	}
	at, err := times.Time(raw)
	if err != nil {
		return time.Time{}
	}
	return at
}

// fillKeys fills a batch with the rows that have some keys, and with the keys that
// are marked deleted. A key with a live row is not deleted, even if another row of
// it is marked.
func (t *Table) fillKeys(ctx context.Context, x *tx, oids []doc.OID, b *doc.Batch) error {
	among, err := t.among(oids)
	if err != nil {
		return err
	}
	q := t.bodies().Where(among, t.live()).Order(t.keyOrder())
	if _, err := t.fillPage(ctx, x, q, 0, oids, b); err != nil {
		return err
	}
	live := doc.SetOf(append(doc.OIDs(b.Docs), doc.OIDs(b.Rejects)...))
	marked, err := t.markedAmong(ctx, x, oids)
	for _, oid := range marked {
		if !live[oid] && !slices.Contains(b.Deleted, oid) {
			b.Deleted = append(b.Deleted, oid)
		}
	}
	return err
}
