package sqlitesource

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"math"
	"slices"

	"indexerd/internal/doc"
)

// pageBytes bounds the text of a page, and the text of its children. A worker
// holds a page several times: as text, as JSON and as index documents. Ordinary
// pages are much smaller. A larger row is a page by itself, up to the table's
// limit.
const pageBytes = 4 << 20

// readPage reads rows until the page is full, and their children. If the children
// exceed a page, it reads half as many rows again; the following pages double up
// to the normal size. The children of a single row are read up to the table's
// limit.
func (t *Table) readPage(ctx context.Context, tx *sql.Tx, s *scan, b *doc.Batch) error {
	before, empty := *s, *b
	for {
		rows, err := t.fillPage(ctx, tx, s, b)
		if !errors.Is(err, errTooMuch) {
			s.limit = min(2*s.limit, t.batch)
			return err
		}
		*s, *b = before, empty
		s.limit = max(rows/2, 1)
	}
}

// fillPage reads the rows of a page, then their deletion marks, children and
// groups, in one snapshot. It returns the number of rows.
func (t *Table) fillPage(ctx context.Context, tx *sql.Tx, s *scan, b *doc.Batch) (rows int, err error) {
	format, err := t.findFormat(ctx, tx)
	if err != nil {
		return 0, err
	}
	if err := t.rejectNullKeys(ctx, tx, s, b); err != nil {
		return 0, err
	}
	p := &pageReader{table: t, scan: s, format: format, batch: b}
	where := t.remaining(s)
	args, columns := where.args, len(t.columns)
	if t.deletion.marked != "" {
		args, columns = slices.Concat(t.deletion.values, args), columns+1
	}
	s.done = true
	if err := eachRow(ctx, tx, t.statements.docs+where.String()+t.statements.order, args, columns, p.add); err != nil {
		return 0, err
	}
	if err := t.dropListed(ctx, tx, s, b); err != nil {
		return 0, err
	}
	if err := t.addChildren(ctx, tx, b); err != nil {
		return p.rows, err
	}
	if err := t.groups.fill(ctx, tx, b.Rejects); err != nil {
		return p.rows, err
	}
	s.markRead(b)
	return p.rows, nil
}

// rejectNullKeys adds one reject for all rows with a NULL key: nothing
// distinguishes them.
func (t *Table) rejectNullKeys(ctx context.Context, tx *sql.Tx, s *scan, b *doc.Batch) error {
	if !s.nullKeys {
		return nil
	}
	s.nullKeys = false
	found, err := t.hasNullKey(ctx, tx, condition{})
	if found {
		b.Rejects = append(b.Rejects, doc.Reject{Reason: doc.NullKey(t.keyNames()).Error()})
	}
	return err
}

// hasNullKey reports whether a live row that meets the condition has a NULL key.
func (t *Table) hasNullKey(ctx context.Context, tx *sql.Tx, where condition) (bool, error) {
	where.and(t.statements.isNull)
	t.live(&where)
	return t.any(ctx, tx, where)
}

// A pageReader fills one page.
type pageReader struct {
	table  *Table
	scan   *scan
	format *timeFormat
	batch  *doc.Batch

	rows, bytes int
	last        doc.OID  // of the last row; "": none
	run         int      // rows of this key that are not marked deleted
	groups      *doc.Row // the groups of all these rows; nil: they differ
}

// add adds a row. It returns false if the row belongs to the next page. All rows
// of one key are on one page, so that the caller sees a duplicate key. Of more
// than two rows of a key, add keeps two, and one with other groups.
func (p *pageReader) add(raw []any) bool {
	t := p.table
	marked := len(raw) > len(t.columns) && raw[len(t.columns)] != int64(0)
	raw = raw[:len(t.columns)]
	key := t.keyOf(raw)
	oid, err := t.oid(key)
	bytes := size(raw)
	tooLarge := t.limits.CheckText(bytes)
	if tooLarge != nil {
		bytes = 0 // the row is not kept
	}
	if oid == "" || oid != p.last {
		if p.rows >= p.scan.limit || p.rows > 0 && p.bytes+bytes > pageBytes {
			p.scan.done = false
			return false
		}
		p.last, p.run = oid, 0
	}
	p.scan.after = key
	switch {
	case p.scan.unread != nil && !p.scan.unread[oid]:
		return true
	case marked:
		p.markDeleted(oid)
		return true
	}
	if p.run++; !p.wanted(t.groups.ofMain(raw)) {
		return true
	}
	p.unmarkDeleted(oid)
	p.rows++
	p.bytes += bytes
	var d doc.Doc
	if err == nil {
		err = tooLarge
	}
	if err == nil {
		d, err = t.document(oid, raw, p.format)
	}
	if err != nil {
		p.batch.Rejects = append(p.batch.Rejects, doc.Reject{OID: oid, Reason: err.Error(), Groups: t.groups.ofMain(raw)})
		return true
	}
	d.Fetch, d.Fetched = p.batch.Fetch, p.batch.At
	p.batch.Docs = append(p.batch.Docs, d)
	return true
}

