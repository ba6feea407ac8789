package apidiff

import (
	"strings"
)

func start2(w string, n int) string { return w[:min(len(w), n)] }

func (g *generator) prefix() any {
	g.use("prefix")
	m := pick(g, obj{"kind": "P"}, obj{"code": "c001"}, obj{"tags": pick(g, "a", "ab", "x", "")}, obj{"nothing": "x"}, obj{"title.keyword": "m"})
	if g.one(3) {
		g.use("prefix of text")
		m = obj{g.textField(): strings.ToLower(start2(g.word(), 3))}
	}
	if g.one(4) {
		g.use("prefix case_insensitive")
		m = obj{pick(g, "kind", "tags"): obj{"value": pick(g, "p", "A", "NC"), "case_insensitive": true}}
	}
	return obj{"prefix": m}
}

func (g *generator) wildcard() any {
	g.use("wildcard")
	m := pick(g, obj{"kind": pick(g, "P*", "*1?", "?", "*", "PG\\-*", "p*")}, obj{"tags": "?b*"}, obj{"code": obj{"value": "c0?1*"}}, obj{"code": obj{"wildcard": "*99"}})
	if g.one(3) {
		g.use("wildcard of text")
		w := strings.ToLower(g.word())
		m = obj{g.textField(): obj{"value": pick(g, start2(w, 2)+"*", "*"+w[len(w)/2:], w[:1]+"?"+w[min(2, len(w)):])}}
	}
	if g.one(4) {
		g.use("wildcard case_insensitive")
		m = obj{"kind": obj{"value": pick(g, "p*", "*C*"), "case_insensitive": true}}
	}
	return obj{"wildcard": m}
}

func (g *generator) regexp() any {
	g.use("regexp")
	m := pick(g, obj{"kind": pick(g, "P.*", "PG(-13)?", "[A-Z]", "r|R", "n.+7")}, obj{"code": "c0[0-3]1[0-9]{2}"}, obj{"tags": obj{"value": "a?b.*"}})
	if g.one(3) {
		g.use("regexp of text")
		w := strings.ToLower(g.word())
		m = obj{g.textField(): pick(g, start2(w, 2)+".*", "[ab]"+w[1:], w+"s?")}
	}
	if g.one(4) {
		g.use("regexp options")
		m = obj{"kind": pick(g, obj{"value": pick(g, "p.*", "[^p]*", "[pr].*", "[n-p].*", "(p|r)g?.*", "[^a-p].*"), "case_insensitive": true}, obj{"value": "PG", "flags": "ALL"}, obj{"value": "PG.*", "max_determinized_states": 1000})}
	}
	if g.fault() {
		g.use("regexp that can't be read")
		m = obj{"kind": pick(g, "(", "[a", "a{2", "a**")}
	}
	return obj{"regexp": m}
}

func (g *generator) fuzzy() any {
	g.use("fuzzy")
	g.use(ownScores)
	if g.one(3) {
		return obj{"fuzzy": obj{pick(g, "kind", "tags", "code"): pick(g, "PG-12", "abx", "c0001", "RR", "c00101")}}
	}
	return obj{"fuzzy": obj{pick(g, "title", "body"): g.with("fuzzy", obj{"value": g.near()},
		obj{"fuzziness": pick[any](g, "AUTO", 1, 2, 0), "prefix_length": 1 + g.IntN(3), "max_expansions": 1000, "transpositions": g.one(2)})}}
}

// queryString makes a query_string of its usual syntax.
func (g *generator) queryString() any {
	g.use("query_string")
	m := obj{"query": g.syntax()}
	if g.one(3) {
		m["type"] = pick(g, "best_fields", "most_fields", "cross_fields", "phrase")
		g.use("query_string type")
		g.use(ownScores) // of cross_fields
	}
	switch g.IntN(4) {
	case 0:
		m["default_field"] = g.textField()
	case 1:
		m["fields"] = pick(g, list{"title", "body"}, list{"title^3", "body"}, list{"cast"})
	case 2:
		m["fields"] = list{"title", "body"}
		m["default_operator"] = pick(g, "and", "OR", "AND")
	default:
		m["fields"] = list{"body"}
		if g.one(4) {
			g.use(ownScores)
			g.use("query_string all fields") // one of them has text with punctuation
			delete(m, "fields")
			m["query"] = pick(g, g.whole...) + pick(g, " ", " AND ", " NOT ", " -") + pick(g, g.whole...)
		}
	}
	return obj{"query_string": g.with("query_string", m, obj{"minimum_should_match": g.minimum(), "lenient": true, "boost": 2, "phrase_slop": 2, "tie_breaker": 0.2, "analyze_wildcard": true})}
}

