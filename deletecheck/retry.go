package deletecheck

import (
	"context"
	"slices"

	"indexerd/internal/doc"
)

// retry tries the rows in quarantine again, and lists those without a key.
func (w *sweep) retry(ctx context.Context, after doc.OID) error {
	for {
		oids := w.Quarantine.Keys(after, w.Batch)
		if len(oids) == 0 {
			break
		}
		if err := w.tryAgain(ctx, oids); err != nil {
			return err
		}
		after = oids[len(oids)-1]
		if err := w.reach(after); err != nil {
			return err
		}
		if err := w.pace.rest(ctx); err != nil {
			return err
		}
	}
	keyless, err := w.Source.Keyless(ctx)
	if err != nil {
		return err
	}
	w.at.Report.Quarantined += len(keyless.Rejects)
	return w.Quarantine.Keyless(keyless.Rejects, keyless.At)
}

// tryAgain fetches rows. Of those that are gone, the ones that left nothing
// behind are let go; what is stored of the others is found without its row by
// the phases to come, and removed as everything is.
func (w *sweep) tryAgain(ctx context.Context, oids []doc.OID) error {
	ans, err := w.asker.fetch(ctx, oids)
	if err != nil || len(ans.gone) == 0 {
		return err
	}
	stored, err := w.asker.stored(ans.gone)
	if err != nil {
		return err
	}
	nothing := slices.DeleteFunc(ans.gone, func(oid doc.OID) bool { return slices.Contains(stored, oid) })
	if len(nothing) == 0 {
		return nil
	}
	done, err := w.Sink.Put(ctx, doc.Batch{Fetch: ans.fetch, Deleted: nothing})
	w.at.Report.Add(done)
	return err
}
