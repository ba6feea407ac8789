package mysql

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"testing"

	"indexerd/internal/test/sourcetest/dialecttest"

	"indexerd/internal/source/dialect"
	"indexerd/internal/source/stdsql"
	"indexerd/internal/test/mariatest"
	"indexerd/internal/test/sourcetest"
)

var update = flag.Bool("update", false, "rewrite testdata/statements.sql")

// TestStatements compares the statements that the server receives with a file.
func TestStatements(t *testing.T) {
	t.Parallel()
	sourcetest.Statements(t, recording(), "testdata/statements.sql", *update)
}

// TestPageCosts counts the rows that the statements of pages read.
func TestPageCosts(t *testing.T) {
	t.Parallel()
	sourcetest.Plans(t, recording())
}

// A recorder is the dialect with sessions that record statements.
type recorder struct {
	*DB
	dialecttest.Recording
}

func (r *recorder) Acquire(ctx context.Context) (dialect.Session, error) {
	s, err := r.DB.Acquire(ctx)
	return r.Session(s), err
}

// A recordedDB is a sourcetest.Coster. The server counts the rows that a session
// reads.
type recordedDB struct {
	sourcetest.Database
	recorder *recorder
}

// recording returns the harness with databases that record statements. Its texts can
// have an index.
func recording() sourcetest.Harness {
	h := harness("varchar(100)")
	if mariatest.IsMySQL() {
		h = harness("varchar(400)")
		h.Facts.PlanRows, h.Facts.PlanTitle = 24_000, strings.Repeat("title ", 60) // it would rather sort a table of less than 4 MB
	}
	h.Lacks = map[string]string{"texts that differ in case only": "the server can't continue an index's order by bytes: it sorts all rows that follow"}
	open := h.Open
	h.Open = func(t testing.TB) sourcetest.Database {
		r := &recorder{}
		db := open(t).(testDB)
		db.over = func(d *DB) dialect.Dialect {
			r.DB = d
			return r
		}
		return recordedDB{db.connect(), r}
	}
	return h
}

func (db recordedDB) Statements() []dialecttest.Statement { return db.recorder.Statements() }

func (recordedDB) Counting(string) string { return "" }

func (recordedDB) Statistics() []string { return []string{"ANALYZE TABLE doc"} }

func (db recordedDB) Cost(sent dialecttest.Statement) (c sourcetest.Cost, err error) {
	ctx, st := context.Background(), sent.Sent
	s, err := db.recorder.DB.Acquire(ctx)
	if err != nil {
		return c, err
	}
	defer s.End()
	if _, err := s.Begin(ctx, ""); err != nil {
		return c, err
	}
	plan, err := stdsql.Query(ctx, s, "EXPLAIN "+st.SQL, values(st)...)
	if err != nil {
		return c, err
	}
	c.Plan = strings.TrimSpace(fmt.Sprintln(plan))
	if _, err := rowsRead(ctx, s); err != nil { // MySQL reads its dictionary when it opens the table of counters
		return c, err
	}
	if _, err := stdsql.Query(ctx, s, "FLUSH STATUS"); err != nil {
		return c, err
	}
	if _, err := s.Query(ctx, dialect.Statement{SQL: st.SQL, Args: st.Args}, func([]any) bool {
		c.Returned++
		return true
	}); err != nil {
		return c, err
	}
	c.Read, err = rowsRead(ctx, s)
	return c, err
}

// rowsRead returns how many rows the session has read since FLUSH STATUS.
func rowsRead(ctx context.Context, s dialect.Session) (int, error) {
	rows, err := stdsql.Query(ctx, s, "SELECT SUM(variable_value) FROM /*M! information_schema*/ /*!80000 performance_schema*/ .session_status WHERE variable_name IN ('HANDLER_READ_FIRST', 'HANDLER_READ_NEXT', 'HANDLER_READ_PREV', 'HANDLER_READ_RND_NEXT')")
	if err != nil {
		return 0, err
	}
	return int(rows[0][0].(float64)), nil
}

func values(st dialect.Statement) (all []any) {
	for _, a := range st.Args {
		all = append(all, a.Value)
	}
	return all
}
