package oracle

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"indexerd/internal/base/pace"
	"indexerd/internal/source"
	"indexerd/internal/source/horizon"
	"indexerd/internal/test/sourcetest"
)

// TestReal runs the suite, and writers that commit late, on the server at ORACLE_DSN,
// whose account creates and drops other accounts. Each has the schema of one test.
func TestReal(t *testing.T) {
	dsn := os.Getenv("ORACLE_DSN")
	if dsn == "" {
		t.Skip("no test ran on Oracle: make oracle DSN=oracle://system@host:port/service, with the password in ORACLE_PWD")
	}
	a, err := parseDSN(dsn)
	if err != nil {
		t.Fatal(err)
	}
	admin := sql.OpenDB(a.connector())
	defer admin.Close()
	var version string
	if err := admin.QueryRowContext(t.Context(), "SELECT MAX(product || version) FROM product_component_version WHERE product LIKE 'Oracle%'").Scan(&version); err != nil {
		t.Fatal(err)
	}
	suite := t.Run("suite", func(t *testing.T) {
		h := harness(func(t testing.TB) sourcetest.Database { return newReal(t, admin, a).connect() })
		for _, name := range []string{"children longer than a batch are all read", "long rows are read in several batches", "a row with too much text is a reject with its key and groups"} {
			h.Lacks[name] = "a literal has at most 4,000 bytes"
		}
		h.Lacks["session settings change no token and no value"] = "the settings of the sessions are the dialect's"
		sourcetest.Run(t, h)
	})
	var result string
	late := t.Run("late commits", func(t *testing.T) { result = lateCommits(t, newReal(t, admin, a)) })
	t.Logf("RESULT %s: suite passed: %t; late commits passed: %t: %s", version, suite, late, result)
}

// A real is a sourcetest.Database on a server.
type real struct {
	testing.TB
	admin  *sql.DB
	own    address // with the account of the schema
	writer *sql.DB
	source *source.Source
}

// newReal creates an account, which is dropped at the end of the test.
func newReal(t testing.TB, admin *sql.DB, a address) *real {
	t.Helper()
	a.user, a.password = "INDEXERD_"+rand.Text()[:12], "Pw_"+rand.Text()[:20]
	r := &real{TB: t, admin: admin, own: a}
	r.must("CREATE USER "+a.user+` IDENTIFIED BY "`+a.password+`"`, "GRANT CREATE SESSION, CREATE TABLE, UNLIMITED TABLESPACE TO "+a.user)
	t.Cleanup(func() {
		if err := r.Kill(); err != nil {
			t.Error(err)
		}
		r.must("DROP USER " + a.user + " CASCADE")
	})
	r.writer = sql.OpenDB(a.connector())
	t.Cleanup(func() { _ = r.writer.Close() })
	return r
}

func (r *real) must(statements ...string) {
	r.Helper()
	for _, s := range statements {
		if _, err := r.admin.ExecContext(context.Background(), s); err != nil {
			r.Fatalf("%.20s: %v", s, err) // the rest may have a password
		}
	}
}

func (r *real) connect() *real {
	next := *r
	d := open(r.own, r.own.connector(), 4)
	r.Cleanup(d.Close)
	next.source = source.New(d, pace.Limits{})
	return &next
}

// Connect implements sourcetest.Database.
func (r *real) Connect() sourcetest.Database { return r.connect() }

// Exec implements sourcetest.Database.
func (r *real) Exec(statements ...string) error {
	ctx := context.Background()
	tx, err := r.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	for _, s := range statements {
		for _, one := range inOracle(s) {
			if _, err := tx.ExecContext(ctx, one); err != nil {
				_ = tx.Rollback()
				return fmt.Errorf("%s: %w", one, err)
			}
		}
	}
	return tx.Commit()
}

// Open implements sourcetest.Database.
func (r *real) Open(c sourcetest.Config) (sourcetest.SQLTable, error) {
	return c.Open(context.Background(), r.source, "doc")
}

// Kill implements sourcetest.Killer.
func (r *real) Kill() error {
	rows, err := r.admin.QueryContext(context.Background(), "SELECT sid || ',' || serial# || ',@' || inst_id FROM gv$session WHERE username = :1", r.own.user)
	if err != nil {
		return err
	}
	var sessions []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return err
		}
		sessions = append(sessions, id)
	}
	if err := rows.Close(); err != nil {
		return err
	}
	for _, id := range sessions {
		if _, err := r.admin.ExecContext(context.Background(), "ALTER SYSTEM KILL SESSION '"+id+"' IMMEDIATE"); err != nil && !strings.Contains(err.Error(), "ORA-00030") && !strings.Contains(err.Error(), "ORA-00031") {
			return err // else it has ended, or ends soon
		}
	}
	return nil
}

// lateCommits writes late while horizons are read. No row below a horizon may appear
// after it.
func lateCommits(t *testing.T, r *real) string {
	const writers, least = 8, 1000
	if err := r.Exec("CREATE TABLE doc (id NUMBER GENERATED ALWAYS AS IDENTITY PRIMARY KEY, u TIMESTAMP(6) NOT NULL)", "CREATE INDEX doc_u ON doc (u, id)"); err != nil {
		t.Fatal(err)
	}
	d := open(r.own, r.own.connector(), 4)
	defer d.Close()
	r.must("GRANT SELECT ON SYS.GV_$SESSION TO "+r.own.user, "GRANT SELECT ON SYS.GV_$TRANSACTION TO "+r.own.user, "GRANT SELECT ON SYS.DBA_2PC_PENDING TO "+r.own.user)
	watch := horizon.NewReadings(d, nil).Watch(horizon.Options{})
	var committed, horizons atomic.Int64
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			for n := i; (committed.Load() < least || horizons.Load() < 5) && t.Context().Err() == nil && !t.Failed(); n++ {
				tx, err := r.writer.BeginTx(t.Context(), nil)
				if err == nil {
					_, err = tx.ExecContext(t.Context(), "INSERT INTO doc (u) VALUES (SYS_EXTRACT_UTC(SYSTIMESTAMP))")
				}
				if err == nil {
					time.Sleep(time.Duration(n%20) * time.Millisecond)
					err = tx.Commit()
				}
				if err != nil {
					t.Error(err)
					return
				}
				committed.Add(1)
			}
		})
	}
	ended := make(chan struct{})
	go func() { all.Wait(); close(ended) }()
	count := func(before time.Time) (rows int) {
		t.Helper()
		if err := r.writer.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM doc WHERE u < TO_TIMESTAMP(:1, "+timeForm+")", writeTime(before)).Scan(&rows); err != nil {
			t.Fatal(err)
		}
		return rows
	}
	seen, now, missed := map[time.Time]int{}, map[time.Time]int{}, 0
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
		now[h.Now] = count(h.Now)
		if h.At.IsZero() {
			if h.Reason != "" {
				t.Fatal(h.Reason)
			}
			continue
		}
		seen[h.At] = count(h.At)
		horizons.Store(int64(len(seen)))
	}
	for at, rows := range seen {
		if got := count(at); got != rows {
			t.Errorf("%d rows below the horizon %v appeared after it", got-rows, at)
		}
	}
	for at, rows := range now {
		if count(at) != rows {
			missed++
		}
	}
	if missed == 0 {
		t.Error("got no reading that a clock alone gets wrong: the writers did not commit late")
	}
	return fmt.Sprintf("%d commits, %d horizons; without a horizon %d of %d wrong", committed.Load(), len(seen), missed, len(now))
}
