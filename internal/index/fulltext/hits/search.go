package fulltext

import (
	"cmp"
	"math"
	"slices"

	"indexerd/internal/index/query"
)

// Limits are the memory and the processors of a search, and the sizes from which it takes
// another way. No answer depends on those sizes.
type limits struct {
	bytes      int // that the values of hits, facets and aggregations hold at most
	bounded    int // matches of a part up to which all are scored: see bounds
	alone      int // matches that one goroutine sorts
	stretch    int // words of a set, whose documents one goroutine sorts at a time
	processors *processors
}

// newLimits returns the limits of a process that may use so many processors.
func newLimits(n int) limits {
	return limits{bytes: query.MaxValueBytes, bounded: 2048, alone: 1 << 15, stretch: 1 << 10, processors: newProcessors(n)}
}

// A search is a request that is checked and compiled. It runs once.
type search struct {
	plan      plan
	collector *collector
	from      int // hits that are left out
}

// prepare checks and compiles a request. A fault of the request is a *query.Error.
func prepare(s *Schema, req query.Request, l limits) (*search, error) {
	if err := checkLimits(req); err != nil {
		return nil, err
	}
	p, visible, err := compileRequest(s, req)
	if err != nil {
		return nil, err
	}
	c, err := newCollector(visible, req, l)
	if err != nil {
		return nil, err
	}
	from := req.From
	if req.Skipped {
		from = 0
	}
	return &search{p, c, from}, nil
}

// run answers the request from a session of its schema.
func (se *search) run(s *session) (query.Result, error) {
	if err := se.collector.run(s, se.plan); err != nil {
		return query.Result{}, err
	}
	return se.collector.result(s, se.from)
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

// newCollector returns a collector for the hits and facets of a request.
func newCollector(s *Schema, req query.Request, l limits) (*collector, error) {
	o, err := newOrder(s, req.Sort)
	if err != nil {
		return nil, err
	}
	c := &collector{order: o, size: req.From + req.Size, explained: req.Explain, minScore: req.MinScore, limits: l}
	if req.Collapse != "" {
		if c.collapse, err = newCollapse(s, req); err != nil {
			return nil, err
		}
	}
	if c.aggs, err = newAggregation(s, req); err != nil {
		return nil, err
	}
	if req.Post != nil {
		if c.post, err = compileNode(s, req.Post, nil); err != nil {
			return nil, err
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
		f, err := s.Field(fc.Field)
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
	c.order.reader, c.current = s.reader, *c.order.candidate()
	s.scored = c.size > 0 && c.order.scored() || c.minScore > 0 || c.aggs != nil && c.aggs.scored()
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
		if err := c.aggs.open(s, c.limits.bytes); err != nil {
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
	fields := c.order.read()
	if c.collapse != nil {
		fields = append(fields, c.collapse.name)
	}
	slices.Sort(fields)
	return slices.Compact(fields)
}

// result returns the answer, without the first from hits.
func (c *collector) result(s *session, from int) (query.Result, error) {
	kept, err := c.sorted()
	if err = cmp.Or(err, s.check()); err != nil {
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
	if res.Hits, err = c.order.hits(kept[from:]); err != nil {
		return query.Result{}, err
	}
	for i, k := range kept[from:] {
		res.Hits[i].After = c.order.encode(k)
	}
	return res, nil
}
