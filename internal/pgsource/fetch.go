package pgsource

import (
	"context"
	"iter"
	"slices"
	"strings"

	"indexerd/internal/doc"
)

// maxBatchText bounds the text of a batch. A row that is larger is a batch of
// its own.
const maxBatchText = 16 << 20

// Range reads the rows with From <= OID < To, in no particular order, without
// any condition on updateTime, as one fetch. An open end also has the rows
// whose key is NULL, as rejects. At least one batch is yielded, if an empty
// one.
func (t *Table) Range(ctx context.Context, r doc.Range) iter.Seq2[doc.Batch, error] {
	return func(yield func(doc.Batch, error) bool) {
		queries, err := t.rangeQueries(r)
		if err != nil {
			yield(doc.Batch{}, t.wrap(err))
			return
		}
		t.fetch(ctx, queries, yield)
	}
}

// Docs reads the rows with these OIDs, in no particular order. Each chunk of
// at most a batch of OIDs is a fetch of its own and yields at least one batch;
// an OID of the chunk that is in none of them has no row.
func (t *Table) Docs(ctx context.Context, oids []doc.OID) iter.Seq2[doc.Batch, error] {
	return func(yield func(doc.Batch, error) bool) {
		for chunk := range slices.Chunk(oids, t.batch) {
			q, err := t.docsQuery(chunk)
			if err != nil {
				yield(doc.Batch{}, t.wrap(err))
				return
			}
			if !t.fetch(ctx, []query{q}, yield) {
				return
			}
		}
	}
}

// rangeQueries asks for the keys without a value apart: a condition that had
// them too could not be answered by an index.
func (t *Table) rangeQueries(r doc.Range) ([]query, error) {
	if r == (doc.Range{}) {
		return []query{{sql: t.bodies("true")}}, nil
	}
	var q query
	var conditions []string
	for _, end := range []struct {
		operator string
		oid      doc.OID
	}{{">=", r.From}, {"<", r.To}} {
		if end.oid == "" {
			continue
		}
		c, err := t.key.compare(&q, t.sql, end.operator, end.oid)
		if err != nil {
			return nil, err
		}
		conditions = append(conditions, c)
	}
	q.sql = t.bodies(strings.Join(conditions, " AND "))
	if r.To != "" {
		return []query{q}, nil
	}
	return []query{q, {sql: t.bodies(t.key.null(t.sql))}}, nil
}

func (t *Table) docsQuery(oids []doc.OID) (query, error) {
	var q query
	condition, err := t.key.among(&q, t.sql, oids)
	q.sql = t.bodies(condition)
	return q, err
}

// bodies selects all columns and the token.
func (t *Table) bodies(condition string) string {
	return "SELECT " + t.sql.all() + ", " + t.sql.token() + " " + t.sql.from() + " WHERE " + condition
}

// A fetch is the rows of one snapshot on their way to the consumer.
type fetch struct {
	table   *Table
	tx      *tx
	decoder *rowDecoder
	yield   func(doc.Batch, error) bool
	batch   doc.Batch
	text    int // bytes of text in the batch
}

// fetch runs the queries on one snapshot and yields their rows. It reports
// whether the consumer wants more.
func (t *Table) fetch(ctx context.Context, queries []query, yield func(doc.Batch, error) bool) bool {
	// The connection is had before the number: numbers are handed out under a
	// lock, which must not wait for a free connection.
	x, err := t.src.acquire(ctx)
	if err != nil {
		yield(doc.Batch{}, t.wrap(err))
		return false
	}
	f := &fetch{table: t, tx: x, yield: yield}
	defer f.release(ctx)
	end, err := f.begin(ctx)
	if err != nil {
		yield(doc.Batch{}, t.wrap(err))
		return false
	}
	// The number stays in flight until the consumer is done with the last batch.
	defer end()
	for _, q := range queries {
		more, err := f.stream(ctx, q)
		if err != nil {
			yield(doc.Batch{}, t.wrap(err))
			return false
		}
		if !more {
			return false
		}
	}
	// The rows are here: neither snapshot nor connection waits for the consumer.
	f.release(ctx)
	return yield(f.batch, nil)
}

// begin takes number and snapshot in one step and returns what gives the
// number back.
func (f *fetch) begin(ctx context.Context) (end func(), err error) {
	open := func() error {
		session, err := f.tx.begin(ctx, f.table.searchPath)
		f.batch.At = session.at
		return err
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

// stream hands on the rows of a query as they come, a batch at a time.
func (f *fetch) stream(ctx context.Context, q query) (more bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	rows := f.tx.rows(ctx, q)
	for rows.NextRow() {
		if !f.add(rows.Values()) {
			// Ends the statement on the server, instead of reading it to its end.
			cancel()
			_, _ = rows.Close() // the cancellation
			return false, nil
		}
	}
	_, err = rows.Close()
	return true, f.tx.fault(ctx, err)
}

// add puts a row into the batch, having yielded the batch if it is full. It
// reports whether the consumer wants more.
func (f *fetch) add(raw [][]byte) bool {
	f.decoder.load(raw)
	rows := len(f.batch.Docs) + len(f.batch.Rejects)
	if rows >= f.table.batch || rows > 0 && f.text+f.decoder.size > maxBatchText {
		if !f.yield(f.batch, nil) {
			return false
		}
		f.batch.Docs, f.batch.Rejects, f.text = nil, nil, 0
	}
	f.text += f.decoder.size
	d, reject := f.decoder.document()
	if reject != nil {
		f.batch.Rejects = append(f.batch.Rejects, *reject)
		return true
	}
	d.Fetch, d.Fetched = f.batch.Fetch, f.batch.At
	f.batch.Docs = append(f.batch.Docs, d)
	return true
}

// release ends the transaction, once.
func (f *fetch) release(ctx context.Context) {
	if f.tx != nil {
		f.tx.end(ctx)
		f.tx = nil
	}
}
