package dialect

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/timeunit"
)

// NumberEpochs is the Epochs of a column with a number type: units since 1970.
type NumberEpochs struct {
	Whole bool // the type is an integer of 64 bits; else a decimal
}

// UnknownTick implements Epochs.
func (NumberEpochs) UnknownTick() time.Duration { return time.Second }

// Plausible implements Epochs.
func (n NumberEpochs) Plausible(q *Query, expr string, as *Column, now time.Time) {
	q.Write("(").List(len(timeunit.Numbers), " OR ", func(i int) {
		from, to := timeunit.Numbers[i].Range(now)
		Field{expr, as}.Between(n.bound(int64(from)), n.bound(int64(to)))(q)
	}).Write(")")
}

// bound returns a whole number as a parameter of the column.
func (n NumberEpochs) bound(v int64) any {
	if n.Whole {
		return v
	}
	return strconv.FormatInt(v, 10)
}

// Units implements Epochs.
func (NumberEpochs) Units(now time.Time) func(raw any) timeunit.Unit {
	ranges := timeunit.RangesAt(now)
	return func(raw any) timeunit.Unit {
		if unit := ranges.Unit(float(raw)); unit != timeunit.JulianDays { // which can't be declared
			return unit
		}
		return timeunit.Unknown
	}
}

// UsesSample implements Epochs.
func (NumberEpochs) UsesSample(timeunit.Unit) bool { return false }

// float returns a raw value that is a number, rounded; NaN for another one.
func float(raw any) float64 {
	switch v := raw.(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	}
	text, _ := Text(raw)
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		return n
	}
	return math.NaN()
}

// Times implements Epochs.
func (n NumberEpochs) Times(unit timeunit.Unit, _ []any, _ *time.Location) Times {
	if unit.Duration() == 0 {
		return nil
	}
	return epochTimes{unit: unit.Duration(), whole: n.Whole}
}

// epochTimes is the Times of a number of units since 1970.
type epochTimes struct {
	unit  time.Duration
	whole bool
}

func (e epochTimes) Tick() time.Duration { return max(e.unit, time.Microsecond) }

// Time rounds down to microseconds. A number outside the years 1 to 9999 becomes
// the zero time, as NULL does: only the sweep finds changes of such a row.
func (e epochTimes) Time(raw any) (time.Time, error) {
	if n, err := Integer(raw); err == nil && e.unit >= time.Microsecond {
		if us := n * e.unit.Microseconds(); us/e.unit.Microseconds() == n {
			return readable(us), nil
		}
		return time.Time{}, nil
	}
	r, err := number(raw)
	if err != nil {
		return time.Time{}, err
	}
	us := floor(r.Mul(r, big.NewRat(int64(e.unit), int64(time.Microsecond))))
	if !us.IsInt64() {
		return time.Time{}, nil
	}
	return readable(us.Int64()), nil
}

func readable(us int64) time.Time {
	if us < minTime.UnixMicro() || us >= maxTime.UnixMicro() {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}

// Bounds rounds up if the column holds integers.
func (e epochTimes) Bounds(w doc.Window) (from, to any) { return e.bound(w.From), e.bound(w.To) }

func (e epochTimes) bound(t time.Time) any {
	us := ceil(t, time.Microsecond).UnixMicro()
	r := new(big.Rat).Mul(big.NewRat(us, 1), big.NewRat(int64(time.Microsecond), int64(e.unit)))
	if !e.whole {
		return r.FloatString(6) // exact, since no unit is longer than a second
	}
	n := new(big.Int).Neg(floor(r.Neg(r)))
	switch {
	case n.IsInt64():
		return n.Int64()
	case n.Sign() < 0:
		return int64(math.MinInt64)
	}
	return int64(math.MaxInt64)
}

// Max implements Maxer. The bound of nanoseconds excludes the greatest number of 64 bits.
func (e epochTimes) Max(q *Query, expr string, as *Column) bool {
	if !e.whole || e.unit < time.Microsecond {
		return false
	}
	q.Write("max(CASE WHEN ")
	Field{expr, as}.Between(e.Bounds(doc.Window{From: minTime, To: maxTime}))(q)
	q.Write(" THEN ", expr, " END)")
	return true
}

// number returns a raw value that is a number in one of the drivers' forms.
func number(raw any) (*big.Rat, error) {
	r := new(big.Rat)
	switch v := raw.(type) {
	case int64:
		return r.SetInt64(v), nil
	case float64:
		if r.SetFloat64(v) != nil {
			return r, nil
		}
	}
	// A long exponent would make a number of as many digits.
	if text, ok := Text(raw); ok && !strings.ContainsAny(text, "eE/") {
		if _, ok := r.SetString(text); ok {
			return r, nil
		}
	}
	return nil, fmt.Errorf("%s is not a number", Show(raw))
}

func floor(r *big.Rat) *big.Int {
	// Div rounds down, since the denominator is positive.
	return new(big.Int).Div(r.Num(), r.Denom())
}
