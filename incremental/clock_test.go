package incremental_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
	"indexerd/internal/test/fakeworld/machine"
	"indexerd/internal/test/faultfs"
	"indexerd/timetrace"
)

const step = 5 * time.Minute

// After the clock was set back new rows get times that were read before. So the
// next window begins as far behind the clock as the clock was set back.
func TestClockStepsBack(t *testing.T) {
	w := newWorld(t)
	for range 600 {
		w.run(t)
	}
	before := w.Table.Clock()
	open := w.Table.Begin() // stamps before the step, commits after it
	open.Put(fakeworld.Key(1), "before")
	w.Table.Advance(-step)
	w.put(2, 1, "after")
	open.Commit()
	report, err := w.pass.Run(t.Context())
	want := doc.Window{From: before.Add(-2*step - time.Second), To: before.Add(-step)}
	if err != nil || report.Window != want {
		t.Errorf("got %v, %v, want %v", report.Window, err, want)
	}
	for range 600 {
		w.put(3, 1, "second pass")
		w.run(t)
		w.wantHonest(t)
	}
	w.WantAll(t)
}

// A step is detected although the durable mark lags behind idle windows.
func TestStepShorterThanTheLagOfTheMark(t *testing.T) {
	w := newWorld(t)
	for range 9 {
		w.run(t)
	}
	const step = 4 * time.Second
	w.Table.Advance(-step)
	now := w.Table.Clock()
	report, err := w.pass.Run(t.Context())
	if want := (doc.Window{From: now.Add(-step - time.Second), To: now}); err != nil || report.Window != want {
		t.Errorf("got %v, %v, want %v", report.Window, err, want)
	}
	if w.Marks().Unverified == "" {
		t.Error("no sweep is due after a step")
	}
}

// A step sets all marks back and schedules a sweep, in one record with a reason.
func TestStepRewindsAllMarks(t *testing.T) {
	w := newWorld(t)
	for range 600 {
		w.run(t)
	}
	old := w.Table.Clock()
	err := w.Trace.UpdateTable(machine.Table, func(m *timetrace.Table) { m.Settle(old.Add(-time.Minute), "assumed") })
	if err != nil {
		t.Fatal(err)
	}
	w.Table.Advance(-step)
	if _, err := w.pass.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	m := w.Marks()
	if want := old.Add(-2 * step); !m.Settled.Equal(want) {
		t.Errorf("settled: got %v, want %v", m.Settled, want)
	}
	if want := "the database's clock went back by 5m0s"; m.Unverified != want {
		t.Errorf("unverified: got %q, want %q", m.Unverified, want)
	}
	if want := old.Add(-step); !m.Incremental.Equal(want) {
		t.Errorf("incremental: got %v, want the end of the window, %v", m.Incremental, want)
	}
}

// A step is remembered if its window fails or the process ends, and the clock has
// caught up by the next run.
func TestStepIsRememberedThroughFailures(t *testing.T) {
	interruptions := map[string]func(*testing.T, *world){
		"the window fails": func(t *testing.T, w *world) {
			w.Table.Before = func(step string) error {
				if step == "stamps" {
					return doc.ErrUnavailable
				}
				return nil
			}
			if _, err := w.pass.Run(t.Context()); !errors.Is(err, doc.ErrUnavailable) {
				t.Fatalf("got %v, want %v", err, doc.ErrUnavailable)
			}
			w.Table.Before = nil
		},
		"the window fails, and the machine": func(t *testing.T, w *world) {
			w.Before(func(step string) error {
				if step == "stamps" {
					return fakeworld.ErrCrash
				}
				return nil
			})
			if _, err := w.pass.Run(t.Context()); !errors.Is(err, fakeworld.ErrCrash) {
				t.Fatalf("got %v, want %v", err, fakeworld.ErrCrash)
			}
			w.Crash(t, faultfs.Worst)
			w.pass = w.newPass()
		},
		"the process ends after an idle window": func(t *testing.T, w *world) {
			if _, err := w.pass.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			w.restart(t)
		},
	}
	for name, interrupt := range interruptions {
		for _, back := range []time.Duration{1500 * time.Millisecond, 4 * time.Second, step} {
			w := newWorld(t)
			for range 1200 {
				w.run(t)
			}
			w.Table.Advance(-back)
			interrupt(t, w)
			w.Table.Advance(time.Millisecond)
			w.put(1, 1, "second pass")
			w.Table.Advance(back + 2*time.Second) // beyond where the clock was
			w.run(t)
			if got := w.Missing(); len(got) > 0 {
				t.Errorf("%s after a step of %v: missing %v", name, back, got)
			}
		}
	}
}

// A step whose rewind can't be written is detected again by the next run.
func TestStepThatCannotBeRecorded(t *testing.T) {
	w := newWorld(t)
	for range 9 { // idle: the durable mark lags behind
		w.run(t)
	}
	w.Table.Advance(-2 * time.Second)
	w.Files.Fail(faultfs.At(1, syscall.EROFS))
	if _, err := w.pass.Run(t.Context()); !errors.Is(err, syscall.EROFS) || !strings.HasPrefix(err.Error(), "incremental film: ") {
		t.Fatalf("got %v, want %v", err, syscall.EROFS)
	}
	if m := w.Marks(); m.Unverified != "" {
		t.Fatalf("got %+v, want no record of a step", m)
	}
	if _, err := w.pass.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if m := w.Marks(); m.Unverified == "" {
		t.Errorf("got %+v, want a record of the step", m)
	}
}

// A step within the overlap schedules no sweep: the overlap covers it.
func TestSmallStepsAreCoveredByTheOverlap(t *testing.T) {
	w := newWorld(t)
	for i := range 100 {
		w.put(i, 1, "row")
		if i%3 == 0 {
			w.Table.Advance(-time.Second)
		} else {
			w.Table.Advance(600 * time.Millisecond)
		}
		w.put(1000+i, 1, "row")
		if _, err := w.pass.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if i%10 == 0 {
			w.restart(t)
		}
	}
	w.run(t)
	w.run(t) // the clock is past the times before the last step
	w.WantAll(t)
	if m := w.Marks(); m.Unverified != "" {
		t.Errorf("unverified: got %q, want no step", m.Unverified)
	}
}

// Small steps add up. The durable mark is never ahead of the last window, or a
// restart would miss rows with times that were used before.
func TestSmallStepsAddUp(t *testing.T) {
	w := newWorld(t)
	w.put(1, 1, "row")
	w.run(t)
	for range 3 {
		w.Table.Advance(-time.Second)
		if _, err := w.pass.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	w.restart(t)
	w.put(2, 1, "second pass")
	w.Table.Advance(4 * time.Second)
	w.run(t)
	w.WantAll(t)
}
