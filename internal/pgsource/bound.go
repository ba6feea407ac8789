package pgsource

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"time"
)

// The first and the last instant that a bound can name; a window that reaches
// further is cut there, where no updateTime can be.
var (
	minTime = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
	maxTime = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
)

// ceilTime rounds up to a multiple of d, within what a bound can name.
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

// epochBound is the time as a number of units, rounded up where the column
// holds whole numbers.
func epochBound(t time.Time, unit time.Duration, whole bool) string {
	us := ceilTime(t, time.Microsecond).UnixMicro()
	r := new(big.Rat).Mul(big.NewRat(us, 1), big.NewRat(int64(time.Microsecond), int64(unit)))
	if !whole {
		return r.FloatString(6) // exact: no unit is longer than a second
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

// floor is the greatest integer that is not above r.
func floor(r *big.Rat) *big.Int {
	// Div rounds down here, as the denominator is positive.
	return new(big.Int).Div(r.Num(), r.Denom())
}
