package stamps

import (
	"fmt"
	"iter"
	"slices"
)

// maxRuns is how many runs may lie side by side: a lookup asks each of them,
// and a walk holds a block of each.
const maxRuns = 8

// put enters records, and spills whenever memory is full.
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

// fill enters records until memory is full, and returns how many.
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
	switch {
	case len(r.key) == 0 || len(r.key) > maxKey: // not kept
	case r.u == gone && !t.runs.mayHold(r.key):
		t.mem.remove(r.key)
	default:
		t.mem.put(r)
	}
}

// full leaves half of the budget to memory, however many runs there are: with
// less it would spill all the time.
func (t *Tree) full() bool {
	return t.mem.bytes() > max(t.options.Budget-t.runs.bytes(), t.options.Budget/2)
}

// spill makes memory the newest run, together with as many runs as are to be
// merged.
func (t *Tree) spill() error {
	return t.collapse(t.mem, t.tooMany())
}

// tooMany returns how many of the newest runs memory is merged with so that no
// more than maxRuns are left: where one must go, all go that are at most twice
// as large as what is newer. So a stamp is rewritten O(log n) times.
func (t *Tree) tooMany() int {
	if len(t.runs) < maxRuns {
		return 0
	}
	n, size := 1, t.runs[0].size
	for ; n < len(t.runs) && t.runs[n].size <= 2*size; n++ {
		size += t.runs[n].size
	}
	return n
}

// collapse makes one run of a memory, which is the tree's or an empty one, and
// of the n newest runs. Readers go on with what there was until it is done.
func (t *Tree) collapse(mem *memory, n int) error {
	newest, older := t.runs[:n], t.runs[n:]
	records := mem.len() + newest.records()
	filter, err := newFilter(records, t.options.Budget/2-older.bytes())
	if err != nil {
		return err
	}
	t.files++
	name := runName(t.options.Dir, t.files)
	run, err := writeRun(t.options.FS, name, filter, visible(overlay(mem.all(), newest), older))
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

// visible leaves out removals that hide nothing.
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

// forget empties the tree.
func (t *Tree) forget() {
	t.mu.Lock()
	runs := t.runs
	t.mem, t.runs = newMemory(), nil
	t.mu.Unlock()
	_ = runs.release() // there is an error already; a file that stays is removed by the next New
}
