package sqlsource

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"indexerd/internal/timeunit"
)

// An updated is the column of a view's updateTime. The unit of a column without a
// time type is declared, or was found and stored before, or a sample of the rows
// shows it: see timeunit. If no row shows it, no row of the snapshot has a
// plausible updateTime, so no window misses a row.
type updated struct {
	at     int            // the column
	zone   *time.Location // of times without one
	epochs Epochs         // nil: the column has a time type
	times  atomic.Value   // a Times; unset until a row has shown the unit

	deciding sync.Mutex // held while the unit is decided; guards conf
	conf     updatedConfig
}

// An updatedConfig is the configured column of updateTime and the unit that was
// found before.
type updatedConfig struct {
	name     string         // "": none
	zone     *time.Location // of times without one; nil: not configured
	declared timeunit.Unit
	found    timeunit.Unit
	keep     func(timeunit.Unit) error // stores a unit that is found; nil: none is stored
}

// updated returns the configuration of the updateTime of the SQL at a path.
func (cfg TableConfig) updated(path, name, declared string) updatedConfig {
	u := updatedConfig{name: name, zone: cfg.Zone, declared: timeunit.Unit(declared)}
	// A stored unit that does not parse is that of a column without rows.
	if found, err := timeunit.Parse(cfg.Units[path]); err == nil {
		u.found = found
	}
	if cfg.Keep != nil {
		u.keep = func(unit timeunit.Unit) error { return cfg.Keep(path, string(unit)) }
	}
	return u
}

func (v *view) newUpdated(conf updatedConfig) (*updated, error) {
	at, err := v.column(v.paths.updated, conf.name)
	if err != nil {
		return nil, err
	}
	c := &v.Columns[at]
	u := &updated{at: at, zone: conf.zone, epochs: c.Epochs, conf: conf}
	switch {
	case c.Clock == nil && c.Epochs == nil:
		return nil, &ConfigError{v.paths.updated, fmt.Sprintf("column %s has type %s", c.Name, c.Type),
			"it must be a timestamp, a date or the number of seconds, milli-, micro- or nanoseconds since 1970"}
	case c.Clock == nil:
		if u.zone == nil {
			u.zone = time.UTC
		}
		return u, nil
	case conf.declared != timeunit.Unknown:
		return nil, &ConfigError{v.unitField(), fmt.Sprintf("column %s has type %s, which has no unit", c.Name, c.Type), "remove unit"}
	case c.Clock.Form == Wall && u.zone == nil:
		return nil, &ConfigError{"timezone", fmt.Sprintf("column %s has type %s, so its time zone is not known", c.Name, c.Type),
			"set timezone, for example UTC or Europe/Berlin"}
	case u.zone == nil:
		u.zone = time.UTC
	}
	u.setTimes(clockTimes{c.Clock, u.zone})
	return u, nil
}

// A timesBox holds any Times: an atomic.Value holds one type.
type timesBox struct{ Times }

func (u *updated) setTimes(t Times) { u.times.CompareAndSwap(nil, timesBox{t}) }

// known returns the conversion; nil: no row has shown the unit yet.
func (u *updated) known() Times {
	box, _ := u.times.Load().(timesBox)
	return box.Times
}

// unitField is the configuration's field for the unit.
func (v *view) unitField() string {
	if v.paths.updated == "changes" { // it has the main SQL's unit option
		return "updated.unit"
	}
	return v.paths.updated + ".unit"
}

// times returns the conversion of the view's updateTime in the transaction's
// snapshot; nil if no row has an updateTime, or the view has none.
func (v *view) times(ctx context.Context, x *tx) (Times, error) {
	if v.updated == nil {
		return nil, nil
	}
	if t := v.updated.known(); t != nil {
		return t, nil
	}
	return v.checkUnit(ctx, x)
}

// checkUnit finds the unit from a sample of the rows, stores it if it is new, and
// returns the conversion. The error is a *ConfigError if the rows contradict the
// declared or the stored unit.
func (v *view) checkUnit(ctx context.Context, x *tx) (Times, error) {
	u := v.updated
	if u == nil || u.epochs == nil {
		return nil, nil
	}
	s, err := v.sample(ctx, x)
	if err != nil {
		return nil, err
	}
	unit, err := v.decide(s.votes)
	if err != nil {
		return nil, err
	}
	if t := u.known(); t != nil {
		return t, nil
	}
	if t := u.epochs.Times(unit, s.values, u.zone); t != nil {
		u.setTimes(t)
		return u.known(), nil
	}
	if guesser, ok := u.epochs.(Guesser); ok {
		return v.guess(ctx, x, guesser)
	}
	return u.epochs.Times(timeunit.Seconds, nil, u.zone), nil
}

