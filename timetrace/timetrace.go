// Package timetrace stores how far each pass of each table has come, in one
// small durable text file, data/timeTrace.properties:
//
//	format = 1
//	entries = 9
//	film.source = 6b1f0c2ad9e34477
//	film.incremental = 2026-11-21T10:15:30.123456Z
//	...
//
// A mark may lag behind the data, but never lead it. A pass moves its mark last,
// with one Update, when index, pages and tree are durable. Update replaces the
// file atomically and keeps the previous copy as timeTrace.properties.prev.
//
// Open returns an error for a file that it cannot read completely: to start
// without marks would look like progress. "entries" counts the marks, and the
// last line must end with a newline, so a file that is cut anywhere is detected.
// A mark that an older version did not write is zero.
//
// Only Rewind moves marks back. It also marks the table as unverified, with the
// reason, until a full sweep ends during which no other Rewind happened.
//
// Update writes and syncs two small files.
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
	"indexerd/internal/doc"
)

// FileName is the name of the file in the data directory.
const FileName = "timeTrace.properties"

// A Table has the marks of one table. Times are times of the database clock, in
// UTC with microseconds; zero means never.
type Table struct {
	Source     string         // fingerprint of source, key and updateTime
	SQL        string         // fingerprint of the SQL
	Epoch      uint32         // of the tokens since the SQL was last described; 0: unknown
	Kinds      []doc.Kind     // of the parts of the key
	Generation doc.Generation // of the index that the marks are for
	Numbers    uint64         // FetchSeq and write numbers up to this one are used or reserved

	Load        time.Time // before the initial load read its first row
	Loaded      bool      // the initial load has ended
	Settled     time.Time // S
	Mode        string    // of S: exact, assumed or compared
	Incremental time.Time // end of the last durable window
	Read        time.Time // the database clock when that window was read
	ReadLocal   time.Time // the local clock at the same moment

	// Tiers has the incremental mark at the last run of each compensation tier, by
	// name. Copies of a Table share the map: it is never changed in place.
	Tiers map[string]time.Time

	// Units has the unit of updateTime of each SQL, by its path in the
	// configuration (sql, changes, children.actors), or UnknownUnit. It is never
	// changed in place.
	Units      map[string]string
	OutOfRange uint64 // rows with an implausible updateTime, when last counted

	Server     string    // the database server that S was measured on
	Clock      time.Time // its clock then
	Local      time.Time // the local clock at the same moment
	Sweep      time.Time // when the last full sweep that has ended began
	Rewinds    uint64    // number of calls of Rewind, Doubt and Hide
	Unverified string    // why S is not confirmed until a full sweep ends; empty: S is
	Hidden     string    // why only admins find documents until then; empty: callers find those of their groups
}

// SetTier sets the mark of a tier.
func (t *Table) SetTier(name string, mark time.Time) {
	tiers := maps.Clone(t.Tiers)
	if tiers == nil {
		tiers = map[string]time.Time{}
	}
	tiers[name] = mark
	t.Tiers = tiers
}

// UnknownUnit is the unit of an SQL that has returned no row to find it from.
const UnknownUnit = "unknown"

// SetUnit sets the unit of an SQL.
func (t *Table) SetUnit(path, unit string) {
	units := maps.Clone(t.Units)
	if units == nil {
		units = map[string]string{}
	}
	units[path] = unit
	t.Units = units
}

// Settle moves S forward, and never back.
func (t *Table) Settle(at time.Time, mode string) {
	t.Mode = mode
	if at.After(t.Settled) {
		t.Settled = at
	}
}

// Rewind moves every later mark back to a time, after the database was restored,
// failed over, or had its clock set back. It also calls Doubt: both are durable
// in one Update, so that no crash leaves marks that moved back without the sweep.
func (t *Table) Rewind(to time.Time, reason string) {
	earlier := func(mark time.Time) time.Time {
		if mark.After(to) {
			return to
		}
		return mark
	}
	t.Settled, t.Incremental = earlier(t.Settled), earlier(t.Incremental)
	tiers := make(map[string]time.Time, len(t.Tiers))
	for name, mark := range t.Tiers {
		tiers[name] = earlier(mark)
	}
	t.Tiers = tiers
	t.Doubt(reason)
}

// Doubt marks the table as unverified until a full sweep that begins later ends.
func (t *Table) Doubt(reason string) {
	t.Rewinds++
	t.Unverified = reason
}

// Hide hides every document from all callers except admins, until a full sweep
// that begins later ends. It also calls Doubt.
func (t *Table) Hide(reason string) {
	t.Hidden = reason
	t.Doubt(reason)
}

// Swept records the end of a full sweep that began at a time. rewinds is the value
// of Rewinds at its begin: if it has changed since, the table stays unverified,
// since the sweep compared a part of the rows before the change.
func (t *Table) Swept(at time.Time, rewinds uint64) {
	t.Sweep = at
	if t.Rewinds == rewinds {
		t.Unverified, t.Hidden = "", ""
	}
}

// A State has all marks by table name.
type State map[string]Table

// A Trace is the open file with its content.
type Trace struct {
	fsys atomicfile.FS
	file string

	mu      sync.Mutex
	state   State
	durable State // in the file
	noted   bool  // state has changes that durable lacks
}

// Open reads the marks of a data directory. A directory without the file is new,
// unless the previous copy exists: then the file was lost, and Open returns an
// error.
func Open(fsys atomicfile.FS, dir string) (*Trace, error) {
	t := &Trace{fsys: fsys, file: filepath.Join(dir, FileName), state: State{}}
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
	t.durable = t.state
	return t, nil
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

// Table returns the marks of a table, and reports whether it has any.
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

// Durable returns a copy of the marks that a restart would find. It first tries to
// make noted marks durable. Marks shown to a user come from Durable, so that they
// do not move back at a restart.
func (t *Trace) Durable() State {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.noted {
		_ = t.update(func(State) {}) // after an error the durable marks are still right
	}
	return maps.Clone(t.durable)
}

// Update changes the marks with f, durably. After an error the state is unchanged,
// and so is the file, unless only the sync of its directory failed: then the file
// may have the new marks, which is safe because their data are durable.
func (t *Trace) Update(f func(State)) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.update(f)
}

func (t *Trace) update(f func(State)) error {
	next := maps.Clone(t.state)
	f(next)
	text, err := format(next)
	if err == nil {
		// Parse the text, so that an unreadable file never replaces a readable one,
		// and the state is the one that a restart would find.
		next, err = parse(text)
	}
	if err != nil {
		return fmt.Errorf("update %s: %w", t.file, err)
	}
	if err := atomicfile.WriteKeeping(t.fsys, t.file, text); err != nil {
		return err
	}
	t.state, t.durable, t.noted = next, next, false
	return nil
}

// UpdateTable is Update for one table.
func (t *Trace) UpdateTable(name string, f func(*Table)) error {
	return t.Update(func(s State) {
		table := s[name]
		f(&table)
		s[name] = table
	})
}

// Note changes the marks of one table in memory. The next Update makes them
// durable. Note is for marks that advance over unchanged rows: after a restart
// with the older marks a pass compares the same rows again.
func (t *Trace) Note(name string, f func(*Table)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	next := maps.Clone(t.state)
	table := next[name]
	f(&table)
	next[name] = table
	t.state, t.noted = next, true
}
