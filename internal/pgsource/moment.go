package pgsource

import (
	"context"
	"time"

	"indexerd/internal/doc"
)

const momentSQL = "SELECT " + clockMicros + ", pg_is_in_recovery()"

// Moment reads the server's clock, in a statement of its own: what a later
// snapshot sees is then at least what had been committed by its Seen.
func (t *Table) Moment(ctx context.Context) (doc.Moment, error) {
	m, err := t.src.moment(ctx)
	return m, t.wrap(err)
}

// Now returns the database's time: what was committed by then is seen by every
// later snapshot. On a standby it lies behind its clock.
func (t *Table) Now(ctx context.Context) (time.Time, error) {
	m, err := t.Moment(ctx)
	return m.Seen, err
}

func (s *Source) moment(ctx context.Context) (m doc.Moment, err error) {
	x, err := s.acquire(ctx)
	if err != nil {
		return m, err
	}
	defer x.release()
	ctx, cancel := context.WithTimeoutCause(ctx, roundTripTimeout, errNoAnswer)
	defer cancel()
	m.Asked = time.Now()
	row, err := x.row(ctx, query{sql: momentSQL})
	if err != nil {
		return m, err
	}
	m.Local = time.Now()
	if m.Now, err = parseMicros(row[0]); err != nil {
		return m, err
	}
	m.Seen = m.Now
	if !isTrue(row[1]) {
		return m, nil
	}
	standby, err := x.standby(ctx)
	if err != nil {
		return m, err
	}
	m.Seen, m.Behind = earlier(m.Now, standby.seen()), standby.behindReason(m.Now)
	return m, nil
}
