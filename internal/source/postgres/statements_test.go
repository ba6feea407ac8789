package postgres

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"strings"
	"testing"

	"indexerd/internal/test/sourcetest/dialecttest"

	"indexerd/internal/base/pace"
	"indexerd/internal/source"
	"indexerd/internal/source/dialect"
	"indexerd/internal/test/sourcetest"
)

var update = flag.Bool("update", false, "rewrite testdata/statements.sql")

// TestStatements compares the statements that PostgreSQL receives with a file.
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

// A recordedDB is a sourcetest.Coster.
type recordedDB struct {
	conformanceDB
	recorder *recorder
}

func (db recordedDB) Statements() []dialecttest.Statement { return db.recorder.Statements() }

func (recordedDB) Counting(string) string { return "" }
func (recordedDB) Statistics() []string   { return []string{"ANALYZE doc"} }

// Cost runs a statement as the source does, with EXPLAIN ANALYZE.
func (db recordedDB) Cost(st dialecttest.Statement) (c sourcetest.Cost, err error) {
	ctx := context.Background()
	s, err := db.recorder.DB.Acquire(ctx)
	if err != nil {
		return c, err
	}
	defer s.End()
	if _, err := s.Begin(ctx, ""); err != nil {
		return c, err
	}
	sent := st.Sent
	sent.SQL = "EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) " + sent.SQL
	_, err = s.Query(ctx, sent, func(raw []any) bool {
		c.Plan = *raw[0].(*string)
		return true
	})
	if err != nil {
		return c, err
	}
	var plans []struct{ Plan costNode }
	if err := json.Unmarshal([]byte(c.Plan), &plans); err != nil {
		return c, fmt.Errorf("plan %s: %w", c.Plan, err)
	}
	c.Returned, c.Read = int(plans[0].Plan.Rows), int(plans[0].Plan.read())
	return c, nil
}

// A costNode is a step of a plan that was run. Rows are of each loop.
type costNode struct {
	Type      string     `json:"Node Type"`
	Relation  string     `json:"Relation Name"`
	Rows      float64    `json:"Actual Rows"`
	Loops     float64    `json:"Actual Loops"`
	Filtered  float64    `json:"Rows Removed by Filter"`
	Rechecked float64    `json:"Rows Removed by Index Recheck"`
	Plans     []costNode `json:"Plans"`
}

// read returns the rows that the plan reads of tables.
func (n costNode) read() (rows float64) {
	if n.Relation != "" && strings.Contains(n.Type, "Scan") {
		rows = (n.Rows + n.Filtered + n.Rechecked) * n.Loops
	}
	for _, p := range n.Plans {
		rows += p.read()
	}
	return rows
}

// recording returns the harness with databases that record statements.
func recording() sourcetest.Harness {
	h := harness()
	open := h.Open
	h.Open = func(t testing.TB) sourcetest.Database {
		db := open(t).(conformanceDB)
		r := &recorder{DB: openDB(db, db.dsn)}
		db.source = source.New(r, pace.Limits{})
		return recordedDB{db, r}
	}
	return h
}
