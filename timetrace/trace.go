package timetrace

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"sync"
	"time"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/scrub"
)

// A Trace is the open file, or Store, with its content.
type Trace struct {
	at     string                              // the file or the store, for errors
	write  func(blocks map[string]block) error // makes the blocks of all tables durable
	reload func() (State, error)               // nil: a file
	read   func() ([]byte, error)              // nil: a Store

	writing chan struct{}    // held while the file is replaced; guards blocks
	blocks  map[string]block // of the tables in the file
	wrote   time.Duration    // what the last replacement took, guarded by writing

	mu      sync.Mutex
	state   State
	durable State               // in the file
	noted   map[string]struct{} // tables whose state may differ from durable
	waiting []*change           // in the order of their calls
	flight  []*change           // those that are being written
	written time.Time           // when the file was last replaced, or could not be
}

// Open reads the marks of a data directory. A directory without the file is new,
// unless the previous copy exists: then the file was lost, and Open returns an
// error. release is the program's version: the file names it as its writer.
func Open(fsys atomicfile.FS, dir, release string) (*Trace, error) {
	file := filepath.Join(dir, FileName)
	state, err := readFile(fsys, file, release)
	if err != nil {
		return nil, err
	}
	t, err := newTrace(file, state, func(blocks map[string]block) error {
		return atomicfile.WriteKeeping(fsys, file, join(blocks, release))
	})
	if err == nil {
		t.read = func() ([]byte, error) { return atomicfile.Read(fsys, file) }
	}
	return t, err
}

// newTrace returns a trace with the marks that were read.
func newTrace(at string, state State, write func(map[string]block) error) (t *Trace, err error) {
	t = &Trace{at: at, write: write, state: state, durable: maps.Clone(state), noted: map[string]struct{}{}, writing: make(chan struct{}, 1)}
	t.blocks, _, err = formatAll(state)
	return t, err
}

func readFile(fsys atomicfile.FS, file, release string) (State, error) {
	text, err := atomicfile.Read(fsys, file)
	if errors.Is(err, fs.ErrNotExist) {
		return State{}, checkNew(fsys, file)
	}
	if err != nil {
		return nil, fmt.Errorf("read the marks: %w: nothing is indexed until the file can be read", err)
	}
	state, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, advise(err, text, release, "restore the file from "+FileName+".prev or a backup; indexerd does not start without its marks"))
	}
	return state, nil
}

// Scrub reads the file, and writes it again from memory if it is damaged. It reads nothing
// of a Store.
func (t *Trace) Scrub(r *scrub.Run) error {
	if t.read == nil {
		return nil
	}
	r.Files++
	text, err := t.read()
	if err != nil {
		return err
	}
	if _, err := parse(text); err != nil {
		r.Found(t.at, err)
		if err := t.Flush(); err != nil && !errors.Is(err, atomicfile.ErrReadOnly) {
			return err
		}
	}
	return r.Read(len(text))
}

// checkNew returns an error if the directory had the file.
func checkNew(fsys atomicfile.FS, file string) error {
	_, err := atomicfile.Read(fsys, file+".prev")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%s is missing, and its previous copy cannot be read: %w", file, err)
	}
	return fmt.Errorf("%s is missing but its previous copy exists: copy %s.prev to %s and start again", file, FileName, FileName)
}

// Table returns the marks of a table, and reports whether it has any. They do not
// include an Update that has not returned.
func (t *Trace) Table(name string) (Table, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	table, ok := t.state[name]
	return table, ok
}

// Tables returns a copy of all marks.
func (t *Trace) Tables() State {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.state)
}

// DurableTable returns the marks of a table that a restart would find.
func (t *Trace) DurableTable(name string) Table {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.durable[name]
}

// showEvery is how often Durable makes noted marks durable.
const showEvery = time.Second

// Durable returns a copy of the marks that a restart would find. If marks were
// noted, it first tries to make them durable, unless the file was replaced within
// the last second. Marks shown to a user come from Durable, so that they do not
// move back at a restart.
func (t *Trace) Durable() State {
	if t.mayFlush() {
		_ = t.Flush() // after an error the durable marks are still right
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.durable)
}

func (t *Trace) mayFlush() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.noted) > 0 && time.Since(t.written) >= showEvery
}
