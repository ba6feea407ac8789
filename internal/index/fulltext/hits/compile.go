package fulltext

import (
	"indexerd/internal/index/query"
)

// compileHits checks a request, and returns it for an engine that stores documents
// elsewhere. A fault of the request is a *query.Error. From, Size and After of the
// request are checked only: cursors are the engine's own.
func compileHits(s *Schema, req query.Request) (Compiled, error) {
	if err := checkLimits(req); err != nil {
		return Compiled{}, err
	}
	req.Tuned, req.After = false, ""
	p, visible, err := compileRequest(s, req)
	if err != nil {
		return Compiled{}, err
	}
	c, err := newCollector(visible, req, limits{})
	if err != nil {
		return Compiled{}, err
	}
	compiled := Compiled{Sorts: c.order.compiled(), Collapse: c.collapse.compiled()}
	if compiled.Query, err = clauseOf(p); err != nil {
		return Compiled{}, err
	}
	for _, f := range c.facets {
		compiled.Facets = append(compiled.Facets, CompiledFacet{f.Facet, exported(f.field)})
	}
	if c.aggs != nil {
		if compiled.Aggs, err = c.aggs.compiled(); err != nil {
			return Compiled{}, err
		}
	}
	if c.post != nil {
		if compiled.Post, err = clauseOf(c.post); err != nil {
			return Compiled{}, err
		}
	}
	if c.after != nil {
		compiled.Behind = c.after.compiled(*req.Behind)
	}
	return compiled, nil
}
