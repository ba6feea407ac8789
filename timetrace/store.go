package timetrace

import (
	"fmt"
	"maps"
)

// A Store keeps the lines of each table in place of the file.
type Store interface {
	// Read returns the lines by the names of tables.
	Read() (map[string][]byte, error)
	// Write replaces the lines of these tables durably, each as a whole; nil removes a
	// table. After an error any of the tables may have been written.
	Write(tables map[string][]byte) error
	// String returns what the store is, for errors.
	String() string
}

// OpenIn reads the marks of a store. A store without lines is new. release is as in Open.
func OpenIn(s Store, release string) (*Trace, error) {
	w := stored{s, release, map[string]string{}}
	state, err := w.read()
	if err != nil {
		return nil, err
	}
	t, err := newTrace(s.String(), state, w.write)
	if err != nil {
		return nil, err
	}
	t.reload = stored{s, release, map[string]string{}}.read
	return t, nil
}

// read reads the marks of all tables.
func (w stored) read() (State, error) {
	tables, err := w.store.Read()
	if err != nil {
		return nil, fmt.Errorf("read the marks: %w", err)
	}
	state := State{}
	for name, lines := range tables {
		if state[name], err = parseTable(name, lines); err != nil {
			return nil, fmt.Errorf("the marks of %s in %s: %w", name, w.store, advise(err, lines, w.release, "restore a backup"))
		}
		w.lines[name] = string(lines)
	}
	return state, nil
}

// Reload reads the marks of a store again, for a process that only reads them. It has no
// effect on a file.
func (t *Trace) Reload() error {
	if t.reload == nil {
		return nil
	}
	state, err := t.reload()
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.state, t.durable = state, maps.Clone(state)
	return nil
}

// parseTable parses the lines of one table.
func parseTable(name string, lines []byte) (Table, error) {
	marks, err := load(lines)
	if err != nil {
		return Table{}, err
	}
	state, err := parseMarks(marks)
	if err != nil {
		return Table{}, err
	}
	if _, ok := state[name]; !ok || len(state) != 1 {
		return Table{}, fmt.Errorf("it has the lines of %d tables, want those of one, %s", len(state), name)
	}
	return state[name], nil
}

// stored is what a store has.
type stored struct {
	store   Store
	release string            // of this program
	lines   map[string]string // "": unknown, after an error
}

// write writes what differs from the store.
func (w stored) write(blocks map[string]block) error {
	changes := map[string][]byte{}
	for name, b := range blocks {
		if text := header(w.release) + b.text; w.lines[name] != text {
			changes[name] = []byte(text)
		}
	}
	for name := range w.lines {
		if _, kept := blocks[name]; !kept {
			changes[name] = nil
		}
	}
	if len(changes) == 0 {
		return nil
	}
	if err := w.store.Write(changes); err != nil {
		for name := range changes {
			w.lines[name] = ""
		}
		return fmt.Errorf("%s: %w", w.store, err)
	}
	for name, lines := range changes {
		if w.lines[name] = string(lines); lines == nil {
			delete(w.lines, name)
		}
	}
	return nil
}
