package apidiff

import (
	"fmt"
	"slices"
	"strings"
)

// ownScores is the feature of queries whose scores are not those of OpenSearch, but whose
// hits are.
const ownScores = "own scores"

// query makes a query.
func (g *generator) query(depth int) any {
	var q any
	if depth > 0 && g.one(3) {
		q = g.compound(depth - 1)
	} else {
		q = g.leaf()
	}
	if depth > 0 && g.one(6) { // OpenSearch drops deeper ones beside a query that finds nothing
		g.name(q)
	}
	return q
}

// name gives a query a name, if it has options.
func (g *generator) name(q any) {
	for kind, body := range q.(obj) {
		if kind == "range" { // OpenSearch 3.8 names one that it has shortened to a page
			continue
		}
		options, ok := body.(obj)
		if !slices.Contains([]string{"match_all", "match_none", "bool", "exists", "ids", "constant_score", "dis_max", "boosting", "function_score", "multi_match", "query_string", "simple_query_string", "terms", "more_like_this"}, kind) {
			for _, value := range options {
				options, ok = value.(obj)
			}
		}
		if ok && options != nil {
			g.use("_name")
			options["_name"] = pick(g, "x", "y", "z")
		}
	}
}

// leaf makes a query without others in it.
func (g *generator) leaf() any {
	all := []func() any{g.match, g.match, g.match, g.matchValue, g.phrase, g.multiMatch, g.multiMatch, g.queryString, g.queryString, g.simple, g.simple,
		g.term, g.terms, g.between, g.between, g.dates, g.exists, g.prefix, g.wildcard, g.fuzzy, g.regexp, g.ids, g.everything, g.filterQuery, g.uncommon, g.moreLike}
	return pick(g, all...)()
}

// ranked makes a query whose scores are comparable: words of short texts.
func (g *generator) ranked() any {
	g.use("score")
	words := obj{"query": g.words(1, 3)}
	if g.one(2) {
		words["operator"] = "and"
	}
	return obj{"match": obj{"title": words}}
}

// filterQuery makes a query that every level of the API has.
func (g *generator) filterQuery() any {
	return pick(g, g.term, g.terms, g.between, g.exists)()
}

func (g *generator) everything() any {
	g.use("match_all")
	return pick[any](g, obj{"match_all": obj{}}, obj{"match_none": obj{}}, obj{"match_all": obj{"boost": 2}})
}

// options adds some of the options to a clause, and the names of those to the features.
func (g *generator) with(name string, clause obj, options obj) obj {
	for _, key := range sorted(options) {
		if g.one(4) {
			clause[key] = options[key]
			g.use(name + " " + key)
		}
	}
	return clause
}

func (g *generator) minimum() any {
	return pick[any](g, 1, 2, "2", "50%", "-1", "-25%", "2<75%", "1<-1 3<50%", 0, 9, "100%")
}

func (g *generator) match() any {
	g.use("match")
	if g.one(5) {
		return obj{"match": obj{g.textField(): g.words(0, 3)}}
	}
	if g.one(6) {
		g.use("match fuzziness")
		g.use(ownScores)
		return obj{"match": obj{g.textField(): g.with("match", obj{"query": g.near(), "fuzziness": pick[any](g, "AUTO", 1, 2, 0, "AUTO:3,6", "1")},
			obj{"prefix_length": 1 + g.IntN(3), "fuzzy_transpositions": false, "max_expansions": 1000, "operator": "and"})}}
	}
	if g.one(20) {
		g.use("text of punctuation")
		return obj{"match": obj{"note": pick(g, "git.exe", "don't", "3.14", "foo-bar", "x86_64", "a/b", "the git", "naïve")}}
	}
	return obj{"match": obj{g.textField(): g.with("match", obj{"query": g.words(1, 4)}, obj{
		"operator": pick(g, "and", "or", "AND", "OR"), "minimum_should_match": g.minimum(), "boost": 2.5, "zero_terms_query": pick(g, "all", "none"), "lenient": true,
		"auto_generate_synonyms_phrase_query": true})}}
}

// matchValue makes a match in a field that has no words.
func (g *generator) matchValue() any {
	g.use("match value")
	g.use(ownScores) // of a boolean
	return obj{"match": pick(g, obj{"kind": pick(g, "PG", "pg", "nc 17", "")}, obj{"price": pick[any](g, 1, "1.5", -3.125)}, obj{"free": pick[any](g, true, "false")},
		obj{"stock": obj{"query": g.IntN(30)}}, obj{"nothing": "x"}, obj{"tags": pick(g, tags...)}, obj{"seen": "1999-12-31"}, obj{"title.keyword": "x"}, obj{"cast.keyword": pick(g, names...) + " " + pick(g, names...)})}
}

