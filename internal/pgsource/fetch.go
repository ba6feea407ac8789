package pgsource

import (
	"context"
	"iter"
	"slices"
	"strings"

	"indexerd/internal/doc"
)

// maxBatchText limits the text of a batch, since a worker holds a batch several
// times: as text, as JSON and as what the index receives. Ordinary batches are
// well below it. A larger row, with its children, is a batch by itself, up to
// the table's limit.
const maxBatchText = 4 << 20

// Range reads the live rows with From <= OID < To as one fetch, in the
// database's order of keys, whatever their updateTime. Rows with the same key
// are in one batch. If To is empty, rows whose key is NULL are included as one
// reject. Range yields at least one batch, which may be empty.
//
// If the SQL fails for a row, the range is read again by key, in several
// fetches; batches that were yielded before the failure are repeated.
func (t *Table) Range(ctx context.Context, r doc.Range) iter.Seq2[doc.Batch, error] {
	return func(yield func(doc.Batch, error) bool) {
		more, err := t.fetch(ctx, yield, func(f *fetch) (bool, error) { return f.byRange(ctx, r) })
		if more && isRowFault(err) {
			err = t.rangeByKeys(ctx, r, yield)
		}
		if err != nil {
			yield(doc.Batch{}, t.wrap(err))
		}
	}
}

// Docs reads the rows with these OIDs in no particular order; rows with the
// same key are in one batch. Each chunk of at most a batch of OIDs is one fetch
// and yields at least one batch. An OID of the chunk that is in none of its
// batches has no row, or has left the SQL's result without a deletion mark. If
// the SQL fails for a row, the chunk is halved until the row is alone, one
// fetch for each part. The row then is a reject, which comes at the end of the
// chunk.
func (t *Table) Docs(ctx context.Context, oids []doc.OID) iter.Seq2[doc.Batch, error] {
	return func(yield func(doc.Batch, error) bool) {
		for chunk := range slices.Chunk(oids, t.batch) {
			more, err := t.docs(ctx, chunk, yield)
			if err != nil {
				yield(doc.Batch{}, t.wrap(err))
			}
			if err != nil || !more {
				return
			}
		}
	}
}

func (t *Table) rangeQuery(r doc.Range) (query, error) {
	q := query{returns: &t.view}
	condition, err := t.bounds(&q, r, t.live)
	q.sql = t.ordered(condition + " AND " + t.key.notNull(t.sql))
	return q, err
}

// bounds is the condition that a row's key lies in the range, and another
// condition.
func (t *Table) bounds(q *query, r doc.Range, and condition) (string, error) {
	var conditions []string
	for _, end := range []struct {
		operator string
		oid      doc.OID
	}{{">=", r.From}, {"<", r.To}} {
		if end.oid == "" {
			continue
		}
		c, err := t.key.compare(q, t.sql, end.operator, end.oid)
		if err != nil {
			return "", err
		}
		conditions = append(conditions, c)
	}
	return strings.Join(append(conditions, and(q)), " AND "), nil
}

func (t *Table) docsQuery(oids []doc.OID) (query, error) {
	q := query{returns: &t.view}
	among, err := t.key.among(&q, t.sql, oids)
	q.sql = t.ordered(among + " AND " + t.live(&q))
	return q, err
}

// ordered selects whole rows in the order of keys, so that rows with the same
// key follow each other.
func (t *Table) ordered(condition string) string {
	return bodies(t.sql, condition) + " ORDER BY " + strings.Join(t.key.order(t.sql), ", ")
}

func bodies(sql wrapped, condition string) string {
	return "SELECT " + sql.all() + ", " + sql.token() + " " + sql.from() + " WHERE " + condition
}

// A fetch reads the rows of one snapshot and yields them.
type fetch struct {
	table   *Table
	tx      *tx
	decoder *rowDecoder
	yield   func(doc.Batch, error) bool
	batch   doc.Batch
	text    int              // bytes of text in the batch
	end     func()           // returns the number
	last    doc.OID          // of the query's last row
	sameKey int              // the number of consecutive rows with that OID
	groups  *doc.Row         // of all these rows; nil if they differ
	live    map[doc.OID]bool // the keys that have a row; nil: not needed
}

