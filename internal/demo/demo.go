// Package demo makes the database that the demonstration indexes, and keeps it
// alive: the job orders of a freight company that does not exist, each with
// the containers it fills, in English and in Chinese.
//
// Invariant: whatever changes a container changes its order's updated_at in
// the same transaction, to a time that is not before any of its containers'.
// So one indexed column says when a document last changed, and a window of
// updateTime costs a probe of that index; max() over the containers would
// have to be computed for every order before it could be compared.
//
// Layout of freight.db: job_order, container (order_id), an index on each of
// job_order.updated_at and container.order_id. Times are UTC with
// milliseconds, as SQLite's strftime writes them.
//
// Cost: 20,000 orders take about a second and 20 MB. text.go makes sentences
// of grammars, english.go and chinese.go hold them, order.go makes orders,
// write.go changes them, config.go says how they are indexed.
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

	"indexerd/internal/sqlitesource"
)

// A Config says where the database is and how it is made. The same Seed makes
// the same orders.
type Config struct {
	Dir  string
	Rows int // orders; 0 means 20,000
	Seed uint64
}

const defaultRows = 20_000

func (c Config) file() string { return filepath.Join(c.Dir, "freight.db") }

// schema is what a new database begins with.
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

// Create makes the database, unless there is one: a demonstration goes on
// where it was left. A half-made one, of a Create that was interrupted, has
// another name and is made again.
func Create(ctx context.Context, c Config) error {
	if _, err := os.Stat(c.file()); err == nil {
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("demo: %w", err)
	}
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	half := c.file() + ".tmp"
	for _, name := range []string{half, half + "-wal", half + "-shm"} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("demo: %w", err)
		}
	}
	if err := c.fill(ctx, half); err != nil {
		return fmt.Errorf("demo: make %s: %w", c.file(), err)
	}
	if err := os.Rename(half, c.file()); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	return nil
}

// fill makes the tables and the orders in one transaction.
func (c Config) fill(ctx context.Context, name string) (err error) {
	db, err := sqlitesource.OpenWritable(name)
	if err != nil {
		return err
	}
	// The last connection to close moves the write-ahead log into the file.
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
