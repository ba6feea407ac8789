package mysql

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/pace"
	"indexerd/internal/source"
	"indexerd/internal/source/changes"
	"indexerd/internal/test/mariatest"
)

// newMySQL starts a server that shows when tables were written. MariaDB's update_time
// goes back when an older transaction commits.
func newMySQL(t *testing.T, options ...string) *mariatest.Server {
	t.Helper()
	if mariatest.IsMySQL() {
		t.Skip("the test runs on MySQL without SERVER")
	}
	return mariatest.NewMySQL(t, options...)
}

// counters reads the counters of the tables of a database.
func counters(t *testing.T, d *DB, names ...string) (map[string]string, changes.Sample) {
	t.Helper()
	var ids []string
	for _, name := range names {
		ids = append(ids, tableID(d.conf.DBName, name))
	}
	s, err := d.Changes(t.Context(), func(string) []string { return ids })
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for i, id := range ids {
		all[names[i]] = s.Counters[id].Storage
	}
	return all, s
}

// settledCounters returns counters that stand still.
func settledCounters(t *testing.T, d *DB, names ...string) map[string]string {
	t.Helper()
	last, _ := counters(t, d, names...)
	for deadline := time.Now().Add(time.Minute); ; {
		time.Sleep(500 * time.Millisecond)
		again, _ := counters(t, d, names...)
		if maps.Equal(again, last) && !strings.Contains(fmt.Sprint(again), "moved") {
			return again
		}
		if last = again; time.Now().After(deadline) {
			t.Fatalf("got %q, want counters that stand still", again)
		}
	}
}

// writesOf are statements that write the tables; "": none.
var writesOf = []struct{ statement, tables string }{
	{"INSERT INTO t1 VALUES (10, 1)", "t1"},
	{"UPDATE t2 SET v = v + 1", "t2"},
	{"DELETE FROM t3", "t3"},
	{"REPLACE INTO t4 VALUES (1, 7)", "t4"},
	{"INSERT INTO t5 VALUES (1, 1) ON DUPLICATE KEY UPDATE v = 8", "t5"},
	{"START TRANSACTION; DELETE FROM t6; SAVEPOINT s; DELETE FROM t7; ROLLBACK TO s; COMMIT", "t6 t7"}, // or too many
	{"XA START 'x'; DELETE FROM t8; XA END 'x'; XA PREPARE 'x'; XA COMMIT 'x'", "t8"},
	{"SET sql_log_bin = 0; DELETE FROM t9; SET sql_log_bin = 1", "t9"},
	{"DELETE FROM parent", "parent child"},
	{"UPDATE shown SET v = 9", "t10"},
	{"UPDATE triggering SET v = 2", "triggering t11"},
	{"DELETE FROM parts WHERE id = 11", "parts"},
	{"CREATE TEMPORARY TABLE tt AS SELECT * FROM t12; UPDATE tt SET v = 3; DROP TEMPORARY TABLE tt", ""},
	{"START TRANSACTION; DELETE FROM t12; ROLLBACK", ""},
	{"UPDATE t12 SET v = v", ""},
}

// TestWrites: each statement moves the counters of the tables that it writes, and of no
// others. Their values are of whole seconds, so all statements run at once.
func TestWrites(t *testing.T) {
	t.Parallel()
	dsn := newMySQL(t).DB(t)
	names := []string{"parent", "child", "triggering", "parts"}
	for i := range 12 {
		names = append(names, fmt.Sprintf("t%d", i+1))
		mariatest.Exec(t, dsn, "CREATE TABLE "+names[len(names)-1]+" (id INT PRIMARY KEY, v INT); INSERT INTO "+names[len(names)-1]+" VALUES (1, 1)")
	}
	mariatest.Exec(t, dsn, `CREATE TABLE parent (id INT PRIMARY KEY); CREATE TABLE child (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES parent (id) ON DELETE CASCADE);
		INSERT INTO parent VALUES (1); INSERT INTO child VALUES (1, 1); CREATE VIEW shown AS SELECT * FROM t10;
		CREATE TABLE triggering (id INT PRIMARY KEY, v INT); INSERT INTO triggering VALUES (1, 1); CREATE TRIGGER also AFTER UPDATE ON triggering FOR EACH ROW UPDATE t11 SET v = v + 1;
		CREATE TABLE parts (id INT PRIMARY KEY) PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (20)); INSERT INTO parts VALUES (1), (11)`)
	d := openDB(t, dsn, time.Second)
	before := settledCounters(t, d, names...)
	absent, _ := counters(t, d, "absent")
	var want []string
	for _, w := range writesOf {
		mariatest.Exec(t, dsn, w.statement)
		want = append(want, strings.Fields(w.tables)...)
	}
	soon, _ := counters(t, d, names...)
	if again, _ := counters(t, d, "absent"); again["absent"] == absent["absent"] {
		t.Errorf("got the counter %q again of a table that the account does not see, want one that moves with the version", again)
	}
	late := settledCounters(t, d, names...)
	for name, was := range before {
		moves := slices.Contains(want, name)
		if (soon[name] != was) != moves || (late[name] != was) != moves {
			t.Errorf("%s: got %q, at once %q and later %q, want it moved %t", name, was, soon[name], late[name], moves)
		}
	}
}

