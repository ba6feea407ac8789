// Package progress counts long work while it goes on: what is being done, how much of
// it, at which rate, and the time that is left.
//
// Work is a series of steps, each counted in one unit. The rate is the mean of the
// current step since it began, without what an earlier run had done of it. It is unknown
// until a part of the step is done.
package progress

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// Bytes is the unit of work that is counted in bytes. Other units are plural nouns, such
// as rows.
const Bytes = "bytes"

// Unknown is the size of a step that is not known.
const Unknown = -1

// A Meter counts the work of one caller. It is safe for concurrent use. A nil Meter
// counts nothing.
type Meter struct {
	mu       sync.Mutex
	running  bool
	step     string
	unit     string
	done, of int64
	resumed  int64 // done when the step began
	began    time.Time
	ended    time.Time
}

// A Reading is the state of a Meter at one moment.
type Reading struct {
	Running  bool
	Step     string        // what is being done, such as the name of a table; may be empty
	Unit     string        // what is counted; may be empty
	Done, Of int64         // Of is never less than Done, but 0 if it is not known
	Rate     float64       // units per second; 0: not known
	Left     time.Duration // at that rate; 0: not known, or nothing is left
}

// Step begins a step, of which an earlier run may have done a part. of may be Unknown.
func (m *Meter) Step(name, unit string, done, of int64) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.running, m.step, m.unit, m.done, m.of, m.resumed, m.began = true, name, unit, done, of, done, time.Now()
}

// Set sets how much of the step is done. The first call of a Meter without a step begins
// one, and the first that knows the size of the step begins its rate.
func (m *Meter) Set(done, of int64) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.running || m.of == Unknown && of != Unknown {
		m.running, m.resumed, m.began = true, done, time.Now()
	}
	m.done, m.of = done, of
}

// Add adds to what is done of the step.
func (m *Meter) Add(n int64) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done += n
}

// End ends the work.
func (m *Meter) End() {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.running, m.ended = false, time.Now()
}

// Reading returns the current state. More may have to be done than was counted at first:
// then Of is Done.
func (m *Meter) Reading() Reading {
	if m == nil {
		return Reading{}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	r := Reading{Running: m.running, Step: m.step, Unit: m.unit, Done: m.done}
	if r.Of = max(m.of, m.done); m.of == Unknown {
		r.Of = 0
	}
	until := time.Now()
	if !m.running {
		until = m.ended
	}
	if took := until.Sub(m.began).Seconds(); took > 0 {
		r.Rate = float64(m.done-m.resumed) / took
	}
	if r.Rate > 0 && r.Of > 0 {
		r.Left = time.Duration(float64(r.Of-r.Done) / r.Rate * float64(time.Second))
	}
	return r
}

// String returns the reading in words, without the step:
//
//	41 %, 410 of 1000 rows, 90 rows/s, 7s left
//
// It leaves out what is not known, and is empty if nothing is.
func (r Reading) String() string {
	var parts []string
	if r.Of > 0 {
		parts = append(parts, fmt.Sprintf("%d %%", 100*r.Done/r.Of))
	}
	parts = append(parts, r.Numbers()...)
	return strings.Join(parts, ", ")
}

// Numbers returns the parts of the text behind the percentage.
func (r Reading) Numbers() (parts []string) {
	unit := ""
	if r.Unit != "" {
		unit = " " + r.Unit
	}
	switch {
	case r.Unit == Bytes && r.Of > 0:
		parts = append(parts, size(r.Done)+" of "+size(r.Of))
	case r.Unit == Bytes && r.Done > 0:
		parts = append(parts, size(r.Done))
	case r.Of > 0:
		parts = append(parts, fmt.Sprintf("%d of %d%s", r.Done, r.Of, unit))
	case r.Done > 0:
		parts = append(parts, fmt.Sprintf("%d%s", r.Done, unit))
	}
	switch {
	case r.Rate <= 0 || r.Of > 0 && r.Done == r.Of: // what follows is not counted
		return parts
	case r.Unit == Bytes:
		parts = append(parts, size(int64(r.Rate))+"/s")
	default:
		parts = append(parts, strings.TrimSpace(perSecond(r.Rate)+unit)+"/s")
	}
	if r.Of > 0 {
		parts = append(parts, fmt.Sprintf("%v left", r.Left.Round(time.Second)))
	}
	return parts
}

// perSecond returns a rate with as many digits as matter.
func perSecond(rate float64) string {
	if rate < 10 {
		return fmt.Sprintf("%.1f", rate)
	}
	return fmt.Sprintf("%.0f", rate)
}

// size returns a number of bytes with a decimal unit.
func size(n int64) string {
	units := []string{"B", "kB", "MB", "GB", "TB"}
	value, i := float64(n), 0
	for ; value >= 999.5 && i < len(units)-1; i++ {
		value /= 1000
	}
	if i == 0 || value >= 10 {
		return fmt.Sprintf("%.0f %s", value, units[i])
	}
	return fmt.Sprintf("%.1f %s", value, units[i])
}
