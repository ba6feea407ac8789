package incremental_test

import (
	"testing"
	"time"

	"indexerd/incremental"
	"indexerd/internal/test/fakeworld"
	"indexerd/internal/test/fakeworld/machine"
	"indexerd/timetrace"
)

const (
	batch   = 5
	workers = 3
)

// A world is a machine that follows a table, which is empty at first.
type world struct {
	*machine.Machine
	pass *incremental.Pass
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{Machine: machine.New(t, fakeworld.NewTable(batch))}
	w.Table.Page = 2*batch + 1
	w.mark(t, w.Table.Clock())
	w.pass = w.newPass()
	return w
}

// mark sets the durable mark.
func (w *world) mark(t *testing.T, at time.Time) {
	t.Helper()
	if err := w.setMark(at); err != nil {
		t.Fatal(err)
	}
}

func (w *world) setMark(at time.Time) error {
	return w.Trace.UpdateTable(machine.Table, func(m *timetrace.Table) { m.Loaded, m.Incremental = true, at })
}

func (w *world) newPass() *incremental.Pass {
	return &incremental.Pass{
		Table: machine.Table, Source: w.Table, Sink: w.Sink, Trace: w.Trace,
		Batch: batch, Workers: workers,
	}
}

// restart ends the process and starts another one, with what is durable.
func (w *world) restart(t *testing.T) {
	t.Helper()
	w.Start(t)
	w.pass = w.newPass()
}

// run reads a window a second after the last event.
func (w *world) run(t *testing.T) fakeworld.Counts {
	t.Helper()
	w.Table.Advance(time.Second)
	report, err := w.pass.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return fakeworld.CountsOf(report)
}

// put commits n rows in one transaction, which therefore share an updateTime.
func (w *world) put(first, n int, title string) {
	x := w.Table.Begin()
	for i := range n {
		x.Put(fakeworld.Key(first+i), title)
	}
	x.Commit()
}

// wantHonest checks that all rows below the durable mark are in the index, if no
// transaction commits late.
func (w *world) wantHonest(t *testing.T) {
	t.Helper()
	rows := w.Table.Rows()
	for _, oid := range w.Missing() {
		if rows[oid].Updated.Before(w.Marks().Incremental) {
			t.Errorf("row %v of %v is missing, and the mark is at %v", oid, rows[oid].Updated, w.Marks().Incremental)
		}
	}
}
