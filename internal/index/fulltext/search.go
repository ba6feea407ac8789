package fulltext

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/blevesearch/bleve/v2/index/scorch"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/query"
)

// Search answers a request from one snapshot of the index. A fault of the
// request is a *query.Error. After the deadline the error is that of ctx.
func (ix *Index) Search(ctx context.Context, req query.Request) (query.Result, error) {
	p, c, err := ix.Schema.prepare(req)
	if err != nil {
		return query.Result{}, err
	}
	from := req.From
	if req.Skipped {
		from = 0
	}
	var res query.Result
	err = ix.read(func(r *scorch.IndexSnapshot) error {
		s, err := ix.Schema.newSession(ctx, r, rank{BM25: *cmp.Or(req.BM25, &query.DefaultBM25), boost: 1, lucene: req.Lucene})
		if err != nil {
			return err
		}
		s.index = ix
		if err := c.run(s, p); err != nil {
			return err
		}
		res, err = c.result(s, from)
		return err
	})
	if err != nil {
		return query.Result{}, fmt.Errorf("search index %s: %w", ix.dir, err)
	}
	return res, nil
}

// Check returns the error of a request that Search would reject before it reads
// the index, nil if there is none.
func (s *Schema) Check(req query.Request) error {
	_, _, err := s.prepare(req)
	return err
}

// prepare checks and compiles a request.
func (s *Schema) prepare(req query.Request) (plan, *collector, error) {
	if err := checkLimits(req); err != nil {
		return nil, nil, err
	}
	p, visible, err := s.forCaller(req)
	if err != nil {
		return nil, nil, err
	}
	c, err := visible.collector(req)
	return p, c, err
}

// checkLimits reports a request that exceeds a limit.
func checkLimits(req query.Request) error {
	switch {
	case req.Size < 0 || req.Size > query.MaxSize:
		return query.Errorf("page with after", "size is %d and must be between 0 and %d", req.Size, query.MaxSize)
	case req.From < 0:
		return query.Errorf("leave it out to begin with the first hit", "from is %d", req.From)
	case req.From > 0 && (req.After != "" || req.Behind != nil), req.After != "" && req.Behind != nil:
		return query.Errorf("leave one of them out", "a search takes from or after, not both")
	case req.From > query.MaxWindow-req.Size:
		return query.Errorf("set after to the next of the previous answer", "from %d and size %d reach beyond hit %d", req.From, req.Size, query.MaxWindow)
	case len(req.Sort) > query.MaxSorts:
		return query.Errorf("sort by fewer", "%d fields to sort by, more than %d", len(req.Sort), query.MaxSorts)
	case req.MinScore < 0 || math.IsNaN(req.MinScore):
		return query.Errorf("write a number from 0", "the least score is %g", req.MinScore)
	case req.MinScore > 0 && req.Tuned:
		return query.Errorf("leave one of them out", "a search has a least score and relevance tuned")
	case len(req.Facets) > query.MaxFacets:
		return query.Errorf("count fewer at a time", "%d facets, more than %d", len(req.Facets), query.MaxFacets)
	}
	values := 0
	for _, f := range req.Filters {
		values += len(f.Values)
	}
	if values > query.MaxValues {
		return query.TooManyValues(values)
	}
	return nil
}

// forCaller compiles a request. It returns the plan and the schema that is
// visible to the caller.
func (s *Schema) forCaller(req query.Request) (plan, *Schema, error) {
	if req.Visible == nil {
		p, err := s.request(req)
		return p, s, err
	}
	visible, err := compiler{Schema: s}.filter(*req.Visible)
	if err != nil {
		return nil, nil, err
	}
	restricted := s.without(req.Visible.Field)
	p, err := restricted.request(req)
	return visiblePlan{visible, p}, restricted, err
}

