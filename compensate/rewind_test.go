package compensate_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/faultfs"
	"indexerd/timetrace"
)

const restarted = "the database server was restarted, restored or failed over"

// failStep fails the steps of one name.
func failStep(name string) func(string) error {
	return func(step string) error {
		if step == name {
			return syscall.EIO
		}
		return nil
	}
}

// If another server answers, or the clock stepped back, all marks are set back
// durably before a stamp is read.
func TestExactRewinds(t *testing.T) {
	tests := []struct {
		name   string
		before string // the server that S was measured on
		change func(*doc.Horizon)
		back   time.Duration // below the clock
		reason string
	}{
		{"the same server", "a", func(h *doc.Horizon) { h.Server = "a" }, 0, ""},
		{"a server for the first time", "", func(h *doc.Horizon) { h.Server = "a" }, 0, ""},
		{"a server that does not answer", "a", func(h *doc.Horizon) { *h = doc.Horizon{Reason: "refused"} }, 0, ""},
		{"another server", "a", func(h *doc.Horizon) { h.Server = "b" }, timeout, restarted},
		{"another server, no horizon yet", "a", func(h *doc.Horizon) { h.Server, h.Exact, h.At = "b", false, time.Time{} }, timeout, restarted},
		{"a standby that is behind", "a", func(h *doc.Horizon) {
			*h = doc.Horizon{Now: h.Now, Seen: h.Now.Add(-20 * time.Minute), Server: "b", Reason: "a standby"}
		}, 20*time.Minute + timeout, restarted},
		{"a step of the clock", "a", func(h *doc.Horizon) { h.Server, h.ClockBack = "a", time.Minute }, time.Minute, "the database's clock went back by 1m0s"},
		{"a step of the clock some time ago, no horizon yet", "a", func(h *doc.Horizon) {
			*h = doc.Horizon{Now: h.Now, Server: "a", ClockBack: time.Minute, Floor: h.Now.Add(-5 * time.Minute)}
		}, 5 * time.Minute, "the database's clock went back by 1m0s"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			w.Table.Advance(hour)
			now := w.Table.Clock()
			w.Update(t, func(m *timetrace.Table) {
				m.Settled, m.Incremental, m.Server = now, now, test.before
				m.SetTier("1m", now)
				m.SetTier("old", w.begin)
			})
			e := w.exact()
			e.Horizon = w.changed(test.change)
			w.Table.Before = failStep("stamps")
			_, _, _ = e.Run(t.Context()) // fails where there is something to read
			w.crash(t, faultfs.Worst)
			m := w.Marks()
			back := now.Add(-test.back)
			if !m.Settled.Equal(back) || !m.Incremental.Equal(back) || !m.Tiers["1m"].Equal(back) || !m.Tiers["old"].Equal(w.begin) {
				t.Errorf("got S %v, incremental %v, tiers %v, want none after %v", m.Settled, m.Incremental, m.Tiers, back)
			}
			if m.Unverified != test.reason {
				t.Errorf("unverified: got %q, want %q", m.Unverified, test.reason)
			}
			if h, _ := e.Horizon.Horizon(t.Context()); test.reason != "" && (m.Server != h.Server || !m.Clock.Equal(now)) {
				t.Errorf("got server %q, clock %v, want %q, %v", m.Server, m.Clock, h.Server, now)
			}
		})
	}
}

// Another server is noticed once.
func TestExactRewindsOnce(t *testing.T) {
	w := newWorld(t)
	w.Update(t, func(m *timetrace.Table) { m.Server = "a" })
	e := w.exact()
	e.Horizon = w.changed(func(h *doc.Horizon) { h.Server = "b" })
	w.Table.Advance(hour)
	run(t, w.follow)
	runExact(t, e)
	settled := w.Marks().Settled
	report := runExact(t, e)
	if m := w.Marks(); !report.Window.From.Equal(settled) || m.Server != "b" {
		t.Errorf("second run: got window %v, server %s, want it from S, %v, server b", report.Window, m.Server, settled)
	}
}

