package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"indexerd/internal/base/timeunit"
	"indexerd/internal/source/dialect"
	"sync"
	"sync/atomic"
	"time"
)

// An updated is the column of a view's updateTime. The unit of a column without a
// time type is declared, or was found and stored before, or a sample of the rows
// shows it: see timeunit. If no row shows it, no row of the snapshot has a
// plausible updateTime, so no window misses a row.
type updated struct {
	dialect.Field
	at     int                           // the column
	zone   *time.Location                // of times without one
	epochs dialect.Epochs                // nil: the column has a time type
	times  atomic.Pointer[dialect.Times] // nil until a row has shown the unit

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
	u := &updated{Field: v.field(at), at: at, zone: cmp.Or(conf.zone, time.UTC), epochs: c.Epochs, conf: conf}
	is := fmt.Sprintf("column %s has type %s", c.Name, c.Type)
	switch {
	case c.Clock == nil && c.Epochs == nil:
		return nil, &ConfigError{v.paths.updated, is, "it must be a timestamp, a date or the number of seconds, milli-, micro- or nanoseconds since 1970"}
	case c.Clock == nil:
		return u, nil
	case conf.declared != timeunit.Unknown:
		return nil, &ConfigError{v.unitField(), is + ", which has no unit", "remove unit"}
	case c.Clock.Form == dialect.Wall && conf.zone == nil:
		return nil, &ConfigError{"timezone", is + ", so its time zone is not known", "set timezone, for example UTC or Europe/Berlin"}
	}
	times := c.Clock.Times(u.zone)
	u.times.Store(&times)
	return u, nil
}

// known returns the conversion; nil: no row has shown the unit yet.
func (u *updated) known() dialect.Times {
	if t := u.times.Load(); t != nil {
		return *t
	}
	return nil
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
func (v *view) times(ctx context.Context, x *tx) (dialect.Times, error) {
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
func (v *view) checkUnit(ctx context.Context, x *tx) (dialect.Times, error) {
	u := v.updated
	if u.epochs == nil {
		return u.known(), nil
	}
	votes, values, err := v.sample(ctx, x)
	if err != nil {
		return nil, err
	}
	unit, err := v.decide(votes)
	if err != nil {
		return nil, err
	}
	if t := u.known(); t != nil {
		return t, nil
	}
	if t := u.epochs.Times(unit, values, u.zone); t != nil {
		u.times.CompareAndSwap(nil, &t)
		return u.known(), nil
	}
	if guesser, ok := u.epochs.(dialect.Guesser); ok {
		return v.guess(ctx, x, guesser)
	}
	return u.epochs.Times(timeunit.Seconds, nil, u.zone), nil
}

// guess reads the rows again if none has a plausible time. The conversion is for
// this snapshot only.
func (v *view) guess(ctx context.Context, x *tx, g dialect.Guesser) (dialect.Times, error) {
	const rows = 100
	u := v.updated
	ask := func(where, order string, row func(any) bool) error {
		q := v.query(v.updatedExpr()).Where(dialect.SQL(u.Expr + where)).Order(dialect.Fields{{Expr: u.Expr + order}}).Limit(rows)
		_, err := x.each(ctx, q, func(raw []any) bool { return row(raw[0]) })
		return err
	}
	t, err := g.Guess(ask, u.Expr, u.zone)
	if fault, ok := errors.AsType[*dialect.NoTimesError](err); ok {
		return nil, &ConfigError{v.paths.updated, "column " + v.names[u.at] + ": " + fault.What, fault.Do}
	}
	return t, err
}

// sample reads rows that can vote: values that are plausible times. It returns the
// values while the conversion is not known. It uses an index on the column. Without
// one, and with too few plausible rows, it reads the whole table, as a window does.
func (v *view) sample(ctx context.Context, x *tx) (votes timeunit.Votes, values []any, err error) {
	u, unitOf, limits := v.updated, v.updated.epochs.Units(x.at), timeunit.Samples[:]
	if u.conf.declared == timeunit.Unknown || u.known() == nil && u.epochs.UsesSample(u.conf.declared) {
		limits = limits[1:]
	}
	for ; len(limits) > 0 && err == nil && votes[u.conf.declared] == 0; limits = limits[1:] {
		votes, values = timeunit.Votes{}, nil
		q := v.query(v.updatedExpr()).Where(func(q *dialect.Query) { u.epochs.Plausible(q, u.Expr, u.As, x.at) }).Limit(limits[0])
		_, err = x.each(ctx, q, func(raw []any) bool {
			if unit := unitOf(raw[0]); unit != timeunit.Unknown {
				if votes[unit]++; u.known() == nil {
					values = append(values, keep(raw[0]))
				}
			}
			return true
		})
	}
	return votes, values, err
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
	if conflict, ok := errors.AsType[*timeunit.Conflict](err); ok {
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
	return t.read(ctx, "sample the updateTimes", func(x *tx) error { return t.checkUnits(ctx, x) })
}

func (t *Table) checkUnits(ctx context.Context, x *tx) error {
	for _, v := range t.timed() {
		if _, err := v.checkUnit(ctx, x); err != nil {
			return err
		}
	}
	return nil
}

// Tick returns the precision of updateTime, the coarsest of all SQLs. A child in
// which no row has shown its unit does not count: it might stay empty, and each
// window would be coarse for ever. The main SQL's is the unit's UnknownTick then,
// so callers must call Tick for each window. It is 0 if there is no updateTime.
func (t *Table) Tick() time.Duration {
	if t.updated == nil {
		return 0
	}
	if t.updated.known() == nil {
		return t.updated.epochs.UnknownTick()
	}
	tick := t.updated.known().Tick()
	for _, c := range t.children {
		if c.updated != nil && c.updated.known() != nil {
			tick = max(tick, c.updated.known().Tick())
		}
	}
	return tick
}
