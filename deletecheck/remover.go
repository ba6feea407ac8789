package deletecheck

import (
	"context"
	"fmt"

	"indexerd/internal/base/doc"
	"indexerd/internal/sync/refetch"
)

// A remover fetches rows by key, and removes the documents of those that are
// gone.
type remover struct {
	source Source
	index  Index
	pages  Pages
	sink   Sink
	batch  int
	report *doc.Report
	pacer  *pacer
}

// refetch puts the rows with these keys, and returns the keys without a row.
func (r *remover) refetch(ctx context.Context, oids []doc.OID) (refetch.Absent, error) {
	absent, done, err := refetch.Rows(ctx, r.source, r.sink, oids)
	r.report.Add(done)
	return absent, err
}

// confirm fetches the candidates again, after all chunks are compared, and
// spools those whose row is gone.
//
// On a standby that is behind, a row may not be there yet. It is enough to check
// that before the fetches, since a standby that has caught up does not go back.
func (r *remover) confirm(ctx context.Context, candidates, gone *spool) error {
	if candidates.count == 0 {
		return nil
	}
	reason, err := r.source.Behind(ctx)
	if err != nil {
		return err
	}
	if reason != "" {
		return fmt.Errorf("no document is removed, as rows may be missing on this server: %s", reason)
	}
	for notes, err := range candidates.batches(r.batch) {
		if err != nil {
			return err
		}
		if err := r.spoolGone(ctx, notes, gone); err != nil {
			return err
		}
		if err := r.pacer.rest(ctx); err != nil {
			return err
		}
	}
	return nil
}

// spoolGone spools those notes whose row is gone, and of which something is
// stored: an interrupted sweep may have removed some, and these must not count
// for the guard again.
func (r *remover) spoolGone(ctx context.Context, notes []note, to *spool) error {
	absent, err := r.refetch(ctx, doc.OIDs(notes))
	if err != nil {
		return err
	}
	stored, err := r.stored(absent.OIDs)
	if err != nil {
		return err
	}
	for _, n := range doc.Among(notes, stored) {
		if err := to.add(note{stamp: n.stamp, fetch: absent.Fetch}); err != nil {
			return err
		}
	}
	return nil
}

// stored returns those keys that have a document or a page.
func (r *remover) stored(oids []doc.OID) ([]doc.OID, error) {
	versions, err := r.index.Versions(oids)
	if err != nil {
		return nil, err
	}
	pages, err := r.pages.Metas(oids)
	if err != nil {
		return nil, err
	}
	var stored []doc.OID
	for i, oid := range oids {
		there := pages[i].OID != ""
		if !there {
			if there, err = indexed(r.index, oid, versions[i]); err != nil {
				return nil, err
			}
		}
		if there {
			stored = append(stored, oid)
		}
	}
	return stored, nil
}

// remove removes the documents of gone rows that still have the stamp of their
// note, and spools the removals that the guard held. The guard gets the number
// of all removals that are left: batch by batch, a large removal would pass it. It
// does not limit as many removals as rows have another key now.
func (r *remover) remove(ctx context.Context, gone *spool, rekeyed int, held *spool) error {
	left := gone.count - rekeyed
	for notes, err := range gone.batches(r.batch) {
		if err != nil {
			return err
		}
		for len(notes) > 0 {
			n := sameFetch(notes)
			if rekeyed > 0 {
				n = min(n, rekeyed)
				rekeyed -= n
				_, err = r.removeBatch(ctx, notes[:n], 0, held)
			} else {
				left, err = r.removeBatch(ctx, notes[:n], left, held)
			}
			if err != nil {
				return err
			}
			notes = notes[n:]
		}
		if err := r.pacer.rest(ctx); err != nil {
			return err
		}
	}
	return nil
}

// sameFetch returns how many of the first notes are of one fetch.
func sameFetch(notes []note) int {
	n := 1
	for n < len(notes) && notes[n].fetch == notes[0].fetch {
		n++
	}
	return n
}

// removeBatch removes the documents of rows that one fetch found gone. It
// returns how many removals are left, with those that the guard held.
func (r *remover) removeBatch(ctx context.Context, notes []note, left int, held *spool) (int, error) {
	stamps := make([]doc.Stamp, len(notes))
	for i := range notes {
		stamps[i] = notes[i].stamp
	}
	done, err := r.sink.Delete(ctx, stamps, notes[0].fetch, left)
	r.report.Add(done)
	left -= len(notes) - done.Held
	if err != nil || done.Held == 0 {
		return left, err
	}
	versions, err := r.index.Versions(doc.OIDs(notes))
	if err != nil {
		return left, err
	}
	for i, v := range versions {
		if v != 0 { // the others were removed
			if err := held.add(notes[i]); err != nil {
				return left, err
			}
		}
	}
	return left, nil
}
