package stdsql

import (
	"context"
	"database/sql"
	"time"

	"indexerd/internal/base/doc"
)

// A Clock is an SQL that returns the database's clock as text in UTC, such as
// 2006-01-02 15:04:05.999999.
type Clock string

// Read reads the clock.
func (c Clock) Read(ctx context.Context, q Querier) (t time.Time, err error) {
	var text string
	if err := q.QueryRowContext(ctx, string(c)).Scan(&text); err != nil {
		return t, err
	}
	return time.Parse(time.DateTime, text)
}

// Moment implements Vendor. The database shows each commit at once.
func (c Clock) Moment(ctx context.Context, conn *sql.Conn) (m doc.Moment, err error) {
	m.Asked = time.Now()
	m.Now, err = c.Read(ctx, conn)
	m.Seen, m.Local = m.Now, time.Now()
	return m, err
}

// LastTime is the greatest time of a bound.
var LastTime = time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC)

// Bound returns a dialect.Clock's Write for a type that has whole units from a first
// to a last time: it rounds up, and writes in a layout.
func Bound(layout string, unit time.Duration, first, last time.Time) func(time.Time) any {
	return func(at time.Time) any {
		at = at.UTC().Add(unit - 1).Truncate(unit)
		switch {
		case at.Before(first):
			at = first
		case at.After(last):
			at = last
		}
		return at.Format(layout)
	}
}

// Digits returns the precision of a time that has so many digits after its seconds;
// updateTimes have six at most.
func Digits(n int) time.Duration {
	precision := time.Second
	for range min(n, 6) {
		precision /= 10
	}
	return precision
}
