package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"indexerd/internal/source/sqlite"
	"indexerd/internal/tool/demo"
)

// schema creates the table of orders. fillfactor leaves room for changed rows.
const schema = `
CREATE TABLE job_order (
	id bigint PRIMARY KEY, updated_at timestamptz NOT NULL, reference text NOT NULL, status text NOT NULL,
	customer text NOT NULL, consignee text NOT NULL, port text NOT NULL, cargo text NOT NULL, remarks text NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX job_order_updated ON job_order (updated_at)`

// columns are those of schema.
const columns = "id, updated_at, reference, status, customer, consignee, port, cargo, remarks"

// createOrders copies orders of indexerd demo into PostgreSQL.
func createOrders(ctx context.Context, dir, dsn string, n int) error {
	orders := demo.Config{Dir: dir, Rows: n, Seed: 1}
	if err := demo.Create(ctx, orders); err != nil {
		return err
	}
	from, err := sqlite.OpenWritable(orders.File())
	if err != nil {
		return err
	}
	defer from.Close()
	rows, err := from.QueryContext(ctx, "SELECT "+columns+" FROM job_order")
	if err != nil {
		return err
	}
	defer rows.Close()
	to, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer to.Close(context.WithoutCancel(ctx))
	if _, err := to.Exec(ctx, schema); err != nil {
		return err
	}
	var batch pgx.Batch
	for rows.Next() {
		values := make([]any, 9)
		into := make([]any, len(values))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		batch.Queue("INSERT INTO job_order ("+columns+") VALUES ($1, $2::text::timestamptz, $3, $4, $5, $6, $7, $8, $9)", values...)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return to.SendBatch(ctx, &batch).Close()
}

// changes are made in turn: as many orders are added as removed.
var changes = []string{
	`UPDATE job_order SET status = (ARRAY['booked', 'loaded', 'sailed', 'released', 'delivered'])[1 + floor(random() * 5)], updated_at = clock_timestamp()
		WHERE id = (SELECT id FROM job_order WHERE id >= random() * (SELECT max(id) FROM job_order) ORDER BY id LIMIT 1)`,
	`INSERT INTO job_order SELECT (SELECT max(id) + 1 FROM job_order), clock_timestamp(), reference, 'booked', customer, consignee, port, cargo, remarks
		FROM job_order WHERE id >= random() * (SELECT max(id) FROM job_order) ORDER BY id LIMIT 1`,
	`DELETE FROM job_order WHERE id = (SELECT min(id) FROM job_order)`,
}

// changeOrders changes orders, five a second, until ctx ends.
func changeOrders(ctx context.Context, dsn string) error {
	db, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer db.Close(context.WithoutCancel(ctx))
	every := time.NewTicker(200 * time.Millisecond)
	defer every.Stop()
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return nil
		case <-every.C:
		}
		if _, err := db.Exec(ctx, changes[i%len(changes)]); err != nil && ctx.Err() == nil {
			return fmt.Errorf("change an order: %w", err)
		}
	}
}
