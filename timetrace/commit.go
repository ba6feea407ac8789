package timetrace

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"indexerd/internal/base/recovered"
)

// A change is one call of Update.
type change struct {
	table string      // the only one that it changes; "": any
	apply func(State) // nil: it changes none
	done  bool        // guarded by writing, as is err
	err   error
}

// Update changes the marks with f, durably. After an error the state is unchanged,
// and so is the file, unless only the sync of its directory failed: then the file
// may have the new marks, which is safe because their data are durable.
//
// f may run in another caller's goroutine. Changes are made in the order of their
// calls. A file that can't be replaced fails every Update that waited for it; a
// change that can't be written fails alone.
func (t *Trace) Update(f func(State)) error { return t.commit(&change{apply: f}) }

// UpdateTable is Update for one table.
func (t *Trace) UpdateTable(name string, f func(*Table)) error {
	return t.commit(&change{table: name, apply: func(s State) {
		table := s[name]
		f(&table)
		s[name] = table
	}})
}

// Replace makes the marks of all tables those of a state.
func (t *Trace) Replace(marks State) error {
	return t.Update(func(s State) {
		clear(s)
		maps.Copy(s, marks)
	})
}

// Flush makes all notes durable.
func (t *Trace) Flush() error { return t.commit(&change{}) }

// commit waits for a replacement under way. The next one has the changes of all
// that waited: the first of them writes it, and the others find theirs done.
func (t *Trace) commit(c *change) error {
	t.mu.Lock()
	t.waiting = append(t.waiting, c)
	t.mu.Unlock()
	t.writing <- struct{}{}
	defer func() { <-t.writing }()
	if !c.done {
		t.rest()
		began := time.Now()
		t.replace()
		t.wrote = time.Since(began)
	}
	return c.err
}

const (
	// manyTables is the number of tables from which on replacements rest: the changes of
	// a load of a thousand tables would replace a megabyte for each of them.
	manyTables  = 64
	restFactor  = 3
	longestRest = 100 * time.Millisecond
)

// rest waits for more changes before the marks of many tables are replaced once more, up
// to three times as long as the last replacement took. It holds writing.
func (t *Trace) rest() {
	if len(t.blocks) < manyTables {
		return
	}
	t.mu.Lock()
	again := t.written.Add(min(restFactor*t.wrote, longestRest))
	t.mu.Unlock()
	time.Sleep(time.Until(again))
}

// Note changes the marks of one table in memory. The next replacement of the file
// makes them durable, whichever table's Update causes it. Note is for marks that
// advance over unchanged rows: after a restart with the older marks a pass compares
// the same rows again.
func (t *Trace) Note(name string, f func(*Table)) {
	if !t.note(name, f) {
		t.writing <- struct{}{}
		defer func() { <-t.writing }()
		t.note(name, f)
	}
}

// TryNote is Note for a caller that must not wait. It reports false, and changes nothing,
// where Note would.
func (t *Trace) TryNote(name string, f func(*Table)) bool { return t.note(name, f) }

// note reports false while an Update of the table is being written: whether it
// succeeds decides which marks f changes.
func (t *Trace) note(name string, f func(*Table)) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if slices.ContainsFunc(t.flight, func(c *change) bool { return c.table == name || c.table == "" && c.apply != nil }) {
		return false
	}
	table := t.state[name]
	f(&table)
	t.state[name], t.noted[name] = table, struct{}{}
	return true
}

// replace makes the waiting changes and all notes durable.
func (t *Trace) replace() {
	t.mu.Lock()
	group, noted := t.waiting, t.noted
	t.waiting, t.noted, t.flight = nil, map[string]struct{}{}, group
	r := replacement{state: maps.Clone(t.state), blocks: maps.Clone(t.blocks)}
	t.mu.Unlock()
	err := r.formatNoted(noted)
	for _, c := range group {
		if c.err = err; err == nil {
			c.err = r.make(c)
		}
	}
	if err == nil {
		err = t.write(r.blocks)
	} else {
		err = fmt.Errorf("update %s: %w", t.at, err)
	}
	for _, c := range group {
		c.done = true
		switch {
		case err != nil:
			c.err = err
		case c.err != nil:
			c.err = fmt.Errorf("update %s: %w", t.at, c.err)
		}
	}
	t.install(r, noted, err)
}

// install ends a replacement. Tables that were noted meanwhile keep their notes,
// since no change of the replacement was theirs.
func (t *Trace) install(r replacement, noted map[string]struct{}, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.flight, t.written = nil, time.Now()
	if err != nil {
		maps.Copy(t.noted, noted)
		return
	}
	t.durable, t.blocks = maps.Clone(r.state), r.blocks
	for name := range t.noted {
		r.state[name] = t.state[name]
	}
	t.state = r.state
}

// A replacement is the next content of the file.
type replacement struct {
	state  State // as a restart reads it
	blocks map[string]block
}

func (r *replacement) formatNoted(noted map[string]struct{}) error {
	for name := range noted {
		if err := r.format(name); err != nil {
			return err
		}
	}
	return nil
}

func (r *replacement) format(name string) (err error) {
	r.blocks[name], r.state[name], err = formatTable(name, r.state[name], r.blocks[name])
	return err
}

// make makes a change. After an error nothing is changed.
func (r *replacement) make(c *change) (err error) {
	switch {
	case c.apply == nil:
		return nil
	case c.table == "":
		return r.makeAny(c)
	}
	table, had := r.state[c.table]
	block := r.blocks[c.table]
	if err = c.run(r.state); err == nil {
		err = r.format(c.table)
	}
	if err == nil {
		return nil
	}
	if r.state[c.table], r.blocks[c.table] = table, block; !had {
		delete(r.state, c.table)
		delete(r.blocks, c.table)
	}
	return err
}

// makeAny makes a change of any number of tables.
func (r *replacement) makeAny(c *change) error {
	next := maps.Clone(r.state)
	if err := c.run(next); err != nil {
		return err
	}
	blocks, read, err := formatAll(next)
	if err != nil {
		return err
	}
	r.state, r.blocks = read, blocks
	return nil
}

// run returns a panic as an error: it is of another caller's change.
func (c *change) run(s State) (err error) {
	defer recovered.Into(&err)
	c.apply(s)
	return nil
}
