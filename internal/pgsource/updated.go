package pgsource

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"indexerd/internal/doc"
	"indexerd/internal/timeunit"
)

// A form is how a column stores an updateTime.
type form int

const (
	instant form = iota // timestamptz
	wall                // timestamp: the wall-clock time of a zone
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
	unit  atomic.Int64 // a time.Duration; 0: not found yet
}

// An updatedConfig is the configured column of updateTime and the unit found
// before.
type updatedConfig struct {
	name     string         // "": none
	zone     *time.Location // of times without one; nil: not configured
	declared timeunit.Unit
	found    timeunit.Unit
	keep     func(timeunit.Unit) error // stores a unit that is found; nil: none is stored
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
				What:  fmt.Sprintf("column %s has type %s, so its time zone is not known", name, c.typ.name),
				Do:    "set timezone, for example UTC or Europe/Berlin",
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
			What:  fmt.Sprintf("column %s has type %s, which has no unit", name, c.typ.name),
			Do:    "remove unit",
		}
	}
	return u, nil
}

// timestampTick returns the precision of a timestamp type: timestamp(3) has
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

// tick returns the precision of the column: one second while the unit of a
// number is unknown.
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

// parse reads the column's text. unit is that of a number. A number outside the
// years 1 to 9999 becomes the zero time, as NULL does: only the sweep finds
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
// value not before it: u >= from AND u < to.
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

// The first and the last time of a bound. No updateTime is outside, so a larger
// window is cut there.
var (
	minTime = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
	maxTime = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
)

// ceilTime rounds up to a multiple of d, between minTime and maxTime.
func ceilTime(t time.Time, d time.Duration) time.Time {
	t = t.UTC()
	switch {
	case t.Before(minTime):
		return minTime
	case !t.Before(maxTime):
		return maxTime
	}
	return t.Add(d - 1).Truncate(d)
}

func timeBound(t time.Time) string {
	return ceilTime(t, time.Microsecond).Format("2006-01-02 15:04:05.000000")
}

func dayBound(t time.Time) string { return ceilTime(t, 24*time.Hour).Format("2006-01-02") }

var errEpoch = errors.New("since 1970 is not a time of the years 1 to 9999")

// parseEpoch reads a number of units since 1970, rounded down to microseconds.
func parseEpoch(text string, unit time.Duration) (time.Time, error) {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return time.Time{}, fmt.Errorf("%s is not a number", text)
	}
	us := floor(r.Mul(r, big.NewRat(int64(unit), int64(time.Microsecond))))
	if !us.IsInt64() || us.Int64() < minTime.UnixMicro() || us.Int64() >= maxTime.UnixMicro() {
		return time.Time{}, fmt.Errorf("%s units of %v %w", text, unit, errEpoch)
	}
	return time.UnixMicro(us.Int64()).UTC(), nil
}

// epochBound returns the time as a number of units, rounded up if the column
// holds integers.
func epochBound(t time.Time, unit time.Duration, whole bool) string {
	us := ceilTime(t, time.Microsecond).UnixMicro()
	r := new(big.Rat).Mul(big.NewRat(us, 1), big.NewRat(int64(time.Microsecond), int64(unit)))
	if !whole {
		return r.FloatString(6) // exact, since no unit is longer than a second
	}
	n := new(big.Int).Neg(floor(r.Neg(r)))
	switch {
	case n.IsInt64():
		return n.String()
	case n.Sign() < 0:
		return strconv.Itoa(math.MinInt64)
	}
	return strconv.Itoa(math.MaxInt64)
}

func floor(r *big.Rat) *big.Int {
	// Div rounds down, since the denominator is positive.
	return new(big.Int).Div(r.Num(), r.Denom())
}
