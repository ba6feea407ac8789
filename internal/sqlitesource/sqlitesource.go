// Package sqlitesource reads one table of a SQLite database: its documents by
// range of keys, by window of updateTime and by key. It is the only importer
// of the SQLite driver.
//
// Invariant: nothing but SELECT, BEGIN, ROLLBACK and the PRAGMAs of connect
// reach the database; the file is opened with mode=ro and query_only, and a
// missing one is never created. Every value is bound.
//
// The user's SQL is wrapped once, SELECT ... FROM (<sql>) q WHERE ..., and the
// same text serves windows, ranges, single keys and counts. What is read is
// read a page at a time, each page in a transaction of its own that has ended
// before the page is handed out: with a rollback journal an open reader keeps
// writers from committing, and indexing a page takes far longer than reading
// it. A page therefore is one snapshot with one FetchSeq, and a range of
// several pages is several fetches.
//
// Cost: a page of documents is held in memory, at most Batch rows or 16 MiB of
// text; stamps 10,000 at a time. A window with nothing in it costs one index
// probe where updateTime is indexed, and a scan of the table where it is not.
//
// Layout: connect.go opens files; table.go looks at a table's SQL; sql.go
// builds statements; docs.go and stamps.go run them; row.go makes documents of
// rows; token.go digests them; clock.go and spelling.go read updateTime in the
// ways that SQLite stores it; errors.go tells faults of the connection from
// faults of the configuration.
package sqlitesource

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"runtime"
	"time"
)

// A Config names a database. DSN is a path or a file: URI.
type Config struct {
	Name, DSN string
}

// A Source is one SQLite database.
type Source struct {
	path string
	db   *sql.DB
}

// Open checks the DSN. It does not touch the file, which need not be there yet.
func Open(_ context.Context, c Config) (*Source, error) {
	path, err := parseDSN(c.DSN)
	if err != nil {
		return nil, fmt.Errorf("source %s: %w", c.Name, err)
	}
	connector, err := newConnector(path)
	if err != nil {
		return nil, fmt.Errorf("source %s: %w", c.Name, err)
	}
	db := sql.OpenDB(connector)
	// Nothing waits for a second connection while it has one, so few are enough.
	conns := runtime.GOMAXPROCS(0) + 2 // one of them may be a Watch's
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	// A file that was replaced, by a restore, is another file under the old
	// name: connections go on reading the one they opened.
	db.SetConnMaxLifetime(time.Minute)
	return &Source{path: path, db: db}, nil
}

// Address is the name of the file, as users see it.
func (s *Source) Address() string { return filepath.Base(s.path) }

// Ping reads the database's first page.
func (s *Source) Ping(ctx context.Context) error {
	var n int
	err := s.db.QueryRowContext(ctx, firstRead).Scan(&n)
	return s.fault("connect", err)
}

// firstRead is the least that reads the database.
const firstRead = `SELECT count(*) FROM sqlite_schema`

// Close closes the connections.
func (s *Source) Close() { s.db.Close() }
