package plan

import (
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/fulltext/words"
	"indexerd/internal/index/query"
)

// Compile compiles the query and the filters of a request. It returns the plan and
// the schema that is visible to the caller. The error is a *query.Error.
func Compile(s *schema.Schema, req query.Request) (Plan, *schema.Schema, error) {
	if req.Visible == nil {
		p, err := queryAndFilters(s, req)
		return p, s, err
	}
	var visible boolPlan
	for _, f := range req.Visible.Filters {
		p, err := newCompiler(s, nil).filter(f)
		if err != nil {
			return nil, nil, err
		}
		visible.must = append(visible.must, p)
	}
	restricted := s
	if req.Visible.Hidden != "" {
		restricted = s.Without(req.Visible.Hidden)
	}
	p, err := queryAndFilters(restricted, req)
	return visiblePlan{visible, p}, restricted, err
}

func queryAndFilters(s *schema.Schema, req query.Request) (Plan, error) {
	c := newCompiler(s, req.Boosts)
	c.sets = map[string]*words.Set{}
	if req.Tuned {
		c.shared = map[words.Slot]*columnsPlan{}
	}
	p, err := c.whole(req.Query)
	if err != nil {
		return nil, err
	}
	all := boolPlan{must: []Plan{p}}
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

// CompileNode compiles a query with the boosts of a request, nil for none. The error is a
// *query.Error.
func CompileNode(s *schema.Schema, n query.Node, boosts map[string]float64) (Plan, error) {
	return newCompiler(s, boosts).whole(n)
}

func newCompiler(s *schema.Schema, boosts map[string]float64) compiler {
	return compiler{Schema: s, analyzer: words.Analyzer{Analyzer: s.Analysis}, boosts: boosts}
}

// whole compiles a query that is no part of another one. It matches nothing if no part of
// it is searched.
func (c compiler) whole(n query.Node) (Plan, error) {
	p, err := c.compile(n)
	if err == nil && p == nil {
		p = orPlan{}
	}
	return p, err
}

// Filter returns a plan that matches as p does, and does not change scores.
func Filter(p Plan) Plan { return unscored{p} }
