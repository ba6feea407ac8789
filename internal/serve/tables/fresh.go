package tables

import (
	"context"
	"errors"

	"indexerd/internal/base/doc"
	"indexerd/internal/serve/database"
)

// ErrNotDescribed is the error of a look into a table that no description holds of.
var ErrNotDescribed = errors.New("the database has not described the table yet")

// lookAt calls each with the rows of a fresh search: those with these keys that can
// become documents, as they are in the database now. It fails on a standby that is
// behind, where an absent row may exist and any row may be older than its document.
// A failure is not that of a pass: it shows in the answer alone.
func (t *Table) lookAt(ctx context.Context, oids []doc.OID, each func(doc.Doc)) error {
	select {
	case t.Source.Looks <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-t.Source.Looks }()
	r := t.described()
	if r == nil && t.alive.Load() {
		return ErrNotDescribed // the next pass describes it: a failure for lack of time would be shown as the table's
	}
	if r == nil {
		var err error
		if r, err = t.reach(ctx); err != nil {
			return err
		}
	}
	_, err := guarded(ctx, t, r, func(ctx context.Context) (struct{}, error) { return struct{}{}, lookIn(ctx, r, oids, each) })
	return err
}

// lookIn looks for the delay of a standby first: one that has caught up does not go
// back.
func lookIn(ctx context.Context, r database.Rows, oids []doc.OID, each func(doc.Doc)) error {
	reason, err := r.Behind(ctx)
	if err == nil && reason != "" {
		err = errors.New(reason)
	}
	if err != nil {
		return err
	}
	for b, err := range r.Look(ctx, oids) {
		if err != nil {
			return err
		}
		for _, d := range b.Docs {
			each(d)
		}
	}
	return nil
}
