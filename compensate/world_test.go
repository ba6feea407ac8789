package compensate_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"indexerd/compensate"
	"indexerd/incremental"
	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
	"indexerd/internal/test/fakeworld/machine"
	"indexerd/timetrace"
)

const (
	batch   = 5
	timeout = 10 * time.Minute
)

// A world is a machine that follows a table, from an empty one on.
type world struct {
	*machine.Machine
	begin  time.Time // the marks are there at first
	follow *incremental.Pass
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{Machine: machine.New(t, fakeworld.NewTable(batch))}
	w.Table.Page = 2*batch + 1
	w.begin = w.Table.Clock()
	w.Update(t, func(m *timetrace.Table) {
		m.Loaded, m.Load, m.Incremental, m.Settled, m.Mode = true, w.begin, w.begin, w.begin, "exact"
	})
	w.follow = w.newFollow()
	return w
}

// assumed is a world in which no horizon is known.
func assumed(t testing.TB) *world {
	t.Helper()
	w := newWorld(t)
	w.Update(t, func(m *timetrace.Table) { m.Settled, m.Mode = w.begin.Add(-timeout), "assumed" })
	return w
}

func (w *world) newFollow() *incremental.Pass {
	return &incremental.Pass{Table: machine.Table, Source: w.Table, Sink: w.Sink, Trace: w.Trace, Batch: batch, Workers: 1}
}

// crash ends the process and the machine, and begins another process that
// knows what is left on disk.
func (w *world) crash(t testing.TB, pick func(int) int) {
	t.Helper()
	w.Crash(t, pick)
	w.follow = w.newFollow()
}

func (w *world) comparison() *compensate.Comparison {
	return &compensate.Comparison{Source: w.Table, Tree: w.Tree, Sink: w.Sink, Batch: batch}
}

// tier is a short one.
func (w *world) tier() *compensate.Tier {
	return &compensate.Tier{Table: machine.Table, Name: "1m", Timeout: time.Minute, Comparison: w.comparison(), Trace: w.Trace}
}

// last is the tier that moves S.
func (w *world) last() *compensate.Tier {
	return &compensate.Tier{
		Table: machine.Table, Name: "10m", Timeout: timeout, End: timeout, Settles: true,
		Comparison: w.comparison(), Trace: w.Trace,
	}
}

func (w *world) exact() *compensate.Exact {
	return &compensate.Exact{Table: machine.Table, Timeout: timeout, Horizon: w.Table, Comparison: w.comparison(), Trace: w.Trace}
}

func (w *world) compared() *compensate.Compared {
	return &compensate.Compared{Table: machine.Table, Hints: w.Table, Comparison: w.comparison(), Trace: w.Trace}
}

// runExact runs the pass and fails the test if it does.
func runExact(t testing.TB, e *compensate.Exact) doc.Report {
	t.Helper()
	_, report, err := e.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// pass is what Tier and Compared are.
type pass interface {
	Run(context.Context) (doc.Report, error)
}

func run(t testing.TB, p pass) doc.Report {
	t.Helper()
	report, err := p.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// late begins a transaction, lets incremental pass over it, and commits a row
// then.
func (w *world) late(t testing.TB, n int, title string) {
	t.Helper()
	x := w.Table.Begin()
	x.Put(fakeworld.Key(n), title)
	w.Table.Advance(30 * time.Second)
	run(t, w.follow)
	x.Commit()
}

// broken returns the rows below S of which the index lacks the newest version.
func (w *world) broken() []doc.OID {
	s, rows := w.Marks().Settled, w.Table.Rows()
	return slices.DeleteFunc(w.Missing(), func(oid doc.OID) bool { return !rows[oid].Updated.Before(s) })
}

func (w *world) wantHonest(t testing.TB) {
	t.Helper()
	if got := w.broken(); len(got) > 0 {
		t.Errorf("settled to %v, and missing in the index: got %v, want none", w.Marks().Settled, got)
	}
}
