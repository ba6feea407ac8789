package source

import (
	"context"
	"errors"
	"fmt"
	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"iter"
	"slices"
	"sync/atomic"
)

// pageText bounds the text of a page, and that of its children: a worker holds a
// page several times, as text, as JSON and as what the index receives. Ordinary
// pages are much smaller. A larger row is a page by itself, up to the table's
// limit.
const pageText = 8 << 20

// A tooMuchError reports that a page exceeds pageText. It is read again with so many
// rows.
type tooMuchError struct{ rows int }

func (e *tooMuchError) Error() string { return "the page has too much text" }

// A room is the number of rows that a page of a table has room for. All readers of the
// table share it, or each would read its first page twice.
type room struct {
	rows atomic.Int64
	most int
}

func newRoom(batch int) *room {
	r := &room{most: batch}
	r.rows.Store(int64(batch))
	return r
}

func (r *room) get() int { return int(r.rows.Load()) }

// less is called after a page in which only so many rows had room. It returns the
// number for another try: fewer, since rows differ in size.
func (r *room) less(rows int) int {
	rows = max(rows-rows/8, 1)
	r.rows.Store(int64(rows))
	return rows
}

// more is called after a page with so many rows that had half of its room left.
func (r *room) more(rows int) { r.rows.Store(int64(min(2*rows, r.most))) }

// errStopped reports that the consumer wants no more.
var errStopped = errors.New("stopped")

