// Package machine runs a real sink, tree of stamps and timeTrace over the fake
// table and storage of package fakeworld, for the tests of passes.
//
// Every step of the table, the storage and the file system calls the function
// given to Before, which can fail the step. Crash keeps index, pages and
// quarantine, and of the files what was synced; everything in memory is lost.
package machine

import (
	"math"
	"slices"
	"sync"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/state/stamps"
	"indexerd/internal/sync/sink"
	"indexerd/internal/test/fakeworld"
	"indexerd/internal/test/faultfs"
	"indexerd/timetrace"
)

// Table is the name of the indexed table.
const Table = "film"

// A Machine indexes a table.
type Machine struct {
	Table      *fakeworld.Table
	Index      *fakeworld.Index
	Pages      *fakeworld.Pages
	Quarantine *fakeworld.Quarantine
	Files      *faultfs.FS // has the directory data/film
	Limits     sink.Limits // of the guard; they take effect at the next start
	Budget     int64       // of the tree in bytes, from the next start on; 0: the default

	// Start replaces these.
	Trace *timetrace.Trace
	Tree  *stamps.Tree
	Guard *sink.Guard
	Sink  *sink.Sink
}

// New returns a running machine with empty storage.
func New(t testing.TB, table *fakeworld.Table) *Machine {
	t.Helper()
	m := NewStopped(t, table)
	m.Start(t)
	return m
}

// NewStopped returns a machine with empty storage, and no process yet.
func NewStopped(t testing.TB, table *fakeworld.Table) *Machine {
	t.Helper()
	m := &Machine{
		Table: table, Index: fakeworld.NewIndex(1), Pages: fakeworld.NewPages(), Quarantine: fakeworld.NewQuarantine(),
		Files: faultfs.New(), Limits: sink.Limits{Count: math.MaxInt}, // no removal is held
	}
	if err := m.Files.MkdirAll(Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return m
}

// Dir is the directory of the table's files.
const Dir = "data/" + Table

// Start replaces the process by a new one, which reads its state from disk.
func (m *Machine) Start(t testing.TB) {
	t.Helper()
	if err := m.Open(); err != nil {
		t.Fatal(err)
	}
}

// Open is Start for a caller whose files may fail. After an error there is no
// process.
func (m *Machine) Open() (err error) {
	if m.Trace, err = timetrace.Open(m.Files, "data", "test"); err != nil {
		return err
	}
	if m.Tree, err = stamps.New(stamps.Options{FS: m.Files, Dir: Dir + "/stamps", Budget: m.Budget}); err != nil {
		return err
	}
	m.Guard = sink.NewGuard(m.Limits, m.Index.Count)
	m.Sink = sink.New(m.Index, m.Pages, m.Tree, m.Quarantine, m.Guard, m.Reserve)
	m.Table.Numbers = m.Sink
	return nil
}

// Reserve makes n sequence numbers durable and returns the first.
func (m *Machine) Reserve(n uint64) (first uint64, err error) {
	err = m.Trace.UpdateTable(Table, func(t *timetrace.Table) {
		first = t.Numbers + 1
		t.Numbers += n
	})
	return first, err
}

// Before makes every step of table, storage and files call f first. A nil f
// removes the call.
func (m *Machine) Before(f func(step string) error) {
	m.Table.Before, m.Index.Before, m.Pages.Before, m.Quarantine.Before = f, f, f, f
	if f == nil {
		m.Files.Fail(nil)
		return
	}
	m.Files.Fail(func(s faultfs.Step) error { return f(s.Op) })
}

// Crash cuts the power and starts the machine again. pick chooses what is left of
// files that were not synced, as in faultfs.FS.Crash.
func (m *Machine) Crash(t testing.TB, pick func(int) int) {
	t.Helper()
	m.Before(nil)
	m.Files = m.Files.Crash(pick)
	m.Start(t)
}

// Marks returns the table's marks in timeTrace.
func (m *Machine) Marks() timetrace.Table {
	marks, _ := m.Trace.Table(Table)
	return marks
}

// Update changes the table's marks.
func (m *Machine) Update(t testing.TB, f func(*timetrace.Table)) {
	t.Helper()
	if err := m.Trace.UpdateTable(Table, f); err != nil {
		t.Fatal(err)
	}
}

// Missing returns the rows of which the index does not have the newest version.
func (m *Machine) Missing() []doc.OID { return m.different(true) }

// Ghosts returns the documents whose rows are deleted.
func (m *Machine) Ghosts() []doc.OID { return m.different(false) }

// different returns the keys of differences whose rows exist, or do not.
func (m *Machine) different(exist bool) []doc.OID {
	rows := m.Table.Rows()
	return slices.DeleteFunc(fakeworld.Different(m.Table, m.Index), func(oid doc.OID) bool {
		_, ok := rows[oid]
		return ok != exist
	})
}

// WantAll reports an error if a row is Missing.
func (m *Machine) WantAll(t testing.TB) {
	t.Helper()
	if got := m.Missing(); len(got) > 0 {
		t.Errorf("missing in the index: got %v, want none", got)
	}
}

// A Counter counts steps by name.
type Counter struct {
	mu    sync.Mutex
	steps map[string]int
}

// Before returns a function that counts the step and then calls f, unless f is
// nil.
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

// Of returns the number of steps with a name.
func (c *Counter) Of(step string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.steps[step]
}

// FailAt returns a function that fails only the k-th step, counted from 1.
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
