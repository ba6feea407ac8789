package daemon

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// stressSchema is the table that the writers write and the ways they stamp.
const stressSchema = `
CREATE TABLE item (id bigint PRIMARY KEY, updated timestamptz NOT NULL DEFAULT now(), body text NOT NULL);
CREATE INDEX ON item (updated);
CREATE SEQUENCE item_id;
INSERT INTO item (id, body) SELECT nextval('item_id'), 'first ' || i FROM generate_series(1, 20000) i;
CREATE PROCEDURE commits_in_the_middle(n int) LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO item (id, body) SELECT nextval('item_id'), 'procedure' FROM generate_series(1, n);
	COMMIT;
	PERFORM pg_sleep(0.3 + random());
	INSERT INTO item (id, updated, body) SELECT nextval('item_id'), clock_timestamp(), 'procedure' FROM generate_series(1, n);
END $$`

// rowsATime is how many rows a transaction writes.
const rowsATime = 60

const insertRows = `INSERT INTO item (id, body) SELECT nextval('item_id'), 'row of a transaction ' || txid_current() FROM generate_series(1, $1)`

// writers are the ways of writing. Each runs in a separate session.
// think is how long a transaction stays open at most.
var writers = []func(*writer, context.Context) error{
	(*writer).autocommit,
	(*writer).autocommit,
	(*writer).thinkThenWrite,
	(*writer).thinkThenWrite,
	(*writer).thinkThenWrite,
	(*writer).writeThenThink,
	(*writer).writeThenThink,
	(*writer).savepoints,
	(*writer).rollBack,
	(*writer).procedure,
	(*writer).prepared,
	(*writer).bulkUpdate,
	(*writer).waitForLocks,
	(*writer).waitForLocks,
}

// A writer is one session of the application.
type writer struct {
	conn   *pgx.Conn
	random *rand.Rand
	think  time.Duration
	passed func() time.Time // end of the last window that was read
	late   *atomic.Int64    // rows committed after a window that contains their updateTime was read
	number int
}

// run writes until ctx ends.
func (w *writer) run(ctx context.Context, write func(context.Context, *writer) error) error {
	for ctx.Err() == nil {
		err := write(ctx, w)
		var refused *pgconn.PgError
		if errors.As(err, &refused) && refused.Code == "40P01" { // a deadlock is part of the game
			continue
		}
		if err != nil {
			return err
		}
		// A real client pauses. The transactions of one that never does, and that
		// the daemon's role can't see, look like one long transaction, and hold S.
		w.pause(time.Second)
	}
	return nil
}

func (w *writer) pause(upTo time.Duration) {
	<-time.After(time.Duration(w.random.Int64N(int64(upTo))))
}

// inTx runs one transaction that stamps rows with its beginning, and counts
// those that commit late.
func (w *writer) inTx(f func(ctx context.Context, tx pgx.Tx) (rows int64, err error)) error {
	ctx := context.Background() // a transaction that was begun is ended
	tx, err := w.conn.Begin(ctx)
	if err != nil {
		return err
	}
	var stamp time.Time
	if err := tx.QueryRow(ctx, "SELECT now()").Scan(&stamp); err != nil {
		return errors.Join(err, tx.Rollback(ctx))
	}
	rows, err := f(ctx, tx)
	if err != nil {
		return errors.Join(err, tx.Rollback(ctx))
	}
	late := stamp.Before(w.passed())
	if err := tx.Commit(ctx); err != nil {
		return err
	}
	if late {
		w.late.Add(rows)
	}
	return nil
}

func (w *writer) autocommit(ctx context.Context) error {
	_, err := w.conn.Exec(context.WithoutCancel(ctx), insertRows, rowsATime)
	w.pause(200 * time.Millisecond)
	return err
}

func insert(ctx context.Context, tx pgx.Tx) (int64, error) {
	tag, err := tx.Exec(ctx, insertRows, rowsATime)
	return tag.RowsAffected(), err
}

func (w *writer) thinkThenWrite(context.Context) error {
	return w.inTx(func(ctx context.Context, tx pgx.Tx) (int64, error) {
		w.pause(w.think)
		return insert(ctx, tx)
	})
}

func (w *writer) writeThenThink(context.Context) error {
	return w.inTx(func(ctx context.Context, tx pgx.Tx) (int64, error) {
		n, err := insert(ctx, tx)
		w.pause(w.think)
		return n, err
	})
}

func (w *writer) savepoints(context.Context) error {
	return w.inTx(func(ctx context.Context, tx pgx.Tx) (int64, error) {
		for _, sql := range []string{"SAVEPOINT a", "INSERT INTO item (id, body) VALUES (nextval('item_id'), 'undone')", "ROLLBACK TO a", "SAVEPOINT b"} {
			if _, err := tx.Exec(ctx, sql); err != nil {
				return 0, err
			}
		}
		w.pause(w.think)
		return insert(ctx, tx)
	})
}

func (w *writer) rollBack(context.Context) error {
	ctx := context.Background()
	tx, err := w.conn.Begin(ctx)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, "UPDATE item SET updated = now(), body = 'never committed' WHERE id IN (SELECT id FROM item ORDER BY id LIMIT 20 OFFSET 500)")
	w.pause(w.think)
	return errors.Join(err, tx.Rollback(ctx))
}

func (w *writer) procedure(ctx context.Context) error {
	_, err := w.conn.Exec(context.WithoutCancel(ctx), "CALL commits_in_the_middle($1)", rowsATime)
	return err
}

func (w *writer) prepared(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	w.number++
	name := fmt.Sprintf("stress-%d-%d", w.conn.PgConn().PID(), w.number)
	for _, sql := range []string{
		"BEGIN", fmt.Sprintf("INSERT INTO item (id, body) SELECT nextval('item_id'), 'prepared' FROM generate_series(1, %d)", rowsATime),
		fmt.Sprintf("PREPARE TRANSACTION '%s'", name),
	} {
		if _, err := w.conn.Exec(ctx, sql); err != nil {
			return err
		}
	}
	w.pause(w.think)
	_, err := w.conn.Exec(ctx, fmt.Sprintf("COMMIT PREPARED '%s'", name))
	return err
}

func (w *writer) bulkUpdate(context.Context) error {
	err := w.inTx(func(ctx context.Context, tx pgx.Tx) (int64, error) {
		w.pause(w.think)
		tag, err := tx.Exec(ctx, `UPDATE item SET updated = now(), body = 'bulk ' || txid_current() WHERE id BETWEEN $1 AND $1 + 999`, 2000+w.random.IntN(17000))
		return tag.RowsAffected(), err
	})
	w.pause(500 * time.Millisecond)
	return err
}

// waitForLocks updates a few hot rows: its statement may wait for another
// session's lock, and then writes a stamp that is older than what it replaces.
func (w *writer) waitForLocks(context.Context) error {
	return w.inTx(func(ctx context.Context, tx pgx.Tx) (int64, error) {
		tag, err := tx.Exec(ctx, `UPDATE item SET updated = now(), body = 'hot ' || txid_current() WHERE id BETWEEN 1 AND 20`)
		w.pause(w.think / 4)
		return tag.RowsAffected(), err
	})
}
