// Package sqlitesource reads tables of a SQLite database with their children:
// documents by range of keys and by key, stamps by window of updateTime, by range
// and by key. It is the only importer of the SQLite driver.
//
// A user's SQL is never edited. It is wrapped, SELECT ... FROM (<sql>) q WHERE
// ..., so that one SQL serves windows, ranges, keys and counts.
//
// Guarantees:
//   - Only SELECT, EXPLAIN, BEGIN, ROLLBACK and the PRAGMAs of connect.go reach
//     the database. The file is opened with mode=ro and query_only and is never
//     created. Every value is a bind parameter.
//   - A row that can't become a document is a doc.Reject, even if the SQL itself
//     fails for it. It never keeps another row from being read.
//   - The stamp of a row is the same whichever method reads it.
//   - One page is one snapshot with one FetchSeq, including its children and
//     deletion marks. A range of several pages is several fetches.
//   - The transaction of a page ends before the caller gets the page: with a
//     rollback journal an open reader blocks commits, and indexing a page takes
//     far longer than reading it.
//
// Memory: one page of documents, at most Batch rows or 4 MiB of text, and 4 MiB of
// children, or the children of one row; 10,000 stamps.
//
// Queries: one for each page, and one more for each child and for the list of
// deleted rows, by the keys of the page. An empty window costs one index lookup,
// and one more for each child, if updateTime is indexed; otherwise a scan of the
// table. A child needs an index on its key. A row for which the SQL fails costs
// 2 log2(Batch) fetches.
//
// Digests of children are summed in Go, not by an aggregate function in SQL: that
// would sort all rows by key, and could not find the greatest of updateTimes that
// are text with offsets.
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
	Conns     int // reading connections at most; 0: the number of processors plus one
	Limits    pace.Limits
}

// A Source is one SQLite database.
type Source struct {
	path  string
	db    *sql.DB
	pace  *pace.Pace
	watch Watch
}

// Open checks the DSN. It does not read the file, which need not exist yet.
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
	// No caller waits for a second connection while it holds one, so few are enough.
	conns := cmp.Or(c.Conns, runtime.GOMAXPROCS(0)+1) + 1 // and one for the Watch
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	// A restore may replace the file under its name. An open connection keeps
	// reading the old file.
	db.SetConnMaxLifetime(time.Minute)
	s := &Source{path: path, db: db, pace: pace.New(c.Limits)}
	s.watch.source = s
	return s, nil
}

// Address returns the file's name without its directory.
func (s *Source) Address() string { return filepath.Base(s.path) }

// Ping reads the database's first page.
func (s *Source) Ping(ctx context.Context) error {
	return s.fault("connect", s.read(ctx, func(tx *sql.Tx) error { return takeSnapshot(ctx, tx) }))
}

// Figures returns the counts of statements and their time.
func (s *Source) Figures() pace.Figures { return s.pace.Figures() }

// Close closes all connections.
func (s *Source) Close() {
	_ = s.watch.Close()
	_ = s.db.Close()
}
