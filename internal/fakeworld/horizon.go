package fakeworld

import (
	"context"
	"strconv"
	"time"

	"indexerd/internal/doc"
)

// Horizon is the clock, or the time at which the oldest open transaction
// began.
func (t *Table) Horizon(ctx context.Context) (doc.Horizon, error) {
	if err := t.before(ctx, "horizon"); err != nil {
		return doc.Horizon{}, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.clock()
	h := doc.Horizon{At: now, Now: now, Local: time.Now(), Exact: true, Version: strconv.Itoa(t.commits)}
	for x := range t.open {
		if x.began.Before(h.At) {
			h.At, h.Pin = x.began, &doc.Pin{Age: now.Sub(x.began)}
		}
	}
	return h, nil
}

// Version is another one after every commit.
func (t *Table) Version(ctx context.Context) (string, error) {
	if err := t.before(ctx, "version"); err != nil {
		return "", err
	}
	return strconv.Itoa(t.snapshot()), nil
}
