package incremental

import (
	"context"
	"slices"

	"indexerd/internal/base/doc"
	"indexerd/internal/sync/refetch"
)

// maxLeft is how many absent rows are kept in memory until the window is known
// as a whole: about 20 MB. Rows beyond it are left to the sweep.
const maxLeft = 100_000

// left collects the rows of a window that are no longer in the SQL's result.
// The guard judges their removals as one, so none is made before all are known.
type left struct {
	*Pass
	report doc.Report
	known  map[doc.OID]bool // keys in absent; the source may list a key twice
	found  int              // rows in absent, and those beyond maxLeft
	absent []absentRows
}

// absentRows are the stamps of stored rows that one fetch did not find.
type absentRows struct {
	stamps []doc.Stamp
	fetch  doc.FetchSeq
}

// removeLeft removes the documents of the window's rows that left the SQL's
// result: those of marked rows at once, those of absent rows if the guard admits
// all of them.
func (p *Pass) removeLeft(ctx context.Context, w doc.Window) (doc.Report, error) {
	l := left{Pass: p, known: map[doc.OID]bool{}}
	for oids, err := range p.Source.Left(ctx, w) {
		if err != nil {
			return l.report, err
		}
		if err := l.collect(ctx, oids); err != nil {
			return l.report, err
		}
	}
	return l.report, l.remove(ctx)
}

// collect fetches those rows that are stored and have no stamp. The fetch puts
// rows that are there again or marked deleted; collect keeps the absent ones.
func (l *left) collect(ctx context.Context, oids []doc.OID) error {
	stored, err := l.Sink.Stored(oids)
	if err != nil || len(stored) == 0 {
		return err
	}
	there, err := l.Source.StampsOf(ctx, doc.OIDs(stored))
	if err != nil {
		return err
	}
	missing := doc.Without(stored, doc.OIDs(there))
	for batch := range slices.Chunk(missing, max(l.Batch, 1)) {
		absent, done, err := refetch.Rows(ctx, l.Source, l.Sink, doc.OIDs(batch))
		l.report.Add(done)
		if err != nil {
			return err
		}
		l.keep(absentRows{doc.Among(batch, absent.OIDs), absent.Fetch})
	}
	return nil
}

// keep adds rows to absent, each once and at most maxLeft of them.
func (l *left) keep(a absentRows) {
	a.stamps = slices.DeleteFunc(a.stamps, func(s doc.Stamp) bool { return l.known[s.OID] })
	l.found += len(a.stamps)
	a.stamps = a.stamps[:min(len(a.stamps), maxLeft-len(l.known))]
	for _, s := range a.stamps {
		l.known[s.OID] = true
	}
	if len(a.stamps) > 0 {
		l.absent = append(l.absent, a)
	}
}

// remove removes the documents of absent rows. Removals that the guard holds are
// no error; the sweep finds them again. Rows beyond maxLeft count as held.
func (l *left) remove(ctx context.Context) error {
	pending := l.found
	for _, a := range l.absent {
		done, err := l.Sink.Delete(ctx, a.stamps, a.fetch, pending)
		l.report.Add(done)
		if err != nil {
			return err
		}
		pending -= done.Deleted
	}
	l.report.Held += l.found - len(l.known)
	return nil
}
