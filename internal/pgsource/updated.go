package pgsource

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"indexerd/internal/doc"
	"indexerd/internal/timeunit"
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

	// Of epoch: see unit.go.
	conf  updatedConfig
	field string       // of the configuration
	mu    sync.Mutex   // held while the unit is decided
	unit  atomic.Int64 // a time.Duration; 0: no row has told it
}

// An updatedConfig is the column of updateTime as configured, and what was found
// of it before.
type updatedConfig struct {
	name     string         // "": none
	zone     *time.Location // of times without one; nil: not declared
	declared timeunit.Unit
	found    timeunit.Unit
	keep     func(timeunit.Unit) error // keeps what is found; nil: nothing is kept
}

func newUpdated(columns []column, conf updatedConfig, field string) (*updated, error) {
	name, zone := conf.name, conf.zone
	at, err := find(columns, field, name)
	if err != nil {
		return nil, err
	}
	c := columns[at]
	u := &updated{name: name, column: at, typ: c.typ.oid, zone: zone, tickOf: timestampTick(c.mod), conf: conf, field: field}
	u.unit.Store(int64(conf.found.Duration()))
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
	if u.form != epoch && conf.declared != timeunit.Unknown {
		return nil, &ConfigError{
			Field: u.unitField(),
			What:  fmt.Sprintf("column %s has type %s, which counts in no unit", name, c.typ.name),
			Do:    "remove unit",
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

// parse reads the column's text. unit is an epoch's. A number that is no time
// of the years 1 to 9999 is the zero time, as NULL is: the sweep alone finds
// changes of such a row.
func (u *updated) parse(text string, unit time.Duration) (time.Time, error) {
	if u.form == epoch {
		t, err := parseEpoch(text, unit)
		if errors.Is(err, errEpoch) {
			return time.Time{}, nil
		}
		return t, err
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
