package servers

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"indexerd/internal/pages/pagetable"
)

// A PageTable is a table of the BigTable model.
type PageTable struct {
	// Wrote is called with each row that is written, and the process that sent it.
	Wrote func(by string, row pagetable.Cells)

	versions int
	rows     map[string][]pagetable.Cell // newest first
}

// NewPageTable returns an empty table.
func NewPageTable() *PageTable {
	return &PageTable{Wrote: func(string, pagetable.Cells) {}, rows: map[string][]pagetable.Cell{}}
}

// Newest returns the key with an end, and the newest cell that describes its page; false:
// there is none.
func (s *PageTable) Newest(end string) (key string, c pagetable.Cell, ok bool) {
	for key := range s.rows {
		if strings.HasSuffix(key, end) {
			if cells := s.read(key, pagetable.Meta, 1); len(cells) > 0 {
				return key, cells[0], true
			}
		}
	}
	return "", pagetable.Cell{}, false
}

// Connect returns the table as a process sees it.
func (s *PageTable) Connect(by string, gate Gate) pagetable.Store { return &pageStore{s, by, gate} }

type pageStore struct {
	*PageTable
	by   string
	gate Gate
}

func (s *pageStore) send(ctx context.Context, request string, effect func()) error {
	if err := s.gate.Send(ctx, Pages, request, atOnce(effect)); err != nil {
		return fmt.Errorf("%w: %w", pagetable.ErrAway, err)
	}
	return nil
}

// get is send for a request with an answer.
func get[T any](ctx context.Context, s *pageStore, request string, effect func() T) (T, error) {
	answers := make(chan T, 1) // effect may run after a caller that has given up
	if err := s.send(ctx, request, func() { answers <- effect() }); err != nil {
		return *new(T), err
	}
	return <-answers, nil
}

// Ready implements pagetable.Store.
func (s *pageStore) Ready(ctx context.Context, versions int) error {
	return s.send(ctx, "ready", func() { s.versions = versions })
}

// Write implements pagetable.Store.
func (s *pageStore) Write(ctx context.Context, rows []pagetable.Cells) error {
	name := "write"
	for _, r := range rows {
		name += fmt.Sprintf(" %s@%d", r.Key, r.Cells[0].At)
	}
	return s.send(ctx, name, func() {
		for _, r := range rows {
			for _, c := range r.Cells {
				s.put(r.Key, c)
			}
			s.Wrote(s.by, r)
		}
	})
}

func sameColumn(c, d pagetable.Cell) bool { return c.Family == d.Family && c.Qualifier == d.Qualifier }

func (s *PageTable) put(key string, c pagetable.Cell) {
	c.Value = bytes.Clone(c.Value)
	cells := slices.DeleteFunc(s.rows[key], func(d pagetable.Cell) bool { return sameColumn(c, d) && c.At == d.At })
	cells = append(cells, c)
	slices.SortStableFunc(cells, func(a, b pagetable.Cell) int { return cmp.Compare(b.At, a.At) })
	s.rows[key] = newest(cells, s.versions)
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

func (s *PageTable) read(key, family string, n int) []pagetable.Cell {
	of := slices.DeleteFunc(slices.Clone(s.rows[key]), func(c pagetable.Cell) bool { return family != "" && c.Family != family })
	return newest(of, n)
}

// Read implements pagetable.Store.
func (s *pageStore) Read(ctx context.Context, keys []string, family string, n int) ([]pagetable.Cells, error) {
	return get(ctx, s, fmt.Sprint("read ", keys), func() (rows []pagetable.Cells) {
		for _, key := range keys {
			if cells := s.read(key, family, n); len(cells) > 0 {
				rows = append(rows, pagetable.Cells{Key: key, Cells: cells})
			}
		}
		return rows
	})
}

// Scan implements pagetable.Store.
func (s *pageStore) Scan(ctx context.Context, from, to, family string, n int) ([]pagetable.Cells, error) {
	return get(ctx, s, "scan "+from, func() (rows []pagetable.Cells) {
		for _, key := range slices.Sorted(maps.Keys(s.rows)) {
			if cells := s.read(key, family, 1); key >= from && key < to && len(cells) > 0 && len(rows) < n {
				rows = append(rows, pagetable.Cells{Key: key, Cells: cells})
			}
		}
		return rows
	})
}

// Remove implements pagetable.Store.
func (s *pageStore) Remove(ctx context.Context, key string, upTo uint64) error {
	return s.send(ctx, fmt.Sprint("remove ", key, upTo), func() {
		s.rows[key] = slices.DeleteFunc(s.rows[key], func(c pagetable.Cell) bool { return c.At <= upTo })
		if len(s.rows[key]) == 0 {
			delete(s.rows, key)
		}
	})
}

// Swap implements pagetable.Store.
func (s *pageStore) Swap(ctx context.Context, key string, was, now []byte) (bool, error) {
	return get(ctx, s, "swap "+key, func() bool {
		var value []byte
		for _, c := range s.rows[key] {
			value = c.Value
		}
		same := bytes.Equal(value, was) && (value == nil) == (was == nil)
		if same {
			s.put(key, pagetable.Cell{Family: pagetable.Meta, Qualifier: "owner", Value: now})
		}
		return same
	})
}

// Close implements pagetable.Store.
func (s *pageStore) Close() error { return nil }

// String implements pagetable.Store.
func (s *pageStore) String() string { return "the simulated table of pages" }
