package deletecheck

import (
	"context"
	"fmt"

	"indexerd/internal/doc"
)

// An asker asks for rows by key, and takes what is there and what is gone to
// the sink.
type asker struct {
	source Source
	index  Index
	pages  Pages
	sink   Sink
	batch  int
	report *doc.Report
	pace   *pace
}

// An answer is which of the keys asked for have no row.
type answer struct {
	gone  []doc.OID
	fetch doc.FetchSeq // that found them gone
}

// fetch indexes the rows with these keys as they are now. Where there were
// several fetches, the answer's is the first, lest what was put between them be
// removed.
func (a *asker) fetch(ctx context.Context, oids []doc.OID) (answer, error) {
	var ans answer
	there := make(map[doc.OID]bool, len(oids))
	for b, err := range a.source.Docs(ctx, oids) {
		if err != nil {
			return ans, err
		}
		if ans.fetch == 0 {
			ans.fetch = b.Fetch
		}
		for i := range b.Docs {
			there[b.Docs[i].OID] = true
		}
		for _, r := range b.Rejects {
			there[r.OID] = true // though it can't be indexed
		}
		done, err := a.sink.Put(ctx, b)
		a.report.Add(done)
		if err != nil {
			return ans, err
		}
	}
	for _, oid := range oids {
		if !there[oid] {
			ans.gone = append(ans.gone, oid)
		}
	}
	return ans, nil
}

// again asks for the candidates once more, now that all is listed, and spools
// those that are gone.
//
// A standby that is behind may not have the row yet; one that has caught up
// only goes forward, so it is enough to know before the question.
func (a *asker) again(ctx context.Context, candidates, gone *spool) error {
	if candidates.count == 0 {
		return nil
	}
	reason, err := a.source.Behind(ctx)
	if err != nil {
		return err
	}
	if reason != "" {
		return fmt.Errorf("nothing is removed, as nothing can be concluded from a row's absence: %s", reason)
	}
	for notes, err := range candidates.batches(a.batch) {
		if err != nil {
			return err
		}
		if err := a.spoolGone(ctx, notes, gone); err != nil {
			return err
		}
		if err := a.pace.rest(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (a *asker) spoolGone(ctx context.Context, notes []note, to *spool) error {
	stamps := make(map[doc.OID]doc.Stamp, len(notes))
	for _, n := range notes {
		stamps[n.stamp.OID] = n.stamp
	}
	ans, err := a.fetch(ctx, keysOf(notes))
	if err != nil {
		return err
	}
	// What Put has taken out as marked deleted, or a sweep that was interrupted
	// has removed, is no removal for the guard to count.
	gone, err := a.stored(ans.gone)
	if err != nil {
		return err
	}
	for _, oid := range gone {
		if err := to.add(note{stamp: stamps[oid], fetch: ans.fetch}); err != nil {
			return err
		}
	}
	return nil
}

// stored returns those keys under which there is a document or a page.
func (a *asker) stored(oids []doc.OID) ([]doc.OID, error) {
	versions, err := a.index.Versions(oids)
	if err != nil {
		return nil, err
	}
	var stored []doc.OID
	for i, oid := range oids {
		_, there, err := a.pages.Meta(oid)
		if err == nil && !there {
			there, err = indexed(a.index, oid, versions[i])
		}
		if err != nil {
			return nil, err
		}
		if there {
			stored = append(stored, oid)
		}
	}
	return stored, nil
}

// remove removes what is gone, on condition that it still is at its stamp, and
// spools what the guard holds. The guard is told how many are left in all: by
// batches it would let a large removal pass piece by piece.
func (a *asker) remove(ctx context.Context, gone, held *spool) error {
	left := gone.count
	for notes, err := range gone.batches(a.batch) {
		if err != nil {
			return err
		}
		for len(notes) > 0 {
			n := sameFetch(notes)
			if left, err = a.removeBatch(ctx, notes[:n], left, held); err != nil {
				return err
			}
			notes = notes[n:]
		}
		if err := a.pace.rest(ctx); err != nil {
			return err
		}
	}
	return nil
}

// sameFetch is how many of the first notes are of one fetch.
func sameFetch(notes []note) int {
	n := 1
	for n < len(notes) && notes[n].fetch == notes[0].fetch {
		n++
	}
	return n
}

// removeBatch removes what one fetch found gone, and returns how many removals
// are left, those that are held among them.
func (a *asker) removeBatch(ctx context.Context, notes []note, left int, held *spool) (int, error) {
	stamps := make([]doc.Stamp, len(notes))
	for i := range notes {
		stamps[i] = notes[i].stamp
	}
	done, err := a.sink.Delete(ctx, stamps, notes[0].fetch, left)
	a.report.Add(done)
	left -= len(notes) - done.Held
	if err != nil || done.Held == 0 {
		return left, err
	}
	versions, err := a.index.Versions(keysOf(notes))
	if err != nil {
		return left, err
	}
	for i, v := range versions {
		if v != 0 { // else it was removed
			if err := held.add(notes[i]); err != nil {
				return left, err
			}
		}
	}
	return left, nil
}
