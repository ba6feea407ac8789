// Package compensate finds the rows that incremental missed. A row's updateTime
// is set before its transaction commits, so a window may be read before the row
// is visible. The passes of this package read a past window again and compare
// it with what was indexed.
//
// The passes Tier, Exact and Compared read stamps only, sort them by OID, and
// merge them with the stamps in the tree, which are those of the rows that were
// fetched:
//
//	same in both                nothing to do
//	only in the database, or    compared with the page's stamp; fetched by OID
//	different                   if that differs too
//	only in the tree            fetched by OID; the document is removed if the
//	                            row is gone or marked deleted
//
// A different stamp counts, not only a newer one, because updateTime may go
// backwards in ordinary use. A stamp that is not in the tree is no new row: the
// tree is pruned, and it is empty after a restart. The page then decides.
//
// The database is read in pages by (updateTime, key), each of another snapshot,
// and the merge begins after the last page. A row that changes meanwhile may be
// missing, or come twice with different stamps: Sorted gives these an unknown
// token, which equals no page's. Neither breaks the promise that every row below
// the new S was compared. S becomes a time below which no transaction commits
// after the first page: the horizon, read before it, or the assumed bound. A row
// whose version is below S at the end had it when the first page was read. It did
// not move, so the page that covers its updateTime has it. A row that left its
// place is at S or above, and later windows begin at S. A row that is in the tree
// and not in the pages is fetched by OID, and the fetch decides. Compared needs
// no bound: a commit after the first page changes the version, and the next run
// compares again.
//
// The tree is read as it is when the first page is read. Passes of a table run
// one at a time, so nothing changes tree and pages until the merge, and another
// moment would find the same differences. The tree comes first so that one that
// can't be read fails before the database is asked.
//
// Tier assumes that no transaction stays open longer than its timeout. Exact
// assumes nothing: it moves S to the database's horizon H, below which no open
// transaction can commit an updateTime. Compared is for a database without a
// horizon: it compares the whole table after each commit.
//
// Invariants. S moves last, and only as far as everything from S on was
// compared. Only a rewind moves S back. Exact reads H before the stamps: with an
// older snapshot, rows below H could be invisible. Removals that the sink's
// guard holds do not stop S, which covers inserts and updates only; the sweep
// finds them again.
//
// Cost: one stamp for each row of the window, and one lookup of page and index
// for each stamp that is not in the tree. Memory: what Sorted keeps, which is
// bounded, a page and two batches of stamps, and a batch of documents.
package compensate

import (
	"context"
	"iter"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/sync/refetch"
)

// Source is the table to compare with.
type Source interface {
	refetch.Source
	// Stamps returns the stamps of a window in pages by (updateTime, key), each
	// of another snapshot. A row may come twice. A stamp without an OID means that
	// some row has an unusable key.
	Stamps(context.Context, doc.Window) iter.Seq2[[]doc.Stamp, error]
	// Unusable returns rejects of the rows of a window whose key is unusable.
	Unusable(context.Context, doc.Window) (doc.Batch, error)
}

// Tree holds the stamps of the rows that were fetched.
type Tree interface {
	// Window returns the stamps with an updateTime in the window, in OID order.
	Window(doc.Window) iter.Seq2[doc.Stamp, error]
	// Sorted returns the stamps of pages in OID order, each OID once, and those
	// without an OID as one at the end. Different stamps of one OID become one with
	// an unknown token.
	Sorted(pages iter.Seq2[[]doc.Stamp, error]) iter.Seq2[[]doc.Stamp, error]
}

// Sink takes what differs.
type Sink interface {
	refetch.Sink
	Different([]doc.Stamp) ([]doc.OID, error)
	Delete(_ context.Context, _ []doc.Stamp, _ doc.FetchSeq, left int) (doc.Report, error)
}

// A Comparison compares windows of the table with the index and repairs what
// differs.
type Comparison struct {
	Source Source
	Tree   Tree
	Sink   Sink
	Batch  int // rows per fetch
}

// quiet reports whether a comparison of a window would find nothing: no stamp in
// the database, since when a snapshot taken after the horizon was read has no row
// from a time on, and none in the tree, whose rows would be fetched again.
func (c *Comparison) quiet(w doc.Window, since time.Time) (bool, error) {
	if since.IsZero() || since.After(w.From) {
		return false, nil
	}
	for _, err := range c.Tree.Window(w) {
		return false, err
	}
	return true, nil
}

// Run compares one window and repairs what differs.
func (c *Comparison) Run(ctx context.Context, w doc.Window) (doc.Report, error) {
	report := doc.Report{Window: w}
	if w.Empty() {
		return report, nil
	}
	tree := newCursor(c.Tree.Window(w))
	defer tree.stop()
	if err := tree.next(); err != nil {
		return report, err
	}
	d := &doubts{Comparison: c, report: &report}
	unusable := false
	for stamps, err := range c.Tree.Sorted(c.Source.Stamps(ctx, w)) {
		if err != nil {
			return report, err
		}
		stamps, some := doc.WithoutUnusable(stamps)
		unusable = unusable || some
		report.Compared += len(stamps)
		if err := d.merge(ctx, stamps, tree); err != nil {
			return report, err
		}
	}
	if err := d.finish(ctx, tree); err != nil || !unusable {
		return report, err
	}
	rejects, err := c.Source.Unusable(ctx, w)
	if err != nil {
		return report, err
	}
	done, err := c.Sink.Put(ctx, rejects)
	report.Add(done)
	return report, err
}
