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

// The unit of a column of updateTimes is declared, or was found and stored before,
// or a sample of the rows shows it: see timeunit. If no row shows it, no row of the
// snapshot has a plausible updateTime, so no window misses a row. The rows are then
// read in a format that is used for this snapshot only.

// An updatedConfig is the configuration of a column of updateTimes, with the unit
// that was found before.
type updatedConfig struct {
	name     string // "": none
	zone     *time.Location
	declared timeunit.Unit
	found    timeunit.Unit
	keep     func(timeunit.Unit) error // stores a unit that was found; nil: nothing is stored
}

// updated returns the configuration of the updateTime of the SQL at a path.
func (c TableConfig) updated(path, name, declared string) updatedConfig {
	u := updatedConfig{name: name, zone: c.Zone, declared: timeunit.Unit(declared)}
	// A stored unit that does not parse is that of a column without rows.
	if found, err := timeunit.Parse(c.Units[path]); err == nil {
		u.found = found
	}
	if c.Keep != nil {
		u.keep = func(unit timeunit.Unit) error { return c.Keep(path, string(unit)) }
	}
	return u
}

// findFormat returns the format of a view's updateTime in the transaction's
// snapshot; nil if no row has an updateTime.
func (v *view) findFormat(ctx context.Context, tx *sql.Tx) (*timeFormat, error) {
	if f := v.format.Load(); f != nil || v.updated < 0 {
		return f, nil
	}
	return v.checkUnit(ctx, tx)
}

// checkUnit finds the unit from a sample of the rows, stores it if it is new, and
// returns the format. The error is a *ConfigError if the rows contradict the
// declared or the stored unit.
func (v *view) checkUnit(ctx context.Context, tx *sql.Tx) (*timeFormat, error) {
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
	if f := v.format.Load(); f != nil {
		return f, nil
	}
	f := s.format(unit, v.conf.zone)
	if f == nil {
		return v.formatOfGreatest(ctx, tx)
	}
	v.format.CompareAndSwap(nil, f)
	return v.format.Load(), nil
}

// A conflictError is a ConfigError about the unit of an updateTime.
type conflictError struct {
	*ConfigError
	conflict *timeunit.Conflict
}

// Unwrap returns both errors.
func (e *conflictError) Unwrap() []error { return []error{e.ConfigError, e.conflict} }

// decide returns the unit of the column. It stores a new unit before the unit is
// used: marks that depend on it must not survive it.
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

// A keepError reports that a unit could not be stored.
type keepError struct{ err error }

func (e *keepError) Error() string { return "keep the unit of updateTime: " + e.err.Error() }
func (e *keepError) Unwrap() error { return e.err }

// unitField returns the configuration's field that is in conflict.
func (v *view) unitField(c *timeunit.Conflict) string {
	switch {
	case !c.Declared:
		return v.paths.updated
	case v.paths.updated == "changes": // declared with the main SQL's column
		return "updated.unit"
	}
	return v.paths.updated + ".unit"
}

// A sample counts the units of values of a column of updateTimes.
type sample struct {
	now   time.Time
	votes timeunit.Votes
	total int
	reals map[timeunit.Unit]int // the votes of reals
	ticks map[time.Duration]int // the votes of text, by tick
	texts []spelling            // one for each tick
}

// numbersOrText is the condition that a value can be a vote. Blobs sort after all
// text.
const numbersOrText = " WHERE u >= ? AND u < ? OR u >= '' AND u < x''"

// sample reads rows until there are enough votes. It uses an index on the column.
// Without an index, and with too few plausible rows, it reads the whole table, as
// a window does.
func (v *view) sample(ctx context.Context, tx *sql.Tx) (*sample, error) {
	s := &sample{now: time.Now(), votes: timeunit.Votes{}, reals: map[timeunit.Unit]int{}, ticks: map[time.Duration]int{}}
	least, _ := timeunit.JulianDays.Range(s.now)
	_, most := timeunit.Nanoseconds.Range(s.now)
	column := v.statements.updated
	query := "SELECT +" + column + v.statements.from + strings.ReplaceAll(numbersOrText, "u ", column+" ")
	err := scanRows(ctx, tx, query, []any{least, most}, 1, func(raw []any) bool {
		s.add(raw[0])
		return s.total < timeunit.Sample
	})
	return s, err
}

