package apidiff

import "strings"

// collapse collapses the hits of a search by a field.
func (g *generator) collapse(body obj, r *request) {
	if g.many || !g.one(10) || body["size"] == 0 {
		return
	}
	if sort := text(body["sort"]); body["sort"] == nil || strings.Contains(sort, "_score") {
		if g.used[ownScores] || r.scored {
			return // which hit is the first of a value depends on scores
		}
		g.use("collapse by score")
	}
	g.use("collapse")
	field := pick(g, "kind", "kind", "stock", "price", "title.keyword", "code")
	if r.pages = r.pages && g.one(2); r.pages {
		g.use("collapse of pages")
		body["sort"], r.ordered = obj{field: pick(g, "asc", "desc")}, true
	}
	if strings.Contains(text(body["sort"]), `"`+field+`"`) {
		g.use("collapse sorted by it")
	}
	how := obj{"field": field}
	if g.fault() {
		g.use("malformed collapse")
		for key, value := range pick(g, obj{"field": "seen"}, obj{"field": "body"}, obj{"field": "nothing"}, obj{"field": "_id"}, obj{"field": 5}, obj{"x": 1}, obj{"max_concurrent_group_searches": 0}) {
			how[key] = value
		}
	}
	size, sized := body["size"].(int)
	if sort := text(body["sort"]); g.one(2) && (sized && size <= 10) && body["sort"] != nil && !g.used["sort _doc"] && !g.used["sort unmapped"] && sort != `["_doc"]` {
		g.use("collapse inner_hits")
		inner := obj{"name": "x", "size": g.IntN(5), "sort": pick[any](g, list{"code"}, list{obj{"price": "desc"}, "code"}), "_source": pick[any](g, false, list{"kind", "code"})}
		if how["inner_hits"] = inner; g.one(3) {
			inner["from"] = 1
			how["inner_hits"] = list{inner, obj{"name": "y", "sort": list{"code"}, "size": 1, "_source": false}}
		}
		if g.fault() {
			g.use("malformed inner_hits")
			for key, value := range pick(g, obj{"name": nil}, obj{"x": 1}, obj{"size": -1}, obj{"name": 5}, obj{"sort": "code"}) {
				inner[key] = value
			}
		}
	}
	body["collapse"] = how
}
