package reindex

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"indexerd/internal/base/doc"
)

// Refill adds the documents of pages to an index that has lost them, because it was
// deleted and made again. It does not read the database. all lists the pages, and skip
// reports those whose document is not to be added.
//
// A document has the version of its page, as after a Run, so that a sweep which follows
// reads only the rows that have changed. What the index has already is left as it is: a
// Refill that was interrupted continues. The caller holds the lane, and has marked the table as
// unverified.
func (r *Reindex) Refill(ctx context.Context, into New, all iter.Seq2[doc.Meta, error], skip func(doc.OID) bool) (Result, error) {
	b := r.newBuild()
	b.index = into
	var oids []doc.OID
	for meta, err := range all {
		if err != nil {
			return b.result, fmt.Errorf("refill %s: list the pages: %w", r.Table, err)
		}
		if meta.Gen != into.Generation() || skip(meta.OID) {
			continue
		}
		b.total++
		if oids = append(oids, meta.OID); len(oids) < b.chunk {
			continue
		}
		if err := b.refill(ctx, oids); err != nil {
			return b.result, fmt.Errorf("refill %s: %w", r.Table, err)
		}
		oids = oids[:0]
	}
	if err := b.refill(ctx, oids); err != nil {
		return b.result, fmt.Errorf("refill %s: %w", r.Table, err)
	}
	return b.result, nil
}

// refill adds the documents that the index lacks, and lets others use the lane.
func (b *build) refill(ctx context.Context, oids []doc.OID) error {
	slices.Sort(oids)
	oids = slices.Compact(oids) // a page that was written meanwhile is listed again
	versions, err := b.index.Versions(oids)
	if err != nil {
		return err
	}
	var lacking []doc.Indexed
	for i, v := range versions {
		if v == 0 {
			lacking = append(lacking, doc.Indexed{OID: oids[i]})
		}
	}
	if err := b.addChunk(lacking); err != nil {
		return err
	}
	return b.rest(ctx)
}
