package compensate_test

import (
	"maps"
	"testing"
	"time"

	"indexerd/compensate"
	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
	"indexerd/timetrace"
)

const hour = time.Hour

// at is so many minutes after the load.
func (w *world) at(minutes float64) time.Time {
	return w.begin.Add(time.Duration(minutes * float64(time.Minute)))
}

// Ts = Last(N) at the previous run - TO, Te = Last(N) - End, and not below S.
func TestTierWindow(t *testing.T) {
	type minutes = float64
	const none = minutes(-1000)
	tests := []struct {
		name           string
		timeout, end   time.Duration
		mark, settled  minutes // after the load; mark none: the tier has not run
		last           minutes // Last(N)
		from, to       minutes
		settles        bool
		wantS, wantOwn minutes
	}{
		{name: "first run after the load", timeout: time.Minute, mark: none, settled: -10, last: 1,
			from: -1, to: 1, wantS: -10, wantOwn: 1},
		{name: "later run", timeout: 3 * time.Minute, mark: 30, settled: 19, last: 33,
			from: 27, to: 33, wantS: 19, wantOwn: 33},
		{name: "not run for long", timeout: time.Minute, mark: 30, settled: 19, last: 210,
			from: 29, to: 210, wantS: 19, wantOwn: 210},
		{name: "added later", timeout: time.Minute, mark: none, settled: 490, last: 501,
			from: 490, to: 501, wantS: 490, wantOwn: 501},
		{name: "ends at a duration", timeout: 3 * time.Minute, end: 30 * time.Second, mark: 30, settled: 19, last: 33,
			from: 27, to: 32.5, wantS: 19, wantOwn: 33},
		{name: "ends settled", timeout: 3 * time.Minute, end: 3 * time.Minute, mark: 30, settled: 19, last: 33,
			from: 27, to: 30, wantS: 19, wantOwn: 33},
		{name: "cut off at S", timeout: 3 * time.Minute, mark: 30, settled: 32.9, last: 33,
			from: 32.9, to: 33, wantS: 32.9, wantOwn: 33},
		{name: "S beyond the end", timeout: 3 * time.Minute, end: time.Minute, mark: 30, settled: 32.9, last: 33,
			from: 32.9, to: 32, wantS: 32.9, wantOwn: 33},
		{name: "last tier, first run", timeout: timeout, end: timeout, mark: none, settled: -10, last: 10, settles: true,
			from: -10, to: 0, wantS: 0, wantOwn: 10},
		{name: "last tier, later run", timeout: timeout, end: timeout, mark: 30, settled: 20, last: 40, settles: true,
			from: 20, to: 30, wantS: 30, wantOwn: 40},
		{name: "last tier that ends latest", timeout: timeout, mark: 30, settled: 20, last: 40, settles: true,
			from: 20, to: 40, wantS: 30, wantOwn: 40},
		{name: "last tier, not run for long", timeout: timeout, end: timeout, mark: 30, settled: 20, last: 400, settles: true,
			from: 20, to: 390, wantS: 390, wantOwn: 400},
		{name: "last tier under another name", timeout: timeout, end: timeout, mark: none, settled: 20, last: 40, settles: true,
			from: 20, to: 30, wantS: 30, wantOwn: 40},
		{name: "last tier with a shorter timeout than before", timeout: 2 * time.Minute, end: 2 * time.Minute, mark: 30, settled: 20, last: 40, settles: true,
			from: 20, to: 38, wantS: 38, wantOwn: 40},
		{name: "last tier with a longer timeout than before", timeout: hour, end: hour, mark: 30, settled: 20, last: 40, settles: true,
			from: 20, to: -20, wantS: 20, wantOwn: 40},
		{name: "last tier after a horizon", timeout: timeout, end: timeout, mark: none, settled: 39.9, last: 40, settles: true,
			from: 39.9, to: 30, wantS: 39.9, wantOwn: 40},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := assumed(t)
			w.Update(t, func(m *timetrace.Table) {
				m.Settled, m.Incremental = w.at(test.settled), w.at(test.last)
				m.SetTier("other", w.at(5))
				if test.mark != none {
					m.SetTier("own", w.at(test.mark))
				}
			})
			report := run(t, &compensate.Tier{
				Table: "film", Name: "own", Timeout: test.timeout, End: test.end, Settles: test.settles,
				Comparison: w.comparison(), Trace: w.Trace,
			})
			if want := (doc.Window{From: w.at(test.from), To: w.at(test.to)}); report.Window != want {
				t.Errorf("window: got %v, want %v", report.Window, want)
			}
			m := w.Marks()
			if want := w.at(test.wantS); !m.Settled.Equal(want) {
				t.Errorf("S: got %v, want %v", m.Settled, want)
			}
			want := map[string]time.Time{"own": w.at(test.wantOwn), "other": w.at(5)}
			if !maps.EqualFunc(m.Tiers, want, time.Time.Equal) {
				t.Errorf("tiers: got %v, want %v", m.Tiers, want)
			}
		})
	}
}

