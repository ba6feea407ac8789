// Package timetrace keeps how far each pass of each table has come, in one
// small durable file, data/timeTrace.properties, that people can read:
//
//	format = 1
//	entries = 9
//	film.source = 6b1f0c2ad9e34477
//	film.incremental = 2026-11-21T10:15:30.123456Z
//	...
//
// Invariant: a mark may lag the data it speaks of, never lead it. Passes move
// their mark last, by one Update, after the index, the pages and the tree are
// durable. An Update replaces the file atomically and keeps the previous copy
// as timeTrace.properties.prev.
//
// A file that can't be read whole is never taken for an empty one: starting
// again from nothing would look like progress. "entries" counts the marks and
// the last line has its end, so that a file cut anywhere is noticed. A mark that
// an older version did not write is zero.
//
// Marks go back only by a Rewind, which also says why the table is unverified;
// only a full sweep that saw no other Rewind takes that word back.
//
// Cost: an Update is two small files written and synced, whatever changed.
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

// FileName is the trace's name in the data directory.
const FileName = "timeTrace.properties"

// A Table holds the marks of one table. Times are the database's, in UTC with
// microseconds; zero means never.
type Table struct {
	Source     string         // fingerprint of where rows come from: source, key, updateTime
	SQL        string         // fingerprint of the SQL
	Epoch      uint32         // of the tokens that the SQL's last description gave; 0: not known
	Kinds      []doc.Kind     // the key's parts
	Generation doc.Generation // the index that the marks speak of
	Numbers    uint64         // FetchSeq and write numbers up to this one are given out or reserved

	Load        time.Time // the database's time before the initial load read its first row
	Loaded      bool      // the initial load has ended
	Settled     time.Time // S
	Mode        string    // how S is known: exact, assumed or compared
	Incremental time.Time // end of the last durable window
	Read        time.Time // the database's clock when that window was read, and
	ReadLocal   time.Time // this machine's at the same moment

	// Tiers holds, for each compensation tier by name, the incremental mark at
	// its last run. Never changed in place: copies of a Table share it.
	Tiers map[string]time.Time

	// Units holds, for each SQL by its path in the configuration (sql, changes,
	// children.actors), the unit in which its updateTime counts, or UnknownUnit.
	// Never changed in place.
	Units      map[string]string
	OutOfRange uint64 // rows whose updateTime is no plausible time, when they were last counted

	Server     string    // the database server that S was measured on
	Clock      time.Time // its clock then, and
	Local      time.Time // this machine's at the same moment
	Sweep      time.Time // the database's time at which the last full sweep began that has ended
	Rewinds    uint64    // how often the marks went back
	Unverified string    // why a full sweep has to come before S is believed; empty: it need not
	Hidden     string    // why only admins find documents until then; empty: callers find what their groups may see
}

// SetTier moves a tier's mark.
func (t *Table) SetTier(name string, mark time.Time) {
	tiers := maps.Clone(t.Tiers)
	if tiers == nil {
		tiers = map[string]time.Time{}
	}
	tiers[name] = mark
	t.Tiers = tiers
}

// UnknownUnit says that an SQL was looked at, and that no row told its unit yet.
const UnknownUnit = "unknown"

// SetUnit keeps the unit of an SQL.
func (t *Table) SetUnit(path, unit string) {
	units := maps.Clone(t.Units)
	if units == nil {
		units = map[string]string{}
	}
	units[path] = unit
	t.Units = units
}

// Settle moves S forward. It never falls but by Rewind.
func (t *Table) Settle(at time.Time, mode string) {
	t.Mode = mode
	if at.After(t.Settled) {
		t.Settled = at
	}
}

// Rewind takes every mark back to at most a time, because the database is no
// longer what they were measured on: restored, failed over, its clock set
// back. Together with the reason it is one durable record, so that no crash
// can leave marks rewound and the sweep forgotten.
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

// Doubt says that the index may not be what the marks claim, until a full
// sweep that begins after this has ended.
func (t *Table) Doubt(reason string) {
	t.Rewinds++
	t.Unverified = reason
}

// Hide hides every document from all callers but admins, until the column of
// groups is back and a full sweep that begins after this has ended.
func (t *Table) Hide(reason string) {
	t.Hidden = reason
	t.Doubt(reason)
}

// Swept says that a full sweep has ended, which began at a time, when the marks
// had gone back so often. Where they have since, another sweep is due: this one
// compared a part of the database before it became another.
func (t *Table) Swept(at time.Time, rewinds uint64) {
	t.Sweep = at
	if t.Rewinds == rewinds {
		t.Unverified, t.Hidden = "", ""
	}
}

// State is all marks, by table name.
type State map[string]Table

// A Trace is the file and its content.
type Trace struct {
	fsys atomicfile.FS
	file string

	mu      sync.Mutex
	state   State
	durable State // as the file has it
	noted   bool  // state is ahead of durable
}

// Open reads the trace of a data directory. A directory without one is new,
// unless a previous copy is there: then the trace was lost, and Open says so.
func Open(fsys atomicfile.FS, dir string) (*Trace, error) {
	t := &Trace{fsys: fsys, file: filepath.Join(dir, FileName), state: State{}}
	text, err := atomicfile.Read(fsys, t.file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = t.checkNew()
	case err != nil:
		err = fmt.Errorf("read the marks: %w: nothing is indexed until it can be read", err)
	default:
		if t.state, err = parse(text); err != nil {
			err = fmt.Errorf("%s: %w: restore it from %s.prev or a backup; indexerd never starts again from nothing", t.file, err, FileName)
		}
	}
	if err != nil {
		return nil, err
	}
	t.durable = t.state
	return t, nil
}

// checkNew refuses a directory that had a trace.
func (t *Trace) checkNew() error {
	_, err := atomicfile.Read(t.fsys, t.file+".prev")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%s is missing, and whether it has been there can't be told: %w", t.file, err)
	}
	return fmt.Errorf("%s is missing but its previous copy is there: copy %s.prev to %s and run again", t.file, FileName, FileName)
}

// Table returns the marks of a table, and whether it has any.
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

// Durable returns a copy of all marks as a restart would find them. What was
// only noted is made durable first, if that can be: what is shown to somebody
// does not fall back.
func (t *Trace) Durable() State {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.noted {
		_ = t.update(func(State) {}) // the marks that are durable are true all the same
	}
	return maps.Clone(t.durable)
}

// Update changes the marks durably: when it returns nil the file has what f
// made of the state. Otherwise the state is unchanged, and so is the file
// unless its directory could not be synced: then it may have the new marks,
// which lead nothing, as what they speak of is durable.
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
		// What can't be read back must not replace what can. And the state is
		// then what a restart would find.
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

// UpdateTable changes the marks of one table, as Update.
func (t *Trace) UpdateTable(name string, f func(*Table)) error {
	return t.Update(func(s State) {
		table := s[name]
		f(&table)
		s[name] = table
	})
}

// Note changes the marks of one table in memory: they become durable with the
// next Update. It is for marks that pass over what was found unchanged; a
// restart that has the older ones compares the same once more.
func (t *Trace) Note(name string, f func(*Table)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	next := maps.Clone(t.state)
	table := next[name]
	f(&table)
	next[name] = table
	t.state, t.noted = next, true
}
