package aggs

import (
	"indexerd/internal/index/fulltext/compiled"
	"indexerd/internal/index/fulltext/plan"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
)

// Compiled returns the aggregations for other engines.
func (a *Aggregation) Compiled() ([]compiled.Agg, error) { return compiledAggs(a.planned) }

func compiledAggs(planned []plannedAgg) ([]compiled.Agg, error) {
	all := make([]compiled.Agg, len(planned))
	for i, p := range planned {
		a := compiled.Agg{Agg: p.Agg}
		for _, f := range p.fields {
			a.Fields = append(a.Fields, compiled.FieldOf(f))
		}
		var err error
		if a.Missing, err = p.missingValue(); err != nil {
			return nil, err
		}
		if of, ok := p.Of.(query.TermsAgg); ok {
			a.Include, a.Exclude = valuesIn(p.fields[0], of.Include), valuesIn(p.fields[0], of.Exclude)
		}
		if a.Filters, err = plan.ClausesOf(p.plans); err != nil {
			return nil, err
		}
		if p.order != nil {
			a.Sorts = p.order.Compiled()
		}
		if a.Subs, err = compiledAggs(p.subs); err != nil {
			return nil, err
		}
		all[i] = a
	}
	return all, nil
}

func (p plannedAgg) missingValue() (*query.BucketValue, error) {
	if p.missing == nil {
		return nil, nil
	}
	v := query.BucketValue{Text: string(p.missing)}
	if p.fields[0].Type != schema.Keyword {
		n, err := p.fields[0].Type.Float(p.missing)
		return &query.BucketValue{Number: n}, err
	}
	return &v, nil
}

// valuesIn returns the values of a set. The plan has checked them.
func valuesIn(f schema.Field, set *query.ValueSet) []query.BucketValue {
	if set == nil || set.Pattern != nil {
		return nil
	}
	all := []query.BucketValue{}
	for _, text := range set.Values {
		if v, err := bucketValue(f, text); err == nil {
			all = append(all, v)
		}
	}
	return all
}
