package oracle

import (
	"context"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"indexerd/internal/test/sourcetest/dialecttest"

	"github.com/sijms/go-ora/v2/network"

	"indexerd/internal/source/dialect"
	"indexerd/internal/test/fakedriver"
)

var update = flag.Bool("update", false, "ask H2, and rewrite testdata/statements.sql and answers.jsonl")

// TestStatements compares the statements that the server receives with a file.
func TestStatements(t *testing.T) {
	onH2.Statements(t, standHarness, &fakedriver.Recording{
		Fault: func(code int, text string) error { return &network.OracleError{ErrCode: code, ErrMsg: text} },
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
