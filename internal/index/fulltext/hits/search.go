// Package hits answers requests: it collects the matches of a plan, counts facets, computes
// aggregations, and keeps the first hits in their order.
//
// # Costs
//
// The total needs no score. If hits are sorted by score only, a word is found and scored at
// about 4 ns a document, and where words are frequent documents are left out that can't be
// among the first hits: see bounds.go. A sort by a number reads the column of the first field,
// at 2 ns a match, and the other values of few matches: see narrow.go. If a keyword decides
// among many with one number, it reads terms, of which about 100 take as long as the values
// of 1,024 documents: see narrowties.go. A sort by a keyword reads the values of the matches
// that have its first terms, and after a cursor those of each match. Many documents are found,
// scored and sorted by as many goroutines as there are idle processors: see parallel.go. The
// values that a search holds are bounded by Limits.
package hits

import (
	"cmp"
	"math"
	"slices"

	"indexerd/internal/index/fulltext/aggs"
	"indexerd/internal/index/fulltext/order"
	"indexerd/internal/index/fulltext/plan"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
)

// Limits are the memory and the processors of a search, and the sizes from which it takes
// another way. No answer depends on those sizes.
type Limits struct {
	Bytes      int // that the values of hits, facets and aggregations hold at most
	Window     int // documents whose scores are computed together, a multiple of 64, or 0: none is left out; see bounds
	Few        int // matches that are all scored, since finding out which need not be takes longer
	Alone      int // documents that one goroutine finds, scores or sorts
	Terms      int // of a field that are read instead of one chunk of docvalues
	Stretch    int // words of a set, whose documents one goroutine scores or sorts at a time
	Processors *Processors
}

// NewLimits returns the limits of a process that may use so many processors.
func NewLimits(n int) Limits {
	return Limits{Bytes: query.MaxValueBytes, Window: 1 << 14, Few: 1 << 10, Alone: 1 << 15, Terms: 100, Stretch: 1 << 10, Processors: NewProcessors(n)}
}

// A Search is a request that is checked and compiled. It runs once.
type Search struct {
	plan      plan.Plan
	collector *collector
	from      int // hits that are left out
}

// Prepare checks and compiles a request. A fault of the request is a *query.Error.
func Prepare(s *schema.Schema, req query.Request, l Limits) (*Search, error) {
	if err := checkLimits(req); err != nil {
		return nil, err
	}
	p, visible, err := plan.Compile(s, req)
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
	return &Search{p, c, from}, nil
}

// Run answers the request from a session of its schema.
func (se *Search) Run(s *plan.Session) (query.Result, error) {
	defer se.collector.limits.Processors.use()()
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
func newCollector(s *schema.Schema, req query.Request, l Limits) (*collector, error) {
	o, err := order.New(s, req.Sort)
	if err != nil {
		return nil, err
	}
	c := &collector{order: o, size: req.From + req.Size, explained: req.Explain, minScore: req.MinScore, limits: l}
	if req.Collapse != "" {
		if c.collapse, err = newCollapse(s, req); err != nil {
			return nil, err
		}
	}
	if c.aggs, err = aggs.New(s, req); err != nil {
		return nil, err
	}
	if req.Post != nil {
		if c.post, err = plan.CompileNode(s, req.Post, nil); err != nil {
			return nil, err
		}
	}
	if req.After != "" {
		if c.after, err = o.Decode(req.After); err != nil {
			return nil, err
		}
	}
	if req.Behind != nil {
		if c.after, err = o.At(s, *req.Behind); err != nil {
			return nil, err
		}
	}
	for _, fc := range req.Facets {
		f, err := s.Field(fc.Field)
		if err != nil {
			return nil, err
		}
		if f.Type != schema.Keyword {
			return nil, query.Errorf("only keywords are counted", "no facets of field %s: it is a %s", fc.Field, f.Type)
		}
		if fc.Size < 1 || fc.Size > query.MaxCounts {
			return nil, query.Errorf("write the number of values to return", "facet %s: %d values, not 1 to %d", fc.Field, fc.Size, query.MaxCounts)
		}
		c.facets = append(c.facets, &facet{Facet: fc, field: schema.MetadataField(f.Name), counts: map[string]*int{}})
	}
	return c, nil
}

// run collects the matches of a plan.
func (c *collector) run(s *plan.Session, p plan.Plan) (err error) {
	c.order.Reader, c.current = s.Reader, *c.order.Candidate()
	s.Scored = c.size > 0 && c.order.Scored() || c.minScore > 0 || c.aggs != nil && c.aggs.Scored()
	if fields := c.fields(); len(fields) > 0 {
		c.values = s.Values(fields)
	}
	if c.after != nil && c.after.Stats != nil {
		s.Stats = c.after.Stats
	}
	if c.size > 0 && c.order.Scored() {
		c.order.Stats = s.Stats
	}
	m, err := p.Open(s)
	if err != nil {
		return err
	}
	if c.aggs != nil {
		if err := c.aggs.Open(s, c.limits.Bytes); err != nil {
			return err
		}
	}
	if err := c.collect(s, m); err != nil || !c.explained || !s.Scored || c.size == 0 {
		return err
	}
	return c.explain(s, m)
}

// fields lists the fields that are read of each match to sort it, without
// duplicates: a reader returns a field twice if it is listed twice.
func (c *collector) fields() []string {
	fields := c.order.Fields()
	if c.collapse != nil {
		fields = append(fields, c.collapse.name)
	}
	slices.Sort(fields)
	return slices.Compact(fields)
}

// result returns the answer, without the first from hits.
func (c *collector) result(s *plan.Session, from int) (query.Result, error) {
	kept, err := c.sorted()
	if err = cmp.Or(err, s.Check()); err != nil {
		return query.Result{}, err
	}
	res := query.Result{Total: c.total, Best: c.best, Hits: []query.Hit{}, Facets: map[string][]query.Count{}}
	for _, f := range c.facets {
		if res.Facets[f.Facet.Field], err = f.top(s.Step); err != nil {
			return query.Result{}, err
		}
	}
	if c.aggs != nil {
		if res.Aggs, err = c.aggs.Results(); err != nil {
			return query.Result{}, err
		}
	}
	if len(kept) <= from {
		return res, nil
	}
	if c.more {
		res.Next = c.order.Encode(kept[len(kept)-1])
	}
	if res.Hits, err = c.order.Hits(kept[from:]); err != nil {
		return query.Result{}, err
	}
	for i, k := range kept[from:] {
		res.Hits[i].After = c.order.Encode(k)
	}
	return res, nil
}