func (g *generator) syntax() string {
	w := func() string { return strings.ToLower(g.word()) }
	form := func(name, text string) string {
		g.use("query_string " + name)
		return text
	}
	switch g.IntN(18) {
	case 0:
		return form("AND", w()+" AND "+w())
	case 1:
		return form("OR", w()+" OR "+w())
	case 2:
		return form("NOT", w()+" NOT "+w())
	case 3:
		return form("+ -", "+"+w()+" -"+w()+" "+w())
	case 4:
		g.use("slop")
		g.use(ownScores)
		return form("phrase", `"`+g.piece(2)+`"`+pick(g, "", "~2", "^2"))
	case 5:
		return form("field", pick(g, "title:", "body:", "kind:PG ", "stock:3 ", "nothing:x ", "cast:Ann ")+w())
	case 6:
		return form("parentheses", "("+w()+" OR "+w()+") AND "+w())
	case 7:
		return form("wildcard", pick(g, start2(w(), 3)+"*", "?"+w(), "title:"+start2(w(), 2)+"*"))
	case 8:
		g.use(ownScores)
		return form("fuzzy", g.near()+pick(g, "~", "~1", "~2"))
	case 9:
		return form("range", pick(g, "stock:[1 TO 5]", "stock:{1 TO 5}", "price:>100", "price:<=-5.5", "seen:[1999-01-01 TO 2005-01-01]", "kind:[PG TO R]", "stock:[* TO 3}", "seen:>2010-01-01"))
	case 10:
		return form("boost", w()+"^2 "+w())
	case 11:
		return form("_exists_", "_exists_:"+pick(g, "kind", "price", "nothing"))
	case 12:
		return form("field of many", "title:("+w()+" "+w()+")")
	case 15:
		more := pick(g, "/"+start2(w(), 2)+".*/", `git\\-exe`, "body:/[a-c]o.*/", "seen:{1999 TO 2005]", "price:[* TO *]", "kind:(PG OR R)", "free:true", "code:c0001*", "tags:x\\ y", "_index:film "+w(), "+("+w()+" "+w()+") -"+w(), w()+" AND NOT "+w(), "("+w()+" AND "+w()+") OR "+w(), "stock:(1 OR 2 OR 3)", "price:<0 AND free:false")
		if strings.Contains(more, "free:") {
			g.use(ownScores) // of a boolean
		}
		return form("more", more)
	case 13:
		return form("&& || !", pick(g, w()+" && "+w(), w()+" || "+w(), w()+" !"+w()))
	case 14:
		if g.fault() {
			return form("malformed", pick(g, "(", `"a`, "a AND", "title:", "[1 TO", "a^", "/x"))
		}
		return form("edge", pick(g, "", "*", "title:*", "_id:7", "-"+w(), "("+w()+" "+w()+")", "title:("+w()+" OR "+w()+")^2"))
	}
	return g.words(1, 3)
}

// simple makes a simple_query_string.
func (g *generator) simple() any {
	g.use("simple_query_string")
	g.use(ownScores) // of similar words and slop
	g.use("slop")
	w := func() string { return strings.ToLower(g.word()) }
	q := pick(g, w()+" "+w(), w()+" + "+w(), w()+" | "+w(), "-"+w()+" "+w(), `"`+g.piece(2)+`"`, `"`+g.piece(2)+`"~3`, "("+w()+" | "+w()+") + "+w(), start2(w(), 3)+"*", g.near()+"~1", `"a`, "(", w()+" +", "*", "")
	fields := pick(g, list{"title", "body"}, list{"body"}, list{"title^2", "body"}, list{"cast"})
	return obj{"simple_query_string": g.with("simple_query_string", obj{"query": q, "fields": fields}, obj{"default_operator": pick(g, "and", "or"), "minimum_should_match": g.minimum(), "flags": pick(g, "ALL", "NONE", "OR|AND|PREFIX", "PHRASE"), "lenient": true})}
}

