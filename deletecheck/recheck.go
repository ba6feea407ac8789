package deletecheck

import (
	"context"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/timetrace"
)

// pollEvery is how often a Verify checks whether S has moved.
const pollEvery = 100 * time.Millisecond

// A round checks all doubts once.
type round struct {
	settled time.Time // S at the start of the round
	passed  bool      // S has passed the time at which the doubts were last read
	last    bool      // there is no time for another round
	held    *heldList
	left    *spool // doubts that remain
}

// recheck checks the doubts again, as they may have been in flight: at once, and
// then whenever S has passed the time of the last check, until Wait is over. A row
// that is then unchanged, and still differs from the index, is a difference.
func (c *check) recheck(ctx context.Context) error {
	end := time.Now().Add(c.Wait)
	read, err := c.source.Now(ctx)
	if err != nil {
		return err
	}
	for name, other := "verify.left", "verify.doubts"; c.doubts.count > 0; name, other = other, name {
		if err := c.recheckAll(ctx, name, read, end); err != nil {
			return err
		}
		if read, err = c.source.Now(ctx); err != nil {
			return err
		}
		if c.doubts.count > 0 {
			if err := c.wait(ctx, read, end); err != nil {
				return err
			}
		}
	}
	return nil
}

// wait waits until S has passed a time, or until end.
func (c *check) wait(ctx context.Context, read, end time.Time) error {
	if c.Settle != nil && time.Now().Before(end) {
		if err := c.Settle(ctx); err != nil {
			return err
		}
	}
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	for !c.marks().Settled.After(read) && time.Now().Before(end) {
		select {
		case <-poll.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (c *check) marks() timetrace.Table {
	marks, _ := c.Trace.Table(c.Table)
	return marks
}

// recheckAll runs one round. The doubts that remain are in a spool with this name.
func (c *check) recheckAll(ctx context.Context, name string, read, end time.Time) error {
	settled := c.marks().Settled
	held, err := openHeld(c.FS, c.Dir)
	if err != nil {
		return err
	}
	defer held.stop()
	left, err := newSpool(c.FS, c.scratch(name))
	if err != nil {
		return err
	}
	asked := c.doubts
	defer asked.discard()
	c.doubts = left // discarded by end
	r := round{settled: settled, passed: settled.After(read), last: !c.Live || !time.Now().Before(end), held: held, left: left}
	for notes, err := range asked.batches(c.Batch) {
		if err != nil {
			return err
		}
		if err := c.recheckBatch(ctx, notes, r); err != nil {
			return err
		}
		if err := c.pacer.rest(ctx); err != nil {
			return err
		}
	}
	return nil
}

// recheckBatch reads the rows, then what is stored for them, then the rows that
// differ once more: a row that changed in between is not judged in this round.
func (c *check) recheckBatch(ctx context.Context, notes []note, r round) error {
	before, err := rowsOf(ctx, c.source, doc.OIDs(notes))
	if err != nil {
		return err
	}
	list, err := c.judgeAll(notes, before)
	if err != nil || len(list) == 0 {
		return err
	}
	after, err := rowsOf(ctx, c.source, doc.OIDs(list))
	if err != nil {
		return err
	}
	for _, d := range list {
		if err := c.decide(d, noteOf(d.now.stamp.OID, after), r); err != nil {
			return err
		}
	}
	return nil
}
