package search

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/query"
)

const (
	// freshWithin is how long a fresh search waits for the database.
	freshWithin = 200 * time.Millisecond
	// freshText bounds the text of the rows of a page that differ from their
	// documents and are judged, in bytes. A row beyond it is left out.
	freshText = 256 << 10
)

// A shown is a hit of an answer.
type shown struct {
	query.Hit
	table *tableSearch
	at    int      // its place among the hits of the index
	row   *doc.Row // as the database has it; nil: as its page has it
}

// freshen reads the rows of the hits in the database, one table beside the other,
// and leaves out hits that are none any more. It reports whether all hits are
// checked. The hits of a table that can't be checked stay as they are.
func freshen(ctx context.Context, hits []shown) ([]shown, bool) {
	tables := map[*tableSearch]*freshTable{}
	for _, h := range hits {
		f := tables[h.table]
		if f == nil {
			f = &freshTable{tableSearch: h.table, hits: map[doc.OID]query.Hit{}}
			tables[h.table] = f
		}
		f.hits[h.OID] = h.Hit
	}
	var all sync.WaitGroup
	for _, f := range tables {
		all.Go(func() { f.err = f.check(ctx) })
	}
	all.Wait()
	fresh := true
	kept := make([]shown, 0, len(hits))
	for _, h := range hits {
		f := tables[h.table]
		if f.err != nil {
			fresh = false
		} else if row, ok := f.rows[h.OID]; ok {
			h.row = row
		} else {
			continue
		}
		kept = append(kept, h)
	}
	return kept, fresh
}

// A freshTable checks the hits of one table.
type freshTable struct {
	*tableSearch
	hits map[doc.OID]query.Hit
	rows map[doc.OID]*doc.Row // of the hits to show; nil: the row is what the page has
	err  error
}

// A reading is what the database has for some hits. Same rows are those of their
// pages.
type reading struct {
	same    map[doc.OID]*doc.Row
	changed map[doc.OID]doc.Doc
	err     error
}

// check finds the hits to show. It does not wait for a driver that does not end a
// statement in time.
func (f *freshTable) check(ctx context.Context) error {
	if !f.fresh || f.Rows == nil {
		return fmt.Errorf("rows of %s are not read by key", f.Table)
	}
	ctx, cancel := context.WithTimeout(ctx, freshWithin)
	defer cancel()
	read := make(chan reading, 1)
	go func() { read <- f.read(ctx) }()
	select {
	case r := <-read:
		f.rows = r.same
		if r.err != nil || len(r.changed) == 0 {
			return r.err
		}
		return f.judge(ctx, r.changed)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// read reads the rows of the hits.
func (f *freshTable) read(ctx context.Context) reading {
	r := reading{same: map[doc.OID]*doc.Row{}, changed: map[doc.OID]doc.Doc{}}
	oids := slices.Sorted(maps.Keys(f.hits))
	seen, left := map[doc.OID]bool{}, freshText
	r.err = f.Rows(ctx, oids, func(d doc.Doc) {
		h, asked := f.hits[d.OID]
		switch {
		case !asked:
		case seen[d.OID]: // two rows have the key: neither can be a document
			delete(r.same, d.OID)
			delete(r.changed, d.OID)
		case f.unchanged(h, d.Row):
			r.same[d.OID] = nil
		case left >= d.Row.Size():
			left -= d.Row.Size()
			r.changed[d.OID] = d
		}
		seen[d.OID] = true
	})
	return r
}

// unchanged reports whether the index has what a row would become: then the hit is
// visible to the caller and matches.
func (f *freshTable) unchanged(h query.Hit, row doc.Row) bool {
	page, ok, err := f.Pages.Meta(h.OID)
	if err != nil || !ok || page.V != h.V {
		return false
	}
	hash, _, err := f.Index.Hash(row)
	return err == nil && hash == page.Hash
}

// judge keeps the rows that still are hits: visible to the caller, and found by the
// query and the filters.
func (f *freshTable) judge(ctx context.Context, changed map[doc.OID]doc.Doc) error {
	found, err := f.Index.Matching(ctx, slices.Collect(maps.Values(changed)), f.request)
	if err != nil {
		return err
	}
	for oid := range found {
		row := changed[oid].Row
		f.rows[oid] = &row
	}
	return nil
}
