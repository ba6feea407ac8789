package sqlitesource

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"indexerd/internal/doc"
	"indexerd/internal/timeunit"
)

// What a column of updateTimes holds is declared, or was kept when it was found,
// or a sample of the rows tells: see timeunit. While no row tells it there is no
// row with a plausible updateTime in the snapshot, so no window misses one. The
// rows are then read by a clock for that snapshot alone.

// An updatedConfig is the column of updateTime as configured, and what was found
// of it before.
type updatedConfig struct {
	name     string // "": none
	zone     *time.Location
	declared timeunit.Unit
	found    timeunit.Unit
	keep     func(timeunit.Unit) error // keeps what is found; nil: nothing is kept
}

// updated makes the configuration of an updateTime of the SQL at a path.
func (c TableConfig) updated(path, name, declared string) updatedConfig {
	u := updatedConfig{name: name, zone: c.Zone, declared: timeunit.Unit(declared)}
	// What is none was kept for want of rows.
	if found, err := timeunit.Parse(c.Units[path]); err == nil {
		u.found = found
	}
	if c.Keep != nil {
		u.keep = func(unit timeunit.Unit) error { return c.Keep(path, string(unit)) }
	}
	return u
}

// findClock returns the clock of a view; nil if no row has an updateTime. It
// asks within the caller's snapshot.
func (v *view) findClock(ctx context.Context, tx *sql.Tx) (*clock, error) {
	if c := v.clock.Load(); c != nil || v.updated < 0 {
		return c, nil
	}
	return v.checkUnit(ctx, tx)
}

// checkUnit asks a sample of the rows what the column holds. It keeps what is
// found for the first time, and returns the clock that reads it. The error is a
// *ConfigError if the rows contradict what is declared or was found.
func (v *view) checkUnit(ctx context.Context, tx *sql.Tx) (*clock, error) {
	if v.updated < 0 {
		return nil, nil
	}
	s, err := v.sample(ctx, tx)
	if err != nil {
		return nil, err
	}
	unit, err := v.decide(s.votes)
	if err != nil {
		return nil, err
	}
	if c := v.clock.Load(); c != nil {
		return c, nil
	}
	c := s.clock(unit, v.conf.zone)
	if c == nil {
		return v.newestClock(ctx, tx)
	}
	v.clock.CompareAndSwap(nil, c)
	return v.clock.Load(), nil
}

// A conflictError is a ConfigError about the unit of an updateTime.
type conflictError struct {
	*ConfigError
	conflict *timeunit.Conflict
}

// Unwrap makes it both.
func (e *conflictError) Unwrap() []error { return []error{e.ConfigError, e.conflict} }

// decide keeps the unit before it is used: marks that rest on it must not
// outlive it.
func (v *view) decide(votes timeunit.Votes) (timeunit.Unit, error) {
	v.deciding.Lock()
	defer v.deciding.Unlock()
	unit, err := timeunit.Decide(v.conf.declared, v.conf.found, votes)
	var conflict *timeunit.Conflict
	if errors.As(err, &conflict) {
		return unit, &conflictError{&ConfigError{v.unitField(conflict), "column " + v.columns[v.updated] + ": " + conflict.What, conflict.Do}, conflict}
	}
	if err != nil || unit == v.conf.found {
		return unit, err
	}
	if v.conf.keep != nil {
		if err := v.conf.keep(unit); err != nil {
			return unit, &keepError{err}
		}
	}
	v.conf.found = unit
	return unit, nil
}

// A keepError says that a unit that was found could not be kept.
type keepError struct{ err error }

func (e *keepError) Error() string { return "keep the unit of updateTime: " + e.err.Error() }
func (e *keepError) Unwrap() error { return e.err }

// unitField is where the configuration says what is in conflict.
func (v *view) unitField(c *timeunit.Conflict) string {
	switch {
	case !c.Declared:
		return v.paths.updated
	case v.paths.updated == "changes": // its column is declared with that of the main SQL
		return "updated.unit"
	}
	return v.paths.updated + ".unit"
}

