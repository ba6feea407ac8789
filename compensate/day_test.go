package compensate_test

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"indexerd/compensate"
	"indexerd/internal/doc"
	"indexerd/internal/fakeworld"
	"indexerd/internal/schedule"
)

// A day is a world whose clock runs, with writers and passes that know
// nothing of each other but what the database and the table's lane let them.
type day struct {
	*world
	t         *testing.T
	lane      *schedule.Lane
	scheduler *schedule.Scheduler
	settles   int // how often S moved
	committed int
	latest    time.Duration // the longest that a transaction was open
	onCommit  func()
}

// newDay makes a day; call it in a bubble.
func newDay(t *testing.T, w *world) *day {
	t.Helper()
	scheduler, err := schedule.New(slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	w.Table.LetClockRun()
	jitter := rand.New(rand.NewPCG(3, 4))
	w.Table.Before = func(string) error { // so that others act between the steps
		time.Sleep(time.Duration(jitter.IntN(20)) * time.Millisecond)
		return nil
	}
	return &day{world: w, t: t, lane: schedule.NewLane(), scheduler: scheduler}
}

// every runs a pass in the lane, and checks what it vouches for whenever it
// has moved S.
func (d *day) every(interval, delay time.Duration, run func(context.Context) error) {
	d.t.Helper()
	_, err := d.scheduler.Every("pass", interval, delay, func(ctx context.Context) error {
		if err := d.lane.Take(ctx); err != nil {
			return err
		}
		defer d.lane.Give()
		before := d.Marks().Settled
		if err := run(ctx); err != nil {
			d.t.Errorf("at %v: %v", d.Table.Clock(), err)
			return err
		}
		switch s := d.Marks().Settled; {
		case s.Before(before):
			d.t.Errorf("at %v: S fell from %v to %v", d.Table.Clock(), before, s)
		case s.After(before):
			d.settles++
			d.wantHonest(d.t)
		}
		return nil
	})
	if err != nil {
		d.t.Fatal(err)
	}
}

func (d *day) everyPass(interval, delay time.Duration, p pass) {
	d.t.Helper()
	d.every(interval, delay, func(ctx context.Context) error {
		_, err := p.Run(ctx)
		return err
	})
}

// followed has incremental run.
func (d *day) followed() { d.everyPass(10*time.Second, 0, d.follow) }

// rows is few, so that writers meet.
const rows = 40

// write commits transactions until the day is over. Most are short; the
// others stay open for a while, at most longest.
func (d *day) write(seed uint64, end time.Time, pause, longest time.Duration) {
	r := rand.New(rand.NewPCG(seed, 0))
	for n := 0; ; n++ {
		time.Sleep(time.Duration(r.Int64N(int64(2 * pause))))
		if time.Now().After(end) {
			return
		}
		x := d.Table.Begin()
		open := time.Duration(r.IntN(1000)) * time.Millisecond
		if n%3 == 0 {
			open = time.Duration(r.Int64N(int64(longest)))
		}
		time.Sleep(open)
		d.latest = max(d.latest, open)
		for range 1 + r.IntN(3) {
			oid := fakeworld.Key(r.IntN(rows))
			if r.IntN(10) == 0 {
				x.Delete(oid)
			} else {
				x.Put(oid, fmt.Sprintf("writer %d, transaction %d", seed, n))
			}
		}
		if r.IntN(20) == 0 {
			x.Rollback()
			continue
		}
		x.Commit()
		d.committed++
	}
}

// pass lets so much time pass, and then ends the passes.
func (d *day) spend(hours time.Duration, also ...func()) {
	d.t.Helper()
	for _, f := range also {
		go f()
	}
	time.Sleep(hours)
	if err := d.scheduler.Stop(); err != nil {
		d.t.Error(err)
	}
	synctest.Wait()
}

// writers starts three, of whom one writes in long transactions.
func (d *day) writers(hours, longest time.Duration) []func() {
	end := time.Now().Add(hours)
	return []func(){
		func() { d.write(1, end, time.Minute, longest) },
		func() { d.write(2, end, time.Minute, longest/10) },
		func() { d.write(3, end, 30*time.Second, time.Minute) },
	}
}

// A day of three tiers. Transactions stay open for almost as long as the last
// one assumes; at each of its runs every row that S passes is in the index.
func TestDayOfTiers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDay(t, assumed(t))
		d.followed()
		for _, timeout := range []time.Duration{time.Minute, 3 * time.Minute} {
			tier := d.tier()
			tier.Name, tier.Timeout = timeout.String(), timeout
			d.everyPass(timeout, timeout, tier)
		}
		d.everyPass(timeout, timeout, d.last())
		d.spend(24*hour, d.writers(23*hour, timeout-time.Second)...)
		if want := 24*6 - 3; d.settles < want {
			t.Errorf("S moved %d times, want %d and more", d.settles, want)
		}
		if d.latest < timeout-20*time.Second || d.committed < 2000 {
			t.Errorf("got %d commits, the latest of %v: they prove little", d.committed, d.latest)
		}
		d.wantAll(t)
		d.wantGhostsBelowS()
	})
}

