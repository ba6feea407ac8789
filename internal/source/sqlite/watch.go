package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/changes"
	"indexerd/internal/source/dialect"
	"indexerd/internal/source/stdsql"
)

// watchFor is the lifetime of the watch's connection. A restore may replace the
// file under its name; only a new connection opens the new file.
const watchFor = 10 * time.Minute

// A watch reads the version of a database on one connection.
type watch struct {
	db *DB

	mu     sync.Mutex
	conn   *sql.Conn
	opened time.Time
	number int // of the connection
}

// Changes implements changes.Sampler. The version moves with every commit, and
// without one when the watch takes another connection: it counts the commits that
// its connection has seen. SQLite counts no rows.
func (d *DB) Changes(ctx context.Context, _ func(string) []string) (changes.Sample, error) {
	return d.watch.read(ctx)
}

func (w *watch) read(ctx context.Context) (s changes.Sample, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.connect(ctx); err != nil {
		return s, w.fault(err)
	}
	var version int64
	if s.At, err = clockSQL.Read(ctx, w.conn); err == nil {
		err = w.conn.QueryRowContext(ctx, "PRAGMA data_version").Scan(&version)
	}
	if err != nil {
		w.drop()
		return s, w.fault(err)
	}
	s.Version = fmt.Sprintf("%d.%d", w.number, version)
	return s, nil
}

func (w *watch) connect(ctx context.Context) error {
	if w.conn != nil && time.Since(w.opened) < watchFor {
		return nil
	}
	w.drop()
	conn, err := w.db.Pool.Conn(ctx)
	if err != nil {
		return err
	}
	w.conn, w.opened, w.number = conn, time.Now(), w.number+1
	return nil
}

// drop returns the connection to the pool, which closes a broken one.
func (w *watch) drop() {
	if w.conn != nil {
		_ = w.conn.Close()
	}
	w.conn = nil
}

// close returns the connection to the pool.
func (w *watch) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.drop()
}

func (w *watch) fault(err error) error {
	return fmt.Errorf("%s: watch for changes: %w", w.db.Address(), fault(err))
}

var (
	clockFunction  = regexp.MustCompile(`^(?:date|time|datetime|julianday|unixepoch|strftime|timediff)\(`)
	changingResult = regexp.MustCompile(`^(?:current_date|current_time|current_timestamp|random|randomblob|changes|total_changes|last_insert_rowid)\(`)
)

// Footprint implements dialect.Footprinter. The version covers all tables of the
// file, so they are not listed. The programs of the SQLs show the functions that
// they call, and the register of the first argument, 0 without one.
func (*DB) Footprint(ctx context.Context, s dialect.Session, _ dialect.Statement, _ []doc.Kind, all []*dialect.Described) (f doc.Footprint, err error) {
	for _, d := range all {
		program, err := stdsql.Query(ctx, s, "EXPLAIN SELECT * "+d.From())
		if err != nil {
			return f, err
		}
		now := slices.ContainsFunc(program, func(r stdsql.Row) bool { return strings.EqualFold(strings.TrimSpace(r.Text(5)), "now") })
		for _, r := range program {
			name := r.Text(5)
			if changingResult.MatchString(name) || clockFunction.MatchString(name) && (now || r.Number(3) == 0) {
				name, _, _ = strings.Cut(name, "(")
				f.Reason = "the SQL calls function " + name + ", whose value changes without a commit"
			}
		}
	}
	return f, nil
}
