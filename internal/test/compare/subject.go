package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"
	_ "modernc.org/sqlite"
)

// A subject is a table to load and sweep.
type subject struct {
	name   string
	config string       // with DATA for the data directory
	rows   int          // of the table
	server *serverMeter // nil: the database is in the daemon's process
}

// words is the text of the row i, of about 120 bytes.
const words = "'the quick ' || i || ' brown fox ' || (i % 977) || ' jumps over the lazy dog and ' || (i % 89) || ' other animals of the forest that sleep in the shade of tree ' || (i % 13)"

// schema makes the table with its children. INTS is an SQL of the integers from 1
// to the number of rows, in each database another one.
const schema = `CREATE TABLE "row" (id bigint PRIMARY KEY, updated bigint NOT NULL, body text NOT NULL, kind text NOT NULL);
INSERT INTO "row" SELECT i, 1700000000000000 + i, ` + words + `, 'kind' || (i % 7) FROM (INTS) ints;
CREATE TABLE child (row_id bigint NOT NULL, updated bigint NOT NULL, name text NOT NULL);
INSERT INTO child SELECT i, 1700000000000000 + i, 'child ' || n || ' of ' || i FROM (INTS) ints, (SELECT 1 AS n UNION SELECT 2 UNION SELECT 3) three;
CREATE INDEX row_updated ON "row" (updated);
CREATE INDEX child_row ON child (row_id);
CREATE INDEX child_updated ON child (updated);
`

// config has updateTime in microseconds, so that it is the same for both databases.
// Passes other than the load and the sweep are rare.
const config = `data: DATA
http: {listen: 127.0.0.1:0}
sources:
  db: {driver: DRIVER, dsn: "DSN"}
tables:
  row:
    source: db
    sql: SELECT id, updated, body, kind FROM "row"
    key: id
    updated: {column: updated, unit: us}
    content: {fields: [body]}
    metadata: {kind: keyword}
    incremental: {every: 1h}
    compensate: {every: 1h, tiers: [{every: 1h, timeout: 1h}]}
    deletecheck: {every: 1d}
`

const withChildren = `    children:
      names: {sql: "SELECT row_id, updated, name FROM child", key: row_id, updated: {column: updated, unit: us}, content: [name]}
`

// makeSubjects fills both databases.
func makeSubjects(ctx context.Context, dir, dsn string, rows int) ([]subject, error) {
	server, err := fillPostgres(ctx, dsn, rows)
	if err != nil {
		return nil, fmt.Errorf("PostgreSQL: %w", err)
	}
	file := filepath.Join(dir, "db.sqlite")
	if err := fillSQLite(ctx, file, rows); err != nil {
		return nil, fmt.Errorf("SQLite: %w", err)
	}
	var subjects []subject
	for _, s := range []struct {
		name, driver, dsn string
		server            *serverMeter
	}{{"pg", "postgres", dsn, server}, {"sqlite", "sqlite", file, nil}} {
		text := strings.NewReplacer("DRIVER", s.driver, "DSN", s.dsn).Replace(config)
		subjects = append(subjects, subject{s.name, text, rows, s.server}, subject{s.name + "+3", text + withChildren, rows, s.server})
	}
	return subjects, nil
}

// fillPostgres makes the tables and does the server's background work on them.
func fillPostgres(ctx context.Context, dsn string, rows int) (*serverMeter, error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return nil, err
	}
	defer conn.Close(ctx)
	ints := fmt.Sprintf("SELECT generate_series(1, %d) AS i", rows)
	for _, statement := range []string{
		"ALTER SYSTEM SET autovacuum = off", "SELECT pg_reload_conf()",
		strings.ReplaceAll(schema, "INTS", ints),
		"VACUUM ANALYZE", "CHECKPOINT",
	} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return nil, err
		}
	}
	var backend int
	if err := conn.QueryRow(ctx, "SELECT pg_backend_pid()").Scan(&backend); err != nil {
		return nil, err
	}
	return newServerMeter(backend)
}

