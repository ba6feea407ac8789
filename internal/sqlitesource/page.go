package sqlitesource

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"slices"

	"indexerd/internal/doc"
)

// pageBytes bounds the text of a page, and that of its children, whatever its
// rows: a worker holds a page several times over, as text, as JSON and as what
// the index gets. It is well above an ordinary page. A row that is larger,
// with its children, is a page of its own, up to the table's limit.
const pageBytes = 4 << 20

// readPage reads rows until the page is full, and their children. Children
// that are too much for a page make it smaller, and the next ones, which grow
// again; those of a single row are read up to the table's limit.
func (t *Table) readPage(ctx context.Context, tx *sql.Tx, s *scan, b *doc.Batch) error {
	before, empty := *s, *b
	for {
		rows, err := t.fillPage(ctx, tx, s, b)
		if !errors.Is(err, errTooMuch) {
			s.most = min(2*s.most, t.batch)
			return err
		}
		most := max(rows/2, 1)
		*s, *b = before, empty
		s.most = most
	}
}

// fillPage reads the rows of a page, of which it returns how many there are,
// then what belongs to them: all of one snapshot.
func (t *Table) fillPage(ctx context.Context, tx *sql.Tx, s *scan, b *doc.Batch) (rows int, err error) {
	clock, err := t.findClock(ctx, tx)
	if err != nil {
		return 0, err
	}
	if err := t.rejectNullKeys(ctx, tx, s, b); err != nil {
		return 0, err
	}
	p := &pageReader{table: t, scan: s, clock: clock, batch: b}
	where := t.rest(s)
	args, columns := where.args, len(t.columns)
	if t.deletion.marked != "" {
		args, columns = slices.Concat(t.deletion.values, args), columns+1
	}
	s.done = true
	if err := each(ctx, tx, t.statements.docs+where.String()+t.statements.order, args, columns, p.add); err != nil {
		return 0, err
	}
	if err := t.dropListed(ctx, tx, s, b); err != nil {
		return 0, err
	}
	if err := t.addChildren(ctx, tx, s, b); err != nil {
		return p.rows, err
	}
	if err := t.groups.fill(ctx, tx, b.Rejects); err != nil {
		return p.rows, err
	}
	s.strike(b)
	return p.rows, nil
}

// rejectNullKeys adds one reject for all rows without a key: nothing tells
// them apart.
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

// hasNullKey reports whether a live row that meets the condition has no key.
func (t *Table) hasNullKey(ctx context.Context, tx *sql.Tx, where condition) (bool, error) {
	where.and(t.statements.isNull)
	t.live(&where)
	return t.any(ctx, tx, where)
}

// A pageReader fills one page.
type pageReader struct {
	table *Table
	scan  *scan
	clock *clock
	batch *doc.Batch

	rows, bytes int
	last        doc.OID  // of the last row, "" where it was none
	run         int      // how many rows had it that are not marked deleted
	groups      *doc.Row // of all these rows; nil where they are not the same
}

// add adds a row, or reports that it belongs to the next page. Rows of one key
// are never torn apart, so that whoever gets them sees that they are several;
// of more than two the rest is left out, but for one that has other groups.
func (p *pageReader) add(raw []any) bool {
	t := p.table
	marked := len(raw) > len(t.columns) && raw[len(t.columns)] != int64(0)
	raw = raw[:len(t.columns)]
	key := t.keyOf(raw)
	oid, err := t.oid(key)
	bytes := size(raw)
	tooLarge := t.limits.CheckText(bytes)
	if tooLarge != nil {
		bytes = 0 // it is not kept
	}
	if oid == "" || oid != p.last {
		if p.rows >= p.scan.most || p.rows > 0 && p.bytes+bytes > pageBytes {
			p.scan.done = false
			return false
		}
		p.last, p.run = oid, 0
	}
	p.scan.after = key
	switch {
	case p.scan.only != nil && !p.scan.only[oid]:
		return true
	case marked:
		p.mark(oid)
		return true
	}
	if p.run++; !p.wanted(t.groups.ofMain(raw)) {
		return true
	}
	p.unmark(oid)
	p.rows++
	p.bytes += bytes
	var d doc.Doc
	if err == nil {
		err = tooLarge
	}
	if err == nil {
		d, err = t.document(oid, raw, p.clock)
	}
	if err != nil {
		p.batch.Rejects = append(p.batch.Rejects, doc.Reject{OID: oid, Reason: err.Error(), Groups: t.groups.ofMain(raw)})
		return true
	}
	d.Fetch, d.Fetched = p.batch.Fetch, p.batch.At
	p.batch.Docs = append(p.batch.Docs, d)
	return true
}

