package fulltext

import (
	"cmp"
	"context"
	"fmt"
	"runtime"

	"github.com/blevesearch/bleve/v2/index/scorch"

	"indexerd/internal/index/query"
)

// searchLimits are those of all searches of the process.
var searchLimits = newLimits(runtime.GOMAXPROCS(0))

// Search answers a request from one snapshot of the index. A fault of the
// request is a *query.Error. After the deadline the error is that of ctx.
func (ix *Index) Search(ctx context.Context, req query.Request) (query.Result, error) {
	return ix.search(ctx, req, searchLimits)
}

func (ix *Index) search(ctx context.Context, req query.Request, l limits) (res query.Result, err error) {
	one, err := prepare(ix.Schema, req, l)
	if err != nil {
		return query.Result{}, err
	}
	err = ix.read(func(r *scorch.IndexSnapshot) error {
		s, err := newSession(ctx, ix.Schema, r, sessionOptions{bm25: *cmp.Or(req.BM25, &query.DefaultBM25), lucene: req.Lucene, filters: ix.filters})
		if err != nil {
			return err
		}
		res, err = one.run(s)
		return err
	})
	if err != nil {
		return query.Result{}, fmt.Errorf("search index %s: %w", ix.dir, err)
	}
	return res, nil
}
