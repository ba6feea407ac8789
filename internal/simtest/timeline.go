package simtest

import (
	"fmt"
	"hash"
	"hash/fnv"
	"slices"
	"time"

	"indexerd/internal/fakeworld"
)

// A timeline is simulated time, and what is to happen at which.
type timeline struct {
	table *fakeworld.Table
	now   time.Duration // since the run began; it only goes on
	slept time.Duration // how far the bubble's clock has followed
	queue []event       // by time, of one time in the order of adding
}

// An event is what somebody does at a time.
type event struct {
	at time.Duration
	do func()
}

// after has something done later.
func (l *timeline) after(d time.Duration, do func()) {
	e := event{l.now + d, do}
	i, _ := slices.BinarySearchFunc(l.queue, e.at, func(q event, at time.Duration) int {
		if q.at <= at {
			return -1 // behind those of the same time
		}
		return 1
	})
	l.queue = slices.Insert(l.queue, i, e)
}

// advance lets time pass, and what is to happen by then happen.
func (l *timeline) advance(d time.Duration) {
	until := l.now + d.Truncate(time.Microsecond)
	for len(l.queue) > 0 && l.queue[0].at <= until {
		e := l.queue[0]
		l.queue = l.queue[1:]
		l.passTo(e.at)
		e.do()
	}
	l.passTo(until)
}

func (l *timeline) passTo(at time.Duration) {
	l.table.Advance(at - l.now)
	l.now = at
}

// catchUp lets the bubble's clock follow. Nobody but the caller may be running.
func (l *timeline) catchUp() {
	time.Sleep(l.now - l.slept)
	l.slept = l.now
}

// A chronicle keeps all events and a digest of them.
type chronicle struct {
	timeline *timeline
	digest   hash.Hash64
	lines    []string
}

func newChronicle(l *timeline) chronicle { return chronicle{timeline: l, digest: fnv.New64a()} }

func (c *chronicle) say(format string, args ...any) {
	line := fmt.Sprintf("%11.6f %s ", c.timeline.now.Seconds(), c.timeline.table.Clock().Format("15:04:05.000000")) + fmt.Sprintf(format, args...)
	fmt.Fprintln(c.digest, line)
	c.lines = append(c.lines, line)
}