// A horizon reports a step once. If the rewind can't be written, a later run
// writes it, back to the earliest time of all steps.
func TestRewindThatCannotBeRecorded(t *testing.T) {
	w := newWorld(t)
	w.Table.Advance(hour)
	run(t, w.follow)
	e := w.exact()
	runExact(t, e)
	var back time.Duration
	e.Horizon = w.changed(func(h *doc.Horizon) { h.ClockBack, back = back, 0 })
	w.Table.Advance(-10 * time.Minute)
	want := w.Table.Clock().Add(-10 * time.Minute)
	for _, step := range []time.Duration{time.Minute, 10 * time.Minute, time.Minute} {
		back = step
		w.Files.Fail(faultfs.At(1, syscall.EROFS))
		_, _, err := e.Run(t.Context())
		if !errors.Is(err, syscall.EROFS) || !strings.HasPrefix(err.Error(), "compensate film, rewind: ") {
			t.Fatalf("got %v, want %v", err, syscall.EROFS)
		}
	}
	reported := e.Horizon
	e.Horizon = fixed(doc.Horizon{Reason: "refused"})
	runExact(t, e)
	if m := w.Marks(); m.Unverified != "" || m.Clock.IsZero() {
		t.Fatalf("got %+v, want no record of a step", m)
	}
	e.Horizon = reported
	w.Table.Advance(20 * time.Minute) // the clock has caught up
	report := runExact(t, e)
	if !report.Window.From.Equal(want) || w.Marks().Unverified == "" {
		t.Errorf("got window %v, unverified %q, want it from %v, unverified", report.Window, w.Marks().Unverified, want)
	}
}

// After a step new rows have times below the old S, and are found.
func TestClockStepsBack(t *testing.T) {
	w := newWorld(t)
	for n := range 20 {
		w.late(t, n, "before")
		runExact(t, w.exact())
	}
	const step = 5 * time.Minute
	w.Table.Advance(-step)
	e := w.exact()
	back := step
	e.Horizon = w.changed(func(h *doc.Horizon) { h.ClockBack, back = back, 0 })
	for n := range 20 {
		w.late(t, 10+n, "after")
		runExact(t, e)
		w.wantHonest(t)
	}
	w.WantAll(t)
}

// After a rewind S becomes durable again within seconds.
func TestSIsDurableSoonAfterARewind(t *testing.T) {
	w := newWorld(t)
	w.Table.Advance(hour)
	e := w.exact()
	runExact(t, e)
	w.Table.Advance(-hour / 2)
	back := hour / 2
	e.Horizon = w.changed(func(h *doc.Horizon) { h.ClockBack, back = back, 0 })
	for range 10 {
		runExact(t, e)
		w.Table.Advance(2 * time.Second)
	}
	w.crash(t, faultfs.Worst)
	if got, want := w.Marks().Settled, w.Table.Clock().Add(-12*time.Second); got.Before(want) {
		t.Errorf("S after a restart: got %v, want at least %v", got, want)
	}
}

// From tiers to a horizon and back S moves on from where it is, and at every run
// all rows below S are in the index.
func TestModeChanges(t *testing.T) {
	w := assumed(t)
	n := 0
	settled := w.Marks().Settled
	minutes := func(m int, p func()) {
		for range 2 * m {
			n++
			w.late(t, n, "late")
			p()
			w.wantHonest(t)
			if s := w.Marks().Settled; s.Before(settled) {
				t.Errorf("S fell from %v to %v", settled, s)
			}
			settled = w.Marks().Settled
		}
	}
	byTimeout := func() {
		run(t, w.tier())
		run(t, w.last())
	}
	byHorizon := func() { runExact(t, w.exact()) }

	minutes(30, byTimeout)
	if got, want := settled, w.Marks().Incremental.Add(-timeout); !got.Equal(want) {
		t.Errorf("S by timeout: got %v, want %v", got, want)
	}
	if got := runExact(t, w.exact()).Window.From; !got.Equal(settled) {
		t.Errorf("first window of the horizon: got it from %v, want from S, %v", got, settled)
	}
	minutes(30, byHorizon)
	if got, want := settled, w.Table.Clock(); !got.Equal(want) {
		t.Errorf("S by the horizon: got %v, want %v", got, want)
	}
	if got := run(t, w.last()).Window.From; !got.Equal(settled) {
		t.Errorf("first window of the last tier: got it from %v, want from S, %v", got, settled)
	}
	minutes(30, byTimeout)
	if got, want := settled, w.Marks().Incremental.Add(-timeout); !got.Equal(want) {
		t.Errorf("S by timeout again: got %v, want %v", got, want)
	}
	w.WantAll(t)
}
