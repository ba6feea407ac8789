package fakeworld

import (
	"context"
	"iter"
	"slices"

	"indexerd/internal/doc"
)

// Left reads the keys of the rows of a window that are marked deleted or
// outside of the filter, as SQL without it would list them, in pages by key.
func (t *Table) Left(ctx context.Context, w doc.Window) iter.Seq2[[]doc.OID, error] {
	return func(yield func([]doc.OID, error) bool) {
		if err := t.before(ctx, "left"); err != nil {
			yield(nil, err)
			return
		}
		var left []doc.OID
		t.scanAll(t.snapshot(), func(oid doc.OID, r Row) {
			if !r.live() && !r.Updated.Before(w.From) && r.Updated.Before(w.To) {
				left = append(left, oid)
			}
		})
		for page := range slices.Chunk(left, t.Page) {
			if !yield(page, nil) {
				return
			}
		}
	}
}