// fetch runs read on one snapshot and yields the batch that read leaves. It
// reports whether the consumer wants more.
func (t *Table) fetch(ctx context.Context, yield func(doc.Batch, error) bool, read func(*fetch) (bool, error)) (more bool, err error) {
	// Numbers are handed out under a lock, which must not wait for a free
	// connection.
	x, err := t.src.acquire(ctx)
	if err != nil {
		return true, err
	}
	f := &fetch{table: t, tx: x, yield: yield}
	defer f.release(ctx)
	if f.end, err = f.begin(ctx); err != nil {
		return true, err
	}
	// The number stays in flight until the consumer is done with the last batch.
	defer func() { f.end() }()
	if more, err := read(f); !more || err != nil {
		return more, err
	}
	// All rows are read. Neither snapshot nor connection waits for the consumer.
	f.release(ctx)
	return yield(f.batch, nil), nil
}

// begin takes number and snapshot in one step. end returns the number.
func (f *fetch) begin(ctx context.Context) (end func(), err error) {
	open := func() error {
		session, err := f.tx.begin(ctx, f.table.searchPath)
		f.batch.At = session.at
		return notRowFault(err)
	}
	numbers := f.table.numbers
	if numbers == nil {
		err, end = open(), func() {}
	} else {
		f.batch.Fetch, err = numbers.Begin(open)
		end = func() { numbers.End(f.batch.Fetch) }
	}
	if err != nil {
		return nil, err
	}
	unit, err := f.table.unit(ctx, f.tx)
	if err != nil {
		end()
		return nil, err
	}
	f.decoder = f.table.bodyDecoder(unit)
	return end, nil
}

func (f *fetch) byRange(ctx context.Context, r doc.Range) (more bool, err error) {
	if len(f.table.children) > 0 {
		more, err = f.readRange(ctx, r)
	} else {
		var q query
		if q, err = f.table.rangeQuery(r); err != nil {
			return true, err
		}
		more, err = f.stream(ctx, q)
	}
	if !more || err != nil || r.To != "" {
		return more, err
	}
	// A single condition that included NULL keys could not use an index.
	rejects, err := f.table.nullKey(ctx, f.tx, noCondition)
	f.batch.Rejects = append(f.batch.Rejects, rejects...)
	return true, err
}

// byKeys reads the rows with these OIDs, and which OIDs are marked deleted.
func (f *fetch) byKeys(ctx context.Context, oids []doc.OID) (more bool, err error) {
	f.live = make(map[doc.OID]bool, len(oids))
	if len(f.table.children) > 0 {
		more, err = f.readKeys(ctx, oids)
	} else {
		var q query
		if q, err = f.table.docsQuery(oids); err != nil {
			return true, err
		}
		more, err = f.stream(ctx, q)
	}
	if !more || err != nil {
		return more, err
	}
	marked, err := f.table.marked(ctx, f.tx, oids)
	// A key with a live row is not deleted, even if another row of it is marked.
	f.batch.Deleted = slices.DeleteFunc(marked, func(oid doc.OID) bool { return f.live[oid] })
	return true, err
}

// stream reads the rows of a query and yields each full batch.
func (f *fetch) stream(ctx context.Context, q query) (more bool, err error) {
	return f.tx.each(ctx, q, f.add)
}

