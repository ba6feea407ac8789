package pagetable_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"indexerd/internal/pages/pagetable"
)

// A fake is a store in memory. Its versions are removed at once, those of Bigtable and
// HBase some time later.
type fake struct {
	// before and after, if not nil, are called with each request. An error of before
	// is its error, without effect; one of after follows its effect.
	before, after func(request string) error

	mu       sync.Mutex
	versions int
	rows     map[string][]pagetable.Cell // newest first in each column
}

func newFake() *fake { return &fake{rows: map[string][]pagetable.Cell{}} }

// hook sets before while requests may be under way.
func (f *fake) hook(before func(request string) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.before = before
}

func (f *fake) do(ctx context.Context, request string, effect func()) error {
	f.mu.Lock()
	before := f.before
	f.mu.Unlock()
	if before != nil {
		if err := before(request); err != nil {
			return err
		}
	}
	f.mu.Lock()
	effect()
	f.mu.Unlock()
	if f.after != nil {
		return f.after(request)
	}
	return ctx.Err()
}

func (f *fake) Ready(ctx context.Context, versions int) error {
	return f.do(ctx, "ready", func() { f.versions = versions })
}

func (f *fake) Write(ctx context.Context, rows []pagetable.Cells) error {
	return f.do(ctx, "write", func() {
		for _, r := range rows {
			for _, c := range r.Cells {
				f.put(r.Key, c)
			}
		}
	})
}

func sameColumn(c pagetable.Cell) func(pagetable.Cell) bool {
	return func(d pagetable.Cell) bool { return c.Family == d.Family && c.Qualifier == d.Qualifier }
}

func (f *fake) put(key string, c pagetable.Cell) {
	c.Value = bytes.Clone(c.Value)
	cells := slices.DeleteFunc(f.rows[key], func(d pagetable.Cell) bool { return sameColumn(c)(d) && c.At == d.At })
	cells = append(cells, c)
	slices.SortStableFunc(cells, func(a, b pagetable.Cell) int { return cmp.Compare(b.At, a.At) })
	f.rows[key] = newestCells(cells, f.versions)
}

// newestCells returns the n newest cells of each column.
func newestCells(cells []pagetable.Cell, n int) (kept []pagetable.Cell) {
	for i, c := range cells {
		newer := 0
		for _, d := range cells[:i] {
			if sameColumn(c)(d) {
				newer++
			}
		}
		if newer < n {
			kept = append(kept, c)
		}
	}
	return kept
}

func inFamily(cells []pagetable.Cell, family string) []pagetable.Cell {
	return slices.DeleteFunc(slices.Clone(cells), func(c pagetable.Cell) bool { return family != "" && c.Family != family })
}

func (f *fake) Read(ctx context.Context, keys []string, family string, n int) (rows []pagetable.Cells, err error) {
	err = f.do(ctx, "read", func() {
		for _, key := range keys {
			if cells := newestCells(inFamily(f.rows[key], family), n); len(cells) > 0 {
				rows = append(rows, pagetable.Cells{Key: key, Cells: cells})
			}
		}
	})
	return rows, err
}

func (f *fake) Scan(ctx context.Context, from, to, family string, n int) (rows []pagetable.Cells, err error) {
	err = f.do(ctx, "scan", func() {
		for _, key := range slices.Sorted(maps.Keys(f.rows)) {
			cells := newestCells(inFamily(f.rows[key], family), 1)
			if key >= from && key < to && len(cells) > 0 && len(rows) < n {
				rows = append(rows, pagetable.Cells{Key: key, Cells: cells})
			}
		}
	})
	return rows, err
}

func (f *fake) Remove(ctx context.Context, key string, upTo uint64) error {
	return f.do(ctx, "remove", func() {
		f.rows[key] = slices.DeleteFunc(f.rows[key], func(c pagetable.Cell) bool { return c.At <= upTo })
		if len(f.rows[key]) == 0 {
			delete(f.rows, key)
		}
	})
}

func (f *fake) Swap(ctx context.Context, key string, was, now []byte) (swapped bool, err error) {
	err = f.do(ctx, "swap", func() {
		var value []byte
		for _, c := range f.rows[key] {
			value = c.Value
		}
		if swapped = bytes.Equal(value, was) && (value == nil) == (was == nil); swapped {
			f.put(key, pagetable.Cell{Family: pagetable.Meta, Qualifier: "owner", Value: now})
		}
	})
	return swapped, err
}

func (f *fake) Close() error   { return nil }
func (f *fake) String() string { return fmt.Sprintf("a map of %d rows", len(f.rows)) }
