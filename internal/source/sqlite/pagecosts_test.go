package sqlite

import (
	"database/sql/driver"
	"strings"
	"sync/atomic"
	"testing"

	"indexerd/internal/test/sourcetest/dialecttest"

	"modernc.org/sqlite"

	"indexerd/internal/test/sourcetest"
)

// TestPageCosts counts the rows that the statements of pages read.
func TestPageCosts(t *testing.T) {
	h := recording()
	open := h.Open
	h.Open = func(t testing.TB) sourcetest.Database {
		return newCountingDB(t, open(t).(recordedDB))
	}
	sourcetest.Plans(t, h)
}

// A countingDB is a sourcetest.Coster. Its connections have the function counted,
// which is true and counts its calls. SQLite checks the condition of a subquery
// first, for each row of an index or table that it steps on.
type countingDB struct {
	recordedDB
	calls *atomic.Int64
}

// newCountingDB registers the function, before the database has a connection.
func newCountingDB(t testing.TB, db recordedDB) countingDB {
	t.Helper()
	calls := &atomic.Int64{}
	err := db.recorder.Pool.Driver().(*sqlite.Driver).RegisterFunction("counted", &sqlite.FunctionImpl{
		NArgs: 1,
		Scalar: func(*sqlite.FunctionContext, []driver.Value) (driver.Value, error) {
			calls.Add(1)
			return int64(1), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return countingDB{db, calls}
}

func (db countingDB) Counting(column string) string { return " WHERE counted(" + column + ")" }

func (db countingDB) Statistics() []string { return []string{"", "ANALYZE"} }

func (db countingDB) Cost(st dialecttest.Statement) (c sourcetest.Cost, err error) {
	c.Plan, err = db.plan(st)
	if err != nil {
		return c, err
	}
	db.calls.Store(0)
	rows, err := db.recorder.Pool.Query(st.SQL, st.Args...)
	if err != nil {
		return c, err
	}
	defer rows.Close()
	for rows.Next() {
		c.Returned++
	}
	c.Read = int(db.calls.Load())
	return c, rows.Err()
}

func (db countingDB) plan(st dialecttest.Statement) (plan string, err error) {
	rows, err := db.recorder.Pool.Query("EXPLAIN QUERY PLAN "+st.SQL, st.Args...)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	var steps []string
	for rows.Next() {
		var id, parent, unused int
		var step string
		if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
			return "", err
		}
		steps = append(steps, step)
	}
	return strings.Join(steps, "\n"), rows.Err()
}

// TestCounted shows that rows are counted which another condition excludes.
func TestCounted(t *testing.T) {
	h := recording()
	db := newCountingDB(t, h.Open(t).(recordedDB))
	if err := db.Exec("CREATE TABLE doc (id INTEGER, u TEXT)", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) INSERT INTO doc SELECT i, 'same' FROM n", "CREATE INDEX doc_u ON doc (u, id)"); err != nil {
		t.Fatal(err)
	}
	for where, read := range map[string]int{
		"+x.id > 90": 100, "(+x.u, +x.id) > ('same', 90)": 100, "x.u = 'same' AND +x.id > 90": 100, "(x.u, x.id) > ('same', 90)": 11,
	} {
		cost, err := db.Cost(dialecttest.Statement{SQL: "SELECT x.u FROM (SELECT * FROM doc" + db.Counting("id") + ") x WHERE " + where})
		if err != nil || cost.Returned != 10 || cost.Read != read {
			t.Errorf("%s: got %d rows read and %d returned, %v, want %d and 10", where, cost.Read, cost.Returned, err, read)
		}
	}
}
