package postgres

import (
	"fmt"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/pace"
	"indexerd/internal/source"
	"indexerd/internal/test/pgtest"
)

// The total of each table is the sum of its stamps' tokens. One whose SQL fails for a row,
// or whose sum is not known, leaves the others theirs.
func TestTotals(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, `
		CREATE TABLE film (id int PRIMARY KEY, title text, gone boolean, n int);
		INSERT INTO film SELECT i, 'film ' || i, i % 7 = 0, i % 5 FROM generate_series(1, 300) i;
		CREATE TABLE actor (film int, name text); INSERT INTO actor SELECT i % 200, 'actor ' || i FROM generate_series(1, 500) i;
		CREATE TABLE empty (id int PRIMARY KEY, title text)`)
	s := source.New(openDB(t, dsn), pace.Limits{})
	var all []*source.Table
	for i, c := range []source.TableConfig{
		{SQL: "SELECT id, title FROM film"},
		{SQL: "SELECT id, title, 1 / n AS one FROM film"}, // fails
		{SQL: "SELECT id, title FROM empty"},
		{SQL: "SELECT id, title, gone FROM film", Deleted: source.DeletedConfig{Column: "gone", Values: []any{true}}},
		{SQL: "SELECT id, title FROM film", Deleted: source.DeletedConfig{SQL: "SELECT id FROM film WHERE gone"}},
		{SQL: "SELECT id, title FROM film", Children: []source.ChildConfig{{Name: "actors", Path: "children.actors", SQL: "SELECT film, name FROM actor", Key: []string{"film"}}}},
		{SQL: "SELECT id, title FROM film"},
	} {
		c.Name, c.Key = fmt.Sprint(i), []string{"id"}
		table, err := s.Table(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, table)
	}
	sums, known, err := s.Totals(t.Context(), all)
	if err != nil {
		t.Fatal(err)
	}
	for i, table := range all {
		if i == 1 {
			if known[i] {
				t.Error("the SQL that fails has a sum")
			}
			continue
		}
		var want doc.Sum
		for stamps, err := range table.StampsInRange(t.Context(), doc.Range{}) {
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range stamps {
				want.Rows, want.Digest, want.Epoch = want.Rows+1, want.Digest+s.Token.Digest, s.Token.Epoch
			}
		}
		if !known[i] || sums[i] != want || i != 2 && want.Rows == 0 {
			t.Errorf("table %d: got %+v, %t, want %+v", i, sums[i], known[i], want)
		}
	}
}
