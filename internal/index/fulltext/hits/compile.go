package hits

import (
	"indexerd/internal/index/fulltext/compiled"
	"indexerd/internal/index/fulltext/plan"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
)

// Compile checks a request, and returns it for an engine that stores documents
// elsewhere. A fault of the request is a *query.Error. From, Size and After of the
// request are checked only: cursors are the engine's own.
func Compile(s *schema.Schema, req query.Request) (compiled.Request, error) {
	if err := checkLimits(req); err != nil {
		return compiled.Request{}, err
	}
	req.Tuned, req.After = false, ""
	p, visible, err := plan.Compile(s, req)
	if err != nil {
		return compiled.Request{}, err
	}
	c, err := newCollector(visible, req, Limits{})
	if err != nil {
		return compiled.Request{}, err
	}
	r := compiled.Request{Sorts: c.order.Compiled(), Collapse: c.collapse.compiled()}
	if r.Query, err = plan.ClauseOf(p); err != nil {
		return compiled.Request{}, err
	}
	for _, f := range c.facets {
		r.Facets = append(r.Facets, compiled.Facet{Facet: f.Facet, Field: schema.Exported(f.field)})
	}
	if c.aggs != nil {
		if r.Aggs, err = c.aggs.Compiled(); err != nil {
			return compiled.Request{}, err
		}
	}
	if c.post != nil {
		if r.Post, err = plan.ClauseOf(c.post); err != nil {
			return compiled.Request{}, err
		}
	}
	if c.after != nil {
		r.Behind = c.after.Compiled(*req.Behind)
	}
	return r, nil
}