// guess reads the rows again if none has a plausible time. The conversion is for
// this snapshot only.
func (v *view) guess(ctx context.Context, x *tx, g Guesser) (Times, error) {
	const rows = 100
	ask := func(where, order string, row func(any) bool) error {
		expr := v.exprs[v.updated.at]
		q := v.ask("SELECT ", v.updatedExpr(), " ", v.From(), " WHERE ", expr, where, " ORDER BY ", expr, order).limit(rows)
		_, err := x.each(ctx, q, func(raw []any) bool { return row(raw[0]) })
		return err
	}
	t, err := g.Guess(ask, v.exprs[v.updated.at], v.updated.zone)
	var fault *guessFault
	if errors.As(err, &fault) {
		return nil, &ConfigError{v.paths.updated, "column " + v.names[v.updated.at] + ": " + fault.what, fault.do}
	}
	return t, err
}

// A guessFault is a fault of the configuration: the column holds no times.
type guessFault struct{ what, do string }

func (f *guessFault) Error() string { return f.what }

// NoTimes returns the error of a Guesser for a column whose rows hold no times.
func NoTimes(what, do string) error { return &guessFault{what, do} }

// A sample is values of a column that are plausible times.
type sample struct {
	votes  timeunit.Votes
	values []any
}

// sample reads rows that can vote. It uses an index on the column. Without one,
// and with too few plausible rows, it reads the whole table, as a window does.
func (v *view) sample(ctx context.Context, x *tx) (*sample, error) {
	s := &sample{votes: timeunit.Votes{}}
	u := v.updated
	c, expr := &v.Columns[u.at], v.exprs[u.at]
	q := v.ask("SELECT ", v.updatedExpr(), " ", v.From())
	q.where(func(q *Query) { u.epochs.Plausible(q, expr, c, x.at) }).limit(timeunit.Sample)
	_, err := x.each(ctx, q, func(raw []any) bool {
		if unit := u.epochs.Unit(raw[0], x.at); unit != timeunit.Unknown {
			s.votes[unit]++
			s.values = append(s.values, keep(raw[0]))
		}
		return true
	})
	return s, err
}

// A conflictError is a ConfigError about the unit of an updateTime.
type conflictError struct {
	*ConfigError
	conflict *timeunit.Conflict
}

// Unwrap returns both errors.
func (e *conflictError) Unwrap() []error { return []error{e.ConfigError, e.conflict} }

// decide returns the unit of the column. It stores a new unit before the unit is
// used, so that no stored mark rests on a unit that is lost.
func (v *view) decide(votes timeunit.Votes) (timeunit.Unit, error) {
	u := v.updated
	u.deciding.Lock()
	defer u.deciding.Unlock()
	unit, err := timeunit.Decide(u.conf.declared, u.conf.found, votes)
	var conflict *timeunit.Conflict
	if errors.As(err, &conflict) {
		field := v.paths.updated
		if conflict.Declared {
			field = v.unitField()
		}
		return unit, &conflictError{&ConfigError{field, "column " + v.names[u.at] + ": " + conflict.What, conflict.Do}, conflict}
	}
	if err != nil || unit == u.conf.found {
		return unit, err
	}
	if u.conf.keep != nil {
		if err := u.conf.keep(unit); err != nil {
			return unit, &keepError{err}
		}
	}
	u.conf.found = unit
	return unit, nil
}

// A keepError reports that a unit could not be stored. It is no error of the
// database.
type keepError struct{ err error }

func (e *keepError) Error() string { return "keep the unit of updateTime: " + e.err.Error() }
func (e *keepError) Unwrap() error { return e.err }

// Units returns the units of the updateTimes without a time type, by the path of
// their SQL; Unknown if no row has shown one.
func (t *Table) Units() map[string]timeunit.Unit {
	units := map[string]timeunit.Unit{}
	for _, v := range t.timed() {
		if v.updated.epochs == nil {
			continue
		}
		v.updated.deciding.Lock()
		units[v.path()] = v.updated.conf.found
		v.updated.deciding.Unlock()
	}
	return units
}

// CheckUnits finds the units of the updateTimes again. The error is a *ConfigError
// if the rows contradict a declared or stored unit.
func (t *Table) CheckUnits(ctx context.Context) error {
	return t.read(ctx, "sample the updateTimes", func(x *tx) error {
		for _, v := range t.timed() {
			if _, err := v.checkUnit(ctx, x); err != nil {
				return err
			}
		}
		return nil
	})
}

// Tick returns the precision of updateTime, the coarsest of all SQLs. A child in
// which no row has shown its unit does not count: it might stay empty, and each
// window would be coarse for ever. The main SQL's is the unit's UnknownTick then,
// so callers must call Tick for each window.
func (t *Table) Tick() time.Duration {
	if t.updated.known() == nil {
		return t.updated.epochs.UnknownTick()
	}
	tick := t.updated.known().Tick()
	for _, c := range t.children {
		if c.updated == nil {
			continue
		}
		if known := c.updated.known(); known != nil {
			tick = max(tick, known.Tick())
		}
	}
	return tick
}
