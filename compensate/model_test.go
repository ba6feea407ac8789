package compensate_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"indexerd/compensate"
	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
	"indexerd/internal/test/fakeworld/machine"
	"indexerd/internal/test/faultfs"
)

// A history is a world with transactions that stay open for any time, and the
// passes of one process.
type history struct {
	*world
	exact   *compensate.Exact
	back    time.Duration // a step of the clock that no reading has reported
	open    []*fakeworld.Tx
	writes  int
	settled time.Time // the highest S, but for rewinds
}

func newHistory(t *testing.T) *history {
	h := &history{world: newWorld(t)}
	h.start()
	return h
}

// start makes the passes of a process.
func (h *history) start() {
	h.exact = h.world.exact()
	h.exact.Horizon = h.changed(func(r *doc.Horizon) { r.ClockBack, h.back = h.back, 0 })
	h.settled = h.Marks().Settled
}

// all runs each pass once.
func (h *history) all(t *testing.T) error {
	_, _, err := h.exact.Run(t.Context())
	if err == nil {
		_, err = h.follow.Run(t.Context())
	}
	if err == nil {
		_, err = h.tier().Run(t.Context())
	}
	if err == nil {
		err = h.Tree.Prune(h.Marks().Settled)
	}
	return err
}

// take takes one of the open transactions out.
func (h *history) take(t *rapid.T) *fakeworld.Tx {
	if len(h.open) == 0 {
		t.Skip("no transaction is open")
	}
	i := rapid.IntRange(0, len(h.open)-1).Draw(t, "tx")
	x := h.open[i]
	h.open = append(h.open[:i:i], h.open[i+1:]...)
	return x
}

// For any order of commits and faults, each row below S is in the index, and only
// rewinds and restarts set S back.
func TestHistories(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := newHistory(t)
		row := rapid.IntRange(0, 12)
		rt.Repeat(map[string]func(*rapid.T){
			"begin": func(rt *rapid.T) {
				if len(h.open) < 4 {
					h.open = append(h.open, h.Table.Begin())
				}
			},
			"commit": func(rt *rapid.T) {
				x := h.take(rt)
				for _, n := range rapid.SliceOfN(row, 1, 8).Draw(rt, "rows") {
					h.writes++
					if rapid.IntRange(0, 5).Draw(rt, "delete") == 0 {
						x.Delete(fakeworld.Key(n))
					} else {
						x.Put(fakeworld.Key(n), fmt.Sprintf("write %d", h.writes))
					}
				}
				x.Commit()
			},
			"roll back": func(rt *rapid.T) { h.take(rt).Rollback() },
			"wait": func(rt *rapid.T) {
				h.Table.Advance(time.Duration(rapid.IntRange(1, 120_000).Draw(rt, "ms")) * time.Millisecond)
			},
			"the clock steps back": func(rt *rapid.T) {
				h.back = time.Duration(rapid.IntRange(1, 600_000).Draw(rt, "ms")) * time.Millisecond
				h.Table.Advance(-h.back)
				if err := h.all(t); err != nil { // it is running when that happens
					rt.Fatal(err)
				}
				h.settled = h.Marks().Settled
			},
			"follow": func(rt *rapid.T) { run(t, h.follow) },
			"settle": func(rt *rapid.T) { runExact(t, h.exact) },
			"tier":   func(rt *rapid.T) { run(t, h.tier()) },
			"run with a fault": func(rt *rapid.T) {
				h.Before(machine.FailAt(rapid.IntRange(1, 60).Draw(rt, "step"), syscall.EIO))
				_ = h.all(t)
				h.Before(nil)
			},
			"crash": func(rt *rapid.T) {
				h.Before(fakeworld.NewCountdown(rapid.IntRange(0, 60).Draw(rt, "steps")).Before)
				_ = h.all(t)
				h.crash(t, rapid.SampledFrom([]func(int) int{faultfs.Worst, faultfs.Best}).Draw(rt, "left"))
				h.start()
			},
			"": func(rt *rapid.T) {
				if got := h.broken(); len(got) > 0 {
					rt.Fatalf("settled to %v, and missing in the index: got %v, want none", h.Marks().Settled, got)
				}
				if s := h.Marks().Settled; s.Before(h.settled) {
					rt.Fatalf("S fell from %v to %v", h.settled, s)
				} else {
					h.settled = s
				}
			},
		})
		for _, x := range h.open {
			x.Commit()
		}
		h.Table.Advance(48 * hour) // beyond what was stamped before steps
		if err := h.all(t); err != nil {
			rt.Fatal(err)
		}
		if got := h.Missing(); len(got) > 0 {
			rt.Fatalf("missing in the index: got %v, want none", got)
		}
	})
}
