package pagetable

import (
	"context"
	"fmt"
)

// The families of cells.
const (
	Meta  = "meta"
	Row   = "row"
	Child = "child"
)

// A Store is a table of the BigTable model. A row is its cells by family, qualifier
// and timestamp. Rows are in the order of their keys, which are ASCII without slashes.
//
// An error is ErrAway if the store did not answer, or may answer the same request
// later; what was sent may have been written. It is a *RefusedError if the store
// will refuse the same request for ever because of what it writes.
type Store interface {
	// Ready makes the table and its families if they are missing. The store keeps the
	// given number of newest cells of each column.
	Ready(ctx context.Context, versions int) error
	// Write writes rows durably, each with all of its cells or none. After an error
	// any of the rows may be written.
	Write(ctx context.Context, rows []Cells) error
	// Read returns those rows that exist, in any order, with up to n newest cells of
	// each column of the family, or of all families for "".
	Read(ctx context.Context, keys []string, family string, n int) ([]Cells, error)
	// Scan returns up to n rows with from <= key < to and a cell in the family, in order,
	// with the newest cell of each column of that family.
	Scan(ctx context.Context, from, to, family string, n int) ([]Cells, error)
	// Remove deletes the cells of a row whose timestamp is up to a version.
	Remove(ctx context.Context, key string, upTo uint64) error
	// Swap replaces the value of the cell meta:owner of a row if it is was, nil for no
	// cell, and reports whether it was. It is atomic.
	Swap(ctx context.Context, key string, was, now []byte) (bool, error)
	// Close ends the connection.
	Close() error
	// String returns what the store is and where, without secrets.
	String() string
}

// Cells are cells of one row.
type Cells struct {
	Key   string
	Cells []Cell
}

// A Cell is one value of a column. At is its timestamp, a doc.Version.
type Cell struct {
	Family, Qualifier string
	At                uint64
	Value             []byte
}

// A RefusedError is the store's refusal of a write because of its size or form.
type RefusedError struct{ Reason string }

func (e *RefusedError) Error() string {
	return fmt.Sprintf("the store of pages refuses it: %s", e.Reason)
}
