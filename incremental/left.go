package incremental

import (
	"context"
	"slices"

	"indexerd/internal/doc"
)

// maxLeavers is how many rows that left are remembered until the window is
// known as a whole: some 20 MB. More are left to the sweep, which spools them.
const maxLeavers = 100_000

// leavers are rows of a window that have left the SQL's result without leaving
// the table, or with it. Their removals are judged by the guard in all, so none
// is made before all are known.
type leavers struct {
	*Pass
	report doc.Report
	known  map[doc.OID]struct{} // a key may be listed twice
	found  int                  // known, and those that could not be remembered
	gone   []absentees
}

// absentees are rows that one fetch did not find, as they are stored.
type absentees struct {
	stamps []doc.Stamp
	fetch  doc.FetchSeq
}

// leave takes the rows of the window out of the index that have left: those
// that are marked deleted at once, those that are gone if the guard admits it.
func (p *Pass) leave(ctx context.Context, w doc.Window) (doc.Report, error) {
	l := leavers{Pass: p, known: map[doc.OID]struct{}{}}
	for oids, err := range p.Source.Left(ctx, w) {
		if err != nil {
			return l.report, err
		}
		if err := l.ask(ctx, oids); err != nil {
			return l.report, err
		}
	}
	return l.report, l.remove(ctx)
}

// ask asks the database for those rows that are stored: which still have a
// stamp, and what a fetch finds of the others.
func (l *leavers) ask(ctx context.Context, oids []doc.OID) error {
	stored, err := l.Sink.Stored(oids)
	if err != nil || len(stored) == 0 {
		return err
	}
	there, err := l.Source.StampsOf(ctx, keys(stored))
	if err != nil {
		return err
	}
	missing := without(stored, keys(there))
	for batch := range slices.Chunk(missing, max(l.Batch, 1)) {
		if err := l.fetchMissing(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

// fetchMissing puts what is there after all, by which marked rows leave, and
// remembers what is not. Where the source takes several fetches, the first of
// them stands for all, lest what was put between them be removed.
func (l *leavers) fetchMissing(ctx context.Context, missing []doc.Stamp) error {
	var there []doc.OID
	var first doc.FetchSeq
	for batch, err := range l.Source.Docs(ctx, keys(missing)) {
		if err != nil {
			return err
		}
		if first == 0 {
			first = batch.Fetch
		}
		for i := range batch.Docs {
			there = append(there, batch.Docs[i].OID)
		}
		for _, r := range batch.Rejects {
			there = append(there, r.OID) // though it can't be indexed
		}
		there = append(there, batch.Deleted...)
		done, err := l.Sink.Put(ctx, batch)
		l.report.Add(done)
		if err != nil {
			return err
		}
	}
	l.note(absentees{without(missing, there), first})
	return nil
}

func (l *leavers) note(a absentees) {
	a.stamps = slices.DeleteFunc(a.stamps, func(s doc.Stamp) bool {
		_, twice := l.known[s.OID]
		return twice
	})
	l.found += len(a.stamps)
	a.stamps = a.stamps[:min(len(a.stamps), maxLeavers-len(l.known))]
	for _, s := range a.stamps {
		l.known[s.OID] = struct{}{}
	}
	if len(a.stamps) > 0 {
		l.gone = append(l.gone, a)
	}
}

// remove removes what is gone. What the guard holds fails nothing: the sweep is
// the certainty of removals. What was not remembered counts as held.
func (l *leavers) remove(ctx context.Context) error {
	left := l.found
	for _, a := range l.gone {
		done, err := l.Sink.Delete(ctx, a.stamps, a.fetch, left)
		l.report.Add(done)
		if err != nil {
			return err
		}
		left -= done.Deleted
	}
	l.report.Held += l.found - len(l.known)
	return nil
}

func keys(stamps []doc.Stamp) []doc.OID {
	oids := make([]doc.OID, len(stamps))
	for i := range stamps {
		oids[i] = stamps[i].OID
	}
	return oids
}

// without returns the stamps of the rows that are not among some keys.
func without(stamps []doc.Stamp, oids []doc.OID) []doc.Stamp {
	among := make(map[doc.OID]struct{}, len(oids))
	for _, oid := range oids {
		among[oid] = struct{}{}
	}
	var rest []doc.Stamp
	for _, s := range stamps {
		if _, ok := among[s.OID]; !ok {
			rest = append(rest, s)
		}
	}
	return rest
}
