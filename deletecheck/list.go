package deletecheck

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"indexerd/internal/base/doc"
)

// byRange compares documents and rows from a key on, if both are in the same
// order. The range of a chunk reaches to the first document of the next chunk, so
// that no row lies between two chunks.
//
// The index is listed before the database. In the other order, a row inserted in
// between would look gone.
func (c *comparison) byRange(ctx context.Context, from doc.OID) (part, error) {
	docs, next, err := c.documents(from)
	if err != nil {
		return part{}, err
	}
	p := part{next: next}
	last := doc.OID("")
	for stamps, err := range c.source.StampsInRange(ctx, doc.Range{From: from, To: cmp.Or(next, c.to)}) {
		if err != nil {
			return p, err
		}
		for _, row := range stamps {
			if row.OID < last {
				return p, fmt.Errorf("key %v came after %v: the database does not return keys in the expected order", row.OID, last)
			}
			docs = p.before(row.OID, docs)
			if p.rows >= 2*c.chunk && row.OID != last {
				p.next = row.OID // many rows between two documents: split the chunk
				return p, nil
			}
			if p.rows++; row.OID == last {
				p.differ = append(p.differ, row) // a fetch returns both rows, and rejects the key
				continue
			}
			docs = c.row(&p, row, docs)
			last = row.OID
		}
	}
	for _, d := range docs {
		p.addExtra(d)
	}
	return p, nil
}

// before adds the documents before a key, which have no row, to extra. It
// returns the others.
func (p *part) before(oid doc.OID, docs []stored) []stored {
	for len(docs) > 0 && docs[0].OID < oid {
		p.addExtra(docs[0])
		docs = docs[1:]
	}
	return docs
}

// row compares a row with the first document, if that has the row's key. It
// returns the documents after it.
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

func (p *part) addExtra(s stored) {
	p.compared++
	p.unpaged = p.unpaged || !s.paged
	p.extra = append(p.extra, s.stamp())
}

// byKeys finds the documents from a key on that have no row. It reads the rows by
// key, and so works with any order of the database.
func (c *comparison) byKeys(ctx context.Context, from doc.OID) (part, error) {
	docs, next, err := c.documents(from)
	if err != nil {
		return part{}, err
	}
	p := part{next: next, listed: len(docs)}
	rows, err := rowsOf(ctx, c.source, doc.OIDs(docs))
	if err != nil {
		return p, err
	}
	for _, d := range docs {
		if _, there := rows[d.OID]; !there {
			p.addExtra(d)
		}
	}
	return p, nil
}

// byRows compares rows, in the database's order, with the documents of their keys.
// Here the database is listed first: a document that is newer than the row's stamp
// only costs a fetch.
func (c *comparison) byRows(pages iter.Seq2[[]doc.Stamp, error], from doc.OID) iter.Seq2[part, error] {
	return func(yield func(part, error) bool) {
		for rows, err := range pages {
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

// compareRows compares a page of rows. last is the key of the row before it.
func (c *comparison) compareRows(rows []doc.Stamp, last doc.OID) (part, error) {
	p := part{rows: len(rows), next: last}
	docs, err := c.stored(rows)
	if err != nil {
		return p, err
	}
	for i, row := range rows {
		if row.OID == p.next {
			if i > 0 {
				p.differ = append(p.differ, row) // a second row with this key, as in byRange
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

// unmatched reports whether there may be pages without a document. If there are as
// many pages as documents there are none, unless a document has no page, or the number of pages is unknown.
func (c *comparison) unmatched(unpaged bool) (bool, error) {
	n, err := c.index.Count()
	pages := c.pages.Len()
	return unpaged || pages < 0 || n != uint64(pages), err
}

// orphans finds the pages that have neither document nor row. Pages without a
// document whose row exists were found with the row.
func (c *comparison) orphans(ctx context.Context) iter.Seq2[part, error] {
	return func(yield func(part, error) bool) {
		var metas []doc.Meta
		flush := func() bool {
			p, err := c.orphaned(ctx, metas)
			metas = metas[:0]
			return yield(p, err) && err == nil
		}
		for meta, err := range c.pages.All() {
			if err != nil {
				yield(part{}, err)
				return
			}
			if metas = append(metas, meta); len(metas) == c.chunk && !flush() {
				return
			}
		}
		if len(metas) > 0 {
			flush()
		}
	}
}

// orphaned returns those pages that have neither document nor row.
func (c *comparison) orphaned(ctx context.Context, metas []doc.Meta) (part, error) {
	var p part
	versions, err := c.index.Versions(doc.OIDs(metas))
	if err != nil {
		return p, err
	}
	for i, v := range versions {
		if v == 0 {
			p.extra = append(p.extra, metas[i].Stamp)
		}
	}
	rows, err := rowsOf(ctx, c.source, doc.OIDs(p.extra))
	p.extra = slices.DeleteFunc(p.extra, func(s doc.Stamp) bool { _, there := rows[s.OID]; return there })
	p.compared = len(p.extra)
	return p, err
}