// compound makes a query of queries.
func (g *generator) compound(depth int) any {
	saved := g.faults
	g.faults = 0 // a fault in a part that finds nothing is not seen by OpenSearch
	defer func() { g.faults = saved }()
	some := func() list {
		all := list{}
		for range 1 + g.IntN(3) {
			all = append(all, g.query(depth))
		}
		return all
	}
	switch g.IntN(10) {
	case 0:
		g.use("constant_score")
		return obj{"constant_score": g.with("constant_score", obj{"filter": g.query(depth)}, obj{"boost": 3})}
	case 1:
		g.use("dis_max")
		return obj{"dis_max": g.with("dis_max", obj{"queries": some()}, obj{"tie_breaker": 0.5, "boost": 2})}
	case 2:
		g.use("boosting")
		return obj{"boosting": obj{"positive": g.query(depth), "negative": g.query(depth), "negative_boost": 0.5}}
	case 3:
		return g.functionScore(depth)
	}
	g.use("bool")
	b := obj{}
	for _, part := range []string{"must", "filter", "should", "must_not"} {
		if g.one(2) {
			b[part] = pick[any](g, some(), g.query(depth))
		}
	}
	if b["should"] != nil && g.one(3) {
		g.use("bool minimum_should_match")
		b["minimum_should_match"] = g.minimum()
	}
	return obj{"bool": g.with("bool", b, obj{"boost": 2})}
}

func (g *generator) functionScore(depth int) any {
	g.use("function_score")
	m := obj{"query": g.query(depth)}
	switch g.IntN(4) {
	case 0:
		m["field_value_factor"] = obj{"field": "stock", "modifier": pick(g, "none", "square"), "missing": 1, "factor": 1}
		m["query"] = obj{"range": obj{"stock": obj{"gte": 0}}} // scores must not be negative
	case 1:
		m["functions"] = list{obj{"weight": 2, "filter": g.filterQuery()}, obj{"weight": 3}}
		m["score_mode"] = pick(g, "sum", "multiply", "max", "min", "first", "avg")
	case 2:
		g.use("function_score decay")
		m[pick(g, "gauss", "linear", "exp")] = pick(g, obj{"price": obj{"origin": 0, "scale": 50}}, obj{"seen": obj{"origin": "2000-01-01", "scale": "365d", "offset": "10d", "decay": 0.3}})
	default:
		m["weight"] = 2
	}
	return obj{"function_score": g.with("function_score", m, obj{"boost_mode": pick(g, "multiply", "replace", "sum", "avg", "max", "min"), "max_boost": 5, "boost": 2})}
}

// uncommon makes a query that most clients do not send.
func (g *generator) uncommon() any {
	name := pick(g, "_id", "_index", "exists", "nothing")
	g.use("query " + name)
	switch name {
	case "_id":
		return pick(g, obj{"term": obj{"_id": g.id()}}, obj{"terms": obj{"_id": list{g.id(), g.id()}}}, obj{"match": obj{"_id": g.id()}})
	case "_index":
		if g.many {
			return obj{"match_all": obj{}}
		}
		return obj{"term": obj{"_index": pick(g, index, "nope")}}
	case "exists":
		return obj{"exists": obj{"field": pick(g, "_id", "_index", "_seq_no", "_version", "_routing", "t*")}}
	}
	if g.fault() {
		g.use("query of no name")
		return pick(g, obj{"nothing": obj{}}, obj{"exists": obj{"field": "_source"}}, obj{"nested": obj{"path": "cast", "query": obj{"match": obj{"cast": "Ann"}}}})
	}
	return obj{"match_none": obj{}}
}
