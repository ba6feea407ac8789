package sqlserver

import (
	"context"
	"database/sql/driver"
	"errors"
	"flag"
	"testing"

	mssql "github.com/microsoft/go-mssqldb"

	"indexerd/internal/fakedriver"
	"indexerd/internal/pace"
	"indexerd/internal/sqlsource"
	"indexerd/internal/sqlsource/sourcetest"
	"indexerd/internal/sqlsource/stdsql"
)

var update = flag.Bool("update", false, "ask H2, and rewrite testdata/statements.sql and answers.jsonl")

// TestStatements compares the statements that the server receives with a file. H2 has
// answered them before, and a driver plays its answers.
func TestStatements(t *testing.T) {
	const answers = "testdata/answers.jsonl"
	recording := &fakedriver.Recording{
		Fault: func(code int, text string) error { return mssql.Error{Number: int32(code), Message: text} },
		Code: func(err error) int {
			var server mssql.Error
			_ = errors.As(err, &server)
			return int(server.Number)
		},
	}
	if !*update {
		if err := recording.Load(answers); err != nil {
			t.Fatal(err)
		}
	}
	sourcetest.Statements(t, standHarness(func(t testing.TB) sourcetest.Database {
		r := &recorded{}
		if *update {
			r.stand = newStand(t)
			r.open(recording.Record(r.h2.Connector()))
		} else {
			r.open(recording.Play())
		}
		t.Cleanup(r.dialect.DB.Close)
		return r
	}), "testdata/statements.sql", *update)
	if *update {
		if err := recording.Save(answers); err != nil {
			t.Fatal(err)
		}
	}
}

// A recorded is a sourcetest.Recorder, on H2 or without a server.
type recorded struct {
	*stand  // nil: without
	dialect recorder
	source  *sqlsource.Source
}

// A recorder is the dialect with sessions that record statements.
type recorder struct {
	*DB
	sourcetest.Recording
}

func (r *recorder) Acquire(ctx context.Context) (sqlsource.Session, error) {
	s, err := r.DB.Acquire(ctx)
	return r.Session(s), err
}

func (r *recorded) open(c driver.Connector) {
	r.dialect.Value = vendor{}.Value
	r.dialect.DB = open(stdsql.Config{Name: "test"}, confOf("sqlserver://reader@localhost?database=test"), c)
	r.source = sqlsource.New(&r.dialect, pace.Limits{})
}

func (r *recorded) Exec(statements ...string) error {
	if r.stand == nil {
		return nil
	}
	return r.stand.Exec(statements...)
}

func (r *recorded) Open(c sourcetest.Config) (sourcetest.SQLTable, error) {
	return r.source.Table(context.Background(), c.Table("doc"))
}

func (r *recorded) Connect() sourcetest.Database { return r }

func (r *recorded) Statements() []sourcetest.Statement { return r.dialect.Statements() }
