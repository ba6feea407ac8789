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
		return "", w.fault(w.drop(err))
	}
	return fmt.Sprintf("%d.%d", w.number, version), nil
}

func (w *watch) connect(ctx context.Context) (err error) {
	if w.conn != nil && time.Since(w.opened) < watchFor {
		return nil
	}
	if err := w.drop(nil); err != nil {
		return err
	}
	if w.conn, err = w.db.db.Conn(ctx); err != nil {
		w.conn = nil
		return err
	}
	w.opened, w.number = time.Now(), w.number+1
	return nil
}

// drop returns the connection to the pool. It returns err, or else the error of
// closing.
func (w *watch) drop(err error) error {
	if w.conn == nil {
		return err
	}
	closed := w.conn.Close()
	w.conn = nil
	if err == nil {
		err = closed
	}
	return err
}

// Close returns the connection to the pool.
func (w *watch) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.drop(nil)
}

func (w *watch) fault(err error) error {
	return fmt.Errorf("%s: watch for changes: %w", w.db.Address(), fault(err))
}
