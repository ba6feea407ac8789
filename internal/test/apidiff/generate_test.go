package apidiff

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

type (
	obj  = map[string]any
	list = []any
)

// A request is one request and what its answers have to have in common.
type request struct {
	kind         string // how answers are compared; see projections
	method, path string
	body         string
	features     []string
	best         bool   // the hits with the best scores are requested, and scores are those of the node
	ordered      bool   // the order of hits is defined
	scored       bool   // scores are comparable
	window       int    // hits that the answer reaches
	pages        bool   // what follows the first page is requested too, by search_after
	found        bool   // documents match
	release      string // of the node
	refusal      string // what an error of the API has to name; "" for a request that it answers
}

func (r request) String() string { return r.method + " " + r.path + " " + r.body }

// A generator makes requests of a corpus.
type generator struct {
	*rand.Rand
	*corpus
	used   map[string]bool
	many   bool // several indices are searched
	faults int  // how many more faults the request may have
}

// fault reports, once for some requests, that the request gets a fault. Of several
// ones the first is reported, and the order of parts is not the same on both.
func (g *generator) fault() bool {
	if g.faults == 0 || !g.one(3) {
		return false
	}
	g.faults--
	return true
}

// use notes a feature of the request.
func (g *generator) use(feature string) { g.used[feature] = true }

func (g *generator) one(n int) bool { return g.IntN(n) == 0 }

func pick[T any](g *generator, all ...T) T { return all[g.IntN(len(all))] }

// request makes one request.
func (g *generator) request() request {
	g.used, g.faults, g.many = map[string]bool{}, 0, false
	if g.one(8) {
		g.faults = 1
	}
	var r request
	switch g.IntN(40) {
	case 0, 1:
		r = g.malformed()
	case 2:
		r = request{kind: "count", method: "POST", path: "/" + g.target() + "/_count", body: text(obj{"query": g.query(2)})}
		g.use("_count")
	case 3:
		r = g.document()
	case 4:
		r = g.mget()
	case 5:
		r = g.inURL()
	case 6:
		r = g.other()
	case 7:
		r = g.msearch()
	case 8:
		r = g.cursor()
	case 9:
		r = g.refused()
	default:
		r = g.search()
	}
	r.features = slices.Sorted(maps.Keys(g.used))
	return r
}

// text returns the JSON of a body.
func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // it is made of maps, lists and texts
	}
	return string(b)
}

// target is the index of a request.
func (g *generator) target() string {
	if !g.one(15) {
		return index
	}
	g.use("indices")
	g.faults = 0 // some of several indices fail
	target := pick(g, index+","+other, "*", "_all", "fi*", "nothing", "noth*", index+",nothing", "f*,-film")
	if g.many = strings.Contains(target, other) || target == "*" || target == "_all"; g.many {
		g.use("several indices")
	}
	return target
}

// search makes a search. Without a sort all matches are requested, since scores
// differ.
func (g *generator) search() request {
	body := obj{"size": 1000}
	r := request{kind: "search", method: pick(g, "POST", "GET"), path: "/" + g.target() + "/_search", window: 1000}
	if g.one(6) {
		g.use("no query")
	} else {
		body["query"] = g.query(2)
	}
	if r.scored = g.one(10); r.scored {
		g.used = map[string]bool{"indices": g.used["indices"], "several indices": g.many}
		maps.DeleteFunc(g.used, func(_ string, is bool) bool { return !is })
		body["query"] = g.ranked()
	}
	if !r.scored && !g.one(3) {
		r.ordered, body["sort"] = true, g.sort()
		from, size := pick(g, 0, 0, 0, 1, 5, 30), pick(g, 0, 1, 3, 10, 10, 10, 50)
		body["from"], body["size"], r.window = from, size, from+size
		if g.one(5) {
			delete(body, "size")
			delete(body, "from")
			r.window = 10
		}
		if r.pages = g.one(3) && !g.many; r.pages {
			g.use("search_after")
			delete(body, "from")
		}
	}
	if !r.ordered && !r.scored && !g.many && !g.used[ownScores] && g.one(2) { // the best hits, in the order of their scores
		g.use("best hits")
		body["size"], r.window, r.best = 1+g.IntN(20), 20, true
	}
	for _, option := range g.options() {
		option(body)
	}
	if sort := text(body["sort"]); g.used[ownScores] && strings.Contains(sort, "_score") {
		body["sort"] = list{"code"}
	}
	if r.best && (g.used[ownScores] || g.used["track_total_hits of few"] || body["track_total_hits"] == false) { // OpenSearch ends early then
		body["size"], r.window, r.best = 1000, 1000, false
	}
	if body["size"] == 1000 && g.used["aggs"] {
		body["size"], r.window = 0, 0
	}
	if g.used["track_total_hits of few"] && !g.used["sort _doc"] && !g.used["sort _id"] { // OpenSearch ends early among equal hits
		if sort, ok := body["sort"].(list); ok {
			body["sort"] = append(sort, "code")
		} else if body["sort"] != nil {
			body["sort"] = list{body["sort"], "code"}
		}
	}
	if strings.Contains(text(body["sort"]), "_score") {
		r.pages = false // scores differ in their last bit, and a page is behind those of the node
	}
	if body["size"] == 0 && body["post_filter"] != nil && r.ordered {
		body["size"], r.window = 1, r.window+1 // OpenSearch 3.8 counts only documents with a value in a sort of no hits
	}
	if r.pages && body["track_total_hits"] == false {
		delete(body, "track_total_hits") // OpenSearch 3.8 fails behind a missing keyword
	}
	if q, _ := body["query"].(obj); r.pages && q["range"] != nil {
		g.use("search_after of a range")
	}
	if body["min_score"] != nil {
		if g.used[ownScores] {
			delete(body, "min_score")
		}
		if sort, ok := body["sort"].(list); ok {
			body["sort"] = append(list{"kind"}, sort...) // without a field hits have no scores
		} else if body["sort"] != nil {
			body["sort"] = list{"kind", body["sort"]}
		}
	}
	g.collapse(body, &r)
	if body["stored_fields"] == "_none_" && body["_source"] != nil && body["_source"] != false {
		g.use("stored_fields _none_ and _source")
	}
	r.body = text(body)
	return r
}

