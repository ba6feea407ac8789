// Package films fills a test's database with films, their actors and categories,
// and customers: the tables and columns that configs/pagila.yaml and the examples
// of the documents select. Every test that needs such a database uses it, so
// that a clone without other data runs the same tests.
//
// The rows are always the same, and their keys count from 1: 1,000 films, 200
// actors, 16 categories, 6 languages, 500 customers. Film 1 is ACADEMY DINOSAUR,
// with actor 1, PENELOPE GUINESS, because examples of the documents search for
// them. All rows have one last_update, and a trigger changes it on UPDATE. A
// load takes about 0.3 s.
package films

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"indexerd/internal/test/pgtest"
)

//go:embed schema.sql
var schema string

// Updated is the last_update of every row.
const Updated = "2024-03-01T10:00:00.123456Z"

// Load creates the tables in an empty database and fills them.
func Load(t testing.TB, dsn string) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, schema); err != nil {
		t.Fatalf("create tables: %v", err)
	}
	for _, table := range rows() {
		sql := fmt.Sprintf("COPY %s (%s) FROM STDIN", table.name, table.columns)
		if _, err := conn.PgConn().CopyFrom(ctx, strings.NewReader(table.lines.String()), sql); err != nil {
			t.Fatalf("fill %s: %v", table.name, err)
		}
	}
	if _, err := conn.Exec(ctx, "ANALYZE"); err != nil { // otherwise the planner takes the tables to be empty
		t.Fatalf("analyze: %v", err)
	}
}

// DB creates a database for the test and loads the films into it.
func DB(t testing.TB) (dsn string) {
	t.Helper()
	dsn = pgtest.DB(t)
	Load(t, dsn)
	return dsn
}
