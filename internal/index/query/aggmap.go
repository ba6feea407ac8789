package query

// MapAggs returns aggregations with each field replaced by what field returns, and each
// part of a query as Map does.
func MapAggs(aggs []Agg, field func(string) string, node func(Node) Node) []Agg {
	mapped := make([]Agg, len(aggs))
	for i, a := range aggs {
		mapped[i] = Agg{mapKind(a.Of, field, node), MapAggs(a.Subs, field, node)}
	}
	return mapped
}

func mapKind(k AggKind, field func(string) string, node func(Node) Node) AggKind {
	switch k := k.(type) {
	case TermsAgg:
		k.Field = field(k.Field)
		return k
	case FiltersAgg:
		k.Queries = mapAll(k.Queries, node)
		return k
	case RangesAgg:
		k.Field = field(k.Field)
		return k
	case HistogramAgg:
		k.Field = field(k.Field)
		return k
	case DatesAgg:
		k.Field = field(k.Field)
		return k
	case CompositeAgg:
		sources := make([]Source, len(k.Sources))
		for i, s := range k.Sources {
			s.Field = field(s.Field)
			sources[i] = s
		}
		k.Sources = sources
		return k
	case StatsAgg:
		k.Field = field(k.Field)
		return k
	case CountAgg:
		k.Field = field(k.Field)
		return k
	case DistinctAgg:
		k.Field = field(k.Field)
		return k
	case PercentilesAgg:
		k.Field = field(k.Field)
		return k
	}
	return k
}
