package stamps

import "slices"

// prune removes the stamps below a floor.
func (t *Tree) prune(floor int64) error {
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

// raise raises the floor of every run, and takes the oldest ones out that have
// nothing above it. A newer one has to stay even so: it hides what is older.
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

// mostlyPruned reports whether rewriting the runs would leave less than half
// of them. The first record of each block is the sample that says so: its u
// has nothing to do with where blocks begin.
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

// prune returns the memory without what is below the floor. hides tells which
// keys an older run may hold: those stay, as removals.
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

// rebuild prunes into a new memory: cheaper than many removals, and the arena
// begins anew.
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