// TestDefinitions: each statement moves the counters and the catalog, although no row of a
// table is written. The tables are in the pages of the last commit before a restart, which
// forgets when they were written.
func TestDefinitions(t *testing.T) {
	t.Parallel()
	s := newMySQL(t)
	dsn := s.DB(t)
	mariatest.Exec(t, dsn, `CREATE TABLE a (id INT PRIMARY KEY); INSERT INTO a VALUES (1); CREATE TABLE b LIKE a; CREATE TABLE x LIKE a;
		CREATE TABLE p (id INT PRIMARY KEY) PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (20)); INSERT INTO p VALUES (1); CREATE VIEW shown AS SELECT * FROM a`)
	d := openDB(t, dsn, time.Second)
	settledCounters(t, d, "a", "p")
	last, sample := counters(t, d, "a", "p")
	for _, statement := range []string{
		"TRUNCATE a", "RENAME TABLE a TO c, b TO a, c TO b", "ALTER TABLE p EXCHANGE PARTITION p0 WITH TABLE x", "ALTER TABLE p TRUNCATE PARTITION p0",
		"ALTER TABLE a ADD COLUMN v INT DEFAULT 5", "DROP TABLE a; CREATE TABLE a (id INT PRIMARY KEY)", "PREPARE s FROM 'TRUNCATE a'; EXECUTE s", "CREATE PROCEDURE q() TRUNCATE a; CALL q()",
		"CREATE OR REPLACE VIEW shown AS SELECT * FROM b", "CREATE FUNCTION one() RETURNS INT RETURN 1", "CREATE USER seer; GRANT SHOW VIEW ON *.* TO seer",
	} {
		mariatest.Exec(t, dsn, statement)
		again, now := counters(t, d, "a", "p")
		if again["a"] == last["a"] && again["p"] == last["p"] || now.Version == sample.Version {
			t.Errorf("%s: got %q of version %q again", statement, again, now.Version)
		}
		if !strings.Contains(now.Catalog, "moved") && !strings.HasPrefix(statement, "DROP TABLE") {
			t.Errorf("%s: got the catalog %q, want one that has not settled", statement, now.Catalog)
		}
		last, sample = again, now
	}
}

