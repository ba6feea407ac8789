package pgsource

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"indexerd/internal/doc"
)

// A form is how a column says when something happened.
type form int

const (
	instant form = iota // timestamptz
	wall                // timestamp: what the clocks of a zone showed
	day                 // date: midnight
	epoch               // a number of units since 1970
)

// An updated is the column of updateTime.
type updated struct {
	name   string
	column int
	form   form
	typ    uint32
	zone   *time.Location // of wall and day
	tickOf time.Duration  // of instant, wall and day
	unit   atomic.Int64   // of epoch, a time.Duration; 0: not known, for want of rows
}

func newUpdated(columns []column, name string, zone *time.Location, field string) (*updated, error) {
	at, err := find(columns, field, name)
	if err != nil {
		return nil, err
	}
	c := columns[at]
	u := &updated{name: name, column: at, typ: c.typ.oid, zone: zone, tickOf: timestampTick(c.mod)}
	switch c.typ.oid {
	case pgtype.TimestamptzOID:
		u.form = instant
	case pgtype.TimestampOID:
		u.form = wall
		if zone == nil {
			return nil, &ConfigError{
				Field: "timezone",
				What:  fmt.Sprintf("column %s has type %s, so its zone is not known", name, c.typ.name),
				Do:    "say in which zone it is written, as UTC or Europe/Berlin",
			}
		}
	case pgtype.DateOID:
		u.form, u.tickOf = day, 24*time.Hour
		if zone == nil {
			u.zone = time.UTC
		}
	case pgtype.Int4OID, pgtype.Int8OID:
		u.form, u.typ = epoch, pgtype.Int8OID
	case pgtype.NumericOID:
		u.form = epoch
	default:
		return nil, &ConfigError{
			Field: field,
			What:  fmt.Sprintf("column %s has type %s", name, c.typ.name),
			Do:    "it must be a timestamp, a date or the number of seconds, milli-, micro- or nanoseconds since 1970",
		}
	}
	return u, nil
}

// timestampTick is the precision of a timestamp type: timestamp(3) keeps
// milliseconds.
func timestampTick(mod int32) time.Duration {
	tick := time.Microsecond
	if mod < 0 {
		return tick
	}
	for range 6 - min(mod, 6) {
		tick *= 10
	}
	return tick
}

// tick is the precision of the column. An epoch's is the coarsest while its
// unit is not known.
func (u *updated) tick() time.Duration {
	if u.form != epoch {
		return u.tickOf
	}
	unit := time.Duration(u.unit.Load())
	if unit == 0 {
		return time.Second
	}
	return max(unit, time.Microsecond)
}

// unit returns the unit of an epoch, found by the size of the greatest
// updateTime and kept once it is known. Without a row that tells, it is the
// second for now.
func (v view) unit(ctx context.Context, x *tx) (time.Duration, error) {
	u := v.updated
	if u == nil || u.form != epoch {
		return 0, nil
	}
	if unit := time.Duration(u.unit.Load()); unit != 0 {
		return unit, nil
	}
	// NaN and infinity are numerics, and greater than every number.
	column := v.sql.column(u.name)
	row, err := x.row(ctx, query{sql: "SELECT max(" + column + ")::bigint " + v.sql.from() + " WHERE " + column + " < 9e18"})
	if err != nil {
		return 0, err
	}
	unit := epochUnit(string(row[0]))
	if unit == 0 {
		return time.Second, nil
	}
	u.unit.Store(int64(unit))
	return unit, nil
}

// parse reads the column's text. unit is an epoch's.
func (u *updated) parse(text string, unit time.Duration) (time.Time, error) {
	if u.form == epoch {
		return parseEpoch(text, unit)
	}
	t, err := parseTime(text)
	if err != nil || u.form == instant || u.zone == time.UTC {
		return t, err
	}
	return doc.FromWall(t, u.zone), nil
}

// bounds returns the window's bounds as the column writes them, each the first
// value that is not before it: u >= from AND u < to.
func (u *updated) bounds(w doc.Window, unit time.Duration) (from, to string) {
	switch u.form {
	case epoch:
		whole := u.typ == pgtype.Int8OID
		return epochBound(w.From, unit, whole), epochBound(w.To, unit, whole)
	case instant:
		return timeBound(w.From) + "+00", timeBound(w.To) + "+00"
	}
	f, t := w.Wall(u.zone)
	if u.form == day {
		return dayBound(f), dayBound(t)
	}
	return timeBound(f), timeBound(t)
}
