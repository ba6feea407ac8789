package stdsql

import (
	"context"
	"database/sql"
	"time"

	"indexerd/internal/doc"
)

// A Clock is an SQL that returns the database's clock as text in UTC, such as
// 2006-01-02 15:04:05.999999.
type Clock string

// Read reads the clock.
func (c Clock) Read(ctx context.Context, q Querier) (t time.Time, err error) {
	rows, err := q.QueryContext(ctx, string(c))
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

// Moment implements Vendor. The database shows each commit at once.
func (c Clock) Moment(ctx context.Context, conn *sql.Conn) (m doc.Moment, err error) {
	m.Asked = time.Now()
	m.Now, err = c.Read(ctx, conn)
	m.Seen, m.Local = m.Now, time.Now()
	return m, err
}
