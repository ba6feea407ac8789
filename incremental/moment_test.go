package incremental_test

import (
	"context"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
	"indexerd/internal/test/fakeworld/machine"
	"indexerd/internal/test/faultfs"
	"indexerd/timetrace"
)

// The clock is set back while the machine is down, and has caught up when it
// starts again. The mark alone does not show such a step.
func TestStepWhileDown(t *testing.T) {
	w := newWorld(t)
	for range 600 {
		w.run(t)
	}
	before := w.Table.Clock()
	if err := w.Trace.UpdateTable(machine.Table, func(m *timetrace.Table) { m.Settle(before.Add(-time.Minute), "assumed") }); err != nil {
		t.Fatal(err)
	}
	w.Table.Advance(-step)
	w.put(1, 1, "stamped once more")
	w.Crash(t, faultfs.Worst)
	w.pass = w.newPass()
	w.Table.Advance(step + 10*time.Second) // caught up, and beyond
	w.run(t)
	w.WantAll(t)
	m := w.Marks()
	if want := before.Add(-step); m.Unverified == "" || m.Settled.After(want) {
		t.Errorf("got S %v, unverified %q, want at most %v, where the clock was set back to", m.Settled, m.Unverified, want)
	}
	w.run(t)
	if again := w.Marks(); again.Rewinds != m.Rewinds {
		t.Errorf("got %d rewinds, want one", again.Rewinds)
	}
}

// Time that passes while the machine is down is no step, and neither is a slow
// reading of the clock.
func TestNoStepWhileDown(t *testing.T) {
	w := newWorld(t)
	w.run(t)
	w.Crash(t, faultfs.Worst)
	w.pass = w.newPass()
	w.Table.Advance(time.Hour)
	w.run(t)
	w.pass.Source = &slow{Table: w.Table, took: time.Minute}
	w.run(t)
	w.run(t)
	if m := w.Marks(); m.Rewinds != 0 {
		t.Errorf("got %d rewinds, %q, want none", m.Rewinds, m.Unverified)
	}
}

// slow answers a reading of the clock late.
type slow struct {
	*fakeworld.Table
	took time.Duration
}

func (s *slow) Moment(ctx context.Context) (doc.Moment, error) {
	m, err := s.Table.Moment(ctx)
	s.Table.Advance(s.took)
	m.Local = m.Local.Add(s.took)
	return m, err
}

// A step that another pass has detected, and has set the marks back for, is not
// detected again.
func TestStepThatAnotherPassDetected(t *testing.T) {
	w := newWorld(t)
	w.run(t)
	w.Table.Advance(-step)
	now, err := w.Table.Moment(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	err = w.Trace.UpdateTable(machine.Table, func(m *timetrace.Table) {
		m.Rewind(now.Now.Add(-step), "the exact pass")
		m.Read, m.ReadLocal = now.Now, now.Local
	})
	if err != nil {
		t.Fatal(err)
	}
	w.run(t)
	if m := w.Marks(); m.Rewinds != 1 || m.Unverified != "the exact pass" {
		t.Errorf("got %d rewinds, %q, want the one that was", m.Rewinds, m.Unverified)
	}
}

// A standby shows the primary's state at Seen.
type standby struct {
	*fakeworld.Table
	seen time.Time
	why  string
}

func (s *standby) Moment(ctx context.Context) (doc.Moment, error) {
	m, err := s.Table.Moment(ctx)
	m.Seen, m.Behind = s.seen, s.why
	return m, err
}

// The mark moves no further than the standby's state, and does not go back with
// it: the window between both is read again.
func TestStandby(t *testing.T) {
	w := newWorld(t)
	s := &standby{Table: w.Table, seen: w.Table.Clock(), why: "paused"}
	w.pass.Source = s
	first := s.seen
	w.run(t)
	x := w.Table.Begin() // committed now, replayed later
	x.Put(fakeworld.Key(1), "replayed late")
	w.Table.Advance(time.Hour)
	w.run(t)
	if m := w.Marks(); !m.Incremental.Equal(first) || w.pass.At.Behind != "paused" || m.Rewinds != 0 {
		t.Errorf("got mark %v, %q, %d rewinds, want %v, as the standby shows no more", m.Incremental, w.pass.At.Behind, m.Rewinds, first)
	}
	x.Commit()
	s.seen, s.why = w.Table.Clock(), ""
	w.run(t)
	w.WantAll(t)
	if m := w.Marks(); !m.Incremental.Equal(s.seen) || w.pass.At.Behind != "" {
		t.Errorf("got mark %v, %q, want %v", m.Incremental, w.pass.At.Behind, s.seen)
	}
	caught := s.seen
	s.seen = caught.Add(-time.Minute) // the standby lost its primary, or was replaced by an older one
	report, err := w.pass.Run(t.Context())
	if want := (doc.Window{From: s.seen.Add(-time.Second), To: caught}); err != nil || report.Window != want {
		t.Errorf("got window %v, %v, want %v", report.Window, err, want)
	}
	if m := w.Marks(); !m.Incremental.Equal(caught) || m.Rewinds != 0 {
		t.Errorf("got mark %v, %d rewinds, want %v as it was", m.Incremental, m.Rewinds, caught)
	}
}