// options returns some options of a body.
func (g *generator) options() (some []func(obj)) {
	all := []func(obj){g.source, g.fields, g.highlight, g.aggs, g.aggs, g.aggs, g.aggs, g.postFilter, g.total, g.suggest, g.rare1, g.indicesBoost}
	for _, option := range all {
		if g.one(7) {
			some = append(some, option)
		}
	}
	return some
}

func (g *generator) source(body obj) {
	name := func() string {
		return pick(g, "title", "kind", "tags", "price", "seen", "t*", "*e", "cast", "nothing", "*", "free", "ca*")
	}
	includes, excludes := list{name(), name()}, name()
	if includes[0] == excludes || includes[1] == excludes {
		g.use("_source includes and excludes one name")
	}
	body["_source"] = pick[any](g, true, false, name(), list{name(), name()}, list{}, obj{"includes": list{name()}}, obj{"excludes": list{name(), name()}},
		obj{"includes": includes, "excludes": excludes}, "title")
}

func (g *generator) fields(body obj) {
	name := func() any {
		return pick[any](g, "title", "kind", "tags", "price", "stock", "free", "cast", "t*", "nothing", obj{"field": "kind"}, obj{"field": "seen", "format": g.dateFormat()}, "seen", "code", "title.keyword")
	}
	switch g.IntN(5) {
	case 0, 1:
		g.use("docvalue_fields")
		body["docvalue_fields"] = list{pick[any](g, "kind", "tags", "price", "stock", "free", "code", "title.keyword", "nothing", obj{"field": "seen", "format": g.dateFormat()}, obj{"field": "price", "format": g.numberFormat()}, "seen", "exact")}
	case 2:
		g.use("stored_fields")
		body["stored_fields"] = pick[any](g, "_none_", list{}, list{"title"}, list{"_source"})
	default:
		g.use("fields")
		body["fields"] = list{name(), name()}
	}
}

func (g *generator) dateFormat() string {
	return pick(g, "yyyy", "yyyy-MM", "dd/MM/yyyy HH:mm", "epoch_millis", "strict_date_optional_time", "date_time_no_millis", "basic_date", "yyyy-MM-dd'T'HH:mm:ss.SSSXXX", "MMM d, yy h a", "yyyy||epoch_millis", "yyyyMMddSSS")
}

func (g *generator) numberFormat() string {
	return pick(g, "0.00", "#,##0.#", "0", "#", "0.0%", "$#,##0.00", "0000.###")
}

func (g *generator) postFilter(body obj) {
	g.use("post_filter")
	body["post_filter"] = g.filterQuery()
}

func (g *generator) total(body obj) {
	g.use("track_total_hits")
	v := pick[any](g, true, false, 10_000, 1_000_000)
	if g.one(5) {
		g.use("track_total_hits of few")
		v = 1 + g.IntN(100)
	}
	body["track_total_hits"] = v
}

