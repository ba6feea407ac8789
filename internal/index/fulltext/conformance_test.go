package fulltext

import (
	"context"
	"crypto/rand"
	"path/filepath"
	"testing"

	"github.com/blevesearch/bleve/v2/index/scorch"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/test/indextest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	m := schema.Mapping{Content: []string{"title"}, Analyzer: "standard", Metadata: []schema.Field{{Name: "year", Type: "number"}}}
	indextest.Run(t, indextest.Harness{
		Create: func(gen doc.Generation) (indextest.Index, error) {
			return Create(filepath.Join(root, rand.Text()), m, gen)
		},
		Reopen: func(ix indextest.Index) (indextest.Index, error) {
			if err := ix.(*Index).Close(); err != nil {
				return nil, err
			}
			return Open(ix.(*Index).dir, m)
		},
		Merge: func(ix indextest.Index) error {
			return ix.(*Index).store.(*scorch.Scorch).ForceMerge(context.Background(), nil)
		},
		Close:    func(ix indextest.Index) error { return ix.(*Index).Close() },
		Unfit:    doc.Row{Names: []string{"title"}, Values: []any{"no year"}},
		Searches: true,
	})
}
