package deletecheck

import (
	"context"
	"fmt"
	"iter"
	"sort"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/recovered"
)

// A comparison lists index and database, chunk by chunk, and returns where they
// differ.
type comparison struct {
	source Source
	index  Index
	pages  Pages
	chunk  int
	to     doc.OID  // list keys below it only; "": all
	same   bool     // return the rows that are the same too
	keys   bool     // compare keys only: no page is read, and extra has keys only
	buffer []stored // the current chunk
	ahead  *listing // the next chunk, listed while the current one is compared
}

// A listing is a chunk of index documents with their pages, from a key on.
type listing struct {
	from, next doc.OID
	docs       []stored
	err        error
	done       chan struct{} // closed when docs, next and err are set
}

// A part is the result of comparing one chunk.
type part struct {
	compared int         // keys
	listed   int         // documents, if they were only listed
	rows     int         // of the database
	differ   []doc.Stamp // rows that the index does not have, or not in this version
	extra    []doc.Stamp // documents and pages without a row, with the stamp of the page
	same     []doc.Stamp
	unpaged  bool    // the chunk has a document without a page
	next     doc.OID // first key of the next chunk, "" after the last
}

// A stored is what index and pages have for one key.
type stored struct {
	doc.Indexed // V 0: no document, or one that the sink did not write
	page        doc.Meta
	paged       bool
}

// whole reports whether page and index document are of one write.
func (s stored) whole() bool { return s.V != 0 && s.paged && s.page.V == s.V }

// stamp returns the stamp of the page. The document is removed on condition of
// this stamp.
func (s stored) stamp() doc.Stamp {
	if s.paged {
		return s.page.Stamp
	}
	return doc.Stamp{OID: s.OID}
}

// judge compares a row with what is stored for its key.
func (c *comparison) judge(p *part, row doc.Stamp, s stored) {
	switch {
	case c.keys:
	case !s.whole() || !s.page.Same(row): // different, not newer
		p.differ = append(p.differ, row)
	case c.same:
		p.same = append(p.same, row)
	}
}

// chunks returns the parts of all chunks from a key on.
func chunks(ctx context.Context, from doc.OID, compare func(context.Context, doc.OID) (part, error)) iter.Seq2[part, error] {
	return func(yield func(part, error) bool) {
		for {
			p, err := compare(ctx, from)
			if !yield(p, err) || err != nil || p.next == "" {
				return
			}
			from = p.next
		}
	}
}

// expected returns about how many documents, and rows if they are listed too,
// there are to list.
func (c *comparison) expected() (int64, error) {
	n, err := c.index.Count()
	if !c.source.Ordered() {
		n *= 2
	}
	return int64(n), err
}

// documents returns a chunk of index documents with their pages, valid until the
// next call, and starts to list the next chunk in the background. A list may be
// older than the rows that it is compared with, but never newer.
func (c *comparison) documents(from doc.OID) ([]stored, doc.OID, error) {
	now := c.ahead
	if c.join(); now == nil || now.from != from {
		now = c.list(from, nil)
		<-now.done
	}
	if now.err != nil {
		return nil, "", now.err
	}
	free := c.buffer
	c.buffer = now.docs
	if now.next != "" {
		c.ahead = c.list(now.next, free)
	}
	return now.docs, now.next, nil
}

// join waits for the listing in the background, after which the comparison does
// not use index and pages.
func (c *comparison) join() {
	if c.ahead != nil {
		<-c.ahead.done
		c.ahead = nil
	}
}

// list lists a chunk in the background, into a free buffer. The range that is compared
// may become another meanwhile, after an error.
func (c *comparison) list(from doc.OID, buffer []stored) *listing {
	l := &listing{from: from, docs: buffer[:0], done: make(chan struct{})}
	chunk, to := c.chunk, c.to
	go func() {
		defer close(l.done)
		defer recovered.Into(&l.err)
		var docs []doc.Indexed
		if docs, l.next, l.err = c.index.Documents(from, chunk); l.err != nil {
			l.err = fmt.Errorf("list the index: %w", l.err)
			return
		}
		docs, l.next = below(docs, l.next, to)
		l.docs, l.err = c.withPages(docs, l.docs)
	}()
	return l
}

// withPages appends documents with their pages, without if only keys are compared.
func (c *comparison) withPages(docs []doc.Indexed, list []stored) ([]stored, error) {
	if c.keys {
		for _, d := range docs {
			list = append(list, stored{Indexed: d})
		}
		return list, nil
	}
	pages, err := c.pages.Metas(doc.OIDs(docs))
	if err != nil {
		return nil, err
	}
	for i, d := range docs {
		list = append(list, stored{Indexed: d, page: pages[i], paged: pages[i].OID != ""})
	}
	return list, nil
}

// below cuts a listing at the end of a range; "": it has none.
func below(docs []doc.Indexed, next, to doc.OID) ([]doc.Indexed, doc.OID) {
	if to == "" || next != "" && next < to {
		return docs, next
	}
	n := sort.Search(len(docs), func(i int) bool { return docs[i].OID >= to })
	return docs[:n], ""
}

// stored looks up documents and pages by the keys of rows.
func (c *comparison) stored(rows []doc.Stamp) ([]stored, error) {
	oids := doc.OIDs(rows)
	versions, err := c.index.Versions(oids)
	if err != nil {
		return nil, err
	}
	docs := make([]doc.Indexed, len(rows))
	for i, oid := range oids {
		docs[i] = doc.Indexed{OID: oid, V: versions[i]}
	}
	return c.withPages(docs, make([]stored, 0, len(rows)))
}

// indexed reports whether the index has a document for a key. A document without
// a version was not written by the sink, and counts too, as searches find it.
func indexed(index Index, oid doc.OID, v doc.Version) (bool, error) {
	if v != 0 {
		return true, nil
	}
	docs, _, err := index.Documents(oid, 1)
	return len(docs) > 0 && docs[0].OID == oid, err
}

// rowsOf returns the stamps of the rows that exist, by key.
func rowsOf(ctx context.Context, source Source, oids []doc.OID) (map[doc.OID]doc.Stamp, error) {
	if len(oids) == 0 {
		return nil, nil
	}
	stamps, err := source.StampsOf(ctx, oids)
	if err != nil {
		return nil, err
	}
	rows := make(map[doc.OID]doc.Stamp, len(stamps))
	for _, s := range stamps {
		rows[s.OID] = s
	}
	return rows, nil
}
