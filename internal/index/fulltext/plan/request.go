package fulltext

import "indexerd/internal/index/query"

// compileRequest compiles the query and the filters of a request. It returns the plan and
// the schema that is visible to the caller. The error is a *query.Error.
func compileRequest(s *Schema, req query.Request) (plan, *Schema, error) {
	if req.Visible == nil {
		p, err := queryAndFilters(s, req)
		return p, s, err
	}
	visible, err := newCompiler(s, nil).filter(*req.Visible)
	if err != nil {
		return nil, nil, err
	}
	restricted := s.Without(req.Visible.Field)
	p, err := queryAndFilters(restricted, req)
	return visiblePlan{visible, p}, restricted, err
}

func queryAndFilters(s *Schema, req query.Request) (plan, error) {
	c := newCompiler(s, req.Boosts)
	c.synonyms = map[string]*synonymSet{}
	if req.Tuned {
		c.shared = map[slot]*columnsPlan{}
	}
	p, err := c.whole(req.Query)
	if err != nil {
		return nil, err
	}
	all := boolPlan{must: []plan{p}}
	for _, f := range req.Filters {
		p, err := c.filter(f)
		if err != nil {
			return nil, err
		}
		all.must = append(all.must, p)
	}
	if near := c.near(req.Query); near != nil {
		near.plan = all
		return near, nil
	}
	return all, nil
}

// compileNode compiles a query with the boosts of a request, nil for none. The error is a
// *query.Error.
func compileNode(s *Schema, n query.Node, boosts map[string]float64) (plan, error) {
	return newCompiler(s, boosts).whole(n)
}

func newCompiler(s *Schema, boosts map[string]float64) compiler {
	return compiler{Schema: s, analyzer: analyzer{s.Analysis}, boosts: boosts}
}

// whole compiles a query that is no part of another one. It matches nothing if no part of
// it is searched.
func (c compiler) whole(n query.Node) (plan, error) {
	p, err := c.compile(n)
	if err == nil && p == nil {
		p = orPlan{}
	}
	return p, err
}

// filterOf returns a plan that matches as p does, and does not change scores.
func filterOf(p plan) plan { return unscored{p} }
