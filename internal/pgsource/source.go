// Package pgsource reads the tables of a PostgreSQL database. It reads rows
// with their children by key range and by key, and stamps by window of
// updateTime, by key range and by key. It also reads the database's horizon: no
// transaction can commit a row with an earlier updateTime any more. No other
// package imports pgx.
//
// A user's SQL is never edited. It becomes a subquery, so that one SQL serves
// every query:
//
//	SELECT x.*, <token> FROM (<sql>
//	) x WHERE <condition on key or updateTime> AND <not marked deleted>
//
// Guarantees:
//   - The package sends only SELECT, EXPLAIN, BEGIN and COMMIT. Every
//     transaction is READ ONLY, and every value is a bind parameter.
//   - One fetch is one REPEATABLE READ transaction: the main SQL, the
//     children's SQL and the deletion marks. FetchSeq and snapshot are taken in
//     one step, so that a higher number means a newer snapshot.
//   - Whatever a token depends on beside the rows (SQL, key, session settings,
//     search_path, server major version) is set in each transaction and hashed
//     into the token's epoch.
//   - A stamp is the same whether it is read with its document, by window, by
//     range or by key.
//   - No query of rows or stamps returns a row that is marked deleted.
//   - A row that can't become a document is a doc.Reject, never an error, even
//     if the SQL itself fails for that row.
//   - A child row belongs to the row whose key has the same bytes, whatever the
//     collation treats as equal.
//   - No error text contains a user name, a password or a connection string.
//
// Statements are unnamed: the server plans each with its actual parameters, a
// schema change can't invalidate a cached plan, and a connection pooler needs
// no session. Values travel as text, the only format that every type has.
// Behind a pooler everything works but the exact horizon: see Source.Watch.
//
// Rows with the same key come in one batch. Their only stamp has an unknown
// token, so that each pass fetches them and the sink quarantines the key. If a
// window contains a row with an unusable key, its stamps include one without an
// OID; the caller then asks Unusable for the reasons.
//
// Cost. A fetch takes three round trips (begin, rows, commit; the commit comes
// before the last batch is yielded), plus one per batch for each child, for the
// keys of a range with children, and for the deletion marks. A page of stamps
// costs the same without the rows. An idle window costs one page, plus one
// round trip for each child with an updateTime. A row for which the SQL fails
// costs two fetches per halving of its batch, and about 64 more statements if
// even its key can't be read. Memory is one batch or one page of stamps.
package pgsource

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"indexerd/internal/doc"
	"indexerd/internal/horizon"
	"indexerd/internal/pace"
)

// Config describes a database connection.
type Config struct {
	Name             string
	DSN              string
	Conns            int // the maximum number of connections; 0: 4
	Limits           pace.Limits
	StatementTimeout time.Duration // 0: 5 minutes
}

// A Source is one database. It is safe for concurrent use.
type Source struct {
	name             string
	address          string
	pool             *pgxpool.Pool
	pace             *pace.Pace
	own              backends          // the transactions that this source has open
	readings         *horizon.Readings // shared by all watches
	pooled           atomic.Bool       // a connection pooler was noticed
	oneServer        bool              // the pooler has only one server
	statementTimeout time.Duration
	lockTimeout      time.Duration
	replayTimeout    time.Duration // of a standby
}

// roundTripTimeout limits connecting, beginning and committing, which the
// server answers at once. The sink holds its lock during a begin.
const roundTripTimeout = 10 * time.Second

// Open prepares a source. It does not connect.
func Open(ctx context.Context, cfg Config) (*Source, error) {
	// The driver's error may contain a part of a malformed DSN and so of the
	// password.
	pc, err := pgxpool.ParseConfig(cfg.DSN)
	if err != nil || splitPassword(cfg.DSN, pc.ConnConfig.Database) {
		return nil, fmt.Errorf("source %s: dsn is not a connection string of PostgreSQL: "+
			"write postgres://user@host:port/database, with special characters of the password percent-encoded", cfg.Name)
	}
	conn := pc.ConnConfig
	for _, f := range conn.Fallbacks {
		if (f.Host != conn.Host || f.Port != conn.Port) && conn.ValidateConnect == nil {
			return nil, fmt.Errorf("source %s: dsn names several servers, which may differ in what they have replayed: "+
				"add target_session_attrs=primary", cfg.Name)
		}
	}
	conn.RuntimeParams["application_name"] = "indexerd"
	conn.RuntimeParams["client_encoding"] = "UTF8"
	if conn.ConnectTimeout == 0 {
		conn.ConnectTimeout = roundTripTimeout
	}
	pc.MaxConns = int32(cmp.Or(cfg.Conns, 4))
	// The pool's check would be a separate statement. A dead connection fails at
	// its first use instead, which closes all others.
	pc.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return false }
	pool, err := pgxpool.NewWithConfig(ctx, pc)
	if err != nil {
		return nil, fmt.Errorf("source %s: %w", cfg.Name, err)
	}
	s := &Source{
		name:             cfg.Name,
		address:          net.JoinHostPort(conn.Host, strconv.Itoa(int(conn.Port))) + "/" + conn.Database,
		pool:             pool,
		pace:             pace.New(cfg.Limits),
		statementTimeout: cmp.Or(cfg.StatementTimeout, 5*time.Minute),
		lockTimeout:      lockTimeout,
		replayTimeout:    replayTimeout,
	}
	s.readings = horizon.NewReadings(sampler{s})
	return s, nil
}

// splitPassword reports whether a URL was parsed without a login because its
// password contains a slash: the rest of the password then is part of the
// database name.
func splitPassword(dsn, database string) bool {
	return strings.Contains(dsn, "://") && strings.Contains(database, "@")
}

// Address returns host:port/database.
func (s *Source) Address() string { return s.address }

// Figures returns the statements sent and the time they took.
func (s *Source) Figures() pace.Figures { return s.pace.Figures() }

// Close waits for the connections in use and closes all.
func (s *Source) Close() { s.pool.Close() }

// Ping checks that the server answers.
func (s *Source) Ping(ctx context.Context) error {
	_, err := s.moment(ctx)
	return err
}

const momentSQL = "SELECT " + clockMicros + ", pg_is_in_recovery()"

// Moment reads the server's clock in a separate statement. Every snapshot taken
// later sees at least what was committed by the moment's Seen.
func (t *Table) Moment(ctx context.Context) (doc.Moment, error) {
	m, err := t.src.moment(ctx)
	return m, t.wrap(err)
}

// Now returns the database's time. Every snapshot taken later sees what was
// committed by then. On a standby it is earlier than the standby's clock.
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