// wanted reports whether to keep another row of a key: the first two, and the
// first one with other groups.
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

// markDeleted adds a key to the deleted ones, unless a row of it is not marked
// deleted.
func (p *pageReader) markDeleted(oid doc.OID) {
	if p.unmarkDeleted(oid); p.run == 0 {
		p.rows++
		p.batch.Deleted = append(p.batch.Deleted, oid)
	}
}

// unmarkDeleted removes the key if the row before marked it.
func (p *pageReader) unmarkDeleted(oid doc.OID) {
	if n := len(p.batch.Deleted); n > 0 && p.batch.Deleted[n-1] == oid {
		p.batch.Deleted = p.batch.Deleted[:n-1]
	}
}

// dropListed drops the rows that the deleted SQL lists. A scan of keys reports
// each listed key as deleted, even if its row no longer exists.
func (t *Table) dropListed(ctx context.Context, tx *sql.Tx, s *scan, b *doc.Batch) error {
	if t.deletion.list == nil {
		return nil
	}
	oids := doc.OIDs(b.Docs)
	for _, r := range b.Rejects {
		if r.OID != "" {
			oids = append(oids, r.OID)
		}
	}
	if s.unread != nil {
		oids = slices.Sorted(maps.Keys(s.unread))
	}
	listed, err := t.listed(ctx, tx, oids)
	if err != nil {
		return err
	}
	b.Docs = slices.DeleteFunc(b.Docs, func(d doc.Doc) bool { return listed[d.OID] })
	b.Rejects = slices.DeleteFunc(b.Rejects, func(r doc.Reject) bool { return listed[r.OID] })
	if s.unread != nil {
		b.Deleted = append(b.Deleted, slices.DeleteFunc(oids, func(oid doc.OID) bool { return !listed[oid] })...)
	}
	return nil
}

// addChildren adds their children to the documents of a page. A document whose
// children can't be read becomes a reject.
func (t *Table) addChildren(ctx context.Context, tx *sql.Tx, b *doc.Batch) error {
	oids := slices.Compact(doc.OIDs(b.Docs)) // rows of one key are adjacent
	if len(t.children) == 0 || len(oids) == 0 {
		return nil
	}
	byParent, err := t.readChildRows(ctx, tx, oids, true, t.childLimit(b.Docs))
	if len(oids) == 1 && errors.Is(err, errTooMuch) {
		b.Rejects = append(b.Rejects, doc.Reject{OID: oids[0], Reason: t.limits.CheckText(math.MaxInt).Error(), Groups: t.groups.acl.Of(b.Docs[0].Row)})
		b.Docs = nil
		return nil
	}
	if err != nil {
		return err
	}
	docs := b.Docs[:0]
	for _, d := range b.Docs {
		if err := t.attachChildren(&d, byParent[d.OID]); err != nil {
			b.Rejects = append(b.Rejects, doc.Reject{OID: d.OID, Reason: err.Error(), Groups: t.groups.acl.Of(d.Row)})
			continue
		}
		docs = append(docs, d)
	}
	b.Docs = docs
	return nil
}

// childLimit returns the bytes of text that the children of these documents may
// have: a page, or what the table's limit leaves if there is one key.
func (t *Table) childLimit(docs []doc.Doc) int {
	switch {
	case docs[0].OID != docs[len(docs)-1].OID:
		return pageBytes
	case t.limits.Text == 0:
		return math.MaxInt
	}
	return max(int(t.limits.Text)-docs[0].Row.Size(), 0)
}

// markRead removes the keys of a page from the unread ones.
func (s *scan) markRead(b *doc.Batch) {
	for _, oid := range slices.Concat(doc.OIDs(b.Docs), doc.OIDs(b.Rejects), b.Deleted) {
		delete(s.unread, oid)
	}
}
