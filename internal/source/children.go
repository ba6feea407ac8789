package source

import (
	"bytes"
	"context"
	"fmt"
	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"math"
	"slices"
	"time"
)

// A child is the view of a child's SQL.
type child struct {
	*view
	name string
}

func newChild(ctx context.Context, x *tx, cfg ChildConfig, updated updatedConfig) (*child, error) {
	at := paths{cfg.Path + ".sql", cfg.Path + ".key", cfg.Path + ".updated"}
	v, err := newView(ctx, x, cfg.SQL, cfg.Key, updated, at)
	if err != nil {
		return nil, err
	}
	if err := v.parseJSON(cfg.Path+".json", cfg.JSON, cfg.Values); err != nil {
		return nil, err
	}
	for _, name := range cfg.Columns {
		if _, err := v.column(cfg.Path+".content", name); err != nil {
			return nil, err
		}
	}
	if values := v.values(); cfg.Value && len(values) != 1 {
		return nil, &ConfigError{at.sql, fmt.Sprintf("it returns %d columns beside key and updated, want 1", len(values)), "return one value in each row"}
	}
	return &child{view: v, name: cfg.Name}, nil
}

// values returns the columns that are neither key nor updateTime.
func (v *view) values() (values []int) {
	for at := range v.Columns {
		if !slices.Contains(v.key, at) && (v.updated == nil || v.updated.at != at) {
			values = append(values, at)
		}
	}
	return values
}

// childRows are the rows of one child that belong to one row.
//
// The token of a document with children is the sum of the main row's digest and, with
// a weight for each child, of its rows' digests and their number, modulo 2^64. A sum
// does not depend on the order of rows, which SQL does not guarantee, and one statement
// for each child sums the tokens of many documents. The weight distinguishes children
// whose rows are equal, and the number two equal rows from none. The database computes
// the digests. They are added here, unless the database is a Summer.
type childRows struct {
	count, sum uint64
	unknown    bool      // a digest is unknown
	hidden     bool      // the greatest value of updateTime is no time, and may hide one that is
	updated    time.Time // the greatest updateTime
	rows       []sortedRow
	fault      error // why a document can't have these rows
}

// A sortedRow is a row with its canonical JSON, by which rows are sorted: SQL
// guarantees no order, and the hash of a document must not depend on it.
type sortedRow struct {
	row  doc.Row
	json []byte
}

func (c *childRows) add(digest uint64, updated time.Time) {
	c.count++
	c.sum += digest
	c.unknown = c.unknown || digest == 0
	if updated.After(c.updated) {
		c.updated = updated
	}
}

// merge adds the children's stamps to that of the main row. A value of updateTime that
// is no time counts as NULL.
func merge(s *doc.Stamp, children []childRows) error {
	s.Token.Digest = combine(s.Token.Digest, children)
	for _, c := range children {
		if c.fault != nil {
			s.Updated = time.Time{}
			return c.fault
		}
		if c.updated.After(s.Updated) {
			s.Updated = c.updated
		}
	}
	return nil
}

// combine returns the digest of a row with its children. Tokens are stored, so the
// result must not change without childVersion. An unknown digest stays unknown.
func combine(own uint64, children []childRows) uint64 {
	if own == 0 || len(children) == 0 {
		return own
	}
	for i, c := range children {
		if c.unknown {
			return 0
		}
		own += weight(i) * (c.sum + c.count)
	}
	return max(own, 1)
}

// weight returns the odd factor of the i-th child in a token.
func weight(i int) uint64 { return 0x9e3779b97f4a7c15 * uint64(2*i+3) }

// A childReader reads the children's rows of some keys.
type childReader struct {
	table    *Table
	byParent map[doc.OID][]childRows // for each key, for each child
	left     int                     // bytes of text that may still be read; only bodies count
}

func (t *Table) newChildReader(oids []doc.OID) *childReader {
	r := &childReader{table: t, byParent: make(map[doc.OID][]childRows, len(oids)), left: math.MaxInt}
	for _, oid := range oids {
		r.byParent[oid] = make([]childRows, len(t.children))
	}
	return r
}

