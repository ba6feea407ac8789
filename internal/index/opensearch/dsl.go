package opensearch

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"indexerd/internal/index/fulltext/compiled"
	"indexerd/internal/index/query"
)

type object = map[string]any

// dsl writes a compiled query in the cluster's query language. It uses no query that
// analyzes text but match_phrase, whose text is terms already.
func dsl(c compiled.Clause) object {
	switch c := c.(type) {
	case compiled.Every:
		return object{"match_all": object{}}
	case compiled.Both:
		return both(c)
	case compiled.Any:
		return someOf(c)
	case compiled.Optional:
		return object{"bool": object{"filter": dsl(compiled.Every{}), "should": each(c.Clauses), "minimum_should_match": 0}}
	case compiled.DisMax:
		return object{"dis_max": object{"queries": each(c.Clauses), "tie_breaker": c.Tie}}
	case compiled.Constant:
		return object{"constant_score": object{"filter": dsl(c.Clause), "boost": c.Score}}
	case compiled.Weighted:
		return object{"bool": object{"must": []object{dsl(c.Clause)}, "boost": c.Factor}}
	case compiled.Reweighted:
		return reweighted(c)
	case compiled.Term:
		return object{"term": object{field(c.Field): c.Term}}
	case compiled.AnyTerm:
		return object{"terms": object{field(c.Field): append([]string{}, c.Terms...)}}
	case compiled.Forms:
		return object{"match": object{field(c.Field): object{"query": strings.Join(c.Terms, "|"), "analyzer": ready}}}
	case compiled.TermPrefix:
		if c.Most > 0 {
			return object{"match_phrase_prefix": object{field(c.Field): object{"query": c.Prefix, "max_expansions": c.Most, "analyzer": ready}}}
		}
		return object{"prefix": object{field(c.Field): object{"value": c.Prefix, "rewrite": "constant_score"}}}
	case compiled.TermPattern:
		return pattern(c)
	case compiled.TermSimilar:
		return similar(c)
	case compiled.HasTerm:
		return object{"exists": object{"field": field(c.Field)}}
	case compiled.TermNear:
		return near(c)
	case compiled.TermRange:
		return inRange(c)
	case compiled.Terms:
		return phrase(c)
	case compiled.Keys:
		return keys(c)
	}
	return object{"match_none": object{}}
}

// ready is the analyzer of words that are terms.
const ready = "ix"

// field is the name of a field in the cluster.
func field(name string) string { return "ix." + name }

func each(clauses []compiled.Clause) []object {
	all := make([]object, len(clauses))
	for i, c := range clauses {
		all[i] = dsl(c)
	}
	return all
}

func both(c compiled.Both) object {
	must, filter := []object{}, []object{}
	for _, part := range c.Must {
		if constant, ok := part.(compiled.Constant); ok && constant.Score == 0 {
			filter = append(filter, dsl(constant.Clause))
		} else {
			must = append(must, dsl(part))
		}
	}
	if len(c.Must) == 0 {
		must = append(must, dsl(compiled.Every{}))
	}
	return object{"bool": object{"must": must, "filter": filter, "must_not": each(c.Not)}}
}

func someOf(c compiled.Any) object {
	if len(c.Clauses) == 0 {
		return object{"match_none": object{}}
	}
	return object{"bool": object{"should": each(c.Clauses), "minimum_should_match": c.AtLeast}}
}

// near finds all terms that are similar, whose number a scored query limits, and scores
// the most similar ones.
func near(c compiled.TermNear) object {
	fuzzy := func(rewrite string) object {
		return object{"fuzzy": object{field(c.Field): object{"value": c.Term, "fuzziness": c.Edits, "max_expansions": 50, "rewrite": rewrite}}}
	}
	return object{"bool": object{"filter": []object{fuzzy("constant_score")}, "should": []object{fuzzy("top_terms_blended_freqs_50")}}}
}

