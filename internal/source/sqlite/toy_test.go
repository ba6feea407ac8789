package sqlite

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"indexerd/internal/test/sourcetest"
)

// A toy is the dialect of an imaginary database that can do as little as the
// engine allows. It has SQLite's connections and none of its abilities but Typer,
// which SQLite's untyped columns need: no lists of keys, no digest, no comparison
// of rows, no limit without an order, and few parameters.
type toy struct{ db *DB }

// toyParameters is the greatest number of parameters of a toy's statement.
const toyParameters = 100

func (t toy) Address() string                           { return t.db.Address() }
func (t toy) Close()                                    { t.db.Close() }
func (t toy) Quote(name string) string                  { return t.db.Quote(name) }
func (toy) Placeholder(n int, _ *dialect.Column) string { return fmt.Sprintf("?%d", n) }
func (t toy) Limit(placeholder string) string           { return t.db.Limit(placeholder) }
func (toy) Keyset() dialect.Keyset                      { return dialect.Led }
func (toy) AnyOrder() string                            { return "(SELECT NULL)" }
func (t toy) Tie(c *dialect.Column, e string) string    { return t.db.Tie(c, e) }
func (t toy) Select(c *dialect.Column, e string) string { return t.db.Select(c, e) }
func (toy) Token(*dialect.Described, []string) string   { return "" }
func (t toy) Suspect(c *dialect.Column, k doc.Kind, e string) string {
	return t.db.Suspect(c, k, e)
}

// MaxKeys leaves ten parameters for the marks of deleted rows and a limit.
func (toy) MaxKeys(parts int) int { return (toyParameters - 10) / parts }

func (t toy) KindQuery(expr string) (string, int)          { return t.db.KindQuery(expr) }
func (t toy) Kind(raw []any) (k doc.Kind, what, do string) { return t.db.Kind(raw) }

func (t toy) Acquire(ctx context.Context) (dialect.Session, error) {
	s, err := t.db.Acquire(ctx)
	return toySession{s}, err
}

// A toySession fails a statement with too many parameters, or with a limit that
// follows no ORDER BY.
type toySession struct{ dialect.Session }

func (s toySession) Query(ctx context.Context, st dialect.Statement, row func([]any) bool) (bool, error) {
	if n := len(st.Args); n > toyParameters {
		return false, &dialect.Fault{Subject: dialect.AboutStatement, Text: fmt.Sprintf("a statement has %d parameters, more than %d", n, toyParameters)}
	}
	if last := st.SQL[strings.LastIndex(st.SQL, " FROM "):]; strings.Contains(last, " LIMIT ") && !strings.Contains(last, "ORDER BY") {
		return false, &dialect.Fault{Subject: dialect.AboutStatement, Text: "a statement limits rows without an order: " + st.SQL}
	}
	return s.Session.Query(ctx, st, row)
}

// TestToyDialect shows that the engine needs no more of a database than Dialect.
func TestToyDialect(t *testing.T) {
	h := harness(func(d *DB) dialect.Dialect { return toy{d} })
	h.Facts.NoDigest = true
	h.Lacks = maps.Clone(h.Lacks)
	for why, names := range map[string][]string{
		"the database computes no digest": {
			"each change of a row or its children gives another token to that row alone",
			"a token distinguishes NULL, empty text, columns and neighbouring floats",
		},
		"the dialect does not divide keys": {"sums of ranges of keys differ where a key came or went"},
		"the database shows no changes": {
			"the version of a hint moves with every commit that writes, and stands still otherwise",
			"no hint is exact of an SQL whose result changes without a commit",
			"a hint is not exact before the SQL is looked at again after a commit",
		},
	} {
		for _, name := range names {
			h.Lacks[name] = why
		}
	}
	sourcetest.Run(t, h)
}
