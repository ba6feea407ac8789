package pgsource

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"indexerd/internal/doc"
	"indexerd/internal/timeunit"
)

// updated returns the configuration of the updateTime of the SQL at a path.
func (cfg TableConfig) updated(path, name, declared string) updatedConfig {
	u := updatedConfig{name: name, zone: cfg.Zone, declared: timeunit.Unit(declared)}
	// Another text was kept when no row determined a unit.
	if found, err := timeunit.Parse(cfg.Units[path]); err == nil {
		u.found = found
	}
	if cfg.Keep != nil {
		u.keep = func(unit timeunit.Unit) error { return cfg.Keep(path, string(unit)) }
	}
	return u
}

// unitField is the configuration's field for the unit.
func (u *updated) unitField() string {
	if u.field == "changes" { // it has the main SQL's unit option
		return "updated.unit"
	}
	return u.field + ".unit"
}

// unit returns the unit of an updateTime that is a number, and finds it if that
// was not possible before. If no row determines it, unit returns a second for
// now: then no row of the snapshot has a plausible updateTime, so no window
// misses one.
func (v view) unit(ctx context.Context, x *tx) (time.Duration, error) {
	u := v.updated
	if u == nil || u.form != epoch {
		return 0, nil
	}
	if unit := time.Duration(u.unit.Load()); unit != 0 {
		return unit, nil
	}
	if err := v.checkUnit(ctx, x); err != nil {
		return 0, err
	}
	if unit := time.Duration(u.unit.Load()); unit != 0 {
		return unit, nil
	}
	return time.Second, nil
}

// checkUnit finds the unit of an updateTime from a sample of rows: see
// timeunit. It keeps a unit found for the first time. The error is a
// *ConfigError if the rows contradict the declared or kept unit.
func (v view) checkUnit(ctx context.Context, x *tx) error {
	u := v.updated
	if u == nil || u.form != epoch {
		return nil
	}
	votes, err := v.votes(ctx, x)
	if err != nil {
		return err
	}
	return u.decide(votes)
}

// A conflictError is a ConfigError about the unit of an updateTime.
type conflictError struct {
	*ConfigError
	conflict *timeunit.Conflict
}

func (e *conflictError) Unwrap() []error { return []error{e.ConfigError, e.conflict} }

// decide keeps the unit before it is used, so that no stored mark rests on a
// unit that is lost.
func (u *updated) decide(votes timeunit.Votes) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	unit, err := timeunit.Decide(u.conf.declared, u.conf.found, votes)
	var conflict *timeunit.Conflict
	if errors.As(err, &conflict) {
		field := u.field
		if conflict.Declared {
			field = u.unitField()
		}
		return &conflictError{&ConfigError{Field: field, What: fmt.Sprintf("column %s: %s", u.name, conflict.What), Do: conflict.Do}, conflict}
	}
	if err != nil || unit == u.conf.found {
		return err
	}
	if u.conf.keep != nil {
		if err := u.conf.keep(unit); err != nil {
			return fmt.Errorf("keep the unit of updateTime: %w", err)
		}
	}
	u.conf.found = unit
	u.unit.Store(int64(unit.Duration()))
	return nil
}

// votes counts a sample of rows by unit. It uses an index on the column.
// Without one, and without a plausible row, it reads the table, as a window
// does.
func (v view) votes(ctx context.Context, x *tx) (timeunit.Votes, error) {
	row, err := x.row(ctx, v.votesQuery(x.at))
	if err != nil {
		return nil, err
	}
	votes := timeunit.Votes{}
	for i, u := range timeunit.Numbers {
		if votes[u], err = strconv.Atoi(string(row[i])); err != nil {
			return nil, fmt.Errorf("count rows by unit: %w", err)
		}
	}
	return votes, nil
}

func (v view) votesQuery(now time.Time) query {
	var q query
	var counts, ranges []string
	column := v.sql.column(v.updated.name)
	for _, u := range timeunit.Numbers {
		from, to := u.Range(now)
		low, high := q.bind(v.updated.typ, wholeNumber(from)), q.bind(v.updated.typ, wholeNumber(to))
		counts = append(counts, fmt.Sprintf("count(*) FILTER (WHERE u >= %s AND u < %s)", low, high))
		ranges = append(ranges, fmt.Sprintf("%s >= %s AND %s < %s", column, low, column, high))
	}
	q.sql = fmt.Sprintf("SELECT %s FROM (SELECT %s AS u %s WHERE %s LIMIT %s) sample", strings.Join(counts, ", "),
		column, v.sql.from(), strings.Join(ranges, " OR "), q.bind(int8OID, strconv.Itoa(timeunit.Sample)))
	return q
}

