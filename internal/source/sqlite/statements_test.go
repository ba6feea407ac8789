package sqlite

import (
	"context"
	"flag"
	"testing"

	"indexerd/internal/test/sourcetest/dialecttest"

	"indexerd/internal/source/dialect"
	"indexerd/internal/test/sourcetest"
)

var update = flag.Bool("update", false, "rewrite testdata/statements.sql")

// TestStatements compares the statements that SQLite receives with a file.
func TestStatements(t *testing.T) {
	sourcetest.Statements(t, recording(), "testdata/statements.sql", *update)
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

// A recordedDB is a sourcetest.Recorder.
type recordedDB struct {
	sourcetest.Database
	recorder *recorder
}

func (db recordedDB) Statements() []dialecttest.Statement { return db.recorder.Statements() }

// recording returns the harness with databases that record statements.
func recording() sourcetest.Harness {
	h := harness(nil)
	h.Open = func(t testing.TB) sourcetest.Database {
		r := &recorder{Recording: dialecttest.Recording{Value: vendor{}.Value}}
		db := newDB(t)
		db.dialect = func(d *DB) dialect.Dialect {
			r.DB = d
			return r
		}
		return recordedDB{db.Connect(), r}
	}
	return h
}
