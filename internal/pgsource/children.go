package pgsource

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"indexerd/internal/doc"
)

// readRange reads the rows of a range with their children, by pages of keys.
//
// Documents with children are read by keys: the main rows of a batch, then one
// query for each child with the same keys, all in the fetch's transaction, so
// that they are of one snapshot. A connection that streams one query can run no
// other, so these rows are read completely before they are yielded. If they
// exceed the text of a batch, half as many documents are read. Of a document
// larger than the table's limit only key and groups are kept.
func (f *fetch) readRange(ctx context.Context, r doc.Range) (more bool, err error) {
	for keys, err := range f.table.keyPages(ctx, f.tx, r) {
		if err != nil {
			return true, err
		}
		f.batch.Rejects = append(f.batch.Rejects, keys.rejects...)
		if more, err := f.readKeys(ctx, keys.oids); !more || err != nil {
			return more, err
		}
	}
	return true, nil
}

// readKeys reads the documents with these OIDs and their children.
func (f *fetch) readKeys(ctx context.Context, oids []doc.OID) (more bool, err error) {
	for size := len(oids); len(oids) > 0; {
		size = min(size, len(oids))
		if !f.flush() {
			return false, nil
		}
		docs, rejects, fits, err := f.readDocs(ctx, oids[:size])
		if err != nil {
			return true, err
		}
		if !fits {
			size /= 2
			continue
		}
		for _, d := range docs {
			f.addDoc(d)
		}
		for _, r := range rejects {
			f.addReject(r)
		}
		oids = oids[size:]
		size *= 2 // the excess may have been one document's
	}
	return true, nil
}

// readDocs reads the documents with these OIDs and their children. It reports
// whether they fit into a batch; a single document always does.
func (f *fetch) readDocs(ctx context.Context, oids []doc.OID) (docs []doc.Doc, rejects []doc.Reject, fits bool, err error) {
	r := childReader{table: f.table, tx: f.tx, docs: len(oids), sizes: make(map[doc.OID]int, len(oids))}
	docs, rejects, err = r.readMain(ctx, f.decoder, oids)
	if err != nil || r.over() {
		return nil, nil, false, err
	}
	parents := make([]doc.OID, len(docs))
	for i, d := range docs {
		parents[i] = d.OID
	}
	all := make([]map[doc.OID]*childRows, len(r.table.children))
	for i, c := range r.table.children {
		if all[i], err = r.readChildRows(ctx, c, parents); err != nil || r.over() {
			return nil, nil, false, c.fault(err)
		}
	}
	kept := docs[:0]
	for _, d := range docs {
		if err := r.attachChildren(&d, all); err != nil {
			rejects = append(rejects, doc.Reject{OID: d.OID, Reason: err.Error(), Groups: r.table.groups.acl.Of(d.Row)})
			continue
		}
		kept = append(kept, d)
	}
	return kept, rejects, true, f.table.groups.fill(ctx, f.tx, rejects)
}

// A childReader reads documents with their children within a limit of text.
type childReader struct {
	table *Table
	tx    *tx
	docs  int             // the number to read
	text  int             // bytes so far
	sizes map[doc.OID]int // bytes of each document so far
}

func (r *childReader) over() bool { return r.text > maxBatchText && r.docs > 1 }

// scan calls add for each row of a query until the text exceeds a batch. It
// reads the remaining rows without using them, since a statement that is broken
// off ends the transaction. A row larger than the limit has only its key;
// tooLarge is the reason.
func (r *childReader) scan(ctx context.Context, q query, d *rowDecoder, add func(tooLarge error)) error {
	_, err := r.tx.each(ctx, q, func(raw [][]byte) bool {
		if !r.over() {
			tooLarge := d.load(raw, r.table.limits)
			r.text += d.size
			add(tooLarge)
		}
		return true
	})
	return err
}

// readMain reads the main rows with these OIDs. If the collation ignores case,
// the query returns rows with other OIDs too, which are dropped.
func (r *childReader) readMain(ctx context.Context, d *rowDecoder, oids []doc.OID) (docs []doc.Doc, rejects []doc.Reject, err error) {
	q, err := r.table.docsQuery(oids)
	if err != nil {
		return nil, nil, err
	}
	asked := doc.SetOf(oids)
	err = r.scan(ctx, q, d, func(error) {
		document, reject := d.document()
		switch {
		case reject != nil && asked[reject.OID]:
			rejects = append(rejects, *reject)
		case reject == nil && asked[document.OID]:
			docs = append(docs, document)
			r.sizes[document.OID] += d.size
		}
	})
	return docs, rejects, err
}

