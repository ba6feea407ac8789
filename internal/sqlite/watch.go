package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"time"
)

// watchFor is the lifetime of the watch's connection. A restore may replace the
// file under its name; only a new connection opens the new file.
const watchFor = 10 * time.Minute

// A watch reports commits to a database. All tables of a database share it and its
// one connection.
type watch struct {
	db *DB

	mu     sync.Mutex
	conn   *sql.Conn
	opened time.Time
	number int // of the connection
}

// Version returns a value that changes with every commit. It also changes without
// a commit when the watch takes another connection.
func (d *DB) Version(ctx context.Context) (string, error) { return d.watch.version(ctx) }

func (w *watch) version(ctx context.Context) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.connect(ctx); err != nil {
		return "", w.fault(err)
	}
	var version int64
	if err := w.conn.QueryRowContext(ctx, "PRAGMA data_version").Scan(&version); err != nil {
		w.drop()
		return "", w.fault(err)
	}
	return fmt.Sprintf("%d.%d", w.number, version), nil
}

func (w *watch) connect(ctx context.Context) error {
	if w.conn != nil && time.Since(w.opened) < watchFor {
		return nil
	}
	w.drop()
	conn, err := w.db.db.Conn(ctx)
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
