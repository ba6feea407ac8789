package simtest

import (
	"fmt"
	"hash"
	"hash/fnv"
	"slices"
	"time"

	"indexerd/internal/test/fakeworld"
)

// A timeline is the simulated time and the events planned on it.
type timeline struct {
	table *fakeworld.Table
	now   time.Duration // since the run began; it never falls
	began time.Time     // by the bubble's clock
	queue []event       // by time, then in the order of adding
}

// An event is a function that runs at a time.
type event struct {
	at time.Duration
	do func()
}

// after plans an event.
func (l *timeline) after(d time.Duration, do func()) {
	e := event{l.now + d, do}
	i, _ := slices.BinarySearchFunc(l.queue, e.at, func(q event, at time.Duration) int {
		if q.at <= at {
			return -1 // after events of the same time
		}
		return 1
	})
	l.queue = slices.Insert(l.queue, i, e)
}

// advance advances the time by d and runs the events that fall due.
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

// catchUp advances the bubble's clock to the simulated time, or the simulated time
// to the bubble's clock if a pass has waited. No other goroutine may be running.
func (l *timeline) catchUp() {
	if ahead := l.now - time.Since(l.began); ahead > 0 {
		time.Sleep(ahead)
	} else {
		l.advance(-ahead)
	}
}

// An eventLog keeps a line per event and a digest of all lines.
type eventLog struct {
	timeline *timeline
	digest   hash.Hash64
	lines    []string
}

func newEventLog(l *timeline) eventLog { return eventLog{timeline: l, digest: fnv.New64a()} }

func (c *eventLog) printf(format string, args ...any) {
	line := fmt.Sprintf("%11.6f %s ", c.timeline.now.Seconds(), c.timeline.table.Clock().Format("15:04:05.000000")) + fmt.Sprintf(format, args...)
	fmt.Fprintln(c.digest, line)
	c.lines = append(c.lines, line)
}
