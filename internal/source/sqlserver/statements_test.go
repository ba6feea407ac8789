package sqlserver

import (
	"context"
	"flag"
	"testing"

	"indexerd/internal/test/sourcetest/dialecttest"

	mssql "github.com/microsoft/go-mssqldb"

	"indexerd/internal/source/dialect"
	"indexerd/internal/test/fakedriver"
)

var update = flag.Bool("update", false, "ask H2, and rewrite testdata/statements.sql and answers.jsonl")

// TestStatements compares the statements that the server receives with a file.
func TestStatements(t *testing.T) {
	onH2.Statements(t, standHarness, &fakedriver.Recording{
		Fault: func(code int, text string) error { return mssql.Error{Number: int32(code), Message: text} },
		Code: func(err error) int {
			e, _ := faults.Of(err)
			return e.Number
		},
	}, *update)
}

// A recorder is the dialect with sessions that record statements.
type recorder struct {
	*DB
	*dialecttest.Recording
}

func (r recorder) Acquire(ctx context.Context) (dialect.Session, error) {
	s, err := r.DB.Acquire(ctx)
	return r.Session(s), err
}
