package mysql

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/pace"
	"indexerd/internal/source"
	"indexerd/internal/source/dialect"
	"indexerd/internal/source/horizon"
	"indexerd/internal/test/mariatest"
)

// lateServer starts a server of its own: other tests' transactions would hold the
// horizon. It has a table of rows that the server stamps.
func lateServer(t *testing.T) (s *mariatest.Server, dsn string) {
	t.Helper()
	s = mariatest.New(t)
	dsn = s.DB(t)
	mariatest.Exec(t, dsn, "CREATE TABLE doc (id BIGINT AUTO_INCREMENT PRIMARY KEY, u DATETIME(6) NOT NULL, v INT NOT NULL DEFAULT 0, KEY (u, id))")
	return s, dsn
}

func execute(t *testing.T, conn *sql.Conn, statement string) {
	t.Helper()
	if _, err := conn.ExecContext(context.Background(), statement); err != nil {
		t.Errorf("%s: %v", statement, err)
	}
}

// A late writer commits a row some time after it was stamped. It reports whether it
// committed.
func lateCommit(t *testing.T, conn *sql.Conn, random *rand.Rand) bool {
	const insert = "INSERT INTO doc (u) VALUES (NOW(6))"
	pause := func() { time.Sleep(time.Duration(random.IntN(20)) * time.Millisecond) }
	switch random.IntN(6) {
	case 0:
		execute(t, conn, insert)
	case 1: // a slow statement
		execute(t, conn, "INSERT INTO doc (u, v) SELECT NOW(6), SLEEP(0.02)")
	case 2:
		execute(t, conn, "START TRANSACTION; "+insert+"; ROLLBACK")
		return false
	case 3: // two transactions of one message
		execute(t, conn, "START TRANSACTION; "+insert+"; COMMIT; START TRANSACTION; "+insert)
		pause()
		execute(t, conn, "COMMIT")
	default:
		execute(t, conn, "START TRANSACTION")
		pause()
		execute(t, conn, insert)
		pause()
		execute(t, conn, "COMMIT")
	}
	return true
}

// TestLateCommits writes late while horizons are read. No row below a horizon may
// appear after it. LATE_N is the least number of commits; the writers go on until there
// are 5 horizons. One row is open while the first reading is made, so a clock alone gets
// that one wrong on any machine.
func TestLateCommits(t *testing.T) {
	_, dsn := lateServer(t)
	n, _ := strconv.Atoi(os.Getenv("LATE_N"))
	n = max(n, 1000)
	d := openDB(t, dsn, time.Second)
	watch := horizon.NewReadings(d, nil).Watch(horizon.Options{})
	first := mariatest.Connect(t, dsn)
	execute(t, first, "START TRANSACTION")
	execute(t, first, "INSERT INTO doc (u) VALUES (NOW(6))")
	var committed, horizons atomic.Int64
	var writers sync.WaitGroup
	for i := range 8 {
		conn := mariatest.Connect(t, dsn)
		writers.Go(func() {
			random := rand.New(rand.NewPCG(uint64(i), 5))
			for (int(committed.Load()) < n || horizons.Load() < 5) && t.Context().Err() == nil && !t.Failed() {
				if lateCommit(t, conn, random) {
					committed.Add(1)
				}
			}
		})
	}
	ended := make(chan struct{})
	go func() { writers.Wait(); close(ended) }()
	reader := mariatest.Connect(t, dsn)
	count := func(before time.Time) (rows int) {
		t.Helper()
		if err := reader.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM doc WHERE u < ?", writeTime(before)).Scan(&rows); err != nil {
			t.Fatal(err)
		}
		return rows
	}
	seen, naive := map[time.Time]int{}, map[time.Time]int{}
	var lag time.Duration
	for running := true; running; {
		select {
		case <-ended:
			running = false
		default:
		}
		h, err := watch.Horizon(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		naive[h.Now] = count(h.Now)
		if len(naive) == 1 {
			execute(t, first, "COMMIT")
		}
		if h.At.IsZero() {
			continue
		}
		seen[h.At], lag = count(h.At), lag+h.Now.Sub(h.At)
		horizons.Store(int64(len(seen)))
	}
	late, missed := 0, 0
	for at, rows := range seen {
		if got := count(at); got != rows {
			late++
			t.Errorf("%d rows below the horizon %v appeared after it", got-rows, at)
		}
	}
	for at, rows := range naive {
		if count(at) != rows {
			missed++
		}
	}
	t.Logf("%d commits, %d horizons, %d wrong, lag %v; without a horizon %d of %d wrong", committed.Load(), len(seen), late, lag/time.Duration(max(len(seen), 1)), missed, len(naive))
	if missed == 0 {
		t.Error("got no reading that a clock alone gets wrong, want the first one at least")
	}
}

