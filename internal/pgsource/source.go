// Package pgsource reads tables of a PostgreSQL database: rows with their
// children by key range and by key, and stamps by window of updateTime, by key
// range and by key; and its horizon, below which no row can be committed any
// more. It is the only importer of pgx.
//
// A user's SQL, the main one, a child's or another, is never edited. It is
// wrapped, so that one SQL serves every question:
//
//	SELECT x.*, <token> FROM (<sql>
//	) x WHERE <predicate on key or updateTime> AND <the row is live>
//
// Invariants:
//   - Nothing but SELECT, EXPLAIN, BEGIN and COMMIT leaves this package, every
//     transaction that is begun is READ ONLY, and every value is a bind
//     parameter.
//   - One fetch is one REPEATABLE READ transaction, of the main SQL, its
//     children's and what marks rows deleted. Its FetchSeq is taken in the same
//     step as its snapshot, so numbers order snapshots.
//   - All that a token depends on beside the rows (SQLs, keys, session settings,
//     search_path, server major version) is pinned in each transaction and
//     hashed into the token's epoch.
//   - A stamp is the same however it is read: with its document, by window, by
//     range or by key.
//   - A row that is marked deleted is read by no query of rows or stamps.
//   - A row that can't become a document is a doc.Reject, and never an error,
//     even where the SQL itself fails for it.
//   - Children belong to the row whose key has the same bytes, whatever the
//     database takes for equal.
//   - No error text holds a user name, a password or a connection string.
//
// Statements are unnamed: the server plans each with its actual bounds, a
// schema change can't invalidate a cached plan, and poolers need no session.
// Values travel as text, since text is the one form that every type has.
//
// Rows of one key are in one batch, and their stamp, of which there is one, has
// no known token: so each pass fetches them, and the sink sets the key aside.
// A window of stamps has one without an OID where the key of some row is
// unusable; only then are those rows asked for.
//
// A fetch costs three round trips (begin, rows, commit), the commit before its
// last batch is handed out; and one more a batch for each child, for the keys
// of a range with children, and for the marks of deleted rows. A page of stamps
// costs as much without the rows. An idle window costs one page, and one more
// round trip for each child with an updateTime. A row for which the SQL fails costs twice
// the logarithm of its batch in fetches, and where its keys can't be read either
// some 64 statements more. Memory is one batch, or one page of
// stamps.
package pgsource

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"indexerd/internal/pace"
)

// Config says which database to read.
type Config struct {
	Name             string
	DSN              string
	Conns            int // at most so many connections; 0: 4
	Limits           pace.Limits
	StatementTimeout time.Duration // 0: 5 minutes
}

// A Source is one database. It is safe for concurrent use.
type Source struct {
	name             string
	address          string
	pool             *pgxpool.Pool
	pace             *pace.Pace
	own              backends
	readings         readings
	streams          chan struct{} // held by each connection that waits for a consumer
	statementTimeout time.Duration
}

// roundTripTimeout bounds what the server answers at once: connecting,
// beginning, committing. A begin is waited for under the sink's lock.
const roundTripTimeout = 10 * time.Second

// Open prepares a source. The server need not be up.
func Open(ctx context.Context, cfg Config) (*Source, error) {
	// The driver's own error may show a part of a malformed DSN, and thereby
	// of the password.
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
	// The pool's liveness check is a statement of its own. A dead connection is
	// found by its first use instead, which drops all others with it.
	pc.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return false }
	pool, err := pgxpool.NewWithConfig(ctx, pc)
	if err != nil {
		return nil, fmt.Errorf("source %s: %w", cfg.Name, err)
	}
	return &Source{
		name:             cfg.Name,
		address:          net.JoinHostPort(conn.Host, strconv.Itoa(int(conn.Port))) + "/" + conn.Database,
		pool:             pool,
		pace:             pace.New(cfg.Limits),
		readings:         newReadings(),
		streams:          make(chan struct{}, pc.MaxConns-1),
		statementTimeout: cmp.Or(cfg.StatementTimeout, 5*time.Minute),
	}, nil
}

// splitPassword reports whether a URL was read as if it had no login, with a
// password that has a slash as the name of the database.
func splitPassword(dsn, database string) bool {
	return strings.Contains(dsn, "://") && strings.Contains(database, "@")
}

// Address is where the database is, host:port/database.
func (s *Source) Address() string { return s.address }

// Figures are what was asked of it.
func (s *Source) Figures() pace.Figures { return s.pace.Figures() }

// Close closes the connections once what runs on them has ended.
func (s *Source) Close() { s.pool.Close() }

// Ping asks the server for an answer.
func (s *Source) Ping(ctx context.Context) error {
	_, err := s.moment(ctx)
	return err
}
