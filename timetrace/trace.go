package timetrace

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"sync"
	"time"

	"indexerd/internal/atomicfile"
)

// A Trace is the open file with its content.
type Trace struct {
	fsys atomicfile.FS
	file string

	writing chan struct{}    // held while the file is replaced; guards blocks
	blocks  map[string]block // of the tables in the file

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
// error.
func Open(fsys atomicfile.FS, dir string) (*Trace, error) {
	t := &Trace{fsys: fsys, file: filepath.Join(dir, FileName), state: State{}, noted: map[string]struct{}{}, writing: make(chan struct{}, 1)}
	text, err := atomicfile.Read(fsys, t.file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = t.checkNew()
	case err != nil:
		err = fmt.Errorf("read the marks: %w: nothing is indexed until the file can be read", err)
	default:
		if t.state, err = parse(text); err != nil {
			err = fmt.Errorf("%s: %w: restore the file from %s.prev or a backup; indexerd does not start without its marks", t.file, err, FileName)
		}
	}
	if err != nil {
		return nil, err
	}
	t.durable = maps.Clone(t.state)
	t.blocks, _, err = formatAll(t.state)
	return t, err
}

// checkNew returns an error if the directory had the file.
func (t *Trace) checkNew() error {
	_, err := atomicfile.Read(t.fsys, t.file+".prev")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%s is missing, and its previous copy cannot be read: %w", t.file, err)
	}
	return fmt.Errorf("%s is missing but its previous copy exists: copy %s.prev to %s and start again", t.file, FileName, FileName)
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