func (g *generator) indicesBoost(body obj) {
	if !g.one(2) {
		return
	}
	g.use("indices_boost")
	body["indices_boost"] = pick[any](g, list{obj{index: 2.5}}, obj{index: 0.5, other: 3}, list{obj{other: 2}, obj{"fi*": 4}}, list{obj{"nothing*": 2}}, list{obj{"_all": 1.5}}, list{})
	if g.fault() {
		g.use("malformed indices_boost")
		body["indices_boost"] = pick[any](g, list{obj{"nothing": 2}}, list{obj{index: "2"}}, list{obj{index: 1, other: 2}}, list{obj{}}, list{index}, index, obj{"_x": 2}, obj{index + "," + other: 2}, list{obj{"*": -1}})
	}
}

// rare1 sets one of the options that few clients have.
func (g *generator) rare1(body obj) {
	name := pick(g, "version", "seq_no_primary_term", "timeout", "terminate_after", "explain", "min_score")
	if name == "min_score" && g.many {
		return
	}
	g.use("body " + name)
	body[name] = map[string]any{
		"version": true, "seq_no_primary_term": false, "timeout": "10s", "terminate_after": 1_000_000, "explain": false, "min_score": pick(g, 0.0, 0.5, 1, 2.5),
	}[name]
}

// sort makes a sort.
func (g *generator) sort() any {
	g.use("sort")
	by := func() any {
		field := pick(g, "kind", "code", "price", "stock", "seen", "free", "title.keyword", "tags", "cast.keyword")
		order := pick(g, "asc", "desc")
		switch g.IntN(8) {
		case 0:
			return field
		case 1:
			g.use("sort missing")
			return obj{field: obj{"order": order, "missing": pick(g, "_last", "_first")}}
		case 2:
			g.use("sort mode")
			return obj{pick(g, "tags", "price", "stock", "seen"): obj{"order": order, "mode": pick(g, "min", "max")}}
		case 3:
			g.use("sort unmapped")
			return obj{"nothing": obj{"order": order, "unmapped_type": pick(g, "long", "keyword")}}
		case 4:
			if g.one(2) && !g.many {
				g.use("sort by score")
				return pick[any](g, "_score", obj{"_score": order}, obj{"_score": obj{"order": order}})
			}
			g.use("sort missing value")
			return pick(g, obj{"kind": obj{"order": order, "missing": pick(g, "PG", "H", "zz")}}, obj{"seen": obj{"order": order, "missing": pick[any](g, 946684800000, "-3600000")}}, obj{"free": obj{"order": order, "missing": g.IntN(2)}})
		case 5:
			if g.fault() {
				g.use("sort of no type")
				return pick(g, "nothing", "body", "title")
			}
		case 6:
			if g.one(4) {
				g.use("sort exact")
				return obj{"exact": order}
			}
			if g.one(3) {
				g.use("sort missing value")
				return obj{pick(g, "price", "stock"): obj{"order": order, "missing": g.IntN(20)}}
			}
		}
		return pick[any](g, obj{field: order}, obj{field: obj{"order": order}})
	}
	if g.one(4) && !g.many {
		return by()
	}
	keys := list{by()}
	for range g.IntN(3) {
		keys = append(keys, by())
	}
	if g.many { // those of equal hits that are in both are the same
		keys = append(keys, "code")
	}
	if g.one(5) && !g.many { // numbers of documents of several indices do not compare
		g.use("sort _doc")
		keys = append(keys, pick[any](g, "_doc", obj{"_doc": "asc"}))
	} else if g.one(5) {
		g.use("sort _id") // behind a unique key, since keys are sorted as numbers here
		keys = append(keys, "code", "_id")
	}
	return keys
}

// words returns some words of the texts. Few of them are in no document.
func (g *generator) words(least, most int) string {
	words := make([]string, least+g.IntN(most-least+1))
	for i := range words {
		words[i] = g.word()
	}
	return strings.Join(words, " ")
}

func (g *generator) word() string {
	switch g.IntN(12) {
	case 0, 1, 2, 3, 4:
		return pick(g, g.common...)
	case 5:
		return strings.ToUpper(pick(g, g.rare...))
	case 6:
		return fmt.Sprintf("zzz%d", g.IntN(9))
	}
	return pick(g, g.rare...)
}

// near returns a word with one or two faults.
func (g *generator) near() string {
	w := []byte(pick(g, g.rare...))
	for range 1 + g.IntN(2) {
		at := g.IntN(len(w))
		switch g.IntN(3) {
		case 0:
			w[at] = 'a' + byte(g.IntN(26))
		case 1:
			w = slices.Insert(w, at, 'a'+byte(g.IntN(26)))
		default:
			if at > 0 {
				w[at], w[at-1] = w[at-1], w[at]
			}
		}
	}
	return string(w)
}

func (g *generator) textField() string { return pick(g, "title", "title", "body", "body", "cast") }
