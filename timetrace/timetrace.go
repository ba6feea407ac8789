// Package timetrace stores how far each pass of each table has come, in one
// small durable text file, data/timeTrace.properties:
//
//	# written by indexerd 0.1.0
//	format = 1
//	entries = 9
//	film.source = 6b1f0c2ad9e34477
//	film.incremental = 2026-11-21T10:15:30.123456Z
//	...
//	# crc32c 1f0c2ad9
//
// A mark may lag behind the data, but never lead it. A pass moves its mark last,
// with one Update, when index, pages and tree are durable. Update replaces the
// file atomically and keeps the previous copy as timeTrace.properties.prev.
//
// Open returns an error for a file that it cannot read completely: to start
// without marks would look like progress. "entries" counts the marks, and the
// last line must end with a newline, so a file that is cut anywhere is detected. The
// checksum, a comment too, covers all lines before it: a file without one was written by
// an older release.
// A mark that an older version did not write is zero. The release that wrote the file
// is in a comment, which older releases skip: an error of a file that this release
// does not know names it.
//
// Only Rewind moves marks back. It also marks the table as unverified, with the
// reason, until a full sweep ends during which no other Rewind happened.
//
// Moves of marks are committed in groups: one replacement of the file serves all
// calls of Update that wait for it. Update returns when its own change is durable. With
// many tables replacements take a quarter of the time at most, and serve more calls.
//
// OpenIn keeps the marks in a Store, for daemons that share them. Each table has its
// lines there, behind the comment with the release and without format and entries. Only
// those of tables that changed are written.
//
// A replacement formats the tables that have changed, and writes and syncs the file
// of all tables. It takes about a kilobyte a table.
package timetrace

import (
	"maps"
	"time"

	"indexerd/internal/base/doc"
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
	t.Tiers = with(t.Tiers, name, mark)
}

// UnknownUnit is the unit of an SQL that has returned no row to find it from.
const UnknownUnit = "unknown"

// SetUnit sets the unit of an SQL.
func (t *Table) SetUnit(path, unit string) {
	t.Units = with(t.Units, path, unit)
}

// with returns a map with one more value. Copies of a table share their maps.
func with[V any](m map[string]V, name string, value V) map[string]V {
	more := map[string]V{}
	maps.Copy(more, m)
	more[name] = value
	return more
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
