package fulltext

import (
	"indexerd/internal/index/query"
)

// A CompiledAgg is a checked aggregation, in the terms of an index.
type CompiledAgg struct {
	query.Agg
	Fields  []CompiledField    // that it reads
	Missing *query.BucketValue // the value of documents without one; nil: none
	Include []query.BucketValue
	Exclude []query.BucketValue // values of a TermsAgg, if the sets have no pattern
	Filters []Clause            // of a FiltersAgg
	Sorts   []CompiledSort      // of a TopAgg
	Subs    []CompiledAgg
}

// A CompiledField is a field that an aggregation reads: of values, if it has keywords, and
// else of numbers. Without a name it is a field that no document has.
type CompiledField struct {
	Name string
	Type Type
}

func compiledAggs(planned []plannedAgg) ([]CompiledAgg, error) {
	all := make([]CompiledAgg, len(planned))
	for i, p := range planned {
		a := CompiledAgg{Agg: p.Agg}
		for _, f := range p.fields {
			a.Fields = append(a.Fields, f.compiled())
		}
		var err error
		if a.Missing, err = p.missingValue(); err != nil {
			return nil, err
		}
		if of, ok := p.Of.(query.TermsAgg); ok {
			a.Include, a.Exclude = p.fields[0].valuesOf(of.Include), p.fields[0].valuesOf(of.Exclude)
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

func (f Field) compiled() CompiledField {
	switch {
	case f.Name == "":
		return CompiledField{"", f.Type}
	case f.Type == Keyword:
		return CompiledField{valuesField(f.Name), f.Type}
	}
	return CompiledField{numbersField(f.Name), f.Type}
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

// valuesOf returns the values of a set. The plan has checked them.
func (f Field) valuesOf(set *query.ValueSet) []query.BucketValue {
	if set == nil || set.Pattern != nil {
		return nil
	}
	all := []query.BucketValue{}
	for _, text := range set.Values {
		if v, err := f.bucketValue(text); err == nil {
			all = append(all, v)
		}
	}
	return all
}