// request compiles the query and the filters.
func (s *Schema) request(req query.Request) (plan, error) {
	c := compiler{Schema: s, boosts: req.Boosts, synonyms: map[string]*synonymSet{}}
	if req.Tuned {
		c.shared = map[slot]*columnsPlan{}
	}
	p, err := c.compile(req.Query)
	if err != nil {
		return nil, err
	}
	if p == nil {
		p = orPlan{} // no part of the query is searched
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

// collector returns a collector for the hits and facets of a request.
func (s *Schema) collector(req query.Request) (*collector, error) {
	o, err := s.newOrder(req.Sort)
	if err != nil {
		return nil, err
	}
	c := &collector{order: o, size: req.From + req.Size, explained: req.Explain, minScore: req.MinScore, boundedLeast: boundedLeast, maxBytes: query.MaxValueBytes}
	if req.Collapse != "" {
		if c.collapse, err = s.newCollapse(req); err != nil {
			return nil, err
		}
	}
	planned, err := s.planAggs(req)
	if err != nil {
		return nil, err
	}
	if len(planned) > 0 {
		c.aggs = &aggregation{planned: planned, aggs: req.Aggs, mergeable: req.Mergeable}
	}
	if req.Post != nil {
		if c.post, err = (compiler{Schema: s}).compile(req.Post); err != nil {
			return nil, err
		}
		if c.post == nil {
			c.post = orPlan{}
		}
	}
	if req.After != "" {
		if c.after, err = o.decode(req.After); err != nil {
			return nil, err
		}
	}
	if req.Behind != nil {
		if c.after, err = o.at(s, *req.Behind); err != nil {
			return nil, err
		}
	}
	for _, fc := range req.Facets {
		f, err := s.metadata(fc.Field)
		if err != nil {
			return nil, err
		}
		if f.Type != Keyword {
			return nil, query.Errorf("only keywords are counted", "no facets of field %s: it is a %s", fc.Field, f.Type)
		}
		if fc.Size < 1 || fc.Size > query.MaxCounts {
			return nil, query.Errorf("write the number of values to return", "facet %s: %d values, not 1 to %d", fc.Field, fc.Size, query.MaxCounts)
		}
		c.facets = append(c.facets, &facet{Facet: fc, field: metadataField(f.Name), counts: map[string]*int{}})
	}
	return c, nil
}

// run collects the matches of a plan.
func (c *collector) run(s *session, p plan) (err error) {
	c.order.reader, c.current.keys = s.reader, make([]key, len(c.order.sorts))
	s.scored = c.size > 0 && c.order.scored() || c.minScore > 0 || c.aggs != nil && scored(c.aggs.planned)
	if fields := c.fields(); len(fields) > 0 {
		if c.values, err = s.reader.DocValueReader(fields); err != nil {
			return err
		}
	}
	if c.after != nil && c.after.stats != nil {
		s.stats = c.after.stats
	}
	if c.size > 0 && c.order.scored() {
		c.order.stats = s.stats
	}
	m, err := p.open(s)
	if err != nil {
		return err
	}
	if c.aggs != nil {
		left := c.maxBytes
		if err := c.aggs.open(s, &left); err != nil {
			return err
		}
	}
	if err := c.collect(s, m); err != nil || !c.explained || !s.scored || c.size == 0 {
		return err
	}
	return c.explain(s, m)
}

// fields lists the fields that are read of each match to sort it, without
// duplicates: a reader returns a field twice if it is listed twice.
func (c *collector) fields() []string {
	fields := slices.DeleteFunc(slices.Clone(c.order.fields), func(f string) bool { return f == "" })
	if c.collapse != nil {
		fields = append(fields, c.collapse.name)
	}
	slices.Sort(fields)
	return slices.Compact(fields)
}

// result returns the answer, without the first from hits.
func (c *collector) result(s *session, from int) (query.Result, error) {
	kept, err := c.sorted()
	if err = cmp.Or(err, s.ctx.Err()); err != nil {
		return query.Result{}, err
	}
	res := query.Result{Total: c.total, Best: c.best, Hits: []query.Hit{}, Facets: map[string][]query.Count{}}
	for _, f := range c.facets {
		if res.Facets[f.Facet.Field], err = f.top(s.step); err != nil {
			return query.Result{}, err
		}
	}
	if c.aggs != nil {
		if res.Aggs, err = c.aggs.results(); err != nil {
			return query.Result{}, err
		}
	}
	if len(kept) <= from {
		return res, nil
	}
	if c.more {
		res.Next = c.order.encode(kept[len(kept)-1])
	}
	oids := make([]doc.OID, 0, len(kept)-from)
	for _, k := range kept[from:] {
		res.Hits = append(res.Hits, query.Hit{OID: doc.OID(k.id), Score: k.score, After: c.order.encode(k), Keys: c.order.keysOf(k), Explain: k.parts})
		oids = append(oids, doc.OID(k.id))
	}
	vs, err := versions(c.order.reader, oids)
	if err != nil {
		return query.Result{}, err
	}
	for i, v := range vs {
		res.Hits[i].V = v
	}
	return res, nil
}
