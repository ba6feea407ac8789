package compensate

import (
	"context"
	"iter"

	"indexerd/internal/base/doc"
	"indexerd/internal/sync/refetch"
)

// doubts collects the stamps that the merge could not match, and settles them a
// batch at a time.
type doubts struct {
	*Comparison
	report *doc.Report

	differ []doc.Stamp // in the database, and not the same in the tree
	absent []doc.Stamp // in the tree, and not in the database
	gone   int         // absent rows so far whose removal is held or still to come
}

// merge compares a page of the database's stamps with the tree's.
func (d *doubts) merge(ctx context.Context, stamps []doc.Stamp, tree *cursor) error {
	for _, s := range stamps {
		for tree.ok && tree.at.OID < s.OID {
			if err := d.noteAbsent(ctx, tree); err != nil {
				return err
			}
		}
		if tree.ok && tree.at.OID == s.OID {
			same := tree.at.Same(s)
			if err := tree.next(); err != nil {
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

// finish handles the tree's stamps that come after the database's last one.
func (d *doubts) finish(ctx context.Context, tree *cursor) error {
	for tree.ok {
		if err := d.noteAbsent(ctx, tree); err != nil {
			return err
		}
	}
	return d.flush(ctx, 1)
}

func (d *doubts) noteAbsent(ctx context.Context, tree *cursor) error {
	d.absent = append(d.absent, tree.at)
	if err := tree.next(); err != nil {
		return err
	}
	return d.flush(ctx, d.Batch)
}

// flush settles each kind of doubt of which there are at least n.
func (d *doubts) flush(ctx context.Context, n int) error {
	if len(d.differ) >= n {
		if err := d.fetchDifferent(ctx); err != nil {
			return err
		}
	}
	if len(d.absent) >= n {
		return d.removeGone(ctx)
	}
	return nil
}

// fetchDifferent fetches the rows whose stamps differ from their pages too.
func (d *doubts) fetchDifferent(ctx context.Context) error {
	oids, err := d.Sink.Different(d.differ)
	d.differ = d.differ[:0]
	if err != nil || len(oids) == 0 {
		return err
	}
	_, err = d.refetch(ctx, oids)
	return err
}

// removeGone fetches the absent rows, and removes the documents of those that
// are gone and still have the stamp that the tree has.
func (d *doubts) removeGone(ctx context.Context) error {
	absent, err := d.refetch(ctx, doc.OIDs(d.absent))
	if err != nil {
		return err
	}
	gone := doc.Among(d.absent, absent.OIDs)
	d.absent = nil
	if len(gone) == 0 {
		return nil
	}
	// The total is not known yet. The guard gets the number found so far, with
	// the removals it held, so once it has held a batch it holds all later ones.
	d.gone += len(gone)
	done, err := d.Sink.Delete(ctx, gone, absent.Fetch, d.gone)
	d.gone -= done.Deleted
	d.report.Add(done)
	return err
}

func (d *doubts) refetch(ctx context.Context, oids []doc.OID) (refetch.Absent, error) {
	absent, done, err := refetch.Rows(ctx, d.Source, d.Sink, oids)
	d.report.Add(done)
	return absent, err
}

// A cursor steps through a sorted stream of stamps. It begins before the first.
type cursor struct {
	at   doc.Stamp
	ok   bool // at is valid
	pull func() (doc.Stamp, error, bool)
	stop func()
}

func newCursor(stamps iter.Seq2[doc.Stamp, error]) *cursor {
	c := &cursor{}
	c.pull, c.stop = iter.Pull2(stamps)
	return c
}

// next moves to the next stamp. After an error the cursor must not be used.
func (c *cursor) next() (err error) {
	c.at, err, c.ok = c.pull()
	return err
}