func wholeNumber(n float64) string { return strconv.FormatFloat(n, 'f', 0, 64) }

// readable limits an aggregate to the numbers that are read as a time, so that
// the greatest is the same in SQL and in Go. NaN and infinity are included,
// since they are a fault of the row.
func (v view) readable(q *query, unit time.Duration) string {
	u := v.updated
	whole := u.typ == pgtype.Int8OID
	if u.form != epoch || whole && unit == time.Nanosecond { // 64-bit nanoseconds are within the years 1677 to 2262
		return ""
	}
	column := v.sql.column(u.name)
	odd := ""
	if !whole {
		odd = " OR " + column + "::text IN ('NaN', 'Infinity', '-Infinity')"
	}
	from, to := u.bounds(doc.Window{From: minTime, To: maxTime}, unit)
	return fmt.Sprintf(" FILTER (WHERE %s >= %s AND %s < %s%s)", column, q.bind(u.typ, from), column, q.bind(u.typ, to), odd)
}

// Units returns the units of the updateTimes that are numbers, by the path of
// their SQL; Unknown if no row determines one.
func (t *Table) Units() map[string]timeunit.Unit {
	units := map[string]timeunit.Unit{}
	views, paths := t.timed()
	for i, v := range views {
		if v.updated.form != epoch {
			continue
		}
		v.updated.mu.Lock()
		units[paths[i]] = v.updated.conf.found
		v.updated.mu.Unlock()
	}
	return units
}

// timed returns the views that have an updateTime and the paths of their SQLs.
func (t *Table) timed() (views []*view, paths []string) {
	views, paths = []*view{&t.view}, []string{"sql"}
	for _, c := range t.children {
		if c.updated != nil {
			views, paths = append(views, &c.view), append(paths, c.path)
		}
	}
	if t.changes != nil {
		views, paths = append(views, t.changes), append(paths, "changes")
	}
	return views, paths
}

// timedViews returns timed without changes.
func (t *Table) timedViews() []*view {
	views, _ := t.timed()
	return slices.DeleteFunc(views, func(v *view) bool { return v == t.changes })
}

// CheckUnits finds the units of the updateTimes again. The error is a
// *ConfigError if the rows contradict the declared or kept units.
func (t *Table) CheckUnits(ctx context.Context) error {
	return t.scan(ctx, func(x *tx) error {
		views, _ := t.timed()
		for _, v := range views {
			if err := v.checkUnit(ctx, x); err != nil {
				return err
			}
		}
		return nil
	})
}

// OutOfRange counts the live rows and children's rows whose updateTime is not a
// plausible time; NULL does not count. Without an index on the column it reads
// the table.
func (t *Table) OutOfRange(ctx context.Context) (n int64, err error) {
	err = t.scan(ctx, func(x *tx) error {
		for _, v := range t.timedViews() {
			rows, err := v.outOfRange(ctx, x, t.liveOf(v))
			if err != nil {
				return err
			}
			n += rows
		}
		return nil
	})
	return n, err
}

func (v *view) outOfRange(ctx context.Context, x *tx, where condition) (int64, error) {
	unit, err := v.unit(ctx, x)
	if err != nil {
		return 0, err
	}
	from, to := v.updated.bounds(doc.Window{From: timeunit.Earliest, To: timeunit.Latest(x.at)}, unit)
	var q query
	u := v.sql.column(v.updated.name)
	q.sql = fmt.Sprintf("SELECT count(*) %s WHERE (%s < %s OR %s >= %s) AND %s",
		v.sql.from(), u, q.bind(v.updated.typ, from), u, q.bind(v.updated.typ, to), where(&q))
	return x.count(ctx, q)
}

// UnitOf returns the unit of most rows of an SQL in a column of numbers;
// Unknown if they do not determine it.
func (s *Source) UnitOf(ctx context.Context, sql, column string) (unit timeunit.Unit, err error) {
	v := view{sql: wrap(sql), updated: &updated{name: column, form: epoch, typ: pgtype.Int8OID}}
	err = s.read(ctx, "", func(x *tx, _ opened) error {
		votes, err := v.votes(ctx, x)
		if err == nil {
			unit, err = timeunit.Decide(timeunit.Unknown, timeunit.Unknown, votes)
		}
		return err
	})
	return unit, err
}
