package mysql

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"indexerd/internal/source/horizon"
	"indexerd/internal/test/mariatest"
)

// TestWhatMySQLShows: an account with SELECT alone has hints, also without the performance
// schema. What it lacks for a horizon is named, one privilege after the other, until the
// horizon is exact.
func TestWhatMySQLShows(t *testing.T) {
	t.Parallel()
	for _, option := range []string{"--performance-schema=ON", "--performance-schema=OFF"} {
		t.Run(option, func(t *testing.T) {
			t.Parallel()
			dsn := newMySQL(t, option).DB(t)
			name := dsn[strings.LastIndex(dsn, "/")+1:]
			mariatest.Exec(t, dsn, "CREATE TABLE doc (id INT PRIMARY KEY); CREATE USER plain@'127.0.0.1'; GRANT SELECT ON "+name+".* TO plain@'127.0.0.1'")
			d := openDB(t, strings.Replace(dsn, "root@", "plain@", 1), time.Second)
			before := settledCounters(t, d, "doc")
			mariatest.Exec(t, dsn, "INSERT INTO doc VALUES (1)")
			if after, s := counters(t, d, "doc"); after["doc"] == before["doc"] || s.Version == "" || s.Catalog == "" || !s.Counted {
				t.Errorf("got %+v, want a version and a counter that a commit moves", s)
			}
			for _, step := range []struct{ grant, reason string }{
				{"SELECT ON " + name + ".*", "GRANT PROCESS ON *.*"},
				{"PROCESS ON *.*", "GRANT XA_RECOVER_ADMIN ON *.*"},
				{"XA_RECOVER_ADMIN ON *.*", ""},
			} {
				mariatest.Exec(t, dsn, "GRANT "+step.grant+" TO plain@'127.0.0.1'")
				d := openDB(t, strings.Replace(dsn, "root@", "plain@", 1), time.Second)
				h, err := horizon.NewReadings(d, nil).Watch(horizon.Options{}).Horizon(t.Context())
				if err != nil || h.At.IsZero() != (step.reason != "") || !strings.Contains(h.Reason, step.reason) {
					t.Errorf("with %s: got %+v, %v, want the reason %q", step.grant, h, err, step.reason)
				}
			}
			mariatest.Exec(t, dsn, "ALTER INSTANCE DISABLE INNODB REDO_LOG")
			if _, s := counters(t, d, "doc"); s.Version != "" || !strings.Contains(s.Reason, "ENABLE INNODB REDO_LOG") {
				t.Errorf("without a redo log: got %+v, want no version and what to do", s)
			}
			mariatest.Exec(t, dsn, "DELETE FROM doc; ALTER INSTANCE ENABLE INNODB REDO_LOG")
			if after, s := counters(t, d, "doc"); after["doc"] == before["doc"] || s.Version == "" {
				t.Errorf("with a redo log again: got %+v, want a version", s)
			}
		})
	}
}

// TestReplica: what a replica applies moves its hints as commits of its own do. It has no
// horizon, since the primary sets the updateTimes.
func TestReplica(t *testing.T) {
	t.Parallel()
	dsn := newMySQL(t).DB(t)
	replica := newMySQL(t, "--server-id=2", "--read-only=ON")
	name := dsn[strings.LastIndex(dsn, "/")+1:]
	mariatest.Exec(t, dsn, "CREATE USER copy@'127.0.0.1'; GRANT REPLICATION SLAVE ON *.* TO copy@'127.0.0.1'; CREATE TABLE doc (id INT PRIMARY KEY); INSERT INTO doc VALUES (1), (2), (3)")
	port := dsn[strings.LastIndex(dsn, ":")+1 : strings.LastIndex(dsn, "/")]
	mariatest.Exec(t, replica.DSN(""), fmt.Sprintf("CHANGE REPLICATION SOURCE TO SOURCE_HOST = '127.0.0.1', SOURCE_PORT = %s, SOURCE_USER = 'copy', SOURCE_AUTO_POSITION = 1, GET_SOURCE_PUBLIC_KEY = 1, SOURCE_DELAY = 2; START REPLICA", port))
	copied := mariatest.Connect(t, replica.DSN(""))
	until := func(condition string) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
			var met bool
			if err := copied.QueryRowContext(t.Context(), "SELECT "+condition).Scan(&met); err == nil && met {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("the replica does not apply what makes %s", condition)
			}
		}
	}
	until("(SELECT COUNT(*) FROM " + name + ".doc) = 3")
	d := openDB(t, replica.DSN(name), time.Second)
	before := settledCounters(t, d, "doc")
	mariatest.Exec(t, dsn, "DELETE FROM doc WHERE id = 1")
	if again, _ := counters(t, d, "doc"); again["doc"] != before["doc"] {
		t.Errorf("got %q before the delete is applied, want %q", again, before)
	}
	until("(SELECT COUNT(*) FROM " + name + ".doc) = 2")
	if again, _ := counters(t, d, "doc"); again["doc"] == before["doc"] {
		t.Errorf("got %q again after the delete", again)
	}
	_, last := counters(t, d, "doc")
	mariatest.Exec(t, dsn, "TRUNCATE doc")
	until("(SELECT COUNT(*) FROM " + name + ".doc) = 0")
	if _, s := counters(t, d, "doc"); s.Catalog == last.Catalog || strings.HasPrefix(s.Catalog, last.Catalog) {
		t.Errorf("got the catalog %q after %q, want a TRUNCATE of the primary counted", s.Catalog, last.Catalog)
	}
	h, err := horizon.NewReadings(d, nil).Watch(horizon.Options{}).Horizon(t.Context())
	if err != nil || !h.At.IsZero() || !strings.Contains(h.Reason, "replica") {
		t.Errorf("got %+v, %v, want no horizon of a replica", h, err)
	}
}
