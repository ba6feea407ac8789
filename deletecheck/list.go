package deletecheck

import (
	"context"
	"fmt"
	"iter"

	"indexerd/internal/doc"
)

// byRange compares the documents and the rows from a key on, where both sides
// come in the same order. The range behind a chunk's documents reaches to the
// next one, so that no row lies between two chunks.
//
// The index is listed first: were it the database, a row born in between would
// be in the index alone, and be taken for gone.
func (c *comparison) byRange(ctx context.Context, from doc.OID) (part, error) {
	docs, next, err := c.documents(from)
	if err != nil {
		return part{}, err
	}
	p := part{next: next}
	last := doc.OID("")
	for stamps, err := range c.source.StampsInRange(ctx, doc.Range{From: from, To: next}) {
		if err != nil {
			return p, err
		}
		for _, row := range stamps {
			if row.OID < last {
				return p, fmt.Errorf("key %v came after %v: the database does not order keys as it says it does", row.OID, last)
			}
			docs = p.before(row.OID, docs)
			if p.rows >= 2*c.chunk && row.OID != last {
				p.next = row.OID // many rows between two documents: the rest is another chunk
				return p, nil
			}
			if p.rows++; row.OID == last {
				p.differ = append(p.differ, row) // a fetch finds both, and sets the key aside
				continue
			}
			docs = c.row(&p, row, docs)
			last = row.OID
		}
	}
	for _, d := range docs {
		p.noteAlone(d)
	}
	return p, nil
}

// before notes the documents before a key, which have no row, and returns those
// from it on.
func (p *part) before(oid doc.OID, docs []stored) []stored {
	for len(docs) > 0 && docs[0].OID < oid {
		p.noteAlone(docs[0])
		docs = docs[1:]
	}
	return docs
}

// row compares a row with the first document, if that is its own, and returns
// the documents behind it.
func (c *comparison) row(p *part, row doc.Stamp, docs []stored) []stored {
	p.compared++
	if len(docs) == 0 || docs[0].OID != row.OID {
		p.differ = append(p.differ, row)
		return docs
	}
	p.unpaged = p.unpaged || !docs[0].paged
	c.judge(p, row, docs[0])
	return docs[1:]
}

func (p *part) noteAlone(s stored) {
	p.compared++
	p.unpaged = p.unpaged || !s.paged
	p.alone = append(p.alone, s.stamp())
}

// byKeys finds the documents from a key on that have no row, asking for just
// their keys, whatever the database's order.
func (c *comparison) byKeys(ctx context.Context, from doc.OID) (part, error) {
	docs, next, err := c.documents(from)
	if err != nil {
		return part{}, err
	}
	oids := make([]doc.OID, len(docs))
	for i := range docs {
		oids[i] = docs[i].OID
	}
	p := part{next: next, listed: len(docs)}
	rows, err := rowsOf(ctx, c.source, oids)
	if err != nil {
		return p, err
	}
	for _, d := range docs {
		if _, there := rows[d.OID]; !there {
			p.noteAlone(d)
		}
	}
	return p, nil
}

// byRows compares the rows from a key on, in the database's order, with the
// documents of just their keys. Here the database comes first: a document that
// is newer than its row was read differs, and no more comes of it than a fetch.
func (c *comparison) byRows(ctx context.Context, from doc.OID) iter.Seq2[part, error] {
	return func(yield func(part, error) bool) {
		for rows, err := range c.source.StampsInRange(ctx, doc.Range{From: from}) {
			var p part
			if err == nil {
				p, err = c.compareRows(rows, from)
			}
			from = p.next
			if !yield(p, err) || err != nil {
				return
			}
		}
	}
}

// compareRows compares a page of rows; the last one before it has been.
func (c *comparison) compareRows(rows []doc.Stamp, last doc.OID) (part, error) {
	p := part{rows: len(rows), next: last}
	docs, err := c.stored(rows)
	if err != nil {
		return p, err
	}
	for i, row := range rows {
		if row.OID == p.next {
			if i > 0 {
				p.differ = append(p.differ, row) // a second row of its key, as in byRange
			}
			continue
		}
		p.compared++
		p.unpaged = p.unpaged || !docs[i].paged
		c.judge(&p, row, docs[i])
		p.next = row.OID
	}
	return p, nil
}
