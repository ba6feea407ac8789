package deletecheck

import (
	"context"

	"indexerd/internal/doc"
)

// repair fetches what was found to differ, and removes the ghosts among it: the
// guard lets as many through as were counted, and no more. What is pending is
// the next sweep's, which the guard watches.
func (v *Verify) repair(ctx context.Context, c *check) error {
	gone, err := newSpool(v.FS, v.scratch("verify.gone"))
	if err != nil {
		return err
	}
	defer gone.discard()
	held, err := newSpool(v.FS, v.scratch("verify.held"))
	if err != nil {
		return err
	}
	defer held.discard()
	a := asker{source: v.Source, index: v.Index, pages: v.Pages, sink: v.Sink, batch: v.Batch, report: new(doc.Report), pace: c.pace}
	if err := a.again(ctx, c.found, gone); err != nil {
		return err
	}
	v.Allow(c.absent)
	defer v.Allow(0)
	return a.remove(ctx, gone, held)
}
