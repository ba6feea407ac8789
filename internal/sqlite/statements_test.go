package sqlite

import (
	"context"
	"flag"
	"sync"
	"testing"

	"indexerd/internal/sqlsource"
	"indexerd/internal/sqlsource/sourcetest"
)

var update = flag.Bool("update", false, "rewrite testdata/statements.sql")

// TestStatements compares the statements that SQLite receives with a file.
func TestStatements(t *testing.T) {
	sourcetest.Statements(t, recording(), "testdata/statements.sql", *update)
}

// A recorder is the dialect with sessions that record statements.
type recorder struct {
	*DB
	mu   sync.Mutex
	sent []sourcetest.Statement
}

func (r *recorder) Acquire(ctx context.Context) (sqlsource.Session, error) {
	s, err := r.DB.Acquire(ctx)
	return recordedSession{s, r}, err
}

type recordedSession struct {
	sqlsource.Session
	recorder *recorder
}

func (s recordedSession) Query(ctx context.Context, st sqlsource.Statement, row func([]any) bool) (bool, error) {
	sent := sourcetest.Statement{SQL: st.SQL}
	for _, a := range st.Args {
		sent.Args = append(sent.Args, a.Value)
	}
	s.recorder.mu.Lock()
	s.recorder.sent = append(s.recorder.sent, sent)
	s.recorder.mu.Unlock()
	return s.Session.Query(ctx, st, row)
}

// A recordedDB is a sourcetest.Recorder.
type recordedDB struct {
	sourcetest.Database
	recorder *recorder
}

func (db recordedDB) Statements() []sourcetest.Statement {
	db.recorder.mu.Lock()
	defer db.recorder.mu.Unlock()
	sent := db.recorder.sent
	db.recorder.sent = nil
	return sent
}

// recording returns the harness with databases that record statements.
func recording() sourcetest.Harness {
	h := harness(nil)
	h.Open = func(t testing.TB) sourcetest.Database {
		r := &recorder{}
		db := newDB(t)
		db.dialect = func(d *DB) sqlsource.Dialect {
			r.DB = d
			return r
		}
		return recordedDB{db.Connect(), r}
	}
	return h
}
