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

// A ChildConfig is an SQL of rows that belong to a row of the main SQL: to the
// one whose key, part for part, has the same value, and for text the same
// bytes, whatever the collation. Path is where it stands in the configuration,
// such as "children.actors". Updated may be empty. Columns must be in its
// result; with Value it has exactly one column beside key and updateTime.
type ChildConfig struct {
	Name, Path string
	SQL        string
	Key        []string
	Updated    string
	Unit       string // of an Updated that is a number; "": its rows tell it
	Columns    []string
	Value      bool
}

// A child is the result of a child's SQL.
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

// A brood is the rows of one child SQL that belong to one row.
type brood struct {
	count, sum uint64    // of rows; of their digests, modulo 2^64
	updated    time.Time // the greatest
	rows       []litter  // where bodies are read
	fault      error     // why they can't be in a document
}

// A litter is a row with its canonical JSON, by which rows are sorted: SQL
// promises no order, and the hash of a document must not depend on it.
type litter struct {
	row  doc.Row
	json []byte
}

// errTooMuch says that the children of a page are more than fit into memory.
var errTooMuch = errors.New("the children of the page are more than a page holds")

// broods reads the children's digests for some keys: for each key a brood for
// each child. With bodies it reads their rows too, as long as their text is no
// more than most.
func (t *Table) broods(ctx context.Context, tx *sql.Tx, oids []doc.OID, bodies bool, most int) (map[doc.OID][]brood, error) {
	if len(t.children) == 0 {
		return nil, nil
	}
	families := make(map[doc.OID][]brood, len(oids))
	for _, oid := range oids {
		families[oid] = make([]brood, len(t.children))
	}
	for i, c := range t.children {
		clock, err := c.findClock(ctx, tx)
		if err != nil {
			return nil, err
		}
		// Chunks of bodies are as large as a page: they are one.
		for chunk := range slices.Chunk(oids, maxKeys) {
			var where condition
			if err := c.among(&where, chunk); err != nil {
				return nil, err
			}
			r := &broodReader{child: c, number: i, clock: clock, families: families, most: &most}
			if err := r.read(ctx, tx, where, bodies); err != nil {
				return nil, err
			}
		}
	}
	return families, nil
}

// A broodReader reads the rows of one child.
type broodReader struct {
	child    *child
	number   int
	clock    *clock
	families map[doc.OID][]brood
	most     *int
}

func (r *broodReader) read(ctx context.Context, tx *sql.Tx, where condition, bodies bool) error {
	s := &r.child.statements
	if !bodies {
		return each(ctx, tx, s.stamps+where.String(), where.args, len(r.child.key)+2, r.addStamp)
	}
	if err := each(ctx, tx, s.docs+where.String(), where.args, len(r.child.columns), r.addRow); err != nil {
		return err
	}
	if *r.most < 0 {
		return errTooMuch
	}
	return nil
}

// brood finds where a row belongs; nil where to no document, or to none that
// was asked for.
func (r *broodReader) brood(key []any) *brood {
	oid, err := r.child.oid(key)
	if family := r.families[oid]; err == nil && family != nil {
		return &family[r.number]
	}
	return nil
}

// addStamp adds a row of key, updateTime and token.
func (r *broodReader) addStamp(raw []any) bool {
	k := len(r.child.key)
	if b := r.brood(raw[:k]); b != nil {
		digest, _ := raw[k+1].(int64)
		updated, _ := r.time(raw[k]) // whoever fetches the row learns why
		b.add(uint64(digest), updated)
	}
	return true
}

// addRow adds a row of all columns.
func (r *broodReader) addRow(raw []any) bool {
	b := r.brood(r.child.keyOf(raw))
	if b == nil {
		return true
	}
	digest, err := digest(raw)
	var updated time.Time
	if r.child.updated >= 0 && err == nil {
		updated, err = r.time(raw[r.child.updated])
	}
	b.add(digest, updated)
	var l litter
	if err == nil {
		l, err = r.child.litter(raw)
	}
	if err != nil && b.fault == nil {
		b.fault = fmt.Errorf("child %s: %w", r.child.name, err)
	}
	b.rows = append(b.rows, l)
	*r.most -= size(raw)
	return *r.most >= 0
}

func (r *broodReader) time(v any) (time.Time, error) {
	if v == nil {
		return time.Time{}, nil
	}
	at, err := r.clock.time(v)
	if err != nil {
		return at, fmt.Errorf("updated %s: %w", r.child.columns[r.child.updated], err)
	}
	return at, nil
}

func (b *brood) add(digest uint64, updated time.Time) {
	b.count++
	b.sum += digest // wraps around, as a sum in any order does
	if updated.After(b.updated) {
		b.updated = updated
	}
}

func (c *child) litter(raw []any) (l litter, err error) {
	if l.row, err = c.row(raw); err != nil {
		return l, err
	}
	l.json, err = l.row.AppendJSON(nil)
	return l, err
}

// rear gives a document its children. The error is why it can't have them.
func (t *Table) rear(d *doc.Doc, broods []brood) error {
	d.Stamp = t.grown(d.Stamp, broods)
	for i, b := range broods {
		if b.fault != nil {
			return b.fault
		}
		slices.SortFunc(b.rows, func(a, b litter) int { return bytes.Compare(a.json, b.json) })
		c := doc.Child{Name: t.children[i].name}
		for _, l := range b.rows {
			c.Rows = append(c.Rows, l.row)
		}
		d.Row.Children = append(d.Row.Children, c)
	}
	return nil
}

// grown is a row's stamp as its children make it.
func (t *Table) grown(own doc.Stamp, broods []brood) doc.Stamp {
	own.Token.Digest = withChildren(own.Token.Digest, broods)
	for _, b := range broods {
		if b.updated.After(own.Updated) {
			own.Updated = b.updated
		}
	}
	return own
}