// readChildRows reads the rows of one child that belong to the OIDs.
func (r *childReader) readChildRows(ctx context.Context, c *child, oids []doc.OID) (map[doc.OID]*childRows, error) {
	unit, err := c.unit(ctx, r.tx)
	if err != nil {
		return nil, err
	}
	q, err := c.bodiesQuery(oids)
	if err != nil {
		return nil, err
	}
	children := make(map[doc.OID]*childRows, len(oids))
	for _, oid := range oids {
		children[oid] = &childRows{}
	}
	d := c.bodyDecoder(unit)
	return children, r.scan(ctx, q, d, func(tooLarge error) {
		oid, err := d.oid()
		b := children[oid]
		if err != nil || b == nil {
			return
		}
		r.sizes[oid] += d.size
		if tooLarge == nil {
			tooLarge = r.table.limits.CheckText(r.sizes[oid])
		}
		if tooLarge != nil {
			b.reject(tooLarge)
			return
		}
		b.add(d)
	})
}

func (c *child) bodiesQuery(oids []doc.OID) (query, error) {
	q := query{returns: &c.view}
	among, err := c.key.among(&q, c.sql, oids)
	q.sql = bodies(c.sql, among)
	return q, err
}

// attachChildren adds the children's rows to a document, and their stamps to
// its stamp.
func (r *childReader) attachChildren(d *doc.Doc, all []map[doc.OID]*childRows) error {
	parts := make([]childStamp, len(all))
	for i, c := range r.table.children {
		b := all[i][d.OID]
		rows, err := b.sorted()
		if err != nil {
			return c.fault(err)
		}
		parts[i] = b.stamp
		d.Row.Children = append(d.Row.Children, doc.Child{Name: c.name, Rows: rows})
	}
	return mergeChildStamps(&d.Stamp, parts)
}

// ChildConfig describes a child or an extra: rows that belong to a document.
type ChildConfig struct {
	Name    string
	Path    string // in the configuration, such as children.actors
	SQL     string
	Key     []string // the columns that hold the parent's key
	Updated string   // "": none
	Unit    string   // of an Updated that is a number; "": found from the rows
	Columns []string // of the content; they must exist
	Value   bool     // the SQL returns one column beside key and updated, as an extra does
}

// A child is the view of a child's SQL.
type child struct {
	view
	name string
	path string
}

func newChild(ctx context.Context, x *tx, cfg ChildConfig, parent key, updated updatedConfig) (*child, error) {
	at := paths{cfg.Path + ".sql", cfg.Path + ".key", cfg.Path + ".updated"}
	v, err := newView(ctx, x, wrap(cfg.SQL), cfg.Key, updated, at)
	if err != nil {
		return nil, err
	}
	if err := v.sameKey(parent, at.key); err != nil {
		return nil, err
	}
	for _, name := range cfg.Columns {
		if _, err := find(v.columns, cfg.Path+".content", name); err != nil {
			return nil, err
		}
	}
	if values := v.values(cfg); cfg.Value && len(values) != 1 {
		return nil, &ConfigError{
			Field: at.sql,
			What:  fmt.Sprintf("it returns %d columns beside key and updated, want 1", len(values)),
			Do:    "return one value in each row",
		}
	}
	return &child{view: v, name: cfg.Name, path: cfg.Path}, nil
}

// values returns the columns that are neither key nor updateTime.
func (v view) values(cfg ChildConfig) []string {
	var values []string
	for _, name := range v.names {
		if name != cfg.Updated && !slices.Contains(cfg.Key, name) {
			values = append(values, name)
		}
	}
	return values
}

// fault adds the child's name to an error.
func (c *child) fault(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("child %s: %w", c.name, err)
}

// childRows are the rows of one child that belong to one document.
type childRows struct {
	stamp childStamp
	rows  []doc.Row
	fault error // why a row can't be stored

	tooLarge bool // no further row is kept
}

func (b *childRows) add(d *rowDecoder) {
	if b.tooLarge {
		return
	}
	digest, err := d.digest()
	if err == nil {
		b.stamp.rows++
		b.stamp.sum += digest
		var at time.Time
		at, err = d.time()
		b.stamp.updated = later(b.stamp.updated, at)
	}
	var values []any
	if err == nil {
		values, err = d.values()
	}
	if err != nil {
		if b.fault == nil {
			b.fault = err
		}
		return
	}
	b.rows = append(b.rows, doc.Row{Names: d.view.names, Values: values})
}

// reject drops the rows and all that follow.
func (b *childRows) reject(reason error) {
	b.rows, b.tooLarge = nil, true
	if b.fault == nil {
		b.fault = reason
	}
}

// sorted returns the rows in the order of their canonical JSON. SQL guarantees
// no order, and the document's hash must not depend on it.
func (b *childRows) sorted() ([]doc.Row, error) {
	if b.fault != nil || len(b.rows) < 2 {
		return b.rows, b.fault
	}
	type keyed struct {
		row  doc.Row
		json []byte
	}
	all := make([]keyed, len(b.rows))
	for i, row := range b.rows {
		json, err := row.AppendJSON(nil)
		if err != nil {
			return nil, err
		}
		all[i] = keyed{row, json}
	}
	slices.SortFunc(all, func(a, b keyed) int { return bytes.Compare(a.json, b.json) })
	rows := make([]doc.Row, len(all))
	for i, k := range all {
		rows[i] = k.row
	}
	return rows, nil
}
