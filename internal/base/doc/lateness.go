package doc

import (
	"errors"
	"math"
	"strings"
	"time"
)

// Lateness is a histogram of how late rows were first fetched: the database's
// time of the fetch minus the row's updateTime. The upper bounds of its buckets
// grow by 19 % (four buckets for each doubling), so a quantile is at most 19 %
// too high and never too low. The zero value is empty. A Lateness takes 488
// bytes.
type Lateness struct {
	Counts [buckets]uint32
	Max    time.Duration
}

const (
	bucketsPerDoubling = 4
	buckets            = 120 // the last bucket begins at ten days
)

// Note counts one row. A negative duration counts as 0.
func (l *Lateness) Note(late time.Duration) {
	l.Counts[bucket(late)]++
	l.Max = max(l.Max, late)
}

// bucket returns the first bucket whose upper bound is at least late. Bucket 0
// ends at one millisecond.
func bucket(late time.Duration) int {
	if late <= time.Millisecond {
		return 0
	}
	doublings := math.Log2(float64(late) / float64(time.Millisecond))
	return min(int(math.Ceil(doublings*bucketsPerDoubling)), buckets-1)
}

// bound returns the upper bound of a bucket.
func bound(bucket int) time.Duration {
	if bucket == buckets-1 {
		return math.MaxInt64
	}
	return time.Duration(float64(time.Millisecond) * math.Exp2(float64(bucket)/bucketsPerDoubling))
}

// Add adds the counts of another histogram.
func (l *Lateness) Add(o Lateness) {
	for b, n := range o.Counts {
		l.Counts[b] += n
	}
	l.Max = max(l.Max, o.Max)
}

// Count returns the number of rows.
func (l *Lateness) Count() int64 {
	var n int64
	for _, c := range l.Counts {
		n += int64(c)
	}
	return n
}

// Sum returns the total lateness of all rows, at most 19 % too high: each row
// counts as the upper bound of its bucket.
func (l *Lateness) Sum() time.Duration {
	var sum time.Duration
	for b, n := range l.Counts {
		sum += time.Duration(n) * min(bound(b), l.Max)
	}
	return sum
}

// Quantile returns a duration within which the fraction q (0 to 1) of the rows
// was fetched; 0 if there are no rows.
func (l *Lateness) Quantile(q float64) time.Duration {
	rank := int64(math.Ceil(q * float64(l.Count())))
	for b, n := range l.Counts {
		if rank -= int64(n); n > 0 && rank <= 0 {
			return min(bound(b), l.Max)
		}
	}
	return 0
}

// Beyond returns how many rows were later than d, to the precision of a bucket.
func (l *Lateness) Beyond(d time.Duration) int64 {
	var n int64
	for b, c := range l.Counts {
		if bound(b) > d {
			n += int64(c)
		}
	}
	return n
}

// ShortDuration returns a duration as users write it: 10m, not 10m0s.
func ShortDuration(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}

// ParseDuration parses a duration in Go's format, which may also begin with days: 90s,
// 1h30m, 1d12h.
func ParseDuration(s string) (time.Duration, error) {
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
