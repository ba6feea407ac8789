package aggs

import (
	"math"
	"slices"

	"indexerd/internal/index/aggregate"
	"indexerd/internal/index/fulltext/order"
	"indexerd/internal/index/fulltext/plan"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
)

// A plannedAgg is a checked aggregation.
type plannedAgg struct {
	query.Agg
	fields  []schema.Field // that it reads; without a name if no document has the field
	missing []byte         // the term of documents without a value; nil: none
	plans   []plan.Plan    // of a FiltersAgg
	order   *order.Order   // of a TopAgg
	subs    []plannedAgg
}

// planAggs checks the aggregations of a request.
func planAggs(s *schema.Schema, req query.Request) ([]plannedAgg, error) {
	n := 0
	all, err := aggPlanner{s, req.Boosts, &n}.all(req.Aggs, 0)
	switch {
	case err != nil:
	case aggregate.Least(req.Aggs) > query.MaxBuckets:
		err = query.TooManyBuckets()
	case req.Tuned && scored(all):
		err = query.Errorf("leave relevance out, or write plain", "the first hits of buckets have no relevance tuned")
	}
	return all, err
}

type aggPlanner struct {
	*schema.Schema
	boosts map[string]float64
	n      *int // aggregations
}

func (p aggPlanner) all(aggs []query.Agg, depth int) ([]plannedAgg, error) {
	if *p.n += len(aggs); *p.n > query.MaxAggs {
		return nil, query.Errorf("make several searches", "a search has more than %d aggregations", query.MaxAggs)
	}
	if len(aggs) > 0 && depth == query.MaxAggDepth {
		return nil, query.Errorf("make several searches", "aggregations are nested deeper than %d", query.MaxAggDepth)
	}
	var all []plannedAgg
	for _, a := range aggs {
		one, err := p.one(a, depth)
		if err != nil {
			return nil, err
		}
		if one.subs, err = p.all(a.Subs, depth+1); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

func (p aggPlanner) one(a query.Agg, depth int) (plannedAgg, error) {
	one := plannedAgg{Agg: a}
	numbers := []schema.Type{schema.Number, schema.Date, schema.Boolean}
	var err error
	switch of := a.Of.(type) {
	case query.TermsAgg:
		if err = p.read(&one, of.Field, of.Missing); err == nil {
			err = checkTerms(one, of)
		}
	case query.FiltersAgg:
		err = p.filters(&one, of)
	case query.RangesAgg:
		err = p.read(&one, of.Field, of.Missing, numbers...)
	case query.HistogramAgg:
		if !(of.Interval > 0) || math.IsInf(of.Interval, 0) || math.IsNaN(of.Offset) || math.IsInf(of.Offset, 0) {
			return one, query.Errorf("write a number above 0", "histogram of %s: interval %g", query.Shorten(of.Field), of.Interval)
		}
		if err = p.read(&one, of.Field, of.Missing, numbers...); err == nil {
			err = checkOrder(a.Subs, of.Order)
		}
	case query.DatesAgg:
		if !of.Interval.Valid() {
			return one, query.Errorf("write a unit, or whole milliseconds", "histogram of %s: the interval is not valid", query.Shorten(of.Field))
		}
		if err = p.read(&one, of.Field, of.Missing, schema.Date); err == nil {
			err = checkOrder(a.Subs, of.Order)
		}
	case query.CompositeAgg:
		err = p.composite(&one, of, depth)
	case query.StatsAgg:
		err = p.read(&one, of.Field, of.Missing, numbers...)
	case query.CountAgg:
		err = p.read(&one, of.Field, of.Missing)
	case query.DistinctAgg:
		err = p.read(&one, of.Field, of.Missing)
	case query.PercentilesAgg:
		if err = checkPercents(of); err == nil {
			err = p.read(&one, of.Field, of.Missing, numbers...)
		}
	case query.TopAgg:
		err = p.top(&one, of)
	default:
		err = query.Errorf("", "unknown aggregation %T", a.Of)
	}
	return one, err
}

// read looks a field up that has one of some types, any without.
func (p aggPlanner) read(a *plannedAgg, name string, missing *string, types ...schema.Type) error {
	f := schema.Field{Type: schema.Keyword}
	if len(types) > 0 {
		f.Type = types[0]
	}
	if name != "" {
		var err error
		if f, err = p.Field(name); err != nil {
			return err
		}
	}
	if len(types) > 0 && !slices.Contains(types, f.Type) {
		return query.Errorf("aggregate a number or a date", "field %s is a %s, which this aggregation can't read", query.Shorten(name), f.Type)
	}
	a.fields = append(a.fields, f)
	if missing == nil {
		return nil
	}
	terms, err := f.Value(*missing)
	a.missing = []byte(terms.Min)
	return err
}

// filters compiles the queries of buckets.
func (p aggPlanner) filters(a *plannedAgg, of query.FiltersAgg) error {
	if len(of.Queries) > query.MaxClauses {
		return query.Errorf("ask for fewer", "an aggregation has %d filters, more than %d", len(of.Queries), query.MaxClauses)
	}
	for _, n := range of.Queries {
		one, err := plan.CompileNode(p.Schema, n, p.boosts)
		if err != nil {
			return err
		}
		a.plans = append(a.plans, plan.Filter(one))
	}
	return nil
}

func (p aggPlanner) composite(a *plannedAgg, of query.CompositeAgg, depth int) error {
	switch {
	case depth > 0:
		return query.Errorf("move it to the first level", "a composite aggregation is in another one")
	case len(of.Sources) == 0 || len(of.Sources) > query.MaxSorts:
		return query.Errorf("", "a composite aggregation has %d sources, not 1 to %d", len(of.Sources), query.MaxSorts)
	case of.After != nil && len(of.After) != len(of.Sources):
		return query.Errorf("send the last key as it came", "the key to continue after has %d values, and the aggregation %d sources", len(of.After), len(of.Sources))
	case of.Size < 1 || of.Size > query.MaxBuckets:
		return query.Errorf("", "size %d of an aggregation is not 1 to %d", of.Size, query.MaxBuckets)
	}
	for _, s := range of.Sources {
		var types []schema.Type
		switch {
		case s.Dates != nil && !s.Dates.Valid(), s.Interval < 0, math.IsNaN(s.Interval), math.IsInf(s.Interval, 0):
			return query.Errorf("write a number above 0", "histogram of %s: the interval is not valid", query.Shorten(s.Field))
		case s.Dates != nil:
			types = []schema.Type{schema.Date}
		case s.Interval > 0:
			types = []schema.Type{schema.Number, schema.Date, schema.Boolean}
		}
		if err := p.read(a, s.Field, nil, types...); err != nil {
			return err
		}
	}
	return nil
}

func (p aggPlanner) top(a *plannedAgg, of query.TopAgg) (err error) {
	if of.From < 0 || of.Size < 0 || of.From > query.MaxTop-of.Size {
		return query.Errorf("ask for fewer", "the first hits of a bucket: from %d and size %d, more than %d together", of.From, of.Size, query.MaxTop)
	}
	if len(of.Sort) > query.MaxSorts {
		return query.Errorf("sort by fewer", "%d fields to sort by, more than %d", len(of.Sort), query.MaxSorts)
	}
	a.order, err = order.New(p.Schema, of.Sort)
	return err
}

func checkPercents(of query.PercentilesAgg) error {
	if len(of.Percents) == 0 || len(of.Percents) > query.MaxPercents {
		return query.Errorf("", "percentiles of %s: %d percents, not 1 to %d", query.Shorten(of.Field), len(of.Percents), query.MaxPercents)
	}
	for _, p := range of.Percents {
		if !(p >= 0 && p <= 100) {
			return query.Errorf("write a number from 0 to 100", "percentiles of %s: percent %g", query.Shorten(of.Field), p)
		}
	}
	return nil
}

func checkTerms(a plannedAgg, of query.TermsAgg) error {
	if of.Size < 1 || of.Size > query.MaxBuckets || of.MinCount < 1 {
		return query.Errorf("", "size %d of an aggregation is not 1 to %d, or its count %d is below 1", of.Size, query.MaxBuckets, of.MinCount)
	}
	for _, set := range []*query.ValueSet{of.Include, of.Exclude} {
		if set == nil {
			continue
		}
		if set.Pattern != nil && a.fields[0].Type != schema.Keyword {
			return query.Errorf("write a list of values", "field %s is a %s, whose values no pattern can choose", query.Shorten(of.Field), a.fields[0].Type)
		}
		for _, text := range set.Values {
			if _, err := bucketValue(a.fields[0], text); err != nil {
				return err
			}
		}
	}
	return checkOrder(a.Subs, of.Order)
}

// checkOrder checks that what buckets are ordered by is there.
func checkOrder(subs []query.Agg, order []query.BucketOrder) error {
	for _, by := range order {
		if by.By != query.ByCount && by.By != query.ByKey && !leadsToMetric(subs, by.Path, by.By) {
			return query.Errorf("order by a metric in buckets of one filter", "an aggregation is ordered by something that is no metric")
		}
	}
	return nil
}

func leadsToMetric(subs []query.Agg, path []int, metric string) bool {
	if len(path) == 0 || path[0] < 0 || path[0] >= len(subs) {
		return false
	}
	a := subs[path[0]]
	filters, isFilter := a.Of.(query.FiltersAgg)
	one := isFilter && len(filters.Queries) == 1 && !filters.Others
	if len(path) > 1 {
		return one && leadsToMetric(a.Subs, path[1:], metric)
	}
	i, isPercentile := query.PercentileOf(metric)
	switch of := a.Of.(type) {
	case query.PercentilesAgg:
		return isPercentile && i < len(of.Percents)
	case query.StatsAgg:
		return metric != query.MetricDocs && !isPercentile
	case query.CountAgg, query.DistinctAgg:
		return metric == query.MetricCount
	}
	return one && metric == query.MetricDocs
}
