// Package compensate finds the rows that incremental missed. A row's
// updateTime is set before its transaction commits, so a window may be read
// before the row can be seen, and never be read again; a pass of this package
// re-reads a past window and compares.
//
// The passes Tier, Exact and Compared read stamps only, no bodies, in OID order,
// and merge them with the stamps of what was crawled, two sorted streams:
//
//	same on both sides      nothing to do
//	different, or only in   compared with the page's stamp, and fetched by OID
//	the database            where that differs too: the fetch decides
//	only in what was        asked by OID: fetched if it is there, removed if it
//	crawled                 is gone or marked deleted
//
// Different, not newer: updateTime goes backwards in ordinary use. A stamp that
// the tree does not have is no new row, it was pruned, or crawled before a
// restart; the page knows.
//
// Tier assumes that no transaction stays open longer than its timeout. Exact
// assumes nothing: it moves S to the database's own horizon H, below which no
// transaction can still commit an updateTime. H is read before the stamps,
// never after or together: a snapshot older than H would vouch for rows that
// it can't see. Compared knows no horizon: it compares the whole table after
// each commit.
//
// The sink's guard may hold the removal of what is gone. That fails no pass and
// keeps no S, which speaks of inserts and updates: removals are the sweep's.
//
// Invariant: S moves last, to no more than what has been compared from S on,
// and falls by a rewind alone.
//
// Memory: a page and two batches of stamps, and a batch of documents, whatever
// the window. Cost: what is the same on both sides costs its stamp; a stamp
// that the tree does not have costs a look at the page and the index too.
package compensate

import (
	"context"
	"iter"
	"slices"

	"indexerd/internal/doc"
)

// Source is the table to compare with.
type Source interface {
	// StampsByOID returns the stamps of a window in OID order; one without an OID
	// where the key of some row is unusable.
	StampsByOID(context.Context, doc.Window) iter.Seq2[[]doc.Stamp, error]
	// Unusable returns rejects of the rows of a window whose key is unusable.
	Unusable(context.Context, doc.Window) (doc.Batch, error)
	// Docs returns the rows with these OIDs as they are now, and at least one
	// batch, empty where all are gone.
	Docs(context.Context, []doc.OID) iter.Seq2[doc.Batch, error]
}

// Tree is the stamps of what was crawled.
type Tree interface {
	// Window returns the stamps whose updateTime lies in the window, in OID
	// order.
	Window(doc.Window) iter.Seq2[doc.Stamp, error]
}

// Sink takes what differs.
type Sink interface {
	Different([]doc.Stamp) ([]doc.OID, error)
	Put(context.Context, doc.Batch) (doc.Report, error)
	Delete(_ context.Context, _ []doc.Stamp, _ doc.FetchSeq, left int) (doc.Report, error)
}

// A Comparison brings the index up to the database for one window.
type Comparison struct {
	Source Source
	Tree   Tree
	Sink   Sink
	Batch  int // rows a fetch
}

// Run compares one window and repairs what differs.
func (c *Comparison) Run(ctx context.Context, w doc.Window) (doc.Report, error) {
	report := doc.Report{Window: w}
	if w.Empty() {
		return report, nil
	}
	crawled := newCursor(c.Tree.Window(w))
	defer crawled.stop()
	if err := crawled.next(); err != nil {
		return report, err
	}
	doubts := &doubts{Comparison: c, report: &report}
	unusable := false
	for stamps, err := range c.Source.StampsByOID(ctx, w) {
		if err != nil {
			return report, err
		}
		stamps, some := doc.WithoutUnusable(stamps)
		unusable = unusable || some
		report.Compared += len(stamps)
		if err := doubts.merge(ctx, stamps, crawled); err != nil {
			return report, err
		}
	}
	if err := doubts.rest(ctx, crawled); err != nil || !unusable {
		return report, err
	}
	return report, doubts.setAside(ctx, w)
}

// setAside sets the rows of the window aside whose key is unusable.
func (d *doubts) setAside(ctx context.Context, w doc.Window) error {
	b, err := d.Source.Unusable(ctx, w)
	if err != nil {
		return err
	}
	done, err := d.Sink.Put(ctx, b)
	d.report.Add(done)
	return err
}

