package deletecheck

import (
	"context"
	"slices"

	"indexerd/internal/base/doc"
)

// retryQuarantined fetches the rows in quarantine again, checks the list of documents
// that lack values, and replaces that of rows without a usable key.
func (w *sweep) retryQuarantined(ctx context.Context, after doc.OID) error {
	for {
		oids := w.Quarantine.Keys(after, w.Batch)
		if len(oids) == 0 {
			break
		}
		after = oids[len(oids)-1]
		if err := w.retryRejects(ctx, oids); err != nil {
			return err
		}
		if err := w.reach(after); err != nil {
			return err
		}
		if err := w.pacer.rest(ctx); err != nil {
			return err
		}
	}
	if err := w.checkPartial(ctx); err != nil {
		return err
	}
	keyless, err := w.Source.Keyless(ctx)
	if err != nil {
		return err
	}
	w.at.Report.Quarantined += len(keyless.Rejects)
	return w.Quarantine.Keyless(keyless.Rejects, keyless.At)
}

// retryRejects fetches rows in quarantine. A comparison, which may come every second,
// leaves out those that are what was rejected.
func (w *sweep) retryRejects(ctx context.Context, oids []doc.OID) error {
	if w.read != nil {
		rows, err := rowsOf(ctx, w.source, oids)
		if err != nil {
			return err
		}
		oids = slices.DeleteFunc(oids, func(oid doc.OID) bool { return w.Quarantine.Rejected(rows[oid]) })
	}
	if len(oids) == 0 {
		return nil
	}
	return w.retryBatch(ctx, oids)
}

// retryBatch fetches rows. A row that is gone leaves the quarantine if nothing
// of it is stored; if something is, later phases find and remove it.
func (w *sweep) retryBatch(ctx context.Context, oids []doc.OID) error {
	absent, err := w.remover.refetch(ctx, oids)
	if err != nil || len(absent.OIDs) == 0 {
		return err
	}
	stored, err := w.remover.stored(absent.OIDs)
	if err != nil {
		return err
	}
	nothing := slices.DeleteFunc(absent.OIDs, func(oid doc.OID) bool { return slices.Contains(stored, oid) })
	if len(nothing) == 0 {
		return nil
	}
	done, err := w.Sink.Put(ctx, doc.Batch{Fetch: absent.Fetch, Deleted: nothing})
	w.at.Report.Add(done)
	return err
}

// checkPartial ends the doubts of documents that are listed as lacking values: they are
// listed rightly if the page has the listed hash. The rows of others are fetched, which
// lists them rightly.
func (w *sweep) checkPartial(ctx context.Context) error {
	for after := doc.OID(""); ; {
		docs := w.Quarantine.Doubtful(after, w.Batch)
		if len(docs) == 0 {
			return nil
		}
		after = docs[len(docs)-1].OID
		pages, err := w.Pages.Metas(doc.OIDs(docs))
		if err != nil {
			return err
		}
		var right, others []doc.OID
		for i, d := range docs {
			if pages[i].OID == d.OID && pages[i].Hash == d.Hash {
				right = append(right, d.OID)
			} else {
				others = append(others, d.OID)
			}
		}
		w.Quarantine.Confirm(right)
		if len(others) > 0 {
			if err := w.retryBatch(ctx, others); err != nil {
				return err
			}
		}
		if err := w.pacer.rest(ctx); err != nil {
			return err
		}
	}
}
