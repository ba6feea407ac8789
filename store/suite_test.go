package store_test

import (
	"testing"

	"indexerd/internal/test/pagestest"
	"indexerd/store"
)

// TestPages runs the suite that every store of pages passes.
func TestPages(t *testing.T) {
	pagestest.Run(t, func(t testing.TB, versions int) func() pagestest.Pages {
		dir := t.TempDir()
		return func() pagestest.Pages {
			m, err := store.Open(dir, store.Options{Versions: versions})
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
	})
}