func fillSQLite(ctx context.Context, file string, rows int) error {
	db, err := sql.Open("sqlite", file)
	if err != nil {
		return err
	}
	defer db.Close()
	ints := fmt.Sprintf("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) SELECT i FROM n", rows)
	_, err = db.ExecContext(ctx, "BEGIN;"+strings.ReplaceAll(schema, "INTS", ints)+"COMMIT; ANALYZE")
	return err
}

// A usage is CPU time in seconds.
type usage struct{ daemon, server float64 }

func daemonTime(u usage) float64 { return u.daemon }
func serverTime(u usage) float64 { return u.server }

// measure loads the table into a new data directory by each binary, and then sweeps
// it by both in alternation. The binary first begins.
func (s subject) measure(ctx context.Context, binaries [2]string, dir string, first int) (loads, swept [2]usage, err error) {
	if err := os.RemoveAll(dir); err != nil {
		return loads, swept, err
	}
	var daemons [2]*daemon
	for _, i := range []int{first, 1 - first} {
		file, err := s.configure(filepath.Join(dir, fmt.Sprint(i)))
		if err != nil {
			return loads, swept, err
		}
		if loads[i], err = s.load(ctx, binaries[i], file); err != nil {
			return loads, swept, fmt.Errorf("load: %w", err)
		}
		if daemons[i], err = startDaemon(ctx, binaries[i], file); err != nil {
			return loads, swept, err
		}
		defer daemons[i].kill()
		if err := daemons[i].ready(ctx); err != nil {
			return loads, swept, err
		}
		if err := daemons[i].sweep(ctx, s.rows); err != nil { // the first one warms caches
			return loads, swept, fmt.Errorf("sweep: %w", err)
		}
	}
	swept, err = s.sweep(ctx, daemons, first)
	return loads, swept, err
}

// configure makes a directory and writes the configuration there.
func (s subject) configure(dir string) (file string, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	file = filepath.Join(dir, "c.yaml")
	return file, os.WriteFile(file, []byte(strings.ReplaceAll(s.config, "DATA", filepath.Join(dir, "data"))), 0o600)
}

// load runs a daemon until the table is loaded.
func (s subject) load(ctx context.Context, binary, file string) (u usage, err error) {
	before, err := s.server.read()
	if err != nil {
		return u, err
	}
	d, err := startDaemon(ctx, binary, file)
	if err != nil {
		return u, err
	}
	defer d.kill()
	if err := d.ready(ctx); err != nil {
		return u, err
	}
	if u.daemon, err = d.stop(); err != nil {
		return u, err
	}
	after, err := s.server.read()
	u.server = after - before
	return u, err
}

// sweeps is how often each daemon sweeps in a round.
const sweeps = 8

// sweep sweeps by two daemons in alternation. The daemon's usage is the median of
// its sweeps; the server's is the mean, since it is measured in hundredths of a
// second.
func (s subject) sweep(ctx context.Context, daemons [2]*daemon, first int) (swept [2]usage, err error) {
	var all series
	for n := range 2 * sweeps {
		i := (first + n) % 2
		before, err := s.usage(daemons[i])
		if err != nil {
			return swept, err
		}
		if err := daemons[i].sweep(ctx, s.rows); err != nil {
			return swept, fmt.Errorf("sweep: %w", err)
		}
		after, err := s.usage(daemons[i])
		if err != nil {
			return swept, err
		}
		u := usage{after.daemon - before.daemon, after.server - before.server}
		all[i] = append(all[i], u)
		swept[i].server += u.server / sweeps
	}
	swept[0].daemon, swept[1].daemon = all.medians(daemonTime)
	return swept, nil
}

// usage returns what a running daemon and the server have used.
func (s subject) usage(d *daemon) (u usage, err error) {
	if u.daemon, err = d.cpu(); err != nil {
		return u, err
	}
	u.server, err = s.server.read()
	return u, err
}
