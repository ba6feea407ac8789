package pagestest

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"indexerd/internal/pages/pagetable"
)

// Rows are a table of the BigTable model, in memory: the cells of each row, newest first.
// More than Versions of a column are removed at once, by Bigtable and HBase some time later.
// Its methods are the requests of a pagetable.Store. One at a time may be made.
type Rows struct {
	Versions int
	Cells    map[string][]pagetable.Cell
}

// NewRows returns an empty table.
func NewRows() Rows { return Rows{Cells: map[string][]pagetable.Cell{}} }

func sameColumn(c, d pagetable.Cell) bool { return c.Family == d.Family && c.Qualifier == d.Qualifier }

// Write writes the cells of a row.
func (r *Rows) Write(row pagetable.Cells) {
	for _, c := range row.Cells {
		c.Value = bytes.Clone(c.Value)
		cells := slices.DeleteFunc(r.Cells[row.Key], func(d pagetable.Cell) bool { return sameColumn(c, d) && c.At == d.At })
		cells = append(cells, c)
		slices.SortStableFunc(cells, func(a, b pagetable.Cell) int { return cmp.Compare(b.At, a.At) })
		r.Cells[row.Key] = newest(cells, r.Versions)
	}
}

// newest returns the n newest cells of each column.
func newest(cells []pagetable.Cell, n int) (kept []pagetable.Cell) {
	for i, c := range cells {
		newer := 0
		for _, d := range cells[:i] {
			if sameColumn(c, d) {
				newer++
			}
		}
		if newer < n {
			kept = append(kept, c)
		}
	}
	return kept
}

// Read returns the n newest cells of each column of rows, in a family or in all for "".
func (r *Rows) Read(keys []string, family string, n int) (rows []pagetable.Cells) {
	for _, key := range keys {
		of := slices.DeleteFunc(slices.Clone(r.Cells[key]), func(c pagetable.Cell) bool { return family != "" && c.Family != family })
		if cells := newest(of, n); len(cells) > 0 {
			rows = append(rows, pagetable.Cells{Key: key, Cells: cells})
		}
	}
	return rows
}

// Scan returns the newest cells of at most n rows.
func (r *Rows) Scan(from, to, family string, n int) []pagetable.Cells {
	keys := slices.DeleteFunc(slices.Sorted(maps.Keys(r.Cells)), func(key string) bool { return key < from || key >= to })
	rows := r.Read(keys, family, 1)
	return rows[:min(n, len(rows))]
}

// Remove removes the cells of a row up to a time.
func (r *Rows) Remove(key string, upTo uint64) {
	r.Cells[key] = slices.DeleteFunc(r.Cells[key], func(c pagetable.Cell) bool { return c.At <= upTo })
	if len(r.Cells[key]) == 0 {
		delete(r.Cells, key)
	}
}

// Swap writes the owner of a row if the one that is there is was.
func (r *Rows) Swap(key string, was, now []byte) bool {
	var value []byte
	for _, c := range r.Cells[key] {
		value = c.Value
	}
	same := bytes.Equal(value, was) && (value == nil) == (was == nil)
	if same {
		r.Write(pagetable.Cells{Key: key, Cells: []pagetable.Cell{{Family: pagetable.Meta, Qualifier: "owner", Value: now}}})
	}
	return same
}
