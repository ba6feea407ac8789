package fulltext

import (
	"cmp"
	"context"
	"fmt"
	"runtime"

	"github.com/blevesearch/bleve/v2/index/scorch"

	"indexerd/internal/base/giveway"
	"indexerd/internal/index/fulltext/hits"
	"indexerd/internal/index/fulltext/plan"
	"indexerd/internal/index/query"
)

// searchLimits are those of all searches of the process.
var searchLimits = hits.NewLimits(runtime.GOMAXPROCS(0))

// Search answers a request from one snapshot of the index. A fault of the
// request is a *query.Error. After the deadline the error is that of ctx.
func (ix *Index) Search(ctx context.Context, req query.Request) (query.Result, error) {
	return ix.search(ctx, req, searchLimits)
}

func (ix *Index) search(ctx context.Context, req query.Request, l hits.Limits) (res query.Result, err error) {
	one, err := hits.Prepare(ix.Schema, req, l)
	if err != nil {
		return query.Result{}, err
	}
	work := giveway.Search()
	defer work.End()
	err = ix.read(func(r *scorch.IndexSnapshot) error {
		s, err := plan.NewSession(ctx, ix.Schema, r, plan.Options{BM25: *cmp.Or(req.BM25, &query.DefaultBM25), Lucene: req.Lucene, Filters: ix.filters, Work: work})
		if err != nil {
			return err
		}
		defer s.Release()
		res, err = one.Run(s)
		return err
	})
	if err != nil {
		return query.Result{}, fmt.Errorf("search index %s: %w", ix.dir, err)
	}
	return res, nil
}
