package pagetable_test

import (
	"context"
	"fmt"
	"sync"

	"indexerd/internal/pages/pagetable"
	"indexerd/internal/test/pagestest"
)

// A fake is a store in memory.
type fake struct {
	// before and after, if not nil, are called with each request. An error of before
	// is its error, without effect; one of after follows its effect.
	before, after func(request string) error

	mu   sync.Mutex
	rows pagestest.Rows
}

func newFake() *fake { return &fake{rows: pagestest.NewRows()} }

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
	return f.do(ctx, "ready", func() { f.rows.Versions = versions })
}

func (f *fake) Write(ctx context.Context, rows []pagetable.Cells) error {
	return f.do(ctx, "write", func() {
		for _, r := range rows {
			f.rows.Write(r)
		}
	})
}

func (f *fake) Read(ctx context.Context, keys []string, family string, n int) (rows []pagetable.Cells, err error) {
	err = f.do(ctx, "read", func() { rows = f.rows.Read(keys, family, n) })
	return rows, err
}

func (f *fake) Scan(ctx context.Context, from, to, family string, n int) (rows []pagetable.Cells, err error) {
	err = f.do(ctx, "scan", func() { rows = f.rows.Scan(from, to, family, n) })
	return rows, err
}

func (f *fake) Remove(ctx context.Context, key string, upTo uint64) error {
	return f.do(ctx, "remove", func() { f.rows.Remove(key, upTo) })
}

func (f *fake) Swap(ctx context.Context, key string, was, now []byte) (swapped bool, err error) {
	err = f.do(ctx, "swap", func() { swapped = f.rows.Swap(key, was, now) })
	return swapped, err
}

func (f *fake) Close() error   { return nil }
func (f *fake) String() string { return fmt.Sprintf("a map of %d rows", len(f.rows.Cells)) }
