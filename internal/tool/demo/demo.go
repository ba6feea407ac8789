// Package demo creates the SQLite database of indexerd demo, freight.db, and
// changes it: job orders of an invented freight company, each with its
// containers, in English and Chinese.
//
// The tables are job_order and container. There is an index on
// job_order.updated_at and one on container.order_id. Times are UTC with
// milliseconds, in the format of SQLite's strftime.
//
// Every change of a container also sets updated_at of its order, in the same
// transaction, to a time that is not before any updated_at of its containers. So
// one indexed column has the time of a document's last change, and a window costs
// one search of that index. With max() over the containers, each window would
// read all orders.
//
// To create 20,000 orders takes about a second and 20 MB. text.go generates
// sentences from the grammars in english.txt and chinese.txt, order.go generates
// orders, write.go changes them, and config.go has the configuration.
package demo

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"indexerd/internal/source/sqlite"
)

// A Config is where the database is and what it has. The same Seed and Rows
// result in the same orders.
type Config struct {
	Dir  string
	Rows int // orders; 0 means 20,000
	Seed uint64
}

const defaultRows = 20_000

// File is the path of the database.
func (c Config) File() string { return filepath.Join(c.Dir, "freight.db") }

// schema creates the tables.
const schema = `
CREATE TABLE job_order (
	id INTEGER PRIMARY KEY,
	updated_at TEXT NOT NULL,
	reference TEXT NOT NULL,
	status TEXT NOT NULL,
	customer TEXT NOT NULL,
	consignee TEXT NOT NULL,
	load_port TEXT NOT NULL,
	port TEXT NOT NULL,
	vessel TEXT NOT NULL,
	ready DATE NOT NULL,
	cargo TEXT NOT NULL,
	remarks TEXT NOT NULL
);
CREATE TABLE container (
	id INTEGER PRIMARY KEY,
	order_id INTEGER NOT NULL,
	updated_at TEXT NOT NULL,
	number TEXT NOT NULL,
	type TEXT NOT NULL,
	seal TEXT NOT NULL,
	goods TEXT NOT NULL,
	weight INTEGER NOT NULL
);
CREATE INDEX job_order_updated ON job_order (updated_at);
CREATE INDEX container_order ON container (order_id);`

// Create creates the database unless it exists, so that a demo continues where
// it stopped. While Create runs, the file has another name. After an
// interruption, the next Create starts from scratch.
func Create(ctx context.Context, c Config) error {
	if _, err := os.Stat(c.File()); err == nil {
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("demo: %w", err)
	}
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	partial := c.File() + ".tmp"
	for _, name := range []string{partial, partial + "-wal", partial + "-shm"} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("demo: %w", err)
		}
	}
	if err := c.fill(ctx, partial); err != nil {
		return fmt.Errorf("demo: create %s: %w", c.File(), err)
	}
	if err := os.Rename(partial, c.File()); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	return nil
}

// fill creates the tables and the orders in one transaction.
func (c Config) fill(ctx context.Context, name string) (err error) {
	db, err := sqlite.OpenWritable(name)
	if err != nil {
		return err
	}
	// Closing the last connection moves the write-ahead log into the file.
	defer func() { err = errors.Join(err, db.Close()) }()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after Commit
	if _, err := tx.ExecContext(ctx, schema); err != nil {
		return err
	}
	if err := c.insertOrders(ctx, tx); err != nil {
		return err
	}
	return tx.Commit()
}

func (c Config) insertOrders(ctx context.Context, tx *sql.Tx) error {
	into, err := prepareInserts(ctx, tx)
	if err != nil {
		return err
	}
	defer into.close()
	g := newGenerator()
	for id := range int64(cmp.Or(c.Rows, defaultRows)) {
		if err := into.insert(ctx, g.order(random(c.Seed, id+1), id+1)); err != nil {
			return err
		}
	}
	return nil
}