// reweighted is a function_score. Functions of fields are refused before.
func reweighted(c compiled.Reweighted) object {
	functions := make([]object, len(c.Functions))
	for i, f := range c.Functions {
		functions[i] = object{"weight": f.Weight}
		if c.Filters[i] != nil {
			functions[i]["filter"] = dsl(c.Filters[i])
		}
	}
	body := object{"query": dsl(c.Clause), "functions": functions, "score_mode": c.Mode, "boost_mode": c.Combine}
	if c.Most > 0 {
		body["max_boost"] = c.Most
	}
	return object{"function_score": body}
}

// pattern finds the terms that a pattern describes.
func pattern(c compiled.TermPattern) object {
	options := object{"value": c.Text, "case_insensitive": c.Fold}
	name := string(c.Kind)
	switch {
	case c.Kind == query.Exact:
		name = "term"
	case c.Stems && (c.Kind == query.Regexp || c.Kind == query.Wildcard):
		name, options["value"], options["flags"] = "regexp", withoutStems(c), "ANYSTRING|EMPTY|INTERSECTION"
	case c.Kind == query.Regexp:
		options["flags"] = "ANYSTRING|EMPTY"
	}
	return object{name: object{field(c.Field): options}}
}

// withoutStems returns a regular expression that matches what a pattern does but stems.
func withoutStems(c compiled.TermPattern) string {
	var b strings.Builder
	plain := false
	for _, r := range c.Text {
		switch {
		case plain:
			b.WriteString(`\` + string(r))
			plain = false
		case r == '\\':
			plain = true
		case c.Kind == query.Regexp && r != '&':
			b.WriteRune(r)
		case r == '*':
			b.WriteString(".*")
		case r == '?':
			b.WriteByte('.')
		case r < utf8.RuneSelf && !unicode.IsLetter(r) && !unicode.IsDigit(r):
			b.WriteString(`\` + string(r))
		default:
			b.WriteRune(r)
		}
	}
	if plain {
		b.WriteString(`\\`)
	}
	return "(" + b.String() + ")&([^~].*)"
}

// similar finds the most similar terms, or, without a limit, all.
func similar(c compiled.TermSimilar) object {
	most := c.Most
	if most == 0 {
		most = maxClauses
	}
	return object{"fuzzy": object{field(c.Field): object{"value": c.Term, "fuzziness": c.Edits, "prefix_length": c.Prefix, "max_expansions": most, "transpositions": !c.NoSwaps}}}
}

// maxClauses is how many terms a query of the cluster may stand for.
const maxClauses = 1024

func inRange(c compiled.TermRange) object {
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
func phrase(c compiled.Terms) object {
	switch {
	case c.Most > 0:
		return object{"match_phrase_prefix": object{field(c.Field): object{"query": joined(c.Terms), "slop": c.Slop, "max_expansions": c.Most, "analyzer": ready}}}
	case !c.Open:
		return object{"match_phrase": object{field(c.Field): object{"query": joined(c.Terms), "slop": c.Slop, "analyzer": ready}}}
	}
	var spans []object
	for i, t := range c.Terms {
		switch {
		case t == "":
			spans = append(spans, object{"span_gap": object{field(c.Field): 1}})
		case i < len(c.Terms)-1:
			spans = append(spans, spanOf(c.Field, t))
		default:
			spans = append(spans, object{"span_multi": object{"match": object{"prefix": object{field(c.Field): object{"value": t}}}}})
		}
	}
	return object{"span_near": object{"clauses": spans, "slop": 0, "in_order": true}}
}

// spanOf finds a term, or any of several with | between them.
func spanOf(name, terms string) object {
	var any []object
	for _, t := range strings.Split(terms, "|") {
		any = append(any, object{"span_term": object{field(name): t}})
	}
	if len(any) == 1 {
		return any[0]
	}
	return object{"span_or": object{"clauses": any}}
}

func keys(c compiled.Keys) object {
	ids := make([]string, len(c.OIDs))
	for i, oid := range c.OIDs {
		ids[i] = id(oid)
	}
	return object{"ids": object{"values": ids}}
}
