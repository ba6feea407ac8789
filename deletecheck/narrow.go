package deletecheck

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"indexerd/internal/base/doc"
)

// A Narrow removes the documents of rows that are gone, within seconds where a
// Sweep takes its time. It lists only the ranges of keys whose sum in the database
// has changed; all keys if the database does not sum them. It removes under the
// rules of a Sweep: after all listings, after another fetch, and what the guard
// lets through. It fetches no row that differs, and moves no mark.
//
// Prepare reads the sums, and Run lists and removes. Run needs the lane, so that no
// other pass holds rows that it fetched before.
type Narrow struct {
	Sweep // without Trace, FromScratch and Progress; Sums reads sums of keys
	Kept  *Ranges

	bounds []doc.OID
	sums   []doc.Sum            // nil: the database does not sum
	held   map[doc.OID]struct{} // first keys of ranges with held removals
}

// Prepare reads the sums of the ranges. It costs one statement that reads all
// keys, and another one if ranges have grown.
func (n *Narrow) Prepare(ctx context.Context) error {
	err := n.prepare(ctx)
	if err != nil {
		return fmt.Errorf("narrowed sweep %s, sums: %w", n.Table, err)
	}
	return nil
}

func (n *Narrow) prepare(ctx context.Context) (err error) {
	for grown := true; grown; {
		n.bounds = n.Kept.begin()
		if n.sums, err = n.Sums(ctx, n.bounds); err != nil || n.sums == nil {
			return err
		}
		if grown, err = n.Kept.divide(n.Index, n.bounds, n.sums); err != nil {
			return err
		}
	}
	return nil
}

// Run lists the ranges that changed, and removes the documents whose rows are
// gone.
func (n *Narrow) Run(ctx context.Context) (report doc.Report, err error) {
	list := []doc.Range{{}}
	if n.sums != nil {
		list = n.Kept.different(n.bounds, n.sums)
	}
	if err := n.run(ctx, list, &report); err != nil {
		return report, fmt.Errorf("narrowed sweep %s: %w", n.Table, err)
	}
	if n.sums != nil && len(list) > 0 {
		n.Kept.keep(n.bounds, n.sums, n.held)
	}
	return report, nil
}

func (n *Narrow) run(ctx context.Context, list []doc.Range, report *doc.Report) error {
	pacer := newPacer(n.Rest)
	gone := &lazySpool{open: func() (*spool, error) { return n.spool("narrow.gone") }}
	defer gone.discard()
	for _, of := range list {
		if err := n.list(ctx, of, gone, report, pacer); err != nil {
			return err
		}
	}
	if gone.spool == nil {
		return nil
	}
	return n.remove(ctx, gone.spool, &remover{source: n.Source, index: n.Index, pages: n.Pages, sink: n.Sink, batch: n.Batch, report: report, pacer: pacer})
}

func (n *Narrow) spool(name string) (*spool, error) {
	return newSpool(n.FS, filepath.Join(n.Dir, name))
}

// list spools the documents of a range that have no row.
func (n *Narrow) list(ctx context.Context, of doc.Range, gone *lazySpool, report *doc.Report, pacer *pacer) error {
	c := comparison{source: n.Source, index: n.Index, pages: n.Pages, chunk: cmp.Or(n.Chunk, chunkSize), to: of.To, keys: true}
	if n.sums != nil {
		c.chunk = min(c.chunk, 2*n.Kept.every(n.sums))
	}
	defer c.join()
	compare := c.byRange
	if !n.Source.Ordered() {
		compare = c.byKeys
	}
	for p, err := range chunks(ctx, of.From, compare) {
		if err != nil {
			return err
		}
		report.Compared += max(p.compared, p.listed)
		if err := n.noteExtra(gone, p.extra); err != nil {
			return err
		}
		if err := pacer.rest(ctx); err != nil {
			return err
		}
	}
	return nil
}

// noteExtra spools keys without a row, with the stamps of their pages. These may be of
// a later write than the listing: remove asks for the rows again.
func (n *Narrow) noteExtra(gone *lazySpool, extra []doc.Stamp) error {
	if len(extra) == 0 {
		return nil
	}
	pages, err := n.Pages.Metas(doc.OIDs(extra))
	if err != nil {
		return err
	}
	for i, s := range extra {
		if pages[i].OID != "" {
			s = pages[i].Stamp
		}
		if err := gone.add(note{stamp: s}); err != nil {
			return err
		}
	}
	return nil
}

// remove removes the documents of the candidates whose row is gone.
func (n *Narrow) remove(ctx context.Context, candidates *spool, r *remover) error {
	gone, err := n.spool("narrow.asked")
	if err != nil {
		return err
	}
	defer gone.discard()
	held, err := n.spool("narrow.held")
	if err != nil {
		return err
	}
	defer held.discard()
	if err := r.confirm(ctx, candidates, gone); err != nil {
		return err
	}
	if err := r.remove(ctx, gone, 0, held); err != nil {
		return err
	}
	return n.noteHeld(held)
}

// noteHeld notes the ranges of held removals.
func (n *Narrow) noteHeld(held *spool) error {
	n.held = map[doc.OID]struct{}{}
	for note, err := range held.notes() {
		if err != nil {
			return err
		}
		n.held[firstOf(n.bounds, note.stamp.OID)] = struct{}{}
	}
	return nil
}

// A lazySpool is a spool whose file is created with the first note.
type lazySpool struct {
	open  func() (*spool, error)
	spool *spool // nil: no note was added
}

func (l *lazySpool) add(n note) (err error) {
	if l.spool == nil {
		if l.spool, err = l.open(); err != nil {
			return err
		}
	}
	return l.spool.add(n)
}

func (l *lazySpool) discard() {
	if l.spool != nil {
		l.spool.discard()
	}
}
