package reindex

import (
	"context"
	"errors"
	"fmt"

	"indexerd/internal/base/doc"
)

// Fill builds the new index from rows that fill puts, instead of from pages: for a
// table whose rows may all have other keys. fill calls swap when all rows are put,
// with the lane, and may go on afterwards. Until then every put goes to the new
// index, and to the old one only if that has a document of the key. So a search in
// the old index finds the rows that it found before, none of them twice.
//
// Swap is the commit of Run. If fill returns without it, Fill removes the new
// index, and the old one stays in use. The caller has marked the table as
// unverified: after a crash some pages are newer than the documents of the old
// index.
func (r *Reindex) Fill(ctx context.Context, fill func(ctx context.Context, swap func() error) error) error {
	b := r.newBuild()
	if err := b.begin(func() Index { return beside{both{old: b.Old, new: b.index}} }); err != nil {
		return fmt.Errorf("reindex %s: %w", r.Table, err)
	}
	err := fill(ctx, func() error {
		if err := b.commit(); err != nil {
			return err
		}
		return b.finish()
	})
	if b.result.Swapped || errors.Is(err, ErrUndecided) {
		return err
	}
	return b.abort(err)
}

// beside writes to the new index, and to the old one what that has already.
type beside struct{ both }

// Apply implements Index.
func (b beside) Apply(puts []doc.Doc, deletes []doc.Removal) error {
	versions, err := b.old.Versions(doc.OIDs(puts))
	if err != nil {
		return err
	}
	var known []doc.Doc
	for i, v := range versions {
		if v != 0 {
			known = append(known, puts[i])
		}
	}
	if len(known)+len(deletes) > 0 {
		if err := b.old.Apply(known, deletes); err != nil {
			return err
		}
	}
	if err := b.new.Apply(puts, deletes); err != nil {
		return fmt.Errorf("new index: %w", err)
	}
	return nil
}

// Versions returns the versions of the new index, so that a row which it lacks is
// written.
func (b beside) Versions(oids []doc.OID) ([]doc.Version, error) { return b.new.Versions(oids) }