func (g *generator) phrase() any {
	text := g.piece(2 + g.IntN(2))
	field := pick(g, "body", "body", "title", "cast", "kind")
	switch g.IntN(4) {
	case 0:
		if field == "kind" && !g.fault() {
			field = "body"
		}
		g.use("match_phrase_prefix")
		g.use(ownScores)
		return obj{"match_phrase_prefix": obj{field: g.with("match_phrase_prefix", obj{"query": text[:max(1, len(text)-g.IntN(3))]}, obj{"max_expansions": 1000, "slop": g.IntN(3)})}}
	case 1:
		g.use("match_bool_prefix")
		return obj{"match_bool_prefix": obj{field: g.with("match_bool_prefix", obj{"query": text[:max(1, len(text)-g.IntN(3))]}, obj{"operator": "and", "minimum_should_match": g.minimum()})}}
	}
	g.use("match_phrase")
	g.use("slop")
	g.use(ownScores)
	if g.one(3) {
		return obj{"match_phrase": obj{field: text}}
	}
	return obj{"match_phrase": obj{field: g.with("match_phrase", obj{"query": text}, obj{"slop": g.IntN(6), "boost": 2, "zero_terms_query": "none"})}}
}

// piece returns some words that are beside each other in a text.
func (g *generator) piece(n int) string {
	words := strings.Fields(pick(g, g.rows...).Values[1].(string))
	if len(words) < n {
		return g.words(n, n)
	}
	at := g.IntN(len(words) - n + 1)
	return strings.Join(words[at:at+n], " ")
}

func (g *generator) multiMatch() any {
	kind := pick(g, "", "best_fields", "most_fields", "cross_fields", "phrase", "phrase_prefix", "bool_prefix")
	g.use(strings.TrimSpace("multi_match " + kind))
	if kind == "cross_fields" || kind == "phrase_prefix" {
		g.use(ownScores)
	}
	fields := pick(g, list{"title", "body"}, list{"title", "body", "cast"}, list{"title"}, list{"title", "nothing"})
	if g.one(3) {
		g.use("multi_match boosts")
		fields = pick(g, list{"title^3", "body"}, list{"title^0.5", "body^2", "cast"})
	}
	if g.one(8) && kind != "phrase_prefix" {
		g.use("multi_match wildcards")
		fields = pick(g, list{"t*"}, list{"*itle", "b*"})
	}
	if g.one(8) && (kind != "phrase_prefix" || g.fault()) {
		g.use("multi_match values")
		fields = list{"title", "kind"}
	}
	m := obj{"query": g.words(1, 3), "fields": fields}
	if kind != "" {
		m["type"] = kind
	}
	if g.one(2) && strings.HasPrefix(kind, "phrase") {
		m["query"] = g.piece(2)
	}
	return obj{"multi_match": g.with("multi_match", m, obj{"operator": pick(g, "and", "or"), "minimum_should_match": g.minimum(), "tie_breaker": 0.3, "boost": 2, "zero_terms_query": "all", "lenient": true})}
}

// term makes a term query on a field that has values.
func (g *generator) term() any {
	g.use("term")
	field, value := g.fieldValue()
	switch g.IntN(8) {
	case 0:
		return obj{"term": obj{field: obj{"value": value, "boost": 2}}}
	case 1:
		g.use("term case_insensitive")
		return obj{"term": obj{pick(g, "kind", "tags"): obj{"value": pick(g, "pg", "B", "NC 17", "aB"), "case_insensitive": true}}}
	case 2:
		g.use("term on text")
		return obj{"term": obj{g.textField(): g.word()}}
	case 3:
		return obj{"term": obj{field: obj{"value": value}}}
	}
	return obj{"term": obj{field: value}}
}

// fieldValue returns a field and a value that it may have, which is null in a request
// that has a fault.
func (g *generator) fieldValue() (string, any) {
	field, value := g.anyValue()
	if value == nil && !g.fault() {
		value = 1
		if field == "seen" {
			value = "1999-12-31"
		}
	}
	return field, value
}

