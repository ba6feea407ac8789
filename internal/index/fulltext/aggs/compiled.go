package fulltext

import (
	"indexerd/internal/index/query"
)

// compiled returns the aggregations for other engines.
func (a *aggregation) compiled() ([]CompiledAgg, error) { return compiledAggs(a.planned) }

func compiledAggs(planned []plannedAgg) ([]CompiledAgg, error) {
	all := make([]CompiledAgg, len(planned))
	for i, p := range planned {
		a := CompiledAgg{Agg: p.Agg}
		for _, f := range p.fields {
			a.Fields = append(a.Fields, fieldOf(f))
		}
		var err error
		if a.Missing, err = p.missingValue(); err != nil {
			return nil, err
		}
		if of, ok := p.Of.(query.TermsAgg); ok {
			a.Include, a.Exclude = valuesIn(p.fields[0], of.Include), valuesIn(p.fields[0], of.Exclude)
		}
		if a.Filters, err = clausesOf(p.plans); err != nil {
			return nil, err
		}
		if p.order != nil {
			a.Sorts = p.order.compiled()
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
	if p.fields[0].Type != Keyword {
		n, err := p.fields[0].Type.Float(p.missing)
		return &query.BucketValue{Number: n}, err
	}
	return &v, nil
}

// valuesIn returns the values of a set. The plan has checked them.
func valuesIn(f Field, set *query.ValueSet) []query.BucketValue {
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
