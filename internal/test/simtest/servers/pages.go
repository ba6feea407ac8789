package servers

import (
	"context"
	"fmt"
	"strings"

	"indexerd/internal/pages/pagetable"
	"indexerd/internal/test/pagestest"
)

// A PageTable is a table of the BigTable model.
type PageTable struct {
	// Wrote is called with each row that is written, and the process that sent it.
	Wrote func(by string, row pagetable.Cells)

	pagestest.Rows
}

// NewPageTable returns an empty table.
func NewPageTable() *PageTable {
	return &PageTable{Wrote: func(string, pagetable.Cells) {}, Rows: pagestest.NewRows()}
}

// Newest returns the key with an end, and the newest cell that describes its page; false:
// there is none.
func (s *PageTable) Newest(end string) (key string, c pagetable.Cell, ok bool) {
	for key := range s.Cells {
		if strings.HasSuffix(key, end) {
			if rows := s.Read([]string{key}, pagetable.Meta, 1); len(rows) > 0 {
				return key, rows[0].Cells[0], true
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
	return s.send(ctx, "ready", func() { s.Versions = versions })
}

// Write implements pagetable.Store.
func (s *pageStore) Write(ctx context.Context, rows []pagetable.Cells) error {
	name := "write"
	for _, r := range rows {
		name += fmt.Sprintf(" %s@%d", r.Key, r.Cells[0].At)
	}
	return s.send(ctx, name, func() {
		for _, r := range rows {
			s.Rows.Write(r)
			s.Wrote(s.by, r)
		}
	})
}

// Read implements pagetable.Store.
func (s *pageStore) Read(ctx context.Context, keys []string, family string, n int) ([]pagetable.Cells, error) {
	return get(ctx, s, fmt.Sprint("read ", keys), func() []pagetable.Cells { return s.Rows.Read(keys, family, n) })
}

// Scan implements pagetable.Store.
func (s *pageStore) Scan(ctx context.Context, from, to, family string, n int) ([]pagetable.Cells, error) {
	return get(ctx, s, "scan "+from, func() []pagetable.Cells { return s.Rows.Scan(from, to, family, n) })
}

// Remove implements pagetable.Store.
func (s *pageStore) Remove(ctx context.Context, key string, upTo uint64) error {
	return s.send(ctx, fmt.Sprint("remove ", key, upTo), func() { s.Rows.Remove(key, upTo) })
}

// Swap implements pagetable.Store.
func (s *pageStore) Swap(ctx context.Context, key string, was, now []byte) (bool, error) {
	return get(ctx, s, "swap "+key, func() bool { return s.Rows.Swap(key, was, now) })
}

// Close implements pagetable.Store.
func (s *pageStore) Close() error { return nil }

// String implements pagetable.Store.
func (s *pageStore) String() string { return "the simulated table of pages" }
