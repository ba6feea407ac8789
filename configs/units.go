package configs

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
)

// duration returns a time span above zero, written as Go does or beginning
// with days: 90s, 1h30m, 1d12h.
func (r *reader) duration(at place, s string) (time.Duration, bool) {
	d, err := parseDuration(s)
	switch {
	case err != nil:
		r.fault(at, "not a duration")
		return 0, false
	case d <= 0:
		r.fault(at, "not longer than zero")
		return 0, false
	}
	return d, true
}

func parseDuration(s string) (time.Duration, error) {
	number, rest, found := strings.Cut(s, "d")
	if !found {
		return time.ParseDuration(s)
	}
	if strings.Trim(number, "0123456789.") != "" {
		return 0, errors.New("d must come first")
	}
	hours, err := time.ParseDuration(number + "h")
	if err != nil || hours > math.MaxInt64/48 { // so that the sum can't overflow
		return 0, errors.New("not a number of days")
	}
	days := 24 * hours
	if rest == "" {
		return days, nil
	}
	d, err := time.ParseDuration(rest)
	if err == nil && (d < 0 || d > math.MaxInt64/2) {
		err = errors.New("not a part of a day")
	}
	return days + d, err
}

// parseSize returns a number of bytes above zero: 65536, 64KiB, 64MiB, 1GiB.
func parseSize(s string) (int64, bool) {
	unit := int64(1)
	for i, name := range []string{"KiB", "MiB", "GiB"} {
		if number, ok := strings.CutSuffix(s, name); ok {
			s, unit = number, 1<<(10*(i+1))
		}
	}
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err != nil || n <= 0 || n > math.MaxInt64/unit {
		return 0, false
	}
	return n * unit, true
}
