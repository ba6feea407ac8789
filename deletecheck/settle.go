package deletecheck

import (
	"context"
	"time"

	"indexerd/internal/doc"
	"indexerd/timetrace"
)

// pollEvery is how often a Verify looks whether S has moved.
const pollEvery = 100 * time.Millisecond

// A round asks for all doubts again.
type round struct {
	settled time.Time // S, read before anything else
	passed  bool      // S has passed the time by which the doubts were last read
	last    bool      // there is no time for another round
	held    *heldList
	left    *spool // what is still in doubt
}

// settle asks for the doubts again: they may have been in flight. First at
// once, then whenever S has passed the time by which they were read, as long as
// there is time to wait. What is then as it was, and still not in the index, is
// a difference.
func (c *check) settle(ctx context.Context) error {
	end := time.Now().Add(c.Wait)
	read, err := c.source.Now(ctx)
	if err != nil {
		return err
	}
	for name, other := "verify.left", "verify.doubts"; c.doubts.count > 0; name, other = other, name {
		if err := c.ask(ctx, name, read, end); err != nil {
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

// wait waits until S has passed a time, or there is no more time to wait.
func (c *check) wait(ctx context.Context, read, end time.Time) error {
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

// ask does one round; what is left in doubt is in the spool of a name.
func (c *check) ask(ctx context.Context, name string, read, end time.Time) error {
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
	c.doubts = left // which end discards
	r := round{settled: settled, passed: settled.After(read), last: !c.Live || !time.Now().Before(end), held: held, left: left}
	for notes, err := range asked.batches(c.Batch) {
		if err != nil {
			return err
		}
		if err := c.askBatch(ctx, notes, r); err != nil {
			return err
		}
		if err := c.pace.rest(ctx); err != nil {
			return err
		}
	}
	return nil
}

// askBatch reads the rows, then what is stored of them, then the rows of those
// that differ: one that has changed in between can't be judged by it.
func (c *check) askBatch(ctx context.Context, notes []note, r round) error {
	before, err := rowsOf(ctx, c.source, keysOf(notes))
	if err != nil {
		return err
	}
	list, err := c.judgeAll(notes, before)
	if err != nil || len(list) == 0 {
		return err
	}
	oids := make([]doc.OID, len(list))
	for i := range list {
		oids[i] = list[i].now.stamp.OID
	}
	after, err := rowsOf(ctx, c.source, oids)
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
