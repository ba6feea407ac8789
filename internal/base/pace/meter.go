package pace

import (
	"context"
	"slices"
	"sync/atomic"
	"time"
)

// A Meter adds up the time of the statements that are sent under a context.
type Meter struct{ spent atomic.Int64 }

type meterKey struct{}

// Metered returns a context, and the meter of its statements. The meter of an outer
// context does not count them.
func Metered(ctx context.Context) (context.Context, *Meter) {
	m := new(Meter)
	return context.WithValue(ctx, meterKey{}, m), m
}

// Spent returns the time of the statements that have ended.
func (m *Meter) Spent() time.Duration { return time.Duration(m.spent.Load()) }

// A Cost is the median cost of the last runs of a task that repeats. A single run
// beside other work takes longer, and does not delay the next one by as much. The zero
// Cost is that of a task that never ran.
type Cost struct{ last []time.Duration }

// recentRuns is how many runs count.
const recentRuns = 5

// Add adds the cost of a run.
func (c *Cost) Add(took time.Duration) {
	if c.last = append(c.last, took); len(c.last) > recentRuns {
		c.last = c.last[1:]
	}
}

// Median returns the median, of two the higher one.
func (c *Cost) Median() time.Duration {
	if len(c.last) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(c.last))[len(c.last)/2]
}

func meter(ctx context.Context, d time.Duration) {
	if m, ok := ctx.Value(meterKey{}).(*Meter); ok {
		m.spent.Add(int64(d))
	}
}
