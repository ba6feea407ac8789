package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"
)

// examineEvery is how often an index that others can change is looked at.
const examineEvery = 10 * time.Second

// examine ends the engine if index or pages are not those that were opened, and the
// daemon if another one has taken them over. If others have written to the index, the
// table is unverified until a sweep has compared it.
func (t *table) examine(ctx context.Context) error {
	if err := t.examinePages(ctx); err != nil {
		err = errors.Join(err, t.distrust(err))
		if isReplaced(err) {
			t.die(fmt.Errorf("%w: %s: %w", errBroken, t.conf.Name, err))
		}
		return t.fail("pages", err)
	}
	x, ok := t.current().(examined)
	if !ok {
		return nil
	}
	err := x.Examine(ctx)
	if t.current() != x {
		return nil // a reindex has removed it
	}
	doubtErr := t.distrust(err)
	if isReplaced(err) {
		t.die(fmt.Errorf("%w: %s: %w", errBroken, t.conf.Name, err))
	}
	if isForeign(err) {
		t.log.Warn("indexerd compares the index again", "why", err)
		err = nil
		t.sweepIfDoubted(0)
	}
	err = errors.Join(err, doubtErr)
	health := "unknown"
	if err == nil || isAway(err) { // a red index can't be examined
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
