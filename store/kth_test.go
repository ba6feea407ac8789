package store

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"
	"testing"

	"indexerd/internal/faultfs"
)

// TestKthFailure runs an operation on pages again and again: its first step on
// the disk goes wrong, then its second, and so on until it ends untouched. After
// each it has either said so or is done, the map goes on as health.go has it,
// what was acknowledged is there page by page, and the operation, done again,
// completes.
func TestKthFailure(t *testing.T) {
	for _, op := range pageOperations {
		for _, f := range pageFaults {
			t.Run(op.name+" "+f.name, func(t *testing.T) {
				base := op.prepare(t)
				met, within, stride := 0, 0, 1
				if testing.Short() {
					stride = 11
				}
				defer func() {
					verdict := "ok"
					if t.Failed() {
						verdict = "MISS"
					}
					fmt.Printf("kth pages: op=%s fault=%s steps=%d in_compaction=%d %s\n", op.name, f.name, met, within, verdict)
				}()
				for k := 1; ; k += stride {
					m := newMishap(t, op, f, k, base)
					if !m.befalls() {
						m.ends()
						break
					}
					met++
					if m.within {
						within++
					}
					if m.reopened { // then on what the kernel still has, too
						m := newMishap(t, op, f, k, base)
						m.spared = true
						m.befalls()
					}
				}
			})
		}
	}
}

// A pageFault is what goes wrong, and with which steps.
type pageFault struct {
	name  string
	err   error
	ops   []string // any, if none is named
	lasts bool     // until there is space again
}

// A write that fails has written half, whatever the fault.
var pageFaults = []pageFault{
	{name: "EIO", err: syscall.EIO},
	{name: "ENOSPC", err: syscall.ENOSPC, ops: []string{"OpenFile", "Write", "WriteAt", "Rename"}, lasts: true},
	{name: "short", err: io.ErrShortWrite, ops: []string{"Write", "WriteAt"}},
}

// A mishap is one run of an operation whose k-th step fails.
type mishap struct {
	*history
	op         pageOperation
	fault      pageFault
	k          int
	round      int // of writing: no two write the same
	fs         *faultfs.FS
	hit        *faultfs.Step // the first step that failed
	compacting bool          // a compaction is under way
	within     bool          // it was when the step failed
	reopened   bool          // the map had to be opened again
	spared     bool          // without a power cut before
}

// newMishap opens a map on a copy of a disk.
func newMishap(t testing.TB, op pageOperation, f pageFault, k int, base *mishap) *mishap {
	t.Helper()
	m := &mishap{history: newHistory(t, 1), op: op, fault: f, k: k, fs: faultfs.New()}
	m.options = Options{SegmentBytes: 1 << 12, Compression: None, CompactRate: -1}
	if base != nil {
		m.fs = base.fs.Crash(faultfs.Best)
		m.known, m.pending, m.round = base.known, base.known, base.round
	}
	m.opens()
	return m
}

// befalls runs the operation, and proves that all is well afterwards; false: no
// step was left to fail.
func (m *mishap) befalls() bool {
	m.t.Helper()
	m.fs.Fail(m.fails())
	err := m.op.run(m)
	if m.hit != nil && m.fault.lasts && m.goesOn() {
		m.check("while it lasts")
		m.said(m.op.run(m))
	}
	m.fs.Fail(nil)
	if err == nil && m.hit == nil {
		m.check("untouched")
		return false
	}
	m.said(err)
	m.check(fmt.Sprintf("in the same process, after %v", err))
	cut := m.overcomes()
	if err := m.op.run(m); err != nil {
		m.fatal("done again: %v", err)
	}
	m.check("done again")
	if cut {
		m.fs = m.fs.Crash(faultfs.Worst)
		m.opens()
		m.check("after a power cut")
	}
	if err := m.m.Close(); err != nil {
		m.fatal("Close: %v", err)
	}
	m.opens()
	m.check("opened again")
	return true
}

// ends wants an untouched compaction to have been one.
func (m *mishap) ends() {
	m.t.Helper()
	rewritten := func(s *segment) bool { return s.rewrite > 0 }
	if m.op.compacts && !slices.ContainsFunc(*m.m.order.Load(), rewritten) {
		m.fatal("got no segment rewritten, want some")
	}
}

// fails makes the k-th of the steps that can fail so fail, and further ones
// where the fault lasts.
func (m *mishap) fails() func(faultfs.Step) error {
	n := 0
	return func(s faultfs.Step) error {
		if len(m.fault.ops) > 0 && !slices.Contains(m.fault.ops, s.Op) {
			return nil
		}
		if n++; n != m.k && !(m.fault.lasts && n > m.k) {
			return nil
		}
		if m.hit == nil {
			m.hit, m.within = &s, m.compacting
		}
		return m.fault.err
	}
}

func (m *mishap) fatal(format string, args ...any) {
	m.t.Helper()
	m.t.Fatalf("%s at step %d (%+v): %s", m.fault.name, m.k, m.hit, fmt.Sprintf(format, args...))
}

// said wants an error to be the fault, in one line.
func (m *mishap) said(err error) {
	m.t.Helper()
	if err != nil && (!errors.Is(err, m.fault.err) || strings.Contains(err.Error(), "\n")) {
		m.fatal("got %q, want one line that says %q", err, m.fault.err)
	}
}

// goesOn reports whether the map says that it does.
func (m *mishap) goesOn() bool { return m.m != nil && !m.m.closed.Load() && m.m.Err() == nil }

// overcomes opens the map again where it has to be, after a power cut or
// without, and reports whether the power may go later. What was written before
// a sync that failed can be read until then and not after: docs/bugs.md has
// this among what is known.
func (m *mishap) overcomes() bool {
	m.t.Helper()
	if m.goesOn() {
		return true
	}
	if m.m != nil && !m.m.closed.Load() {
		if err := m.m.Close(); err == nil {
			m.fatal("Close of a map that had failed: got no error")
		}
	}
	m.reopened = true
	if !m.spared {
		m.fs = m.fs.Crash(faultfs.Worst)
	}
	m.opens()
	m.check("opened after it")
	return !m.spared || m.hit.Op != "Sync"
}

func (m *mishap) opens() {
	m.t.Helper()
	m.options.FS = m.fs
	if err := m.open(); err != nil {
		m.fatal("Open: %v", err)
	}
}

// check compares the map with what is known, and takes what of the operation
// under way is there for known.
func (m *mishap) check(when string) {
	m.t.Helper()
	if m.m == nil || m.m.closed.Load() {
		return
	}
	defer func() {
		m.t.Helper()
		if m.t.Failed() {
			m.t.Logf("%s at step %d (%+v), %s", m.fault.name, m.k, m.hit, when)
		}
	}()
	if err := m.m.Check(); err != nil {
		m.t.Fatalf("Check: %v", err)
	}
	compareFamily(m.t, m.m.Family(0), m.known.pages[0], m.pending.pages[0])
	if !m.goesOn() {
		return // what it could not vouch for may be there when it is opened again
	}
	adopted := m.known.clone()
	for _, model := range []*model{m.known, m.pending} {
		for oid := range model.pages[0] {
			if got := bodies(m.t, m.m.Family(0), oid); got != nil {
				adopted.pages[0][oid] = got
			} else {
				adopted.delete(0, oid)
			}
		}
	}
	m.known, m.pending = adopted, adopted
}
