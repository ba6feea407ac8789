// Package sqlitesource reads one table of a SQLite database, with its children:
// documents and stamps by range of keys, by window of updateTime and by key. It
// is the only importer of the SQLite driver.
//
// Invariants. Nothing but SELECT, EXPLAIN, BEGIN, ROLLBACK and the PRAGMAs of
// connect reach the database; the file is opened with mode=ro and query_only,
// and a missing one is never created. Every value is bound. A row never keeps
// another one from being read: one that can't be a document is a reject, also
// where the SQL itself fails at it. Whichever way a row is come by, its stamp
// is the same.
//
// The user's SQL is wrapped once, SELECT ... FROM (<sql>) q WHERE ..., and the
// same text serves windows, ranges, single keys and counts. What is read is
// read a page at a time, each page in a transaction of its own that has ended
// before the page is handed out: with a rollback journal an open reader keeps
// writers from committing, and indexing a page takes far longer than reading
// it. A page therefore is one snapshot with one FetchSeq, children and marks of
// deletion included, and a range of several pages is several fetches.
//
// Memory: a page of documents, at most Batch rows or 16 MiB of text, and 16 MiB
// of children, or those of one row; stamps 10,000 at a time.
//
// Queries: one a page, and one more for each child and for a list of deleted
// rows, by the keys of the page. A window with nothing in it costs one index
// probe, and one for each child, where updateTime is indexed, and a scan of the
// table where it is not. A child needs an index on its key. A row at which the
// SQL fails costs 2 log2(Batch) fetches.
//
// Digests of children are added up here and not by an aggregate function in
// SQL: it would have to sort by key what is now read as it lies, and could not
// tell the greatest of updateTimes that are text with offsets.
//
// Layout: connect.go opens files, visit.go reads them; table.go is the table,
// view.go one SQL of it, sql.go builds statements. docs.go fetches, page.go and
// row.go make documents of rows, children.go adds their children, deletion.go
// leaves out what is marked deleted, poison.go sets apart the rows at which SQL
// fails. stamps.go and walk.go walk windows, listing.go reads the stamps of
// their pages, token.go digests. keyless.go, relations.go, examine.go and
// probe.go are for those who check. clock.go and spelling.go read updateTime in the ways that SQLite stores
// it; errors.go tells faults of the connection from faults of the configuration.
package sqlitesource

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"runtime"
	"time"

	"indexerd/internal/pace"
)

// A Config names a database. DSN is a path or a file: URI.
type Config struct {
	Name, DSN string
	Conns     int // at most so many that read; 0: as many as there are processors, and one
	Limits    pace.Limits
}

// A Source is one SQLite database.
type Source struct {
	path  string
	db    *sql.DB
	pace  *pace.Pace
	watch Watch
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
	conns := cmp.Or(c.Conns, runtime.GOMAXPROCS(0)+1) + 1 // the Watch's
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	// A file that was replaced, by a restore, is another file under the old
	// name: connections go on reading the one they opened.
	db.SetConnMaxLifetime(time.Minute)
	s := &Source{path: path, db: db, pace: pace.New(c.Limits)}
	s.watch.source = s
	return s, nil
}

// Address is the name of the file, as users see it.
func (s *Source) Address() string { return filepath.Base(s.path) }

// Ping reads the database's first page.
func (s *Source) Ping(ctx context.Context) error {
	err := s.read(ctx, func(tx *sql.Tx) error {
		var n int
		return tx.QueryRowContext(ctx, firstRead).Scan(&n)
	})
	return s.fault("connect", err)
}

// firstRead is the least that reads the database.
const firstRead = `SELECT count(*) FROM sqlite_schema`

// Figures are what was asked of it.
func (s *Source) Figures() pace.Figures { return s.pace.Figures() }

// Close closes the connections. They only read, so nothing can be lost.
func (s *Source) Close() {
	_ = s.watch.Close()
	_ = s.db.Close()
}
