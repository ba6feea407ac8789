package format

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"indexerd/internal/index/query"
	"indexerd/internal/serve/osapi/input"
)

// timeUnits are the units of a time value.
var timeUnits = map[string]time.Duration{
	"d": 24 * time.Hour, "h": time.Hour, "m": time.Minute, "s": time.Second, "ms": time.Millisecond, "micros": time.Microsecond, "nanos": time.Nanosecond,
}

// Duration reads a time value: a number and a unit, such as 30s.
func Duration(text, name string) (time.Duration, error) {
	at := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsDigit(r) })
	if at > 0 {
		n, err := strconv.ParseInt(text[:at], 10, 64)
		if unit := timeUnits[strings.ToLower(text[at:])]; err == nil && unit > 0 && n <= math.MaxInt64/int64(unit) {
			return time.Duration(n) * unit, nil
		}
	}
	return 0, input.ArgumentError("[%s] of %s can't be read: write a number and a unit, such as 30s or 5m", name, query.Shorten(text))
}
