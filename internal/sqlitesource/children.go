package sqlitesource

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"indexerd/internal/doc"
)

// A ChildConfig is an SQL whose rows belong to rows of the main SQL: a child row
// belongs to the row with the same key. Text keys must have the same bytes,
// whatever the collation. Path is the child's place in the configuration, such as
// "children.actors". Updated may be empty. The result must have Columns; with
// Value it has exactly one column besides key and updateTime.
type ChildConfig struct {
	Name, Path string
	SQL        string
	Key        []string
	Updated    string
	Unit       string // of an Updated that is a number; "": found from its rows
	Columns    []string
	Value      bool
}

// A child is the view of a child's SQL.
type child struct {
	*view
	name string
}

func (s *Source) newChild(ctx context.Context, c ChildConfig, updated updatedConfig) (*child, error) {
	v, err := s.newView(ctx, paths{c.Path + ".sql", c.Path + ".key", c.Path + ".updated"}, c.SQL, c.Key, updated)
	if err != nil {
		return nil, err
	}
	for _, name := range c.Columns {
		if _, err := v.column(c.Path+".content", name); err != nil {
			return nil, err
		}
	}
	if c.Value {
		values := len(v.columns) - len(v.key)
		if v.updated >= 0 && !slices.Contains(v.key, v.updated) {
			values--
		}
		if values != 1 {
			return nil, &ConfigError{v.paths.sql, fmt.Sprintf("%d columns beside key and updated", values), "select exactly one, the value"}
		}
	}
	return &child{view: v, name: c.Name}, nil
}

// childRows are the rows of one child SQL that belong to one row.
type childRows struct {
	count, sum uint64      // number of rows; sum of their digests modulo 2^64
	updated    time.Time   // the greatest updateTime
	rows       []sortedRow // only if bodies are read
	err        error       // why a document can't have these rows
}

// A sortedRow is a row with its canonical JSON, by which rows are sorted: SQL
// guarantees no order, and the hash of a document must not depend on it.
type sortedRow struct {
	row  doc.Row
	json []byte
}

// errTooMuch reports that the children of a page exceed the page's limit.
var errTooMuch = errors.New("the children of the page exceed the size of a page")

// readChildRows reads the digests of the children's rows: for each key one
// childRows for each child. With bodies it reads their values too, up to limit
// bytes of text.
func (t *Table) readChildRows(ctx context.Context, tx *sql.Tx, oids []doc.OID, bodies bool, limit int) (map[doc.OID][]childRows, error) {
	if len(t.children) == 0 {
		return nil, nil
	}
	byParent := make(map[doc.OID][]childRows, len(oids))
	for _, oid := range oids {
		byParent[oid] = make([]childRows, len(t.children))
	}
	for i, c := range t.children {
		format, err := c.findFormat(ctx, tx)
		if err != nil {
			return nil, err
		}
		// With bodies there is one chunk: a page has at most maxKeys keys.
		for chunk := range slices.Chunk(oids, maxKeys) {
			var where condition
			if err := c.among(&where, chunk); err != nil {
				return nil, err
			}
			r := &childReader{child: c, number: i, format: format, byParent: byParent, left: &limit}
			if err := r.read(ctx, tx, where, bodies); err != nil {
				return nil, err
			}
		}
	}
	return byParent, nil
}

// A childReader reads the rows of one child.
type childReader struct {
	child    *child
	number   int // of the child
	format   *timeFormat
	byParent map[doc.OID][]childRows
	left     *int // bytes of text that may still be read
}

func (r *childReader) read(ctx context.Context, tx *sql.Tx, where condition, bodies bool) error {
	s := &r.child.statements
	if !bodies {
		return eachRow(ctx, tx, s.stamps+where.String(), where.args, len(r.child.key)+2, r.addStamp)
	}
	if err := eachRow(ctx, tx, s.docs+where.String(), where.args, len(r.child.columns), r.addRow); err != nil {
		return err
	}
	if *r.left < 0 {
		return errTooMuch
	}
	return nil
}

// rowsOf returns the childRows of a key; nil if no selected row has the key.
func (r *childReader) rowsOf(key []any) *childRows {
	oid, err := r.child.oid(key)
	if all := r.byParent[oid]; err == nil && all != nil {
		return &all[r.number]
	}
	return nil
}

// addStamp adds a row of key, updateTime and token. It ignores an invalid
// updateTime, which addRow reports.
func (r *childReader) addStamp(raw []any) bool {
	k := len(r.child.key)
	if rows := r.rowsOf(raw[:k]); rows != nil {
		digest, _ := raw[k+1].(int64)
		updated, _ := r.time(raw[k])
		rows.add(uint64(digest), updated)
	}
	return true
}

// addRow adds a row of all columns. It returns false if the text exceeds the limit.
func (r *childReader) addRow(raw []any) bool {
	rows := r.rowsOf(r.child.keyOf(raw))
	if rows == nil {
		return true
	}
	digest, err := digest(raw)
	var updated time.Time
	if r.child.updated >= 0 && err == nil {
		updated, err = r.time(raw[r.child.updated])
	}
	rows.add(digest, updated)
	var row sortedRow
	if err == nil {
		row, err = r.child.sortedRow(raw)
	}
	if err != nil && rows.err == nil {
		rows.err = fmt.Errorf("child %s: %w", r.child.name, err)
	}
	rows.rows = append(rows.rows, row)
	*r.left -= size(raw)
	return *r.left >= 0
}

func (r *childReader) time(v any) (time.Time, error) {
	if v == nil {
		return time.Time{}, nil
	}
	at, err := r.format.time(v)
	if err != nil {
		return at, fmt.Errorf("updated %s: %w", r.child.columns[r.child.updated], err)
	}
	return at, nil
}

func (c *childRows) add(digest uint64, updated time.Time) {
	c.count++
	c.sum += digest // modulo 2^64, so the order does not matter
	if updated.After(c.updated) {
		c.updated = updated
	}
}

func (c *child) sortedRow(raw []any) (r sortedRow, err error) {
	if r.row, err = c.row(raw); err != nil {
		return r, err
	}
	r.json, err = r.row.AppendJSON(nil)
	return r, err
}

// attachChildren adds the children's rows to a document and its stamp.
func (t *Table) attachChildren(d *doc.Doc, children []childRows) error {
	d.Stamp = stampWithChildren(d.Stamp, children)
	for i, c := range children {
		if c.err != nil {
			return c.err
		}
		slices.SortFunc(c.rows, func(a, b sortedRow) int { return bytes.Compare(a.json, b.json) })
		attached := doc.Child{Name: t.children[i].name}
		for _, r := range c.rows {
			attached.Rows = append(attached.Rows, r.row)
		}
		d.Row.Children = append(d.Row.Children, attached)
	}
	return nil
}

// stampWithChildren returns the stamp of a row with its children: the combined
// token and the greatest updateTime.
func stampWithChildren(own doc.Stamp, children []childRows) doc.Stamp {
	own.Token.Digest = combineDigests(own.Token.Digest, children)
	for _, c := range children {
		if c.updated.After(own.Updated) {
			own.Updated = c.updated
		}
	}
	return own
}
