package opensearch

import (
	"indexerd/internal/fulltext"
)

type object = map[string]any

// dsl writes a compiled query in the cluster's query language. It uses no query that
// analyzes text but match_phrase, whose text is terms already.
func dsl(c fulltext.Clause) object {
	switch c := c.(type) {
	case fulltext.Every:
		return object{"match_all": object{}}
	case fulltext.Both:
		return both(c)
	case fulltext.Any:
		return someOf(c)
	case fulltext.Constant:
		return object{"constant_score": object{"filter": dsl(c.Clause), "boost": 0}}
	case fulltext.Weighted:
		return object{"bool": object{"must": []object{dsl(c.Clause)}, "boost": c.Factor}}
	case fulltext.Term:
		return object{"term": object{field(c.Field): c.Term}}
	case fulltext.TermPrefix:
		return object{"prefix": object{field(c.Field): object{"value": c.Prefix, "rewrite": "constant_score"}}}
	case fulltext.TermNear:
		return near(c)
	case fulltext.TermRange:
		return inRange(c)
	case fulltext.Terms:
		return phrase(c)
	case fulltext.Keys:
		return keys(c)
	}
	return object{"match_none": object{}}
}

// field is the name of a field in the cluster.
func field(name string) string { return "ix." + name }

func each(clauses []fulltext.Clause) []object {
	all := make([]object, len(clauses))
	for i, c := range clauses {
		all[i] = dsl(c)
	}
	return all
}

func both(c fulltext.Both) object {
	must, filter := []object{}, []object{}
	for _, part := range c.Must {
		if constant, ok := part.(fulltext.Constant); ok {
			filter = append(filter, dsl(constant.Clause))
		} else {
			must = append(must, dsl(part))
		}
	}
	if len(c.Must) == 0 {
		must = append(must, dsl(fulltext.Every{}))
	}
	return object{"bool": object{"must": must, "filter": filter, "must_not": each(c.Not)}}
}

func someOf(c fulltext.Any) object {
	if len(c.Clauses) == 0 {
		return object{"match_none": object{}}
	}
	return object{"bool": object{"should": each(c.Clauses), "minimum_should_match": c.AtLeast}}
}

// near finds all terms that are similar, whose number a scored query limits, and scores
// the most similar ones.
func near(c fulltext.TermNear) object {
	fuzzy := func(rewrite string) object {
		return object{"fuzzy": object{field(c.Field): object{"value": c.Term, "fuzziness": c.Edits, "max_expansions": 50, "rewrite": rewrite}}}
	}
	return object{"bool": object{"filter": []object{fuzzy("constant_score")}, "should": []object{fuzzy("top_terms_blended_freqs_50")}}}
}

func inRange(c fulltext.TermRange) object {
	bounds := object{}
	if c.Min != "" {
		bounds["gte"] = c.Min
	}
	if c.Max != "" {
		bounds["lt"] = c.Max
	}
	if len(bounds) == 0 {
		return object{"exists": object{"field": field(c.Field)}}
	}
	return object{"range": object{field(c.Field): bounds}}
}

// phrase finds terms one after the other. If the last is a prefix, spans are used: a
// match_phrase_prefix would silently leave terms out.
func phrase(c fulltext.Terms) object {
	if !c.Open {
		return object{"match_phrase": object{field(c.Field): object{"query": joined(c.Terms), "slop": c.Slop}}}
	}
	var spans []object
	for i, t := range c.Terms {
		switch {
		case t == "":
			spans = append(spans, object{"span_gap": object{field(c.Field): 1}})
		case i < len(c.Terms)-1:
			spans = append(spans, object{"span_term": object{field(c.Field): t}})
		default:
			spans = append(spans, object{"span_multi": object{"match": object{"prefix": object{field(c.Field): object{"value": t}}}}})
		}
	}
	return object{"span_near": object{"clauses": spans, "slop": 0, "in_order": true}}
}

func keys(c fulltext.Keys) object {
	ids := make([]string, len(c.OIDs))
	for i, oid := range c.OIDs {
		ids[i] = id(oid)
	}
	return object{"ids": object{"values": ids}}
}