// doubts collects what has to be looked at more closely, up to a batch.
type doubts struct {
	*Comparison
	report *doc.Report

	differ []doc.Stamp // in the database, and not the same in the tree
	absent []doc.Stamp // in the tree's window, and not in the database's
	gone   int         // of all that were absent, those whose removal is held or to come
}

// merge goes through a page of the database's stamps beside the tree's.
func (d *doubts) merge(ctx context.Context, stamps []doc.Stamp, crawled *cursor) error {
	for _, s := range stamps {
		for crawled.ok && crawled.at.OID < s.OID {
			if err := d.noteAbsent(ctx, crawled); err != nil {
				return err
			}
		}
		if crawled.ok && crawled.at.OID == s.OID {
			same := crawled.at.Same(s)
			if err := crawled.next(); err != nil {
				return err
			}
			if same {
				continue
			}
		}
		d.differ = append(d.differ, s)
		if err := d.flush(ctx, d.Batch); err != nil {
			return err
		}
	}
	return nil
}

// rest handles what is left when the database's stamps have ended.
func (d *doubts) rest(ctx context.Context, crawled *cursor) error {
	for crawled.ok {
		if err := d.noteAbsent(ctx, crawled); err != nil {
			return err
		}
	}
	return d.flush(ctx, 1)
}

func (d *doubts) noteAbsent(ctx context.Context, crawled *cursor) error {
	d.absent = append(d.absent, crawled.at)
	if err := crawled.next(); err != nil {
		return err
	}
	return d.flush(ctx, d.Batch)
}

// flush settles the doubts of a kind once there are at least so many.
func (d *doubts) flush(ctx context.Context, atLeast int) error {
	if len(d.differ) >= atLeast {
		if err := d.fetchDifferent(ctx); err != nil {
			return err
		}
	}
	if len(d.absent) >= atLeast {
		return d.removeGone(ctx)
	}
	return nil
}

// fetchDifferent indexes those that are not what the pages say either.
func (d *doubts) fetchDifferent(ctx context.Context) error {
	oids, err := d.Sink.Different(d.differ)
	d.differ = d.differ[:0]
	if err != nil || len(oids) == 0 {
		return err
	}
	_, _, err = d.fetch(ctx, oids)
	return err
}

// removeGone asks the database for the absent. Those that are gone are
// removed, if they still are what was crawled.
func (d *doubts) removeGone(ctx context.Context) error {
	oids := make([]doc.OID, len(d.absent))
	for i, s := range d.absent {
		oids[i] = s.OID
	}
	there, seq, err := d.fetch(ctx, oids)
	if err != nil {
		return err
	}
	gone := slices.DeleteFunc(d.absent, func(s doc.Stamp) bool { return there[s.OID] })
	d.absent = nil
	if len(gone) == 0 {
		return nil
	}
	// How many there will be in all nobody knows yet. With those that were held
	// the guard has all that are known, so that once it has held a batch no
	// later one slips through.
	d.gone += len(gone)
	done, err := d.Sink.Delete(ctx, gone, seq, d.gone)
	d.gone -= done.Deleted
	d.report.Add(done)
	return err
}

// fetch indexes the rows with these OIDs as they are now. It returns which are
// there, and the fetch that found the others gone: where there were several,
// the first, lest what was put between them be removed.
func (d *doubts) fetch(ctx context.Context, oids []doc.OID) (there map[doc.OID]bool, seq doc.FetchSeq, err error) {
	there = map[doc.OID]bool{}
	for batch, err := range d.Source.Docs(ctx, oids) {
		if err != nil {
			return nil, 0, err
		}
		if seq == 0 {
			seq = batch.Fetch
		}
		for i := range batch.Docs {
			there[batch.Docs[i].OID] = true
		}
		for _, r := range batch.Rejects {
			there[r.OID] = true // though it can't be indexed
		}
		for _, oid := range batch.Deleted {
			there[oid] = true // Put takes it out, which is no guess
		}
		done, err := d.Sink.Put(ctx, batch)
		d.report.Add(done)
		if err != nil {
			return nil, 0, err
		}
	}
	return there, seq, nil
}
