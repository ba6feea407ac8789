package stamps

import "slices"

// prune removes the stamps below a floor.
func (t *Tree) prune(floor int64) error {
	t.floor = floor
	if err := t.raise(floor).release(); err != nil {
		return err
	}
	t.mu.Lock()
	t.mem = t.mem.prune(floor, t.runs.mayHold)
	t.mu.Unlock()
	if t.runs.mostlyPruned() {
		return t.collapse(newMemory(), len(t.runs))
	}
	return nil
}

// raise raises the floor of every run, and returns the oldest runs that have no
// record above it, which leave the tree. A newer run stays, since it may hide older
// records.
func (t *Tree) raise(floor int64) (out layers) {
	runs := slices.Clone(t.runs)
	for i := range runs {
		runs[i].floor = max(runs[i].floor, floor)
	}
	n := len(runs)
	for n > 0 && runs[n-1].newest < runs[n-1].floor {
		n--
	}
	t.mu.Lock()
	t.runs = runs[:n]
	t.mu.Unlock()
	return runs[n:]
}

// mostlyPruned reports whether more than half of the runs is pruned, estimated by
// the first record of each block. Blocks are cut by size, so these are a fair
// sample.
func (ls layers) mostlyPruned() bool {
	var pruned, blocks int
	for _, l := range ls {
		blocks += len(l.blocks)
		for _, b := range l.blocks {
			if b.u != gone && b.u < l.floor {
				pruned++
			}
		}
	}
	return 2*pruned > blocks
}

// prune returns the memory without the records below the floor. A key that an older
// run may have, as hides reports, stays as a removal.
func (m *memory) prune(floor int64, hides func(key []byte) bool) *memory {
	var bury, drop []entry
	var key []byte
	few := int(m.len() / 4)
	m.tree.Ascend(func(e entry) bool {
		if e.u >= floor {
			return true
		}
		key = m.arena.appendKey(key[:0], e)
		switch hidden := hides(key); {
		case !hidden:
			drop = append(drop, e)
		case e.u != gone:
			e.u = gone
			bury = append(bury, e)
		}
		return len(bury)+len(drop) <= few
	})
	if len(bury)+len(drop) > few || m.dead > m.arena.size()/2 {
		return m.rebuild(floor, hides)
	}
	for _, e := range bury {
		m.tree.ReplaceOrInsert(e)
	}
	for _, e := range drop {
		m.drop(e)
	}
	return m
}

// rebuild prunes into a new memory with a new arena, which is cheaper than many
// removals.
func (m *memory) rebuild(floor int64, hides func(key []byte) bool) *memory {
	n := newMemory()
	for r := range m.all() {
		if r.u < floor {
			if !hides(r.key) {
				continue
			}
			r.u = gone
		}
		n.put(r)
	}
	return n
}