func (g *generator) anyValue() (string, any) {
	some := pick(g, g.rows...)
	switch g.IntN(9) {
	case 0, 1:
		return "kind", pick(g, "PG", "R", "nc 17", "pg", "")
	case 2:
		return "tags", pick(g, tags...)
	case 3:
		return "price", pick[any](g, some.Values[6], 1, "2.5", -0.125, 0)
	case 4:
		return "stock", pick[any](g, g.IntN(40)-8, "3", 1.5)
	case 5:
		g.use(ownScores)
		return "free", pick[any](g, true, false, "true")
	case 6:
		g.use("date value")
		return "seen", pick[any](g, some.Values[8], "1999-12-31", "2010", "1970-01-01T00:00:00Z", 1262304000000)
	case 7:
		return "code", some.Values[5]
	}
	return pick(g, "title.keyword", "cast.keyword", "nothing"), pick[any](g, some.Values[0], "Ann Bob", 5)
}

func (g *generator) terms() any {
	g.use("terms")
	field, value := g.fieldValue()
	values := list{value}
	for range g.IntN(3) {
		if f, v := g.fieldValue(); f == field {
			values = append(values, v)
		}
	}
	if g.one(10) {
		g.use("terms on text")
		return obj{"terms": obj{g.textField(): list{g.word(), g.word()}}}
	}
	if values[0] == nil {
		g.use("null value")
	}
	return obj{"terms": g.with("terms", obj{field: values}, obj{"boost": 2})}
}

// between makes a range of numbers or keywords.
func (g *generator) between() any {
	g.use("range")
	bound := func(values ...any) obj {
		m := obj{}
		for _, side := range []string{"g", "l"} {
			if g.one(4) {
				continue
			}
			m[side+pick(g, "t", "te")] = pick(g, values...)
		}
		if g.one(8) {
			g.use("range from to")
			m = obj{"from": pick(g, values...), "to": pick(g, values...), "include_lower": g.one(2), "include_upper": g.one(2)}
		}
		return m
	}
	field, m := "price", bound(-100, 0, 0.125, 100, "50", -1e9, 300.5)
	switch g.IntN(5) {
	case 0:
		field, m = "stock", bound(-3, 0, 5, 10.5, "20", 1000)
	case 1:
		field, m = pick(g, "kind", "tags", "code"), bound("PG", "a", "b", "c00100", "c01", "武", "")
		g.use("range of keywords")
	case 2:
		if g.one(4) {
			if field, m = pick(g, "title", "nothing", "body"), bound("a", "m"); g.fault() {
				field = "free"
			}
			g.use("range of others")
		}
	}
	return obj{"range": obj{field: g.with("range", m, obj{"boost": 1.5})}}
}

// dates makes a range of dates.
func (g *generator) dates() any {
	g.use("range of dates")
	m := obj{}
	for _, side := range []string{"g", "l"} {
		if g.one(5) {
			continue
		}
		value := pick[any](g, "2000-01-01", "1969-12-31T23:59:59.999Z", "1999-06", "2010", "1985-03-02T10:11:12Z", pick(g, g.rows...).Values[8])
		if g.one(3) {
			g.use("range of milliseconds")
			value = pick[any](g, 0, 946684800000, "946684800000")
			if g.one(8) {
				g.use("negative milliseconds")
				value = -86400000
			}
		}
		if g.one(3) {
			g.use("date math")
			value = pick(g, "now", "now-10y", "now/d", "now-3000d/M", "2000-01-01||+1M", "2001-02-03||/M", "2000-01-01||/y", "now+1y/y", "1999-12-31||-1d/d", "2010-05-05T10:00:00Z||+36h/h", "2010-05-05||/w")
		}
		m[side+pick(g, "t", "te")] = value
	}
	if g.one(4) {
		g.use("range time_zone")
		m["time_zone"] = pick(g, "+02:00", "Europe/Berlin", "-05:30", "UTC")
	}
	if g.one(6) {
		g.use("range format")
		m = obj{"gte": "31/12/1999", "format": "dd/MM/yyyy"}
		if g.one(2) {
			m = obj{"lt": pick[any](g, "2005", 2005), "format": "yyyy||epoch_second"}
		}
	}
	return obj{"range": obj{"seen": m}}
}

func (g *generator) exists() any {
	g.use("exists")
	return obj{"exists": obj{"field": pick(g, "kind", "tags", "price", "stock", "seen", "free", "title", "cast", "nothing", "title.keyword", "cast.keyword", "code")}}
}

func (g *generator) ids() any {
	g.use("ids")
	values := list{}
	for range g.IntN(5) {
		values = append(values, pick[any](g, fmt.Sprint(g.IntN(len(g.rows))), g.IntN(len(g.rows)), "nothing", "-1"))
	}
	return obj{"ids": obj{"values": values}}
}
