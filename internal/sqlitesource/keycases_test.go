package sqlitesource

import (
	"testing"

	"indexerd/internal/keycases"
)

// What keys that are NULL, or several rows', come to is the same in every
// source.
func TestKeyCases(t *testing.T) {
	for _, c := range keycases.All {
		t.Run(c.Name, func(t *testing.T) {
			db := newDB(t, keycases.Create, c.Insert())
			table := db.table(TableConfig{
				SQL: "SELECT a, b, u, gone FROM t", Key: c.Key, Batch: keycases.Batch,
				Deleted: DeletedConfig{Column: "gone", Values: []any{int64(1)}},
			})
			table.stamps = keycases.Page
			c.Run(t, table)
		})
	}
}
