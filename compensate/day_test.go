package compensate_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/schedule"
	"indexerd/internal/test/fakeworld"
)

// A day is a world whose clock runs, with writers and passes that share nothing
// but the database and the table's lane.
type day struct {
	*world
	t       *testing.T
	length  time.Duration
	lane    *schedule.Lane
	passes  sync.WaitGroup
	end     context.CancelFunc // ends them
	ctx     context.Context    // until the end
	settles int                // how often S moved

	mu        sync.Mutex
	committed int
	longest   time.Duration // that a transaction was open
}

// newDay makes a day; call it in a bubble.
func newDay(t *testing.T, w *world) *day {
	t.Helper()
	d := &day{world: w, t: t, length: 24 * hour, lane: schedule.NewLane()}
	d.ctx, d.end = context.WithCancel(t.Context())
	w.Table.LetClockRun()
	jitter := rand.New(rand.NewPCG(3, 4))
	w.Table.Before = func(string) error { // so that others act between the steps
		d.mu.Lock()
		pause := time.Duration(jitter.IntN(20)) * time.Millisecond
		d.mu.Unlock()
		time.Sleep(pause)
		return nil
	}
	return d
}

// every runs a pass in the lane at an interval, as a scheduler does, whose ten beats a
// second would be most of what a day costs. It checks all rows below S when S has moved.
func (d *day) every(interval time.Duration, run func(context.Context) (doc.Report, error)) {
	d.passes.Go(func() {
		due := time.NewTicker(interval)
		defer due.Stop()
		for {
			select {
			case <-due.C:
				d.pass(run)
			case <-d.ctx.Done():
				return
			}
		}
	})
}

func (d *day) pass(run func(context.Context) (doc.Report, error)) {
	if d.lane.Take(d.ctx) != nil {
		return // the day is over
	}
	defer d.lane.Give()
	before := d.Marks().Settled
	if _, err := run(d.ctx); err != nil {
		if d.ctx.Err() == nil {
			d.t.Errorf("at %v: %v", d.Table.Clock(), err)
		}
		return
	}
	switch s := d.Marks().Settled; {
	case s.Before(before):
		d.t.Errorf("at %v: S fell from %v to %v", d.Table.Clock(), before, s)
	case s.After(before):
		d.settles++
		d.wantHonest(d.t)
	}
}

// write commits transactions until an hour before the day is over. Every third
// stays open for a while.
func (d *day) write(seed uint64, pause, longest time.Duration) {
	r := rand.New(rand.NewPCG(seed, 0))
	upTo := func(most time.Duration) time.Duration { return time.Duration(r.Int64N(int64(most))) }
	const rows = 40 // so few that writers meet
	for end := time.Now().Add(d.length - hour); time.Now().Before(end); {
		time.Sleep(upTo(2 * pause))
		x := d.Table.Begin()
		open := upTo(time.Second)
		if r.IntN(3) == 0 {
			open = upTo(longest)
		}
		time.Sleep(open)
		for range 1 + r.IntN(3) {
			if oid := fakeworld.Key(r.IntN(rows)); r.IntN(10) == 0 {
				x.Delete(oid)
			} else {
				x.Put(oid, fmt.Sprintf("writer %d at %v", seed, d.Table.Clock()))
			}
		}
		if r.IntN(20) == 0 {
			x.Rollback()
			continue
		}
		x.Commit()
		d.mu.Lock()
		d.committed++
		d.longest = max(d.longest, open)
		d.mu.Unlock()
	}
}

// spend lets the day pass, with three writers and act.
func (d *day) spend(longest time.Duration, act func()) {
	d.t.Helper()
	go d.write(1, time.Minute, longest)
	go d.write(2, time.Minute, longest/10)
	go d.write(3, 30*time.Second, time.Minute)
	go act()
	time.Sleep(d.length)
	d.end()
	d.passes.Wait()
	synctest.Wait()
	if want := int(d.length / time.Minute); d.committed < want || d.longest < longest*9/10 {
		d.t.Errorf("got %d commits, the latest after %v, want %d and about %v", d.committed, d.longest, want, longest)
	}
}

// wantAllButGhosts checks that all rows are in the index, and that only
// documents of rows that were deleted below S are left to the sweep.
func (d *day) wantAllButGhosts() {
	d.t.Helper()
	d.WantAll(d.t)
	for _, oid := range d.Ghosts() {
		if page, _ := d.Pages.Page(oid); !page.Updated.Before(d.Marks().Settled) {
			d.t.Errorf("row %v of %v is gone, and its document is there", oid, page.Updated)
		}
	}
}

// A day with three tiers. Transactions stay open for almost as long as the last
// tier assumes.
func TestDayOfTiers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDay(t, assumed(t))
		d.every(10*time.Second, d.follow.Run)
		for _, minutes := range []time.Duration{1, 3} {
			tier := d.tier()
			tier.Timeout = minutes * time.Minute
			tier.Name = tier.Timeout.String()
			d.every(tier.Timeout, tier.Run)
		}
		d.every(timeout, d.last().Run)
		d.spend(timeout-time.Second, func() {})
		if want := int(d.length/timeout) - 2; d.settles < want {
			t.Errorf("S moved %d times, want %d and more", d.settles, want)
		}
		d.wantAllButGhosts()
	})
}

// A day with an exact horizon, and one transaction that stays open for an eighth
// of it.
func TestDayOfTheHorizon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDay(t, newWorld(t))
		d.every(10*time.Second, d.follow.Run)
		e := d.exact()
		d.every(20*time.Second, func(ctx context.Context) (doc.Report, error) {
			before := d.Table.Rows()
			h, report, err := e.Run(ctx)
			if err != nil {
				return report, err // of the end of the day, or pass reports it
			}
			d.wantFound(before, report.Window)
			if s := d.Marks().Settled; !s.Equal(h.At) {
				t.Errorf("at %v: S: got %v, want the horizon, %v", d.Table.Clock(), s, h.At)
			}
			return report, nil
		})
		d.spend(3*time.Minute, func() {
			time.Sleep(d.length / 3)
			x := d.Table.Begin()
			began := d.Table.Clock()
			time.Sleep(d.length / 8)
			if s := d.Marks().Settled; s.After(began) || s.Before(began.Add(-3*time.Minute)) {
				t.Errorf("S: got %v, want it to wait where the open transaction began, %v", s, began)
			}
			x.Put(fakeworld.Key(1000), "pin")
			x.Commit()
		})
		if want := int(d.length / time.Minute); d.settles < want {
			t.Errorf("S moved %d times, want %d and more", d.settles, want)
		}
		d.wantAllButGhosts()
	})
}

// wantFound checks that what was committed before a run is in the index after
// it, late or not, while S waits or not.
func (d *day) wantFound(before map[doc.OID]fakeworld.Row, w doc.Window) {
	d.t.Helper()
	in := func(r fakeworld.Row) bool { return !r.Updated.Before(w.From) && r.Updated.Before(w.To) }
	missing := d.Missing()
	if len(missing) == 0 {
		return
	}
	now := d.Table.Rows()
	for _, oid := range missing {
		if in(now[oid]) && before[oid] == now[oid] {
			d.t.Errorf("at %v: row %v of %v was committed before the run, and is missing after it", d.Table.Clock(), oid, now[oid].Updated)
		}
	}
}