// TestTableOfAnotherEngine: a table that is created again with another engine is noticed,
// although no statement counts that a TEMPORARY one would not move too.
func TestTableOfAnotherEngine(t *testing.T) {
	t.Parallel()
	dsn := newMySQL(t).DB(t)
	mariatest.Exec(t, dsn, "CREATE TABLE doc (id INT PRIMARY KEY)")
	d := openDB(t, dsn, time.Second)
	table, err := source.New(d, pace.Limits{}).Table(t.Context(), source.TableConfig{Name: "doc", SQL: "SELECT * FROM doc", Key: []string{"id"}})
	if err != nil {
		t.Fatal(err)
	}
	hints := changes.NewReadings(d).Watch(table.Footprint)
	read := func() doc.Hint {
		t.Helper()
		h, err := hints.Hint(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	settledCounters(t, d, "doc")
	read()
	if h := read(); !h.Exact || h.Counters == "" || h.Removals == "" {
		t.Errorf("got %+v, want an exact hint with counters", h)
	}
	mariatest.Exec(t, dsn, "DROP TABLE doc; CREATE TABLE doc (id INT PRIMARY KEY) ENGINE = MyISAM")
	if h := read(); h.Exact || !strings.Contains(h.Reason, "no table of InnoDB") {
		t.Errorf("got %+v, want the reason that the engine is another one", h)
	}
}

// TestCountersOfBursts writes in bursts while counters are read. Where two readings have
// one counter, the snapshots between them show one state. HINTS_N is the least number of
// such pairs in tens.
func TestCountersOfBursts(t *testing.T) {
	t.Parallel()
	dsn := newMySQL(t).DB(t)
	n, _ := strconv.Atoi(os.Getenv("HINTS_N"))
	n = max(n/10, 30)
	mariatest.Exec(t, dsn, "CREATE TABLE doc (id INT AUTO_INCREMENT PRIMARY KEY, v INT NOT NULL DEFAULT 0); INSERT INTO doc (v) VALUES (0)")
	d := openDB(t, dsn, time.Second)
	ctx, stop := context.WithCancel(t.Context())
	var writers, readers sync.WaitGroup
	defer writers.Wait()
	defer stop()
	conn := mariatest.Connect(t, dsn)
	writers.Go(func() { writeSlowly(ctx, t, conn) })
	var mu sync.Mutex
	equal, changed := 0, 0
	done := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return equal >= n && changed >= n || t.Failed() || t.Context().Err() != nil
	}
	for range 8 {
		conn := mariatest.Connect(t, dsn)
		readers.Go(func() {
			for !done() {
				before, _ := counters(t, d, "doc")
				one := stateOf(t, conn)
				time.Sleep(time.Duration(rand.IntN(2500)) * time.Millisecond)
				two := stateOf(t, conn)
				after, _ := counters(t, d, "doc")
				mu.Lock()
				if one != two {
					changed++
				}
				if before["doc"] == after["doc"] {
					equal++
					if one != two {
						t.Errorf("got the counter %q before and after a commit that %v, %v show", after["doc"], one, two)
					}
				}
				mu.Unlock()
			}
		})
	}
	readers.Wait()
	t.Logf("%d equal counters, %d pairs of snapshots with a commit between them", equal, changed)
}

// writeSlowly commits several times in a second, and pauses for some.
func writeSlowly(ctx context.Context, t *testing.T, conn *sql.Conn) {
	for ctx.Err() == nil {
		for range 1 + rand.IntN(3) {
			execute(t, conn, []string{"UPDATE doc SET v = v + 1", "START TRANSACTION; INSERT INTO doc (v) VALUES (0); UPDATE doc SET v = v + 1; COMMIT"}[rand.IntN(2)])
			time.Sleep(time.Duration(rand.IntN(400)) * time.Millisecond)
		}
		time.Sleep(time.Duration(rand.IntN(5000)) * time.Millisecond)
	}
}

// TestCountersAfterACrash: the server forgets when tables were written. Its counters are
// others than before, also of a table whose last write it had forgotten before.
func TestCountersAfterACrash(t *testing.T) {
	t.Parallel()
	s := newMySQL(t)
	dsn := s.DB(t)
	mariatest.Exec(t, dsn, "CREATE TABLE doc (id INT PRIMARY KEY)")
	restart := func() {
		s.Kill()
		s.Restart(t)
	}
	restart()
	d := openDB(t, dsn, time.Second)
	before := settledCounters(t, d, "doc")
	mariatest.Exec(t, dsn, "INSERT INTO doc VALUES (1)")
	restart()
	if after := settledCounters(t, d, "doc"); maps.Equal(after, before) {
		t.Errorf("got %q after a write and a crash, as before", after)
	}
}

// TestTablesOfFootprint: the tables that an SQL reads are found, whatever the server's
// plan shows of them.
func TestTablesOfFootprint(t *testing.T) {
	t.Parallel()
	dsn := newMySQL(t).DB(t)
	mariatest.Exec(t, dsn, `CREATE TABLE a (id INT PRIMARY KEY, v INT); INSERT INTO a VALUES (1, 1), (2, 2); CREATE TABLE b LIKE a; CREATE TABLE `+"`odd ``name`"+` LIKE a; CREATE TABLE aa LIKE a;
		CREATE VIEW merged AS SELECT * FROM a; CREATE VIEW grouped AS SELECT merged.id, COUNT(*) AS n FROM merged JOIN b ON b.id = merged.id GROUP BY merged.id;
		CREATE DATABASE elsewhere; CREATE TABLE elsewhere.a LIKE a; CREATE TABLE elsewhere.c LIKE a; CREATE TABLE volatile (id INT PRIMARY KEY) ENGINE = MEMORY;
		CREATE VIEW hiding AS SELECT id, COUNT(*) AS n FROM volatile GROUP BY id`)
	t.Cleanup(func() { mariatest.Exec(t, dsn, "DROP DATABASE elsewhere") })
	d := openDB(t, dsn, time.Second)
	reads := func(query string) (tables, reason string) {
		t.Helper()
		table, err := source.New(d, pace.Limits{}).Table(t.Context(), source.TableConfig{Name: "doc", SQL: query, Key: []string{"id"}})
		if err != nil {
			t.Fatal(err)
		}
		f, err := table.Footprint(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, b := range f.Tables {
			_, name, _ := strings.Cut(b.ID, "\x00")
			names = append(names, name)
		}
		slices.Sort(names)
		return strings.Join(names, " "), f.Reason
	}
	for query, want := range map[string]string{
		"SELECT * FROM a":               "a",
		"SELECT * FROM `a` WHERE 1 = 0": "a",
		"SELECT MAX(id) AS id FROM a":   "a",
		"SELECT a.id FROM a LEFT JOIN (b JOIN aa ON aa.id = b.id) ON a.id = b.id": "a aa b",
		"SELECT * FROM a WHERE id = (SELECT MIN(id) FROM b)":                      "a b",
		"SELECT * FROM grouped":                                 "a b",
		"SELECT * FROM merged UNION SELECT * FROM `odd ``name`": "a odd `name",
		"WITH RECURSIVE n AS (SELECT 1 AS id UNION ALL SELECT id + 1 FROM n WHERE id < (SELECT MAX(id) FROM b)) SELECT * FROM n": "b",
		"SELECT * FROM elsewhere.c": "c",
		"SELECT 1 AS id":            "",
	} {
		if got, reason := reads(query); got != want || reason != "" {
			t.Errorf("%s: got %q, %q, want %q", query, got, reason, want)
		}
	}
	if _, reason := reads("SELECT * FROM hiding"); !strings.Contains(reason, "`volatile`, which is no table of InnoDB") {
		t.Errorf("got the reason %q, want the table behind the view", reason)
	}
}