// add puts a row into the batch, after yielding a full batch. It reports
// whether the consumer wants more.
func (f *fetch) add(raw [][]byte) bool {
	_ = f.decoder.load(raw, f.table.limits) // document returns the error
	d, reject := f.decoder.document()
	oid := d.OID
	if reject != nil {
		oid = reject.OID
	}
	rows := len(f.batch.Docs) + len(f.batch.Rejects)
	switch again := f.countKey(oid); {
	case !f.wanted(again):
		return true
	case again > 1:
	case rows >= f.table.batch || rows > 0 && f.text+f.decoder.size > maxBatchText:
		if !f.flush() {
			return false
		}
	}
	f.text += f.decoder.size
	if reject != nil {
		f.addReject(*reject)
		return true
	}
	f.addDoc(d)
	return true
}

// countKey returns how many consecutive rows have this key. Rows without a
// usable key count one each.
func (f *fetch) countKey(oid doc.OID) int {
	if oid == "" || oid != f.last {
		f.last, f.sameKey = oid, 0
	}
	f.sameKey++
	return f.sameKey
}

// wanted reports whether a repeated row adds information. Two rows show that
// the key is not unique; one more is wanted if its groups differ from theirs.
func (f *fetch) wanted(again int) bool {
	groups, before := f.decoder.groups.ofMain(f.decoder), f.groups
	switch {
	case again == 1:
		f.groups = groups
	case !doc.SameGroups(before, groups):
		f.groups = nil
		return again == 2 || before != nil
	}
	return again <= 2
}

func (f *fetch) addReject(r doc.Reject) {
	f.batch.Rejects = append(f.batch.Rejects, r)
	if f.live != nil && r.OID != "" {
		f.live[r.OID] = true
	}
}

func (f *fetch) addDoc(d doc.Doc) {
	d.Fetch, d.Fetched = f.batch.Fetch, f.batch.At
	f.batch.Docs = append(f.batch.Docs, d)
	if f.live != nil {
		f.live[d.OID] = true
	}
}

// flush yields the batch, unless it is empty, and starts a new one.
func (f *fetch) flush() (more bool) {
	if len(f.batch.Docs)+len(f.batch.Rejects) > 0 && !f.tx.pauseClock(func() bool { return f.yield(f.batch, nil) }) {
		return false
	}
	f.batch.Docs, f.batch.Rejects, f.text = nil, nil, 0
	return true
}

// release ends the transaction, once.
func (f *fetch) release(ctx context.Context) {
	if f.tx != nil {
		f.tx.end(ctx)
		f.tx = nil
	}
}

// A keyPage is the keys of one page of rows.
type keyPage struct {
	oids    []doc.OID
	rejects []doc.Reject // of unusable keys
	last    []string     // the last row's key in text form
	rows    int
}

// keyPages reads the keys of a range in the database's order, a batch at a
// time.
func (t *Table) keyPages(ctx context.Context, x *tx, r doc.Range) iter.Seq2[keyPage, error] {
	return func(yield func(keyPage, error) bool) {
		var after []string
		for {
			page, err := t.keyPage(ctx, x, r, t.live, after)
			if !yield(page, err) || err != nil || page.rows < t.batch {
				return
			}
			after = page.last
		}
	}
}

// keyPage reads the keys of the rows that meet a condition.
func (t *Table) keyPage(ctx context.Context, x *tx, r doc.Range, live condition, after []string) (keyPage, error) {
	q, err := t.keysQuery(r, live, after)
	if err != nil {
		return keyPage{}, err
	}
	rows, err := x.all(ctx, q)
	if err != nil {
		return keyPage{}, err
	}
	p := keyPage{rows: len(rows)}
	for _, row := range rows {
		oid, err := t.key.rawOID(row)
		if err != nil {
			p.rejects = append(p.rejects, doc.Reject{Reason: err.Error()})
			continue
		}
		p.oids = append(p.oids, oid)
	}
	p.oids = slices.Compact(p.oids)
	if len(rows) > 0 {
		p.last = textsOf(rows[len(rows)-1])
	}
	return p, nil
}

func (t *Table) keysQuery(r doc.Range, live condition, after []string) (query, error) {
	return t.rangePageQuery("SELECT "+strings.Join(t.key.columns(t.sql), ", ")+" "+t.sql.from(), r, live, after, t.batch)
}
