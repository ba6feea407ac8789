package main

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/jackc/pgx/v5"

	"indexerd/internal/test/pgtest"
)

// A gin is PostgreSQL's full-text search with a GIN index. It has the words of the texts
// without marks, so that its parser finds the same words.
type gin struct {
	b  *testing.B
	db *pgx.Conn
}

// ginRounds is how often PostgreSQL answers a query, or once after ginWithin. It ranks
// every match by reading its row.
const (
	ginRounds = 5
	ginWithin = 10 * time.Second
)

// searchGIN runs the queries in PostgreSQL.
func searchGIN(b *testing.B, texts []string, queries []searched) (found []timed) {
	b.Helper()
	g := gin{b, pgtest.Connect(b, pgtest.DB(b))}
	g.fill(texts)
	for _, q := range queries {
		found = append(found, g.time(q))
	}
	return found
}

func (g gin) fill(texts []string) {
	g.b.Helper()
	g.exec("CREATE UNLOGGED TABLE raw (id int, body text, kind text)")
	i := -1
	_, err := g.db.CopyFrom(g.b.Context(), pgx.Identifier{"raw"}, []string{"id", "body", "kind"}, pgx.CopyFromFunc(func() ([]any, error) {
		if i++; i == len(texts) {
			return nil, nil
		}
		return []any{i, plainWords(texts[i]), kindOf(i)}, nil
	}))
	if err != nil {
		g.b.Fatal(err)
	}
	g.exec("CREATE UNLOGGED TABLE doc AS SELECT id, kind, to_tsvector('simple', body) AS words FROM raw")
	g.exec("DROP TABLE raw")
	g.exec("SET maintenance_work_mem = '512MB'")
	g.exec("CREATE INDEX ON doc USING gin (words)")
	g.exec("CREATE INDEX ON doc (kind, id)")
	g.exec("VACUUM ANALYZE doc")
}

func (g gin) exec(statement string) {
	g.b.Helper()
	if _, err := g.db.Exec(g.b.Context(), statement); err != nil {
		g.b.Fatalf("%s: %v", statement, err)
	}
}

// plainWords returns a text without marks, which PostgreSQL's parser would take for parts
// of URLs, numbers and compounds.
func plainWords(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' {
			return r
		}
		return ' '
	}, text)
}

// tsquery writes a query of this benchmark as PostgreSQL's.
func tsquery(text string) string {
	switch {
	case strings.HasPrefix(text, `"`):
		return strings.Join(strings.Fields(strings.Trim(text, `"`)), " <-> ")
	case strings.HasSuffix(text, "*"):
		return strings.TrimSuffix(text, "*") + ":*"
	case strings.Contains(text, " OR "):
		return strings.ReplaceAll(text, " OR ", " | ")
	}
	return strings.Join(strings.Fields(text), " & ")
}

// time asks for ten hits and for the total.
func (g gin) time(q searched) (t timed) {
	g.b.Helper()
	where, order, args := "$1 = $1 AND kind = $2", "id", []any{tsquery(q.Text), q.Kind}
	if q.Text != "" {
		where, order = "words @@ $1::tsquery AND ($2 = '' OR kind = $2)", "ts_rank(words, $1::tsquery) DESC, id"
	}
	// The plan is that of these values.
	values := append([]any{pgx.QueryExecModeExec}, args...)
	var took []float64
	for first := time.Now(); len(took) == 0 || len(took) < ginRounds && time.Since(first) < ginWithin; {
		began := time.Now()
		g.hits("SELECT id FROM doc WHERE "+where+" ORDER BY "+order+" LIMIT 10", values...)
		if err := g.db.QueryRow(g.b.Context(), "SELECT count(*) FROM doc WHERE "+where, values...).Scan(&t.Total); err != nil {
			g.b.Fatal(err)
		}
		took = append(took, time.Since(began).Seconds()*1000)
	}
	slices.Sort(took)
	t.P50, t.P99 = took[len(took)/2], took[len(took)-1]
	return t
}

func (g gin) hits(statement string, args ...any) {
	g.b.Helper()
	rows, err := g.db.Query(g.b.Context(), statement, args...)
	if err == nil {
		_, err = pgx.CollectRows(rows, pgx.RowTo[int])
	}
	if err != nil {
		g.b.Fatalf("%s: %v", statement, err)
	}
}
