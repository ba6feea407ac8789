package move

import (
	"context"
	"fmt"
	"slices"

	"indexerd/internal/base/doc"
)

// A Live is a copy of pages that others write meanwhile. To is written by the copy alone.
//
// Run copies and compares all pages, and then those that were written meanwhile, until
// they are few. Finish does the same for the rest, when no page is written any more.
// So each page was compared byte for byte after its last write.
type Live struct {
	Copy
	// Recorder has the key of every page of From that is written from the start of Run
	// to the end of Finish.
	Recorder *Recorder
	// Gone reports whether an error of From is that of a page that was removed. It is no
	// damage: Recorder has the key.
	Gone func(error) bool

	counts Counts
}

const (
	fewKeys = batchPages // are left for Finish
	rounds  = 10         // at most, if pages are written as fast as they are copied
)

// Run copies and compares while pages are written.
func (l *Live) Run(ctx context.Context) error {
	l.Recorder.Start()
	l.Copy.live = l
	if err := l.all(ctx); err != nil {
		return err
	}
	for range rounds {
		if l.Recorder.few(fewKeys) {
			return nil
		}
		if err := l.round(ctx, l.Recorder.Note); err != nil {
			return err
		}
	}
	return nil
}

// Finish copies and compares the rest. No page is written meanwhile.
func (l *Live) Finish(ctx context.Context) (Counts, error) {
	err := l.round(ctx, l.Recorder.Note) // also those that changed during their comparison
	if err == nil {
		err = l.round(ctx, func(...doc.OID) { l.counts.Differ++ })
	}
	if err == nil && l.Recorder.incomplete() {
		err = fmt.Errorf("more than %d pages differ after they were copied", maxKeys)
	}
	return l.counts, err
}

// round copies and compares what was written since the last round. Pages that are not
// equal are passed to differ.
func (l *Live) round(ctx context.Context, differ func(...doc.OID)) error {
	keys, complete := l.Recorder.take()
	if !complete {
		if err := l.all(ctx); err != nil {
			return err
		}
		if keys, complete = l.Recorder.take(); !complete { // for the next round
			l.Recorder.forget()
			return nil
		}
	}
	for batch := range slices.Chunk(keys, batchPages) {
		if err := l.sync(ctx, batch, differ); err != nil {
			return fmt.Errorf("copy pages that were changed: %w", err)
		}
	}
	return nil
}

// all copies all pages that differ, and notes those that differ then.
func (l *Live) all(ctx context.Context) error {
	if err := l.copyAll(ctx, &l.counts); err != nil {
		return fmt.Errorf("copy pages: %w", err)
	}
	if err := l.removeOthers(ctx, &l.counts); err != nil {
		return fmt.Errorf("remove pages that are gone: %w", err)
	}
	if err := l.compareAll(ctx); err != nil {
		return fmt.Errorf("compare pages: %w", err)
	}
	return nil
}

// compareAll notes the pages that are not equal, and counts those of To.
func (l *Live) compareAll(ctx context.Context) error {
	err := l.batches(ctx, l.From, l.count("comparing", l.Total), func(batch []doc.Meta) error {
		for _, m := range batch {
			equal, err := l.equal(m.OID)
			if err != nil {
				return err
			}
			if !equal {
				l.Recorder.Note(m.OID)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	l.counts.Pages = 0
	return l.batches(ctx, l.To, nil, func(batch []doc.Meta) error {
		l.counts.Pages += len(batch)
		there, err := l.From.Metas(doc.OIDs(batch))
		for i := 0; i < len(there) && err == nil; i++ {
			if there[i].OID == "" {
				l.Recorder.Note(batch[i].OID)
			}
		}
		return err
	})
}

// sync makes the pages of some keys in To those of From, and compares them.
func (l *Live) sync(ctx context.Context, keys []doc.OID, differ func(...doc.OID)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	from, to, err := l.metas(keys)
	if err != nil {
		return err
	}
	b := &puts{Copy: l.Copy, counts: &l.counts}
	var gone []doc.Removal
	for i, m := range from {
		l.counts.Highest = max(l.counts.Highest, m.V)
		switch {
		case m.OID == "" && to[i].OID != "":
			gone = append(gone, doc.Removal{OID: to[i].OID, V: to[i].V})
		case m.OID == "" || same(m, to[i]) || to[i].V > m.V:
		default:
			if err := b.add(m, to[i]); err != nil {
				return err
			}
		}
	}
	if len(gone) > 0 {
		if err := l.To.Delete(gone); err != nil {
			return err
		}
		l.counts.Removed += len(gone)
	}
	if err := b.flush(); err != nil {
		return err
	}
	return l.compareKeys(keys, to, differ)
}

// compareKeys compares the pages of some keys, and counts what was added to To and
// removed from it.
func (l *Live) compareKeys(keys []doc.OID, before []doc.Meta, differ func(...doc.OID)) error {
	from, to, err := l.metas(keys)
	if err != nil {
		return err
	}
	for i, k := range keys {
		if before[i].OID == "" && to[i].OID != "" {
			l.counts.Pages++
		} else if before[i].OID != "" && to[i].OID == "" {
			l.counts.Pages--
		}
		equal := from[i].OID == "" && to[i].OID == ""
		if from[i].OID != "" {
			if equal, err = l.equal(k); err != nil {
				return err
			}
		}
		if !equal {
			differ(k)
		}
	}
	return nil
}

func (l *Live) metas(keys []doc.OID) (from, to []doc.Meta, err error) {
	if from, err = l.From.Metas(keys); err != nil {
		return nil, nil, err
	}
	to, err = l.To.Metas(keys)
	return from, to, err
}

// isGone reports whether a page was removed while it is copied, and has it compared
// again.
func (c Copy) isGone(oid doc.OID, err error) bool {
	if c.live == nil || !c.live.Gone(err) {
		return false
	}
	c.live.Recorder.Note(oid)
	return true
}
