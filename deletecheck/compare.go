package deletecheck

import (
	"context"
	"fmt"
	"iter"

	"indexerd/internal/doc"
	"indexerd/internal/recovered"
)

// A comparison lists both sides, chunk by chunk, and says where they differ.
type comparison struct {
	source Source
	index  Index
	pages  Pages
	chunk  int
	same   bool     // what is the same is wanted too
	room   []stored // the chunk that is compared
	ahead  *listing // the next one, while the database is asked about this one
}

// A listing is a chunk of the index, with the pages, from a key on.
type listing struct {
	from, next doc.OID
	docs       []stored
	err        error
	done       chan struct{} // closed when the rest is there
}

// A part is what comparing one chunk has found.
type part struct {
	compared int         // keys
	listed   int         // documents, where no more than that was done with them
	rows     int         // of the database
	differ   []doc.Stamp // rows that the index has not, or not so
	alone    []doc.Stamp // what is stored without a row, at its page's stamp
	same     []doc.Stamp
	unpaged  bool    // a document without a page was among them
	next     doc.OID // where the next chunk begins; empty after the last
}

// A stored is what index and pages have under one key.
type stored struct {
	doc.Indexed // V 0: a document that is not ours, or none
	page        doc.Meta
	paged       bool
}

// whole reports whether the page speaks of the very write that the index has.
func (s stored) whole() bool { return s.V != 0 && s.paged && s.page.V == s.V }

// stamp is that of the page, on whose condition the document is removed.
func (s stored) stamp() doc.Stamp {
	if s.paged {
		return s.page.Stamp
	}
	return doc.Stamp{OID: s.OID}
}

// judge files a row and what is stored of it.
func (c *comparison) judge(p *part, row doc.Stamp, s stored) {
	switch {
	case !s.whole() || !s.page.Same(row): // different, not newer
		p.differ = append(p.differ, row)
	case c.same:
		p.same = append(p.same, row)
	}
}

// by lists chunk after chunk, as one of the functions below compares them.
func by(ctx context.Context, from doc.OID, compare func(context.Context, doc.OID) (part, error)) iter.Seq2[part, error] {
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

// expected is how many documents, and rows where they are listed too, there
// are about to be listed.
func (c *comparison) expected() (int64, error) {
	n, err := c.index.Count()
	if !c.source.Ordered() {
		n *= 2
	}
	return int64(n), err
}

// documents lists a chunk of the index, with the pages, and begins to list the
// next one: that the list is older by then is no harm, as long as it is older
// than what the database is asked. The list is valid until the next one.
func (c *comparison) documents(from doc.OID) ([]stored, doc.OID, error) {
	now := c.ahead
	if c.join(); now == nil || now.from != from {
		now = c.list(from, nil)
		<-now.done
	}
	if now.err != nil {
		return nil, "", now.err
	}
	free := c.room
	c.room = now.docs
	if now.next != "" {
		c.ahead = c.list(now.next, free)
	}
	return now.docs, now.next, nil
}

// join waits for what is listed ahead, so that nobody uses index or pages any
// more.
func (c *comparison) join() {
	if c.ahead != nil {
		<-c.ahead.done
		c.ahead = nil
	}
}

// list lists a chunk in the background, into a room that is free.
func (c *comparison) list(from doc.OID, room []stored) *listing {
	l := &listing{from: from, docs: room[:0], done: make(chan struct{})}
	go func() {
		defer close(l.done)
		defer recovered.Into(&l.err)
		var docs []doc.Indexed
		if docs, l.next, l.err = c.index.Documents(from, c.chunk); l.err != nil {
			l.err = fmt.Errorf("list the index: %w", l.err)
			return
		}
		for _, d := range docs {
			s := stored{Indexed: d}
			if s.page, s.paged, l.err = c.pages.Meta(d.OID); l.err != nil {
				return
			}
			l.docs = append(l.docs, s)
		}
	}()
	return l
}

// stored looks up what there is under the keys of rows.
func (c *comparison) stored(rows []doc.Stamp) ([]stored, error) {
	oids := oidsOf(rows)
	versions, err := c.index.Versions(oids)
	if err != nil {
		return nil, err
	}
	list := make([]stored, len(rows))
	for i, oid := range oids {
		list[i].OID, list[i].V = oid, versions[i]
		if list[i].page, list[i].paged, err = c.pages.Meta(oid); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// indexed reports whether the index has a document under a key. One without a
// version is none of ours, and still one that is found.
func indexed(index Index, oid doc.OID, v doc.Version) (bool, error) {
	if v != 0 {
		return true, nil
	}
	docs, _, err := index.Documents(oid, 1)
	return len(docs) > 0 && docs[0].OID == oid, err
}

// rowsOf returns the stamps of the rows that are there, by key.
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

func oidsOf(stamps []doc.Stamp) []doc.OID {
	oids := make([]doc.OID, len(stamps))
	for i := range stamps {
		oids[i] = stamps[i].OID
	}
	return oids
}
