package fakeworld_test

import (
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
	"indexerd/internal/test/indextest"
)

// The index of the tests behaves like the real ones. It only stores documents.
func TestIndexConformance(t *testing.T) {
	indextest.Run(t, indextest.Harness{
		Create: func(gen doc.Generation) (indextest.Index, error) { return fakeworld.NewIndex(gen), nil },
		Reopen: func(ix indextest.Index) (indextest.Index, error) { return ix, nil },
		Merge:  func(indextest.Index) error { return nil },
		Close:  func(indextest.Index) error { return nil },
		Unfit:  doc.Row{Names: []string{"title"}, Values: []any{fakeworld.Unfit}},
	})
}
