package mysql

import (
	"context"
	"database/sql"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"indexerd/internal/base/pace"
	"indexerd/internal/source"
	"indexerd/internal/test/mariatest"
)

// A version that moved is no version until it has stood still.
func TestVersionSettles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var v version
		read := func(text string) string { return v.at(time.Now(), text, time.Second) }
		seen := map[string]bool{}
		for _, text := range []string{"1", "1", "2", "2", "1"} {
			got := read(text)
			if got == text || seen[got] {
				t.Errorf("%s: got %q before it settled, want another version", text, got)
			}
			seen[got] = true
			<-time.After(400 * time.Millisecond)
		}
		<-time.After(600 * time.Millisecond)
		if got := read("1"); got != "1" {
			t.Errorf("got %q, want 1, which stood still for a second", got)
		}
	})
}

// TestHintsOfCommits commits while versions are read. Where two readings have one version,
// the snapshots between them show one state. HINTS_N is the least number of commits.
func TestHintsOfCommits(t *testing.T) {
	_, dsn := lateServer(t)
	n, _ := strconv.Atoi(os.Getenv("HINTS_N"))
	n = max(n, 1000)
	d := openDB(t, dsn, time.Second)
	d.settled = 20 * time.Millisecond
	var writers sync.WaitGroup
	defer writers.Wait()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	mariatest.Exec(t, dsn, "INSERT INTO doc (u) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) SELECT NOW() FROM n")
	for range 4 {
		conn := mariatest.Connect(t, dsn)
		writers.Go(func() { writeInBursts(ctx, t, conn) })
	}
	reader := mariatest.Connect(t, dsn)
	first := stateOf(t, reader)
	equal, changed := 0, 0
	for last := first; equal < n/10 || last[0] < first[0]+n; {
		before, err := d.Changes(t.Context(), func(string) []string { return nil })
		if err != nil {
			t.Fatal(err)
		}
		one, two := stateOf(t, reader), stateOf(t, reader)
		after, err := d.Changes(t.Context(), func(string) []string { return nil })
		if err != nil {
			t.Fatal(err)
		}
		if one != two {
			changed++
		}
		if before.Version == after.Version {
			equal++
			if one != two {
				t.Errorf("got version %s before and after a commit that %v, %v show", after.Version, one, two)
			}
		}
		last = two
	}
	if changed == 0 {
		t.Error("no commit came between two snapshots: the test shows nothing")
	}
	t.Logf("%d equal versions, %d pairs of snapshots with a commit between them", equal, changed)
}

// writeInBursts changes, adds and deletes rows, and pauses.
func writeInBursts(ctx context.Context, t *testing.T, conn *sql.Conn) {
	random := rand.New(rand.NewPCG(rand.Uint64(), 0))
	for ctx.Err() == nil {
		for range random.IntN(30) {
			id := strconv.Itoa(1 + random.IntN(100))
			execute(t, conn, []string{
				"UPDATE doc SET v = v + 1 WHERE id = " + id,
				"START TRANSACTION; INSERT INTO doc (u) VALUES (NOW()); UPDATE doc SET v = v + 1 WHERE id = " + id + "; COMMIT",
				"INSERT INTO doc (u) VALUES (NOW())",
			}[random.IntN(3)])
		}
		time.Sleep(time.Duration(random.IntN(400)) * time.Millisecond)
	}
}

// stateOf returns the greatest id, the number of rows and the sum of a column.
func stateOf(t *testing.T, conn *sql.Conn) (state [3]int) {
	t.Helper()
	if err := conn.QueryRowContext(t.Context(), "SELECT MAX(id), COUNT(*), SUM(v) FROM doc").Scan(&state[0], &state[1], &state[2]); err != nil {
		t.Fatal(err)
	}
	return state
}

// Hints cover tables of InnoDB. A condition that the server computes before it shows a
// plan still changes without a commit.
func TestFootprint(t *testing.T) {
	dsn := mariatest.New(t).DB(t)
	for _, s := range []string{
		"CREATE TABLE doc (id INT PRIMARY KEY, user INT, now INT)", "CREATE TABLE other (id INT PRIMARY KEY) ENGINE = MyISAM", "INSERT INTO other VALUES (1), (2)",
		"CREATE FUNCTION twice(n INT) RETURNS INT RETURN 2 * n",
		"CREATE VIEW inner_view AS SELECT * FROM doc WHERE CURRENT_TIMESTAMP < '2020-01-01'", "CREATE VIEW outer_view AS SELECT * FROM inner_view",
		"CREATE VIEW calling AS SELECT twice(id) AS id FROM doc", "CREATE VIEW plain AS SELECT * FROM doc",
		"CREATE USER shown@'127.0.0.1'", "GRANT SELECT, EXECUTE ON *.* TO shown@'127.0.0.1'",
	} {
		mariatest.Exec(t, dsn, s)
	}
	reason := func(dsn, query string) string {
		t.Helper()
		table, err := source.New(openDB(t, dsn, time.Second), pace.Limits{}).Table(t.Context(), source.TableConfig{Name: "doc", SQL: query, Key: []string{"id"}})
		if err != nil {
			t.Fatal(err)
		}
		f, err := table.Footprint(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		return f.Reason
	}
	clock := "current_timestamp"
	if mariatest.IsMySQL() {
		clock = "now" // in the views that it shows
	}
	for query, want := range map[string]string{
		"SELECT id, user, now FROM doc WHERE user = 'now()'": "", "SELECT * FROM plain": "", "SELECT id, user AS `rand()` FROM doc": "",
		"SELECT * FROM doc WHERE NOW() > '2020-01-01'":          "the SQL has now,",
		"SELECT * FROM doc WHERE @@timestamp > 5":               "the SQL has @",
		"SELECT * FROM outer_view":                              "the SQL has " + clock + ",",
		"SELECT * FROM calling":                                 "the SQL calls a stored function",
		"SELECT Twice(id) AS id FROM doc":                       "the SQL calls a stored function",
		"SELECT * FROM other":                                   "the SQL reads `other`, which",
		"SELECT id, (SELECT COUNT(*) FROM other) AS n FROM doc": "the SQL reads `other`, which",
	} {
		if got := reason(dsn, query); !strings.HasPrefix(got, want) || (want == "") != (got == "") {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
	if !mariatest.IsMySQL() { // which has no sequences
		mariatest.Exec(t, dsn, "CREATE SEQUENCE numbers")
		if got := reason(dsn, "SELECT id, PREVIOUS VALUE FOR numbers AS n FROM doc"); !strings.HasPrefix(got, "the SQL ") {
			t.Errorf("a sequence: got %q, want a reason", got)
		}
	}
	if got := reason(strings.Replace(dsn, "root@", "shown@", 1), "SELECT * FROM plain"); !strings.Contains(got, "GRANT SHOW VIEW") {
		t.Errorf("an account that does not see the view's definition: got %q, want the missing privilege", got)
	}
}