// wanted reports whether one more row of a key says what those before it do not.
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

// mark says that a row is marked deleted, unless another one of its key is not.
func (p *pageReader) mark(oid doc.OID) {
	if p.unmark(oid); p.run == 0 {
		p.rows++
		p.batch.Deleted = append(p.batch.Deleted, oid)
	}
}

// unmark takes back what the row before said.
func (p *pageReader) unmark(oid doc.OID) {
	if n := len(p.batch.Deleted); n > 0 && p.batch.Deleted[n-1] == oid {
		p.batch.Deleted = p.batch.Deleted[:n-1]
	}
}

// dropListed drops the rows that the deleted SQL lists. Who asked for keys is
// told those that it lists, also where the row itself is gone.
func (t *Table) dropListed(ctx context.Context, tx *sql.Tx, s *scan, b *doc.Batch) error {
	if t.deletion.list == nil {
		return nil
	}
	var oids []doc.OID
	for _, d := range b.Docs {
		oids = append(oids, d.OID)
	}
	for _, r := range b.Rejects {
		if r.OID != "" {
			oids = append(oids, r.OID)
		}
	}
	if s.only != nil {
		oids = oids[:0]
		for oid := range s.only {
			oids = append(oids, oid)
		}
		slices.Sort(oids)
	}
	listed, err := t.listed(ctx, tx, oids)
	if err != nil {
		return err
	}
	b.Docs = slices.DeleteFunc(b.Docs, func(d doc.Doc) bool { return listed[d.OID] })
	b.Rejects = slices.DeleteFunc(b.Rejects, func(r doc.Reject) bool { return listed[r.OID] })
	if s.only != nil {
		b.Deleted = append(b.Deleted, slices.DeleteFunc(oids, func(oid doc.OID) bool { return !listed[oid] })...)
	}
	return nil
}

// addChildren gives the documents of a page their children. What can't have
// them is rejected.
func (t *Table) addChildren(ctx context.Context, tx *sql.Tx, s *scan, b *doc.Batch) error {
	var oids []doc.OID
	for _, d := range b.Docs {
		if len(oids) == 0 || oids[len(oids)-1] != d.OID { // rows of one key are neighbours
			oids = append(oids, d.OID)
		}
	}
	if len(t.children) == 0 || len(oids) == 0 {
		return nil
	}
	families, err := t.broods(ctx, tx, oids, true, t.mostOf(b.Docs))
	if len(oids) == 1 && errors.Is(err, errTooMuch) {
		b.Rejects = append(b.Rejects, doc.Reject{OID: oids[0], Reason: t.limits.CheckText(math.MaxInt).Error()})
		b.Docs = nil
		return nil
	}
	if err != nil {
		return err
	}
	docs := b.Docs[:0]
	for _, d := range b.Docs {
		if err := t.rear(&d, families[d.OID]); err != nil {
			b.Rejects = append(b.Rejects, doc.Reject{OID: d.OID, Reason: err.Error(), Groups: t.groups.acl.Of(d.Row)})
			continue
		}
		docs = append(docs, d)
	}
	b.Docs = docs
	return nil
}

// mostOf is how much text the children of these documents may have: those of a
// single one as much as the limit leaves.
func (t *Table) mostOf(docs []doc.Doc) int {
	switch {
	case docs[0].OID != docs[len(docs)-1].OID:
		return pageBytes
	case t.limits.Text == 0:
		return math.MaxInt
	}
	return max(int(t.limits.Text)-docs[0].Row.Size(), 0)
}

// strike strikes off the keys that a page has had.
func (s *scan) strike(b *doc.Batch) {
	for _, d := range b.Docs {
		delete(s.only, d.OID)
	}
	for _, r := range b.Rejects {
		delete(s.only, r.OID)
	}
	for _, oid := range b.Deleted {
		delete(s.only, oid)
	}
}