// TestWaitForTheLockOfATable: a statement that waited for it is stamped before its
// transaction began. The horizon stays below until the commit.
func TestWaitForTheLockOfATable(t *testing.T) {
	_, dsn := lateServer(t)
	watch := horizon.NewReadings(openDB(t, dsn, time.Second), nil).Watch(horizon.Options{Slack: time.Millisecond})
	locker, writer := mariatest.Connect(t, dsn), mariatest.Connect(t, dsn)
	read := func() doc.Horizon {
		t.Helper()
		h, err := watch.Horizon(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	if h := read(); h.At.IsZero() {
		t.Fatalf("got %+v, want an exact horizon of an idle server", h)
	}
	execute(t, writer, "START TRANSACTION")
	execute(t, locker, "LOCK TABLES doc WRITE")
	before := read().Now
	waited := make(chan struct{})
	go func() {
		execute(t, writer, "INSERT INTO doc (u) VALUES (NOW(6))")
		close(waited)
	}()
	time.Sleep(1500 * time.Millisecond)
	during := read()
	execute(t, locker, "UNLOCK TABLES")
	<-waited
	after := read()
	execute(t, writer, "COMMIT")
	var stamp string
	if err := locker.QueryRowContext(t.Context(), "SELECT u FROM doc").Scan(&stamp); err != nil {
		t.Fatal(err)
	}
	u, err := dialect.ParseTime(stamp)
	if err != nil || during.At.IsZero() || during.At.After(u) || after.At.IsZero() || after.At.After(u) || before.After(u) {
		t.Errorf("got the horizons %v and %v for a row of %v, %v, want none after it", during.At, after.At, u, err)
	}
	if h := read(); !h.At.After(u) {
		t.Errorf("got the horizon %v after the commit, want one after %v", h.At, u)
	}
}

// TestForeignPoller reads innodb_trx so often that its list stands still. No horizon
// passes an open transaction.
func TestForeignPoller(t *testing.T) {
	_, dsn := lateServer(t)
	watch := horizon.NewReadings(openDB(t, dsn, time.Second), nil).Watch(horizon.Options{Slack: time.Millisecond})
	if _, err := watch.Horizon(t.Context()); err != nil {
		t.Fatal(err)
	}
	poller, writer := mariatest.Connect(t, dsn), mariatest.Connect(t, dsn)
	ctx, stop := context.WithCancel(t.Context())
	var polls sync.WaitGroup
	polls.Go(func() {
		for ctx.Err() == nil {
			_, _ = poller.ExecContext(ctx, "SELECT COUNT(*) FROM information_schema.innodb_trx")
			time.Sleep(20 * time.Millisecond)
		}
	})
	time.Sleep(100 * time.Millisecond)
	execute(t, writer, "START TRANSACTION")
	execute(t, writer, "INSERT INTO doc (u) VALUES (NOW(6))")
	var stamp string
	if err := writer.QueryRowContext(t.Context(), "SELECT u FROM doc").Scan(&stamp); err != nil {
		t.Fatal(err)
	}
	u, err := dialect.ParseTime(stamp)
	if err != nil {
		t.Fatal(err)
	}
	// On a busy machine the poller may pause long enough for the list to be renewed.
	for refused, deadline := 0, time.Now().Add(2*time.Minute); refused < 3; {
		h, err := watch.Horizon(t.Context())
		if errors.Is(err, doc.ErrUnavailable) && strings.Contains(err.Error(), "more often than every 100 ms") {
			refused++
		} else if err != nil || h.At.After(u) {
			t.Fatalf("got the horizon %v, %v, want none after %v", h.At, err, u)
		}
		if time.Now().After(deadline) {
			t.Fatalf("got %d errors, want 3 that name the other program", refused)
		}
	}
	stop()
	polls.Wait()
	execute(t, writer, "COMMIT")
	time.Sleep(200 * time.Millisecond)
	if h, err := watch.Horizon(t.Context()); err != nil || !h.At.After(u) {
		t.Errorf("got the horizon %v, %v without the other program, want one after %v", h.At, err, u)
	}
}

// TestPreparedTransaction: a transaction that waits for its second phase holds the
// horizon.
func TestPreparedTransaction(t *testing.T) {
	_, dsn := lateServer(t)
	watch := horizon.NewReadings(openDB(t, dsn, time.Second), nil).Watch(horizon.Options{Slack: time.Millisecond})
	read := func() doc.Horizon {
		t.Helper()
		h, err := watch.Horizon(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	before := read()
	writer := mariatest.Connect(t, dsn)
	for _, s := range []string{"XA START 'late'", "INSERT INTO doc (u) VALUES (NOW(6))", "XA END 'late'", "XA PREPARE 'late'"} {
		execute(t, writer, s)
	}
	if h := read(); h.At.After(before.Now) || h.At.IsZero() {
		t.Errorf("got the horizon %v, want one before %v", h.At, before.Now)
	}
	execute(t, writer, "XA COMMIT 'late'")
	if h := read(); !h.At.After(before.Now) {
		t.Errorf("got the horizon %v after the commit, want one after %v", h.At, before.Now)
	}
}

// TestWithoutProcess: an account that does not see other sessions has no horizon, and
// gets an error that names the missing privilege.
func TestWithoutProcess(t *testing.T) {
	_, dsn := lateServer(t)
	mariatest.Exec(t, dsn, "CREATE USER plain@'127.0.0.1'")
	mariatest.Exec(t, dsn, "GRANT SELECT ON *.* TO plain@'127.0.0.1'")
	d := openDB(t, strings.Replace(dsn, "root@", "plain@", 1), time.Second)
	h, err := horizon.NewReadings(d, nil).Watch(horizon.Options{}).Horizon(t.Context())
	if err != nil || !h.At.IsZero() || !strings.Contains(h.Reason, "GRANT PROCESS ON *.*") {
		t.Errorf("got %+v, %v, want no horizon and the privilege", h, err)
	}
	sight := "PROCESS"
	if mariatest.IsMySQL() {
		sight += ", XA_RECOVER_ADMIN"
	}
	server, err := source.New(d, pace.Limits{}).Server(t.Context())
	if err != nil || server.SeesTransactions || server.Superuser || server.Advice.Sight != "GRANT "+sight+" ON *.* TO 'plain'@'127.0.0.1'" || !strings.HasPrefix(server.Version, product()) || server.Role != "'plain'@'127.0.0.1'" {
		t.Errorf("got %+v, %v, want a role without PROCESS", server, err)
	}
	mariatest.Exec(t, dsn, "CREATE TABLE film (id INT, u INT)")
	for _, advice := range []string{server.Advice.Sight, server.Advice.Reader, server.Advice.Read, server.Advice.Index, server.Advice.Analyze} {
		mariatest.Exec(t, dsn, strings.NewReplacer("%s ON %s", "film_u ON `film` (`u`)", "%s", "`film`").Replace(advice))
	}
	mariatest.Exec(t, dsn, "DROP USER indexerd_reader")
	if server, err = source.New(d, pace.Limits{}).Server(t.Context()); err != nil || !server.SeesTransactions {
		t.Errorf("got %+v, %v, want PROCESS after the advice", server, err)
	}
}

// product is how the server's version begins.
func product() string {
	if mariatest.IsMySQL() {
		return "MySQL "
	}
	return "MariaDB 1"
}

// TestOtherEngines: rows of an engine without transactions have no horizon.
func TestOtherEngines(t *testing.T) {
	dsn := mariatest.DB(t)
	mariatest.Exec(t, dsn, "CREATE TABLE doc (id INT PRIMARY KEY, u TIMESTAMP(6) NULL)")
	mariatest.Exec(t, dsn, "CREATE TABLE part (id INT, name TEXT) ENGINE = MyISAM")
	mariatest.Exec(t, dsn, "INSERT INTO part VALUES (1, 'a'), (2, 'b')")
	s := source.New(openDB(t, dsn, time.Second), pace.Limits{})
	for sql, want := range map[string]string{
		"SELECT * FROM doc": "",
		"SELECT d.id, d.u, p.name FROM doc AS d LEFT JOIN part AS p ON p.id = d.id": "table `part` has the engine MyISAM",
	} {
		table, err := s.Table(t.Context(), source.TableConfig{Name: "doc", SQL: sql, Key: []string{"id"}, Updated: "u"})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := table.Inexact(t.Context()); err != nil || !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%s: got %q, %v, want %q", sql, got, err, want)
		}
	}
}
