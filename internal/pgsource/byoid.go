package pgsource

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"

	"indexerd/internal/doc"
)

// StampsByOID reads the stamps of the live rows with updateTime in the window,
// in the order of OIDs. It returns the same rows as Stamps. Without children
// all pages are of one snapshot, which is held until the last page has been
// read. Each page is a short transaction instead if the table has children, if
// the SQL fails for a row, or if the held connection would be the source's
// last: the consumer of a page may need one. Each key comes once, with an
// unknown token if several rows have it. Rows without a usable key come as one
// stamp without an OID, at the end.
func (t *Table) StampsByOID(ctx context.Context, w doc.Window) iter.Seq2[[]doc.Stamp, error] {
	return func(yield func([]doc.Stamp, error) bool) {
		if w.Empty() {
			return
		}
		s := byOID{table: t, window: w, yield: yield}
		err := errNoStream
		if len(t.children) == 0 {
			err = s.streamed(ctx)
		}
		if errors.Is(err, errNoStream) || isRowFault(err) {
			err = s.pages(ctx)
		}
		if err == nil && s.unusable && !s.ended {
			s.ended = !yield([]doc.Stamp{{}}, nil)
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// errNoStream means that the remaining pages must be separate transactions.
var errNoStream = errors.New("no connection can be held")

// A byOID reads the stamps of a window and yields them.
type byOID struct {
	table  *Table
	window doc.Window
	yield  func([]doc.Stamp, error) bool
	last   doc.OID // the last OID yielded

	unusable bool // some row has no usable key
	ended    bool // the consumer wants no more
}

func (s *byOID) send(page []doc.Stamp) (more bool) {
	if len(page) == 0 {
		return true
	}
	s.last = page[len(page)-1].OID
	s.ended = !s.yield(page, nil)
	return !s.ended
}

// inOrder checks that the database orders keys by their bytes.
func inOrder(last, oid doc.OID) error {
	if oid < last {
		return fmt.Errorf("key %v came after %v: the database's encoding does not order text as UTF-8 does, so pages can't be merged in order: use a UTF-8 database", oid, last)
	}
	return nil
}

// streamed yields the stamps of one snapshot. It yields the last page after the
// connection has been returned.
func (s *byOID) streamed(ctx context.Context) error {
	var last []doc.Stamp
	err := s.table.read(ctx, func(x *tx) (err error) {
		last, err = s.stream(ctx, x)
		return err
	})
	if err == nil {
		s.send(last)
	}
	return err
}

// sendHoldingConn yields a page while it holds a connection for the following
// ones. It returns errNoStream if that is the source's last.
func (s *byOID) sendHoldingConn(x *tx, page []doc.Stamp) (more bool, err error) {
	streams := s.table.src.streams
	select {
	case streams <- struct{}{}:
	default:
		return false, errNoStream
	}
	defer func() { <-streams }()
	return x.pauseClock(func() bool { return s.send(page) }), nil
}

// stream yields full pages and returns the last one.
func (s *byOID) stream(ctx context.Context, x *tx) (page []doc.Stamp, err error) {
	t := s.table
	unit, err := t.unit(ctx, x)
	if err != nil {
		return nil, err
	}
	d := t.stampDecoder(unit)
	var last doc.OID
	var stopped error
	more, err := x.each(ctx, t.byOIDQuery(t.updated.bounds(s.window, unit)), func(raw [][]byte) bool {
		stamp, ok := d.loadStamp(raw)
		if !ok {
			s.unusable = true
			return true
		}
		if stamp.OID == last {
			page[len(page)-1].Token.Digest = 0
			return true
		}
		more := true
		if stopped = inOrder(last, stamp.OID); stopped == nil && len(page) == t.stampPage {
			more, stopped = s.sendHoldingConn(x, page)
			page = nil // the consumer may keep it
		}
		page, last = append(page, stamp), stamp.OID
		return more && stopped == nil
	})
	if err != nil || !more {
		return nil, cmp.Or(err, stopped)
	}
	return page, nil
}

func (t *Table) byOIDQuery(from, to string) query {
	q := query{reads: []*view{&t.view}}
	q.sql = fmt.Sprintf("%s WHERE %s AND %s ORDER BY %s", t.stampsOnly(true), t.between(&q, from, to), t.live(&q),
		strings.Join(t.key.byteOrder(t.sql), ", "))
	return q
}

// pages yields the remaining stamps. Each page of keys, of the main SQL and of
// the children together, is followed by a query for their stamps.
func (s *byOID) pages(ctx context.Context) (err error) {
	p := unionPage{window: s.window, first: s.last == ""}
	if !p.first {
		if p.after, err = s.table.key.texts(s.last); err != nil {
			return err
		}
	}
	for {
		rows, err := s.table.readUnion(ctx, p)
		if isRowFault(err) && len(s.table.children) == 0 {
			fault := err
			if s.unusable, err = s.table.hasNullKey(ctx, s.window); err == nil {
				s.ended = !s.table.bisectWindow(ctx, s.window, p.after, fault, s.yield)
			}
			return err
		}
		if err != nil {
			return err
		}
		oids, err := s.inOrder(rows)
		if err != nil {
			return err
		}
		full := len(rows) == s.table.stampPage
		// The first page has the rows without a key, if it is the only one.
		if !s.unusable && full == p.first {
			if s.unusable, err = s.table.hasNullKey(ctx, s.window); err != nil {
				return err
			}
		}
		stamps, err := s.stampsOf(ctx, oids)
		if err != nil {
			return err
		}
		if !s.send(stamps) || !full {
			return nil
		}
		p.next(rows)
	}
}

// A unionPage is a page of a window's keys. The first one includes the rows of
// the main SQL without a key.
type unionPage struct {
	window doc.Window
	first  bool
	after  []string // nil: from the beginning
}

// next moves to the page after the last row that has a key.
func (p *unionPage) next(rows [][][]byte) {
	p.first = false
	for _, row := range slices.Backward(rows) {
		if !slices.ContainsFunc(row, func(v []byte) bool { return v == nil }) {
			p.after = textsOf(row)
			return
		}
	}
}

// inOrder returns the OIDs of a page of keys.
func (s *byOID) inOrder(rows [][][]byte) ([]doc.OID, error) {
	last := s.last
	var oids []doc.OID
	for _, row := range rows {
		oid, err := s.table.key.rawOID(row)
		if err != nil {
			s.unusable = true // in the main SQL; a child's row without a key belongs to no document
			continue
		}
		if err := inOrder(last, oid); err != nil {
			return nil, err
		}
		oids, last = append(oids, oid), oid
	}
	return oids, nil
}

// stampsOf returns the stamps of these rows in the order of OIDs.
func (s *byOID) stampsOf(ctx context.Context, oids []doc.OID) ([]doc.Stamp, error) {
	stamps, err := s.table.StampsOf(ctx, oids)
	slices.SortStableFunc(stamps, func(a, b doc.Stamp) int { return cmp.Compare(a.OID, b.OID) })
	return stamps, err
}

func (t *Table) readUnion(ctx context.Context, p unionPage) (rows [][][]byte, err error) {
	err = t.read(ctx, func(x *tx) error {
		q, err := t.unionQuery(ctx, x, p)
		if err != nil {
			return err
		}
		rows, err = x.all(ctx, q)
		return err
	})
	return rows, err
}

// unionQuery selects the keys of the rows of any SQL with an updateTime in the
// window, after a key, each once, in the order of OIDs.
func (t *Table) unionQuery(ctx context.Context, x *tx, p unionPage) (query, error) {
	q := query{reads: t.timedViews()}
	var keys []string
	for i, v := range q.reads {
		unit, err := v.unit(ctx, x)
		if err != nil {
			return query{}, err
		}
		from, to := v.updated.bounds(p.window, unit)
		of := v.keysOf(&q, from, to, p.after) + " AND " + t.liveOf(v)(&q)
		if !p.first || i > 0 {
			of += " AND " + v.key.notNull(v.sql)
		}
		keys = append(keys, of)
	}
	ordinals := make([]string, len(t.key))
	for i := range t.key {
		ordinals[i] = strconv.Itoa(i + 1)
	}
	q.sql = fmt.Sprintf("%s ORDER BY %s LIMIT %s", strings.Join(keys, " UNION "), strings.Join(ordinals, ", "), q.bind(int8OID, strconv.Itoa(t.stampPage)))
	return q, nil
}

// keysOf selects the keys of the rows with updateTime in the bounds, in types
// common to all SQLs.
func (v *view) keysOf(q *query, from, to string, after []string) string {
	keys := v.key.byteOrder(v.sql)
	var params []string
	for i, p := range v.key {
		typ := p.param
		switch p.kind {
		case doc.Integer:
			keys[i], typ = keys[i]+"::numeric", pgtype.NumericOID
		case doc.Text:
			typ = pgtype.TextOID
		}
		if after != nil {
			params = append(params, q.bind(typ, after[i]))
		}
	}
	next := ""
	if after != nil {
		next = fmt.Sprintf(" AND (%s) > (%s)", strings.Join(keys, ", "), strings.Join(params, ", "))
	}
	return fmt.Sprintf("SELECT %s %s WHERE %s%s", strings.Join(keys, ", "), v.sql.from(), v.between(q, from, to), next)
}
