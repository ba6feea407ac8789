package pgsource

import (
	"context"

	"indexerd/internal/doc"
)

// A document with children is read as a family: the main rows of a batch of
// keys, then one query a child for the same keys, in the fetch's transaction,
// so that no writer comes between them. While a query streams there can be no
// other on its connection, so a family is read as a whole; if it is more text
// than a batch may be, it is read again as half as many documents at once. Of a
// document that is larger than the table's limit nothing more is kept.

// families reads the rows of a range, by pages of their keys.
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

// family reads the documents with these OIDs.
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
		size *= 2 // what was too much may have been one document's
	}
	return true, nil
}

// whole reads the documents with these OIDs with their children. It reports
// whether they fit into a batch, as a single one always does.
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

// A reader reads documents with their children within a budget of text.
type childReader struct {
	table *Table
	tx    *tx
	docs  int             // to be read
	text  int             // bytes so far
	sizes map[doc.OID]int // bytes of each document so far
}

// over reports whether the rows are too much text to be kept.
func (r *childReader) over() bool { return r.text > maxBatchText && r.docs > 1 }

// scan gives the rows of a query to add until they are too much, and reads
// past the rest: a transaction survives no statement that is broken off. A row
// that is larger than the limit comes with its key alone, and the reason.
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

// main reads the main rows of these OIDs, and of no others, which come too
// where the database takes upper for lower case.
func (r *childReader) readMain(ctx context.Context, d *rowDecoder, oids []doc.OID) (docs []doc.Doc, rejects []doc.Reject, err error) {
	q, err := r.table.docsQuery(oids)
	if err != nil {
		return nil, nil, err
	}
	asked := setOf(oids)
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

// broods reads the rows of one child that belong to the OIDs.
func (r *childReader) readChildRows(ctx context.Context, c *child, oids []doc.OID) (map[doc.OID]*childRows, error) {
	unit, err := c.unit(ctx, r.tx)
	if err != nil {
		return nil, err
	}
	q, err := c.bodiesQuery(oids)
	if err != nil {
		return nil, err
	}
	broods := make(map[doc.OID]*childRows, len(oids))
	for _, oid := range oids {
		broods[oid] = &childRows{}
	}
	d := c.bodyDecoder(unit)
	return broods, r.scan(ctx, q, d, func(tooLarge error) {
		oid, err := d.oid()
		b := broods[oid]
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

// bodiesQuery asks for the child's rows that belong to the OIDs.
func (c *child) bodiesQuery(oids []doc.OID) (query, error) {
	q := query{returns: &c.view}
	among, err := c.key.among(&q, c.sql, oids)
	q.sql = bodies(c.sql, among)
	return q, err
}

// join gives a document its children's rows, and its stamp their parts.
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