// A sample is what rows say of a column of updateTimes.
type sample struct {
	now   time.Time
	votes timeunit.Votes
	total int
	reals map[timeunit.Unit]int // of the votes, those that are no integers
	ticks map[time.Duration]int // of text
	texts []spelling            // of each tick one
}

// numbersOrText is the condition that a value can be a vote. Blobs sort behind
// all text.
const numbersOrText = " WHERE u >= ? AND u < ? OR u >= '' AND u < x''"

// sample reads rows until there are enough votes. An index on the column serves;
// without one, and without a row that is a vote, it reads the table, as a window
// does.
func (v *view) sample(ctx context.Context, tx *sql.Tx) (*sample, error) {
	s := &sample{now: time.Now(), votes: timeunit.Votes{}, reals: map[timeunit.Unit]int{}, ticks: map[time.Duration]int{}}
	least, _ := timeunit.JulianDays.Range(s.now)
	_, most := timeunit.Nanoseconds.Range(s.now)
	column := v.statements.updated
	query := "SELECT +" + column + v.statements.from + strings.ReplaceAll(numbersOrText, "u ", column+" ")
	err := walkRows(ctx, tx, query, []any{least, most}, 1, func(raw []any) bool {
		s.add(raw[0])
		return s.total < timeunit.Sample
	})
	return s, err
}

// add counts a value that is a plausible time.
func (s *sample) add(value any) {
	var unit timeunit.Unit
	switch n := value.(type) {
	case int64:
		unit = timeunit.OfNumber(float64(n), s.now)
	case float64:
		if unit = timeunit.OfNumber(n, s.now); unit != timeunit.Unknown {
			s.reals[unit]++
		}
	case string:
		if text, err := parseSpelling(n); err == nil && timeunit.Plausible(text.wall.Add(-text.offset), s.now) {
			unit = timeunit.Text
			s.note(text)
		}
	}
	if unit != timeunit.Unknown {
		s.votes[unit]++
		s.total++
	}
}

func (s *sample) note(text spelling) {
	if s.ticks[text.tick]++; s.ticks[text.tick] == 1 {
		s.texts = append(s.texts, text)
	}
}

// clock makes the clock of a unit; nil where no row tells all of it.
func (s *sample) clock(unit timeunit.Unit, zone *time.Location) *clock {
	c := &clock{zone: zone, unit: unit.Duration()}
	switch {
	case unit == timeunit.Unknown, unit == timeunit.Text && len(s.texts) == 0:
		return nil
	case unit == timeunit.Text:
		c.tick = s.commonTick()
		for _, text := range s.texts {
			c.note(text)
		}
	case unit == timeunit.JulianDays:
		c.julian, c.tick = true, time.Millisecond
	case 2*s.reals[unit] > s.votes[unit]:
		c.tick = time.Microsecond
	default:
		c.tick = max(c.unit, time.Microsecond)
	}
	return c
}

// commonTick is the precision of most texts, the coarser of two.
func (s *sample) commonTick() (tick time.Duration) {
	for t, n := range s.ticks {
		if cmp.Or(cmp.Compare(n, s.ticks[tick]), cmp.Compare(t, tick)) > 0 {
			tick = t
		}
	}
	return tick
}

// newestClock makes a clock of the greatest value that is a time, for a snapshot
// in which none is plausible. A few that are none must not keep a table from
// being read.
func (v *view) newestClock(ctx context.Context, tx *sql.Tx) (*clock, error) {
	// Below ':' lie the numbers, and the text that begins with a digit.
	if c, err := v.clockAmong(ctx, tx, " < ':'"); c != nil || err != nil {
		return c, err
	}
	return v.clockAmong(ctx, tx, " IS NOT NULL")
}