// wantGhostsBelowS checks that what is left to the sweep are rows that were
// deleted when S had passed them.
func (d *day) wantGhostsBelowS() {
	d.t.Helper()
	for _, oid := range d.ghosts() {
		if page, _ := d.Pages.Page(oid); !page.Updated.Before(d.Marks().Settled) {
			d.t.Errorf("row %v of %v is gone, and its document is there", oid, page.Updated)
		}
	}
}

// A day of the exact horizon, with one transaction that stays open from the
// eighth hour to the eleventh.
func TestDayOfTheHorizon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDay(t, newWorld(t))
		d.followed()
		e := d.exact()
		found := 0
		d.every(10*time.Second, 0, func(ctx context.Context) error {
			before := d.Table.Rows()
			h, report, err := e.Run(ctx)
			found += report.Read
			d.wantFound(before, report.Window)
			if s := d.Marks().Settled; !s.Equal(h.At) {
				t.Errorf("at %v: S: got %v, want the horizon, %v", d.Table.Clock(), s, h.At)
			}
			return err
		})
		pin := func() {
			time.Sleep(8 * hour)
			x := d.Table.Begin()
			began := d.Table.Clock()
			time.Sleep(90 * time.Minute)
			foundBefore := found
			time.Sleep(90 * time.Minute)
			if s := d.Marks().Settled; s.After(began) {
				t.Errorf("S: got %v, want at most where the open transaction began, %v", s, began)
			}
			if found == foundBefore {
				t.Error("no late row was found while a transaction was open")
			}
			x.Put(fakeworld.Key(1000), "pin")
			x.Commit()
		}
		d.spend(24*hour, append(d.writers(23*hour, 30*time.Minute), pin)...)
		if d.settles < 7000 {
			t.Errorf("S moved %d times in 24 hours, want 7000 and more", d.settles)
		}
		d.wantAll(t)
		d.wantGhostsBelowS()
	})
}

// wantFound checks that what was committed before a run is in the index after
// it, late or not.
func (d *day) wantFound(before map[doc.OID]fakeworld.Row, w doc.Window) {
	d.t.Helper()
	now := d.Table.Rows()
	for _, oid := range d.missing() {
		if row := before[oid]; row == now[oid] && !row.Updated.Before(w.From) && row.Updated.Before(w.To) {
			d.t.Errorf("at %v: row %v of %v was committed before the run, and is missing after it", d.Table.Clock(), oid, row.Updated)
		}
	}
}

// The same day with incremental alone: what commits late is never found.
func TestIncrementalAloneNeverFindsLateRows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDay(t, newWorld(t))
		d.followed()
		var lost []doc.OID
		d.spend(24*hour, append(d.writers(8*hour, timeout), func() {
			time.Sleep(9 * hour) // the last one has committed
			lost = d.missing()
		})...)
		if len(lost) == 0 {
			t.Error("nothing was missed: these writers prove nothing")
		}
		if got := d.missing(); !slices.Equal(got, lost) {
			t.Errorf("missing 15 hours later: got %v, want the same, %v", got, lost)
		}
	})
}

var _ = maps.Keys[map[int]int]
var _ compensate.Tier
