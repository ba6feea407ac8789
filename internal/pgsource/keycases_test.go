package pgsource

import (
	"testing"

	"indexerd/internal/keycases"
	"indexerd/internal/pgtest"
)

// What keys that are NULL, or several rows', come to is the same in every
// source.
func TestKeyCases(t *testing.T) {
	dsn := pgtest.DB(t)
	for _, c := range keycases.All {
		t.Run(c.Name, func(t *testing.T) {
			pgtest.Exec(t, dsn, "DROP TABLE IF EXISTS t; "+keycases.Create+"; "+c.Insert())
			table, err := openSource(t, dsn).Table(t.Context(), TableConfig{
				Name: "t", SQL: "SELECT a, b, u, gone FROM t", Key: c.Key, Updated: "u", Batch: keycases.Batch, Numbers: &numbers{},
				Deleted: DeletedConfig{Column: "gone", Values: []any{int64(1)}},
			})
			if err != nil {
				t.Fatal(err)
			}
			table.stampPage = keycases.Page
			c.Run(t, table)
		})
	}
}
