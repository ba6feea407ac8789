package doc

import (
	"math"
	"time"
)

// Lateness is the distribution of how late rows were first seen: the
// database's time when a row was fetched, less its updateTime. It counts in
// buckets that grow by a quarter of a doubling, so a quantile is at most 19 %
// above the truth and never below it. The zero value is empty; 488 bytes.
type Lateness struct {
	Counts [buckets]uint32
	Max    time.Duration
}

const (
	bucketsPerDoubling = 4
	buckets            = 120 // the last one begins at ten days
)

// Note counts one row. What lies in the future counts as not late.
func (l *Lateness) Note(late time.Duration) {
	l.Counts[bucket(late)]++
	l.Max = max(l.Max, late)
}

// bucket is the first bucket whose upper bound is not below late. Bucket 0
// ends at one millisecond.
func bucket(late time.Duration) int {
	if late <= time.Millisecond {
		return 0
	}
	doublings := math.Log2(float64(late) / float64(time.Millisecond))
	return min(int(math.Ceil(doublings*bucketsPerDoubling)), buckets-1)
}

// bound is the upper end of a bucket.
func bound(bucket int) time.Duration {
	if bucket == buckets-1 {
		return math.MaxInt64
	}
	return time.Duration(float64(time.Millisecond) * math.Exp2(float64(bucket)/bucketsPerDoubling))
}

// Add adds another distribution.
func (l *Lateness) Add(o Lateness) {
	for b, n := range o.Counts {
		l.Counts[b] += n
	}
	l.Max = max(l.Max, o.Max)
}

// Count is the number of rows.
func (l *Lateness) Count() int64 {
	var n int64
	for _, c := range l.Counts {
		n += int64(c)
	}
	return n
}

// Sum is how late all rows were together, up to a fifth too much: each counts
// as the upper end of its bucket.
func (l *Lateness) Sum() time.Duration {
	var sum time.Duration
	for b, n := range l.Counts {
		sum += time.Duration(n) * min(bound(b), l.Max)
	}
	return sum
}

// Quantile returns a duration within which the share q (0 to 1) of the rows
// was seen; 0 where there are none.
func (l *Lateness) Quantile(q float64) time.Duration {
	rank := int64(math.Ceil(q * float64(l.Count())))
	for b, n := range l.Counts {
		if rank -= int64(n); n > 0 && rank <= 0 {
			return min(bound(b), l.Max)
		}
	}
	return 0
}

// Beyond returns how many rows were later than d, give or take a bucket.
func (l *Lateness) Beyond(d time.Duration) int64 {
	var n int64
	for b, c := range l.Counts {
		if bound(b) > d {
			n += int64(c)
		}
	}
	return n
}
