// Package postgres is the dialect of PostgreSQL: how the engine in source
// connects, reads, describes SQL and classifies errors. No other package imports
// pgx.
//
// Guarantees:
//   - The package sends only SELECT, EXPLAIN, BEGIN and COMMIT. Every
//     transaction is READ ONLY and REPEATABLE READ, and every value is a bind
//     parameter.
//   - What the text form of a value depends on (session settings, search_path) is
//     set in each transaction. The server's major version and these settings are
//     part of the snapshot's epoch.
//   - Rows are read by the columns found when the SQL was described. A result that
//     has changed since is an error.
//   - No error text contains a user name, a password or a connection string.
//
// Statements on tables are unnamed: the server plans each with its actual parameters,
// a schema change can't invalidate a cached plan, and a connection pooler needs no
// session. Statements on the state of the server, which run every second, are prepared
// where there is no pooler. Values travel as text, the only format that every type has. Behind a
// pooler everything works but the exact horizon: see DB.Connect.
//
// Cost. Begin takes one round trip, and so does each statement. The descriptions
// of the SQLs that a statement reads travel with the first statement of a
// transaction.
package postgres

import (
	"cmp"
	"context"
	"errors"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"indexerd/internal/source/dialect"
)

// A DB is one database. It is safe for concurrent use.
type DB struct {
	address          string
	pool             *pgxpool.Pool
	own              backends    // the transactions that are open here
	pooled           atomic.Bool // a connection pooler was noticed
	direct           atomic.Bool // the last session that was looked at is the server's own
	catalog          atomic.Pointer[seenCatalog]
	oneServer        bool // the pooler has only one server
	statementTimeout time.Duration
	lockTimeout      time.Duration
	replayTimeout    time.Duration // of a standby
}

// roundTripTimeout limits connecting, beginning and committing, which the server
// answers at once. The sink holds its lock during a begin.
const roundTripTimeout = 10 * time.Second

// Open prepares a database with conns connections at most. It does not connect.
func Open(ctx context.Context, dsn string, conns int) (*DB, error) {
	// The driver's error may contain a part of a malformed DSN and so of the
	// password.
	pc, err := pgxpool.ParseConfig(dsn)
	if err != nil || splitPassword(dsn, pc.ConnConfig.Database) {
		return nil, errors.New("dsn is not a connection string of PostgreSQL: " +
			"write postgres://user@host:port/database, with special characters of the password percent-encoded")
	}
	conn := pc.ConnConfig
	for _, f := range conn.Fallbacks {
		if (f.Host != conn.Host || f.Port != conn.Port) && conn.ValidateConnect == nil {
			return nil, errors.New("dsn names several servers, which may differ in what they have replayed: " +
				"add target_session_attrs=primary")
		}
	}
	conn.RuntimeParams["application_name"] = "indexerd"
	conn.RuntimeParams["client_encoding"] = "UTF8"
	conn.ConnectTimeout = cmp.Or(conn.ConnectTimeout, roundTripTimeout)
	pc.MaxConns = int32(conns)
	// The pool's check would be a separate statement. A dead connection fails at
	// its first use instead, which closes all others.
	pc.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return false }
	pool, err := pgxpool.NewWithConfig(ctx, pc)
	if err != nil {
		return nil, err
	}
	return &DB{
		address:          net.JoinHostPort(conn.Host, strconv.Itoa(int(conn.Port))) + "/" + conn.Database,
		pool:             pool,
		statementTimeout: dialect.StatementTimeout,
		lockTimeout:      lockTimeout,
		replayTimeout:    replayTimeout,
	}, nil
}

// splitPassword reports whether a URL was parsed without a login because its
// password contains a slash: the rest of the password then is part of the
// database name.
func splitPassword(dsn, database string) bool {
	return strings.Contains(dsn, "://") && strings.Contains(database, "@")
}

// Address returns host:port/database.
func (db *DB) Address() string { return db.address }

// Acquire implements dialect.Dialect.
func (db *DB) Acquire(ctx context.Context) (dialect.Session, error) {
	x, err := db.acquire(ctx)
	if err != nil {
		return nil, err
	}
	return x, nil
}

func (db *DB) acquire(ctx context.Context) (*session, error) {
	conn, err := db.pool.Acquire(ctx)
	if err != nil {
		return nil, db.connectFault(ctx, err)
	}
	return &session{db: db, conn: conn, pg: conn.Conn().PgConn(), described: map[*dialect.Described]bool{}}, nil
}

// tooMany is the SQLSTATE of a server that takes no more connections.
const tooMany = "53300"

// Probe implements dialect.Prober.
func (db *DB) Probe(ctx context.Context) error {
	conn, err := pgx.ConnectConfig(ctx, db.pool.Config().ConnConfig)
	if err == nil {
		return conn.Close(ctx)
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && pg.Code == tooMany {
		return nil
	}
	return db.connectFault(ctx, err)
}

// Close waits for the connections in use and closes all.
func (db *DB) Close() { db.pool.Close() }
