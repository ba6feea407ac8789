package mysql

import (
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/pace"
	"indexerd/internal/source"
	"indexerd/internal/source/horizon"
	"indexerd/internal/test/mariatest"
)

// openPlain opens a table with two rows by an account that has few privileges: a server
// keeps a connection free for an account with all.
func openPlain(t *testing.T, dsn, limits string) (d *DB, read func() error) {
	t.Helper()
	mariatest.Exec(t, dsn, "CREATE TABLE doc (id INT PRIMARY KEY, name TEXT); INSERT INTO doc VALUES (1, 'a'), (2, 'b')")
	mariatest.Exec(t, dsn, "CREATE USER plain@'127.0.0.1'"+limits)
	mariatest.Exec(t, dsn, "GRANT SELECT, PROCESS ON *.* TO plain@'127.0.0.1'")
	if mariatest.IsMySQL() {
		mariatest.Exec(t, dsn, "GRANT XA_RECOVER_ADMIN ON *.* TO plain@'127.0.0.1'")
	}
	d = openDB(t, strings.Replace(dsn, "root@", "plain@", 1), time.Second)
	table, err := source.New(d, pace.Limits{}).Table(t.Context(), source.TableConfig{Name: "doc", SQL: "SELECT * FROM doc", Key: []string{"id"}})
	if err != nil {
		t.Fatal(err)
	}
	return d, func() error {
		rows := 0
		for b, err := range table.Range(t.Context(), doc.Range{}) {
			if err != nil {
				return err
			}
			rows += len(b.Docs)
		}
		if rows != 2 {
			t.Errorf("got %d rows, want 2", rows)
		}
		return nil
	}
}

// A connection that the server has closed for its idleness is replaced unnoticed.
func TestIdleConnections(t *testing.T) {
	t.Parallel()
	d, read := openPlain(t, mariatest.New(t, "--wait-timeout=2").DB(t), "")
	watch := horizon.NewReadings(d, nil).Watch(horizon.Options{})
	for range 2 {
		if err := read(); err != nil {
			t.Errorf("got %v, want two rows", err)
		}
		if h, err := watch.Horizon(t.Context()); err != nil || h.Reason != "" {
			t.Errorf("got the horizon %+v, %v, want none without a reason", h, err)
		}
		if c, err := d.Changes(t.Context(), func(string) []string { return nil }); err != nil || c.Version == "" {
			t.Errorf("got the version %+v, %v, want one", c, err)
		}
		time.Sleep(3500 * time.Millisecond) // until the server has closed it
	}
	if err := read(); err != nil {
		t.Errorf("got %v, want two rows", err)
	}
}

// A server or an account that takes no more connections is unavailable, the error says which
// limit is to be raised, and the next read works once there is room.
func TestNoMoreConnections(t *testing.T) {
	t.Parallel()
	dsn := mariatest.New(t, "--max-connections=4").DB(t)
	d, read := openPlain(t, dsn, " WITH MAX_USER_CONNECTIONS 3")
	if err := d.Probe(t.Context()); err != nil {
		t.Errorf("got %v, want a server that answers", err)
	}
	for _, c := range []struct{ account, limit string }{{"root", "max_connections"}, {"plain", "MAX_USER_CONNECTIONS"}} {
		d.Pool.SetMaxIdleConns(0) // the pool keeps no connection
		d.Pool.SetMaxIdleConns(4)
		taken := fill(t, strings.Replace(dsn, "root@", c.account+"@", 1))
		if err := read(); !errors.Is(err, doc.ErrUnavailable) || !strings.Contains(err.Error(), c.limit) {
			t.Errorf("without room for %s: got %v, want an error that names %s", c.account, err, c.limit)
		}
		if err := d.Probe(t.Context()); err != nil {
			t.Errorf("without room for %s: got %v, want a server that answers", c.account, err)
		}
		for _, db := range taken {
			_ = db.Close()
		}
		again(t, read)
	}
}

// fill takes all connections that an account gets.
func fill(t *testing.T, dsn string) (taken []*sql.DB) {
	t.Helper()
	for {
		db := mariatest.Open(t, dsn)
		db.SetMaxOpenConns(1)
		if err := db.PingContext(t.Context()); err != nil {
			return taken
		}
		taken = append(taken, db)
	}
}

// again reads until the server has noticed that connections were closed.
func again(t *testing.T, read func() error) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		err := read()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("got %v, want two rows", err)
		}
	}
}