// add counts a value if it is a plausible time.
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

// format returns the format of a unit; nil if the sample does not show it.
func (s *sample) format(unit timeunit.Unit, zone *time.Location) *timeFormat {
	f := &timeFormat{zone: zone, unit: unit.Duration()}
	switch {
	case unit == timeunit.Unknown, unit == timeunit.Text && len(s.texts) == 0:
		return nil
	case unit == timeunit.Text:
		f.tick = s.commonTick()
		for _, text := range s.texts {
			f.note(text)
		}
	case unit == timeunit.JulianDays:
		f.julian, f.tick = true, time.Millisecond
	case 2*s.reals[unit] > s.votes[unit]:
		f.tick = time.Microsecond
	default:
		f.tick = max(f.unit, time.Microsecond)
	}
	return f
}

// commonTick returns the tick of most texts, the coarser one on a tie.
func (s *sample) commonTick() (tick time.Duration) {
	for t, n := range s.ticks {
		if cmp.Or(cmp.Compare(n, s.ticks[tick]), cmp.Compare(t, tick)) > 0 {
			tick = t
		}
	}
	return tick
}

// formatOfGreatest returns a format from the greatest value that is a time, for a
// snapshot in which no time is plausible. Invalid values must not keep the table
// from being read.
func (v *view) formatOfGreatest(ctx context.Context, tx *sql.Tx) (*timeFormat, error) {
	// Numbers, and text that begins with a digit, sort before ':'.
	if f, err := v.formatAmong(ctx, tx, " < ':'"); f != nil || err != nil {
		return f, err
	}
	return v.formatAmong(ctx, tx, " IS NOT NULL")
}

// formatAmong tries the greatest hundred of the selected values. It returns nil if
// there are none.
func (v *view) formatAmong(ctx context.Context, tx *sql.Tx, which string) (f *timeFormat, err error) {
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
		f, err := newTimeFormat(s.raw[0], v.conf.zone)
		if err == nil {
			return f, nil
		}
		if fault == nil {
			fault = &ConfigError{v.paths.updated, "column " + v.columns[v.updated] + ": " + err.Error(),
				"it must hold Unix time, Julian days, or text as 2006-01-02 15:04:05"}
		}
	}
	return nil, cmp.Or(rows.Err(), fault)
}

// Units returns the units of the columns of updateTime, by the path of their SQL;
// Unknown if no row has shown it.
func (t *Table) Units() map[string]timeunit.Unit {
	units := map[string]timeunit.Unit{}
	for _, v := range t.timed() {
		v.deciding.Lock()
		units[v.path()] = v.conf.found
		v.deciding.Unlock()
	}
	return units
}

// CheckUnits finds the units of the columns of updateTime again. The error is a
// *ConfigError if the rows contradict a declared or stored unit.
func (t *Table) CheckUnits(ctx context.Context) error {
	err := t.read(ctx, func(tx *sql.Tx) error {
		for _, v := range t.timed() {
			if _, err := v.checkUnit(ctx, tx); err != nil {
				return err
			}
		}
		return nil
	})
	return t.source.fault("sample the updateTimes of "+t.name, err)
}

// OutOfRange counts the rows, and the children's rows, whose updateTime is not
// plausible. It does not count rows without one, or rows marked deleted. Without
// an index on the column it reads the whole table.
func (t *Table) OutOfRange(ctx context.Context) (n int64, err error) {
	err = t.read(ctx, func(tx *sql.Tx) error {
		now, err := readClock(ctx, tx)
		if err != nil {
			return err
		}
		plausible := doc.Window{From: timeunit.Earliest, To: timeunit.Latest(now)}
		for i, v := range t.rowViews() {
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

// UnitOf returns the unit of a column of updateTimes, from a sample of an SQL's
// rows; Unknown if they do not show it.
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
