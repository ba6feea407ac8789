package stdsql

import (
	"context"
	"time"

	"indexerd/internal/doc"
)

// ReadClock reads the database's clock by an SQL that returns it as text in UTC, such
// as 2006-01-02 15:04:05.999999.
func ReadClock(ctx context.Context, q Querier, sql string) (t time.Time, err error) {
	rows, err := q.QueryContext(ctx, sql)
	if err != nil {
		return t, err
	}
	defer rows.Close()
	var text string
	for rows.Next() {
		if err := rows.Scan(&text); err != nil {
			return t, err
		}
	}
	if err := rows.Err(); err != nil {
		return t, err
	}
	return time.Parse(time.DateTime, text)
}

// ReadMoment reads the clock for Vendor.Moment. The database shows each commit at once.
func ReadMoment(ctx context.Context, q Querier, sql string) (m doc.Moment, err error) {
	m.Asked = time.Now()
	m.Now, err = ReadClock(ctx, q, sql)
	m.Seen, m.Local = m.Now, time.Now()
	return m, err
}
