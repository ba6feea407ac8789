package oracle

import (
	"context"
	"database/sql/driver"
	"errors"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/sijms/go-ora/v2/network"

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
		Fault: func(code int, text string) error { return &network.OracleError{ErrCode: code, ErrMsg: text} },
		Code: func(err error) int {
			var ora *network.OracleError
			if !errors.As(err, &ora) {
				return 0
			}
			return ora.ErrCode
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
	r.dialect.DB = open(stdsql.Config{Name: "test"}, address{host: "localhost", port: 1521, service: "test"}, c)
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

// TestEverySelectHasFrom reads the statements: the grammar accepts a SELECT without FROM,
// which servers before 23ai refuse.
func TestEverySelectHasFrom(t *testing.T) {
	text, err := os.ReadFile("testdata/statements.sql")
	if err != nil {
		t.Fatal(err)
	}
	words := regexp.MustCompile(`\b(SELECT|FROM)\b`)
	for sql := range strings.SplitSeq(string(text), ";\n") {
		open := 0
		for _, w := range words.FindAllString(sql, -1) {
			open += map[string]int{"SELECT": 1, "FROM": -1}[w]
		}
		if open != 0 {
			t.Errorf("got a SELECT without FROM: %s", sql)
		}
	}
}
