package stamps

import (
	"fmt"
	"iter"
	"slices"
)

// maxRuns limits the runs: a lookup may read a block of each, and an iteration holds
// a block of each.
const maxRuns = 8

// put puts records, and spills whenever memory is full.
func (t *Tree) put(records []record) error {
	for len(records) > 0 {
		records = records[t.fill(records):]
		if t.full() {
			if err := t.spill(); err != nil {
				return err
			}
		}
	}
	return nil
}

// fill puts records until memory is full, and returns how many.
func (t *Tree) fill(records []record) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, r := range records {
		if t.full() {
			return i
		}
		t.enter(r)
	}
	return len(records)
}

func (t *Tree) enter(r record) {
	if r.u < t.floor {
		r.u = gone
	}
	switch {
	case len(r.key) == 0 || len(r.key) > maxKey: // not kept
	case r.u == gone && !t.runs.mayHold(r.key):
		t.mem.remove(r.key)
	default:
		t.mem.put(r)
	}
}

// full reports whether memory exceeds its part of the budget, which is at least half
// of it, however large filters and indexes of the runs are.
func (t *Tree) full() bool {
	return t.mem.bytes() > max(t.options.Budget-t.runs.bytes(), t.options.Budget/2)
}

// spill writes memory, with the newest runs if there are too many, as one run.
func (t *Tree) spill() error {
	return t.collapse(t.mem, t.runs.tooMany())
}

// writeRun writes records to the next file, and returns nil if there are none.
func (t *Tree) writeRun(filter *filter, records iter.Seq2[record, error]) (*run, error) {
	return writeRun(t.options.FS, runName(t.options.Dir, t.files.Add(1)), filter, records)
}

// tooMany returns how many of the newest runs are merged, with memory, so that at most
// maxRuns are left. If one is merged, so are all that are at most twice as large as
// the newer ones together. So a stamp is written O(log n) times.
func (ls layers) tooMany() int {
	if len(ls) < maxRuns {
		return 0
	}
	n, size := 1, ls[0].size
	for ; n < len(ls) && ls[n].size <= 2*size; n++ {
		size += ls[n].size
	}
	return n
}

// collapse writes one run from a memory, which is the tree's or an empty one, and
// the n newest runs. Readers use the old state until it is done.
func (t *Tree) collapse(mem *memory, n int) error {
	newest, older := t.runs[:n], t.runs[n:]
	records := mem.len() + newest.records()
	filter, err := newFilter(records, t.options.Budget/2-older.bytes())
	if err != nil {
		return err
	}
	run, err := t.writeRun(filter, visible(overlay(mem.all(), newest), older))
	if err != nil {
		return fmt.Errorf("spill %d stamps: %w", records, err)
	}
	runs := slices.Clone(older)
	if run != nil {
		runs = slices.Insert(runs, 0, layer{run: run, floor: lowest})
	}
	t.mu.Lock()
	t.runs = runs
	if mem == t.mem {
		t.mem = newMemory()
	}
	t.mu.Unlock()
	return newest.release()
}

// visible drops removals that hide no older record.
func visible(records iter.Seq2[record, error], older layers) iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		for r, err := range records {
			if err == nil && r.u == gone && !older.mayHold(r.key) {
				continue
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// clear empties the tree.
func (t *Tree) clear() {
	t.mu.Lock()
	runs := t.runs
	t.mem, t.runs = newMemory(), nil
	t.mu.Unlock()
	_ = runs.release() // the caller returns an earlier error; New removes a file that stays
}
