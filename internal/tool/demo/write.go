package demo

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"indexerd/internal/source/sqlite"
)

// Write changes the database two to ten times a second until ctx is done. It then
// returns nil.
func (c Config) Write(ctx context.Context) error {
	w, err := c.newWriter()
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	defer w.db.Close()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Duration(100+w.random.IntN(400)) * time.Millisecond):
		}
		if err := w.change(ctx); err != nil && ctx.Err() == nil {
			return fmt.Errorf("demo: change an order: %w", err)
		}
	}
}

// A writer changes the database.
type writer struct {
	db     *sql.DB
	gen    *generator
	random *rand.Rand
}

func (c Config) newWriter() (*writer, error) {
	db, err := sqlite.OpenWritable(c.File())
	if err != nil {
		return nil, err
	}
	return &writer{db: db, gen: newGenerator(), random: random(c.Seed, 0)}, nil
}

// change makes one change in a transaction. As many orders are added as removed.
func (w *writer) change(ctx context.Context) error {
	tx, err := w.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after Commit
	if err := w.changeIn(ctx, tx); err != nil {
		return err
	}
	return tx.Commit()
}

func (w *writer) changeIn(ctx context.Context, tx *sql.Tx) error {
	var last int64
	if err := tx.QueryRowContext(ctx, "SELECT coalesce(max(id), 0) FROM job_order").Scan(&last); err != nil {
		return err
	}
	var id int64
	err := tx.QueryRowContext(ctx, "SELECT id FROM job_order WHERE id >= ? ORDER BY id LIMIT 1", 1+w.random.Int64N(last+1)).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return w.newOrder(ctx, tx, last+1)
	}
	if err != nil {
		return err
	}
	switch n := w.random.IntN(100); {
	case n < 10:
		return w.newOrder(ctx, tx, last+1)
	case n < 20:
		return w.removeOrder(ctx, tx, id)
	case n < 50:
		return w.moveOrder(ctx, tx, id)
	case n < 65:
		return w.remark(ctx, tx, id)
	case n < 85:
		return w.weighContainer(ctx, tx, id)
	case n < 93:
		return w.addContainer(ctx, tx, id)
	}
	return w.removeContainer(ctx, tx, id)
}

func (w *writer) newOrder(ctx context.Context, tx *sql.Tx, id int64) error {
	into, err := prepareInserts(ctx, tx)
	if err != nil {
		return err
	}
	defer into.close()
	o := w.gen.order(w.random, id)
	o.updated = ""
	for i := range o.containers {
		o.containers[i].updated = ""
	}
	if err := into.insert(ctx, o); err != nil {
		return err
	}
	return touch(ctx, tx, id)
}

func (w *writer) removeOrder(ctx context.Context, tx *sql.Tx, id int64) error {
	if _, err := tx.ExecContext(ctx, "DELETE FROM container WHERE order_id = ?", id); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "DELETE FROM job_order WHERE id = ?", id)
	return err
}

func (w *writer) moveOrder(ctx context.Context, tx *sql.Tx, id int64) error {
	_, err := tx.ExecContext(ctx, "UPDATE job_order SET status = ?, updated_at = "+now+" WHERE id = ?", pick(w.random, w.gen.statuses), id)
	return err
}

func (w *writer) remark(ctx context.Context, tx *sql.Tx, id int64) error {
	first, second := w.gen.languages(w.random)
	_, err := tx.ExecContext(ctx, "UPDATE job_order SET remarks = ?, updated_at = "+now+" WHERE id = ?", w.gen.remarks(w.random, first, second), id)
	return err
}

func (w *writer) weighContainer(ctx context.Context, tx *sql.Tx, id int64) error {
	_, err := tx.ExecContext(ctx, "UPDATE container SET weight = ?, updated_at = "+now+" WHERE id = (SELECT max(id) FROM container WHERE order_id = ?)", 2000+10*w.random.IntN(2550), id)
	return errors.Join(err, touch(ctx, tx, id))
}

func (w *writer) addContainer(ctx context.Context, tx *sql.Tx, id int64) error {
	into, err := prepareInserts(ctx, tx)
	if err != nil {
		return err
	}
	defer into.close()
	language, _ := w.gen.languages(w.random)
	err = into.insertContainer(ctx, id, w.gen.container(w.random, language, ""))
	return errors.Join(err, touch(ctx, tx, id))
}

func (w *writer) removeContainer(ctx context.Context, tx *sql.Tx, id int64) error {
	_, err := tx.ExecContext(ctx, "DELETE FROM container WHERE id = (SELECT max(id) FROM container WHERE order_id = ?)", id)
	return errors.Join(err, touch(ctx, tx, id))
}

// touch sets updated_at of an order. It is called after its containers are
// changed, so that its time is not before theirs.
func touch(ctx context.Context, tx *sql.Tx, id int64) error {
	_, err := tx.ExecContext(ctx, "UPDATE job_order SET updated_at = "+now+" WHERE id = ?", id)
	return err
}
