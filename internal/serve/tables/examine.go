package tables

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"indexerd/internal/serve/stored"
)

// examineEvery is how often an index that others can change is looked at.
const examineEvery = 10 * time.Second

// Examine ends the engine if index or pages are not those that were opened, and the
// daemon if another one has taken them over. If others have written to the index, the
// table is unverified until a sweep has compared it.
func (t *Table) Examine(ctx context.Context) error {
	if err := t.ExaminePages(ctx); err != nil {
		err = errors.Join(err, t.Distrust(err))
		if stored.IsReplaced(err) {
			t.Die(fmt.Errorf("%w: %s: %w", ErrBroken, t.Conf.Name, err))
		}
		return t.fail("pages", err)
	}
	x, ok := t.Current().(stored.Examined)
	if !ok {
		return nil
	}
	err := x.Examine(ctx)
	if t.Current() != x {
		return nil // a reindex has removed it
	}
	doubtErr := t.Distrust(err)
	if stored.IsReplaced(err) {
		t.Die(fmt.Errorf("%w: %s: %w", ErrBroken, t.Conf.Name, err))
	}
	if stored.IsForeign(err) {
		t.log.Warn("indexerd compares the index again", "why", err)
		err = nil
		t.sweepIfDoubted(0)
	}
	err = errors.Join(err, doubtErr)
	health := "unknown"
	if err == nil || stored.IsAway(err) { // a red index can't be examined
		var healthErr error
		health, healthErr = x.Health(ctx)
		err = errors.Join(err, healthErr)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.health = cmp.Or(health, "unknown")
	if err != nil && !errors.Is(err, context.Canceled) {
		t.lastError = &failure{time.Now(), "index", err}
	}
	return err
}