// read reads the rows of all children; with bodies also their values. It reports
// false if the text exceeds the limit.
func (r *childReader) read(ctx context.Context, x *tx, oids []doc.OID, bodies bool) (fits bool, err error) {
	for i, c := range r.table.children {
		times, err := c.times(ctx, x)
		if err != nil {
			return false, err
		}
		for part := range slices.Chunk(oids, c.maxKeys()) {
			among, err := c.among(part)
			if err != nil {
				return false, err
			}
			q, add := c.asks(among, times, bodies)
			if all, err := x.each(ctx, q, r.adder(c, i, times, bodies, add)); err != nil || !all {
				return false, err
			}
			if err := r.readHidden(ctx, x, c, i, part, times); err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

// readHidden reads the rows of the i-th child of those keys for which the greatest value
// is no time: the greatest time counts, as in documents, whose rows are read one by one.
func (r *childReader) readHidden(ctx context.Context, x *tx, c *child, i int, oids []doc.OID, times dialect.Times) error {
	var again []doc.OID
	for _, oid := range oids {
		if rows := &r.byParent[oid][i]; rows.hidden {
			*rows = childRows{}
			again = append(again, oid)
		}
	}
	if len(again) == 0 {
		return nil
	}
	among, err := c.among(again)
	if err == nil {
		_, err = x.each(ctx, c.stamps(true).Where(among), r.adder(c, i, times, false, c.addStamp))
	}
	return err
}

// asks returns the statement for the rows of some keys, and what adds one of its
// rows.
func (c *child) asks(among dialect.Condition, times dialect.Times, bodies bool) (q *dialect.Query, add func(*childRows, []any, dialect.Times) error) {
	if bodies {
		return c.bodies().Where(among), c.addBody
	}
	if sums, ok := c.sums(among, times); ok {
		return sums, c.addSum
	}
	return c.stamps(true).Where(among), c.addStamp
}

// adder returns a function that adds rows of the i-th child. The rows begin with the
// key unless they are bodies. Rows of one parent often follow each other.
func (r *childReader) adder(c *child, i int, times dialect.Times, bodies bool, add func(*childRows, []any, dialect.Times) error) func([]any) bool {
	var room [maxKeyParts]any
	var last doc.OID
	var parent []childRows
	return func(raw []any) bool {
		key := raw
		if bodies {
			key = c.keyOf(raw, room[:len(c.key)])
		}
		oid, err := c.oid(key)
		if oid != last {
			last, parent = oid, r.byParent[oid]
		}
		if err != nil || parent == nil {
			return true // no row that was asked has the key
		}
		rows := &parent[i]
		if err := add(rows, raw, times); err != nil && rows.fault == nil {
			rows.fault = fmt.Errorf("child %s: %w", c.name, err)
		}
		if bodies {
			r.left -= size(raw)
		}
		return r.left >= 0
	}
}

// addStamp adds a row of key, updateTime and token.
func (c *child) addStamp(rows *childRows, raw []any, times dialect.Times) error {
	k := len(c.key)
	digest, err := digestOf(raw[k+1])
	rows.add(digest, c.timeOf(raw[k], times))
	return err
}

// addBody adds a row of all columns and token.
func (c *child) addBody(rows *childRows, raw []any, times dialect.Times) error {
	digest, err := c.digest(raw)
	var at time.Time
	if c.updated != nil {
		at = c.timeOf(raw[c.updated.at], times)
	}
	rows.add(digest, at)
	if err != nil {
		return err
	}
	row := sortedRow{row: c.row(raw)}
	row.json, err = row.row.AppendJSON(nil)
	rows.rows = append(rows.rows, row)
	return err
}

// addChildren adds their children to the documents of a page. A document whose
// children can't be read becomes a reject.
func (t *Table) addChildren(ctx context.Context, x *tx, p *pageReader) error {
	b := p.batch
	oids := slices.Compact(doc.OIDs(b.Docs)) // rows of one key are adjacent
	if len(t.children) == 0 || len(oids) == 0 {
		return nil
	}
	r := t.newChildReader(oids)
	room := t.childText(oids, b.Docs)
	r.left = room
	fits, err := r.read(ctx, x, oids, true)
	p.children = room - r.left
	switch {
	case err != nil:
		return err
	case !fits && len(oids) > 1:
		return &tooMuchError{t.room.less(p.rows / 2)}
	case !fits:
		groups := t.groups.acl.Of(b.Docs[0].Row)
		for _, d := range b.Docs[1:] {
			if !doc.SameGroups(groups, t.groups.acl.Of(d.Row)) {
				groups = nil
			}
		}
		b.Rejects = append(b.Rejects, doc.Reject{OID: oids[0], Reason: t.limits.CheckText(math.MaxInt).Error(), Groups: groups})
		b.Docs = nil
		return nil
	}
	docs := b.Docs[:0]
	for _, d := range b.Docs {
		groups := t.groups.acl.Of(d.Row) // of a column; some rows of a child may be missing
		if err := t.attachChildren(&d, r.byParent[d.OID]); err != nil {
			b.Rejects = append(b.Rejects, doc.Reject{OID: d.OID, Reason: err.Error(), Groups: groups})
			continue
		}
		docs = append(docs, d)
	}
	b.Docs = docs
	return nil
}

// childText returns the bytes of text that the children of these documents may
// have: a page, or what the table's limit leaves if there is one key.
func (t *Table) childText(oids []doc.OID, docs []doc.Doc) int {
	switch {
	case len(oids) > 1:
		return pageText
	case t.limits.Text == 0:
		return math.MaxInt
	}
	return max(int(t.limits.Text)-docs[0].Row.Size(), 0)
}

// attachChildren adds the children's rows to a document and its stamp.
func (t *Table) attachChildren(d *doc.Doc, children []childRows) error {
	for i, c := range children {
		slices.SortFunc(c.rows, func(a, b sortedRow) int { return bytes.Compare(a.json, b.json) })
		attached := doc.Child{Name: t.children[i].name}
		for _, r := range c.rows {
			attached.Rows = append(attached.Rows, r.row)
		}
		d.Row.Children = append(d.Row.Children, attached)
	}
	return merge(&d.Stamp, children)
}