// sequence returns what run emits, then its error. emit returns errStopped if the
// consumer wants no more.
func sequence[T any](run func(emit func(T) error) error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		err := run(func(v T) error {
			if !yield(v, nil) {
				return errStopped
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStopped) {
			var none T
			yield(none, err)
		}
	}
}

// Range reads the live rows with From <= OID < To in the database's order of keys,
// whatever their updateTime. Each page is one fetch. Rows with the same key are on
// one page. If To is empty, rows whose key is NULL are included as one reject.
//
// If the SQL fails for a row, a page is read by key.
func (t *Table) Range(ctx context.Context, r doc.Range) iter.Seq2[doc.Batch, error] {
	return sequence(func(emit func(doc.Batch) error) error {
		s, err := t.newScan(r)
		for err == nil && !s.done {
			err = t.rangePage(ctx, s, emit)
			if isRowFault(err) {
				err = t.pageByKeys(ctx, s, emit)
			}
			if err == nil && s.split != "" {
				err = t.docs(ctx, []doc.OID{s.split}, emit)
			}
		}
		if err == nil && s.nulls {
			err = t.rangeOfNull(ctx, emit)
		}
		return t.wrap("read a range", err)
	})
}

// rangeOfNull emits a reject for the rows without a key, if there are any. A
// single condition that included them could not use an index.
func (t *Table) rangeOfNull(ctx context.Context, emit func(doc.Batch) error) error {
	b, end, err := t.open(ctx, func(x *tx, b *doc.Batch) (err error) {
		b.Rejects, err = t.nullKey(ctx, x, nil)
		return err
	})
	defer end()
	if err != nil {
		b.Rejects, err = t.failsAtNull(ctx, err)
	}
	if err != nil || len(b.Rejects) == 0 {
		return err
	}
	return emit(b)
}

// A scan reads a range page by page, in keyOrder.
type scan struct {
	*view
	from, to []any             // the bounds; nil: none
	also     dialect.Condition // a further condition
	last     []any             // the place of the last row read; nil: none yet
	limit    int               // rows of a page
	done     bool
	nulls    bool    // rows without a key are still to be read
	split    doc.OID // the last page's last key, if more rows of it may follow: it is read by key
}

func (t *Table) newScan(r doc.Range) (s *scan, err error) {
	s = &scan{view: t.view, limit: t.room.get()}
	if r.From != "" {
		if s.from, err = t.parts(r.From); err != nil {
			return s, err
		}
	}
	if r.To != "" {
		s.to, err = t.parts(r.To)
	}
	return s, err
}

// where returns the conditions of the rows that are still to be read. There is one
// lower bound: of two, a planner may start at the lower one.
func (s *scan) where() []dialect.Condition {
	all, key, form := []dialect.Condition{s.notNull(), s.also}, s.keyFields(), s.dialect.Keyset()
	if s.to != nil {
		all = append(all, key.Are(" < ", s.to, form))
	}
	switch {
	case s.last != nil:
		all = append(all, s.after(s.keyOrder(), s.last))
	case s.from != nil:
		all = append(all, key.Are(" >= ", s.from, form))
	}
	return all
}

// rangePage emits the next page, which is one fetch.
func (t *Table) rangePage(ctx context.Context, s *scan, emit func(doc.Batch) error) error {
	for {
		next := *s
		err := t.fetch(ctx, emit, func(x *tx, b *doc.Batch) error {
			q := t.bodies().Where(append(s.where(), t.live())...).Order(t.keyOrder()).Limit(s.limit + 1)
			p, err := t.fillPage(ctx, x, q, s.limit, nil, b)
			if err != nil {
				return err
			}
			next.done, next.last, next.split = !p.more, p.last, p.split
			next.limit = t.room.get()
			if next.done && s.to == nil {
				rejects, err := t.nullKey(ctx, x, nil)
				if err != nil && !isRowFault(err) {
					return err
				}
				next.nulls = err != nil // it is asked again
				b.Rejects = append(b.Rejects, rejects...)
			}
			*s = next // before the page is emitted
			return nil
		})
		tooMuch, ok := errors.AsType[*tooMuchError](err)
		if !ok {
			return err
		}
		s.limit = tooMuch.rows
	}
}

// pageByKeys reads a page in which the SQL fails for some row: first the keys,
// then the rows by key. The fetch of the keys emits rejects for unusable keys.
func (t *Table) pageByKeys(ctx context.Context, s *scan, emit func(doc.Batch) error) error {
	var oids []doc.OID
	var last []any
	err := t.fetch(ctx, emit, func(x *tx, b *doc.Batch) error {
		n := 0
		q := t.keys().Where(s.where()...).Order(t.keyOrder()).Limit(t.batch)
		_, err := x.each(ctx, q, func(raw []any) bool {
			if n++; n == t.batch {
				last = t.place(raw)
			}
			if oid, err := t.oid(raw); err != nil {
				b.Rejects = append(b.Rejects, doc.Reject{Reason: err.Error()})
			} else {
				oids = append(oids, oid)
			}
			return true
		})
		return err
	})
	if isRowFault(err) {
		oids, last, err = t.bisectKeys(ctx, s, t.batch, err)
	}
	if err != nil {
		return err
	}
	s.last, s.split, s.done = last, "", last == nil
	s.nulls = s.done && s.to == nil
	return t.docs(ctx, slices.Compact(oids), emit)
}

// Docs reads the rows with these OIDs in no particular order, one fetch for each
// part of at most a batch of OIDs. An OID that is in none of the batches of its
// part has no row, or has left the SQL's result without a deletion mark.
//
// If the SQL fails for a row, the OIDs are halved until the row is alone. The row
// then is a reject, which comes at the end of its part.
func (t *Table) Docs(ctx context.Context, oids []doc.OID) iter.Seq2[doc.Batch, error] {
	return sequence(func(emit func(doc.Batch) error) error {
		return t.wrap(fmt.Sprintf("read %d rows by key", len(oids)), t.docs(ctx, oids, emit))
	})
}

// Look reads rows as Docs does, without numbers: for a caller that stores nothing of
// them.
func (t *Table) Look(ctx context.Context, oids []doc.OID) iter.Seq2[doc.Batch, error] {
	unnumbered := *t
	unnumbered.numbers = noNumbers{}
	return unnumbered.Docs(ctx, oids)
}

// open takes a number with its snapshot and fills a batch from it. The transaction
// ends before open returns: neither snapshot nor connection waits for the
// consumer. The caller calls end, which returns the number, also on an error.
func (t *Table) open(ctx context.Context, fill func(*tx, *doc.Batch) error) (b doc.Batch, end func(), err error) {
	end = func() {}
	// Numbers are handed out under a lock, which must not wait for a free
	// connection.
	x, err := t.source.acquire(ctx)
	if err != nil {
		return b, end, err
	}
	defer x.end()
	b.Fetch, err = t.numbers.Begin(func() error {
		_, err := x.begin(ctx, t.settings)
		return err
	})
	if err != nil {
		return b, end, err
	}
	b.At = x.at
	fetch := b.Fetch
	err = fill(x, &b)
	return b, func() { t.numbers.End(fetch) }, err
}

// fetch emits the batch that fill fills from one snapshot. The number stays in
// flight until the consumer is done with the batch.
func (t *Table) fetch(ctx context.Context, emit func(doc.Batch) error, fill func(*tx, *doc.Batch) error) error {
	b, end, err := t.open(ctx, fill)
	defer end()
	if err != nil {
		return err
	}
	return emit(b)
}

// fillPage fills a batch with the rows of a query, in the order of keys, then with
// their deletion marks, children and groups. asked are the keys to read; nil: all.
func (t *Table) fillPage(ctx context.Context, x *tx, q *dialect.Query, limit int, asked []doc.OID, b *doc.Batch) (*pageReader, error) {
	times, err := t.times(ctx, x)
	if err != nil {
		return nil, err
	}
	p := &pageReader{table: t, times: times, batch: b, limit: limit}
	if asked != nil {
		p.asked = doc.SetOf(asked)
	}
	all, err := x.each(ctx, q, p.add)
	if err != nil {
		return nil, err
	}
	if !all {
		return nil, &tooMuchError{t.room.less(p.rows)}
	}
	p.finish()
	if err := t.dropListed(ctx, x, asked, b); err != nil {
		return nil, err
	}
	if err := t.addChildren(ctx, x, p); err != nil {
		return nil, err
	}
	if p.rows >= t.room.get() && max(p.text, p.children) <= pageText/2 {
		t.room.more(p.rows)
	}
	if x.mixed {
		err = t.lookAgain(ctx, x, b)
	}
	if err == nil {
		err = t.groups.fill(ctx, x, b.Rejects)
	}
	return p, err
}

// lookAgain makes the token of a document unknown if the row or its children have
// changed since they were read: the document may be of two moments, and a comparison
// fetches it again.
func (t *Table) lookAgain(ctx context.Context, x *tx, b *doc.Batch) error {
	now := map[doc.OID]doc.Token{}
	oids := slices.Compact(doc.OIDs(b.Docs))
	for part := range slices.Chunk(oids, t.maxKeys()) {
		among, err := t.among(part)
		if err != nil {
			return err
		}
		r := stampReader{table: t, view: t.view}
		if err := r.run(ctx, x, true, among); err != nil {
			return err
		}
		stamps, err := t.complete(ctx, x, r.page.stamps)
		if err != nil {
			return err
		}
		for _, s := range onceEach(stamps) {
			now[s.OID] = s.Token
		}
	}
	for i := range b.Docs {
		if d := &b.Docs[i]; d.Token != now[d.OID] {
			d.Token.Digest = 0
		}
	}
	return nil
}