// A tier finds rows that committed within its timeout, and the last tier moves S
// past them.
func TestTierFindsLateRows(t *testing.T) {
	w := assumed(t)
	for n := range 3 * batch {
		w.late(t, n, "late")
	}
	if got := len(w.Missing()); got != 3*batch {
		t.Fatalf("missing after incremental: got %d, want all %d", got, 3*batch)
	}
	report := run(t, w.tier())
	w.WantAll(t)
	if got, want := fakeworld.CountsOf(report), (fakeworld.Counts{Read: 3 * batch, Compared: 3 * batch, Added: 3 * batch}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := report.Late.Max; got < 30*time.Second {
		t.Errorf("largest lateness: got %v, want 30s and more", got)
	}
	w.Table.Advance(2 * timeout)
	run(t, w.follow)
	run(t, w.last())
	w.wantHonest(t)
	if got, want := w.Marks().Settled, w.Table.Clock().Add(-timeout); !got.Equal(want) {
		t.Errorf("S: got %v, want %v", got, want)
	}
}

// After its timeout was shortened a tier still compares everything from S on.
func TestShorterTimeoutLeavesNoGap(t *testing.T) {
	w := assumed(t)
	w.Table.Advance(hour)
	w.late(t, 1, "late")
	w.Table.Advance(5 * time.Minute)
	run(t, w.follow)
	run(t, w.last()) // settled to a time before the row
	w.Table.Advance(30 * time.Minute)
	run(t, w.follow)
	last := w.last()
	last.Timeout, last.End = time.Minute, time.Minute
	run(t, last)
	w.wantHonest(t)
	w.WantAll(t)
}

// If updateTime is coarse, a row of the tick that S lies in has the tick's
// beginning as its updateTime, and may still commit.
func TestCoarseUpdateTimeOfTier(t *testing.T) {
	for _, tick := range []time.Duration{0, time.Second} {
		w := assumed(t)
		w.Table.Precision = time.Second
		w.Table.Advance(999 * time.Millisecond)
		x := w.Table.Begin() // has a time almost a second earlier
		x.Put(fakeworld.Key(1), "late")
		last := w.last()
		last.Tick = tick
		w.Table.Advance(timeout - time.Millisecond) // the longest it may stay open, but for a millisecond
		run(t, w.follow)
		run(t, last)
		x.Commit()
		if got, want := len(w.broken()) > 0, tick == 0; got != want {
			t.Errorf("tick %v: got a promise broken %t, want %t", tick, got, want)
		}
	}
}

// Only a rewind sets S back.
func TestTierNeverTakesSBack(t *testing.T) {
	w := newWorld(t)
	w.Table.Advance(hour)
	run(t, w.follow)
	runExact(t, w.exact())
	proven := w.Marks().Settled
	w.Table.Advance(time.Minute)
	run(t, w.follow)
	run(t, w.last())
	if m := w.Marks(); !m.Settled.Equal(proven) || m.Mode != "assumed" {
		t.Errorf("got S %v, %s, want %v, assumed", m.Settled, m.Mode, proven)
	}
}