// clockAmong tries the greatest hundred of some values. It returns nil where
// there are none.
func (v *view) clockAmong(ctx context.Context, tx *sql.Tx, which string) (c *clock, err error) {
	column := v.statements.updated
	rows, err := tx.QueryContext(ctx, "SELECT +"+column+v.statements.from+" WHERE "+column+which+" ORDER BY "+column+" DESC LIMIT 100")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var fault error
	for s := newScanner(1); rows.Next(); {
		if err := s.scan(rows); err != nil {
			return nil, err
		}
		c, err := newClock(s.raw[0], v.conf.zone)
		if err == nil {
			return c, nil
		}
		if fault == nil {
			fault = &ConfigError{v.paths.updated, "column " + v.columns[v.updated] + ": " + err.Error(),
				"it must hold Unix time, Julian days, or text as 2006-01-02 15:04:05"}
		}
	}
	return nil, cmp.Or(rows.Err(), fault)
}

// timed returns the views that have an updateTime, with the paths of their SQLs.
func (t *Table) timed() (views []*view, paths []string) {
	views, paths = []*view{t.view}, []string{"sql"}
	for _, c := range t.children {
		if c.updated >= 0 {
			views, paths = append(views, c.view), append(paths, strings.TrimSuffix(c.paths.sql, ".sql"))
		}
	}
	if t.changes != nil {
		views, paths = append(views, t.changes), append(paths, "changes")
	}
	return views, paths
}

// Units returns what the columns of updateTime hold, by the path of their SQL;
// Unknown where no row has told it.
func (t *Table) Units() map[string]timeunit.Unit {
	units := map[string]timeunit.Unit{}
	views, paths := t.timed()
	for i, v := range views {
		v.deciding.Lock()
		units[paths[i]] = v.conf.found
		v.deciding.Unlock()
	}
	return units
}

// CheckUnits asks the rows again what the columns of updateTime hold. The error
// is a *ConfigError if they contradict what is declared or was found.
func (t *Table) CheckUnits(ctx context.Context) error {
	err := t.read(ctx, func(tx *sql.Tx) error {
		views, _ := t.timed()
		for _, v := range views {
			if _, err := v.checkUnit(ctx, tx); err != nil {
				return err
			}
		}
		return nil
	})
	return t.source.fault("look at the updateTimes of "+t.name, err)
}

// OutOfRange counts the rows that are not marked deleted, and the children's
// rows, whose updateTime is no plausible time. Those without one do not count.
// Without an index on the column it reads the table.
func (t *Table) OutOfRange(ctx context.Context) (n int64, err error) {
	err = t.read(ctx, func(tx *sql.Tx) error {
		now, err := clockOf(ctx, tx)
		if err != nil {
			return err
		}
		plausible := doc.Window{From: timeunit.Earliest, To: timeunit.Latest(now)}
		for i, v := range t.views()[:1+len(t.children)] {
			var where condition
			if i == 0 {
				where = t.unmarked()
			}
			rows, err := v.outside(ctx, tx, plausible, where)
			if err != nil {
				return err
			}
			n += rows
		}
		return nil
	})
	return n, t.source.fault("count updateTimes of "+t.name, err)
}

// outside counts the rows with an updateTime before or after a window.
func (v *view) outside(ctx context.Context, tx *sql.Tx, w doc.Window, where condition) (n int64, err error) {
	b, err := v.boundsOf(ctx, tx, w)
	if b == nil || err != nil {
		return 0, err
	}
	u := v.statements.updated
	where.and("("+u+" < ? OR "+u+" >= ?)", b.from, b.to)
	err = tx.QueryRowContext(ctx, "SELECT count(*)"+v.statements.from+where.String(), where.args...).Scan(&n)
	return n, err
}

// UnitOf returns what most rows of an SQL hold in a column of updateTimes;
// Unknown where they do not tell.
func (s *Source) UnitOf(ctx context.Context, query, column string) (unit timeunit.Unit, err error) {
	v := &view{statements: newStatements(query, []string{column}, []string{column}, nil, column, "")}
	err = s.read(ctx, func(tx *sql.Tx) error {
		found, err := v.sample(ctx, tx)
		if err == nil {
			unit, err = timeunit.Decide(timeunit.Unknown, timeunit.Unknown, found.votes)
		}
		return err
	})
	return unit, err
}
