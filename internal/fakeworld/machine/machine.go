// Package machine is the machine of the fake world: a real sink and a real
// trace over what is stored, for the tests of passes. Each step on its disk,
// and each query to the table, can fail or be the last one before a crash.
package machine

import (
	"math"
	"sync"
	"testing"

	"indexerd/internal/fakeworld"
	"indexerd/internal/faultfs"
	"indexerd/internal/sink"
	"indexerd/internal/stamps"
	"indexerd/timetrace"
)

// Table is the name of the table that is indexed.
const Table = "film"

// A Machine indexes a table.
type Machine struct {
	Table      *fakeworld.Table
	Index      *fakeworld.Index
	Pages      *fakeworld.Pages
	Quarantine *fakeworld.Quarantine
	Files      *faultfs.FS // with the directory data/film
	Limits     sink.Limits // of the guard from the next start on

	// Of the process that runs.
	Trace *timetrace.Trace
	Tree  *stamps.Tree
	Guard *sink.Guard
	Sink  *sink.Sink
}

// New makes a machine that has nothing of the table yet, and starts it.
func New(t testing.TB, table *fakeworld.Table) *Machine {
	t.Helper()
	m := &Machine{
		Table: table, Index: fakeworld.NewIndex(1), Pages: fakeworld.NewPages(), Quarantine: fakeworld.NewQuarantine(),
		Files: faultfs.New(), Limits: sink.Limits{Count: math.MaxInt}, // lets everything through
	}
	if err := m.Files.MkdirAll("data/"+Table, 0o700); err != nil {
		t.Fatal(err)
	}
	m.Start(t)
	return m
}

// Start begins a process, which knows what is on disk and no more.
func (m *Machine) Start(t testing.TB) {
	t.Helper()
	trace, err := timetrace.Open(m.Files, "data")
	if err != nil {
		t.Fatal(err)
	}
	tree, err := stamps.New(stamps.Options{FS: m.Files, Dir: "data/" + Table + "/stamps"})
	if err != nil {
		t.Fatal(err)
	}
	m.Trace, m.Tree = trace, tree
	m.Guard = sink.NewGuard(m.Limits, m.Index.Count)
	m.Sink = sink.New(m.Index, m.Pages, m.Tree, m.Quarantine, m.Guard, func(n uint64) (first uint64, err error) {
		err = trace.UpdateTable(Table, func(t *timetrace.Table) {
			first = t.Numbers + 1
			t.Numbers += n
		})
		return first, err
	})
	m.Table.Numbers = m.Sink
}

// Before has each step and each query preceded by f; nil ends that.
func (m *Machine) Before(f func(step string) error) {
	m.Table.Before, m.Index.Before, m.Pages.Before, m.Quarantine.Before = f, f, f, f
	if f == nil {
		m.Files.Fail(nil)
		return
	}
	m.Files.Fail(func(s faultfs.Step) error { return f(s.Op) })
}

// Crash cuts the power and starts the machine again, with what pick leaves of
// its files.
func (m *Machine) Crash(t testing.TB, pick func(int) int) {
	t.Helper()
	m.Before(nil)
	m.Files = m.Files.Crash(pick)
	m.Start(t)
}

// Marks are the marks of the table.
func (m *Machine) Marks() timetrace.Table {
	marks, _ := m.Trace.Table(Table)
	return marks
}

// A Counter counts steps by name.
type Counter struct {
	mu    sync.Mutex
	steps map[string]int
}

// Before counts the steps ahead of f, which may be nil.
func (c *Counter) Before(f func(step string) error) func(step string) error {
	return func(step string) error {
		c.mu.Lock()
		if c.steps == nil {
			c.steps = map[string]int{}
		}
		c.steps[step]++
		c.mu.Unlock()
		if f == nil {
			return nil
		}
		return f(step)
	}
}

// Of is how many steps of a name there were.
func (c *Counter) Of(step string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.steps[step]
}

// FailAt fails the k-th step, from 1, and no other.
func FailAt(k int, err error) func(step string) error {
	var mu sync.Mutex
	return func(string) error {
		mu.Lock()
		defer mu.Unlock()
		if k--; k == 0 {
			return err
		}
		return nil
	}
}
