package apidiff

import (
	"fmt"
	"strings"
)

// aggs adds aggregations to a body.
func (g *generator) aggs(body obj) {
	if g.used["aggs"] {
		return
	}
	g.use("aggs")
	body[pick(g, "aggs", "aggregations")] = g.group(2)
}

// group makes one or two aggregations, with others below them.
func (g *generator) group(depth int) obj {
	m := obj{}
	for i := range 1 + g.IntN(2) {
		m[fmt.Sprint("a", i)] = g.agg(depth)
	}
	return m
}

func (g *generator) agg(depth int) obj {
	if depth == 2 && g.one(20) && !g.many && !g.used["sort"] && !g.used[ownScores] {
		g.use("agg top_hits by score")
		return obj{"top_hits": obj{"from": g.IntN(2), "size": 1 + g.IntN(3), "_source": obj{"includes": list{"k*"}}}}
	}
	if depth == 2 && g.one(10) {
		return g.rareAgg()
	}
	if depth == 0 || g.one(4) {
		if g.one(6) {
			return g.percentiles()
		}
		return g.metric()
	}
	a := pick(g, g.termsAgg, g.termsAgg, g.filterAgg, g.filtersAgg, g.missingAgg, g.rangeAgg, g.dateRangeAgg, g.histogram, g.dateHistogram, g.dateHistogram)()
	if terms, _ := a["terms"].(obj); terms != nil && g.one(4) {
		g.use("agg terms order of a metric")
		delete(terms, "min_doc_count") // OpenSearch leaves out of the first of a shard
		terms["order"] = pick[any](g, obj{"m": "desc"}, obj{"m.avg": "asc"}, list{obj{"m.max": "desc"}, obj{"_key": "asc"}}, obj{"f>n": "desc"})
		metric := obj{"stats": obj{"field": "price"}}
		if o, _ := terms["order"].(obj); o["m"] != nil {
			metric = obj{pick(g, "max", "min", "avg", "sum", "cardinality", "value_count"): obj{"field": pick(g, "price", "stock")}}
		}
		a["aggs"] = obj{"m": metric, "f": obj{"filter": g.filterQuery(), "aggs": obj{"n": obj{"sum": obj{"field": "stock"}}}}}
		return a
	}
	if g.one(3) {
		g.use("agg sub")
		a["aggs"] = g.group(depth - 1)
		if strings.Contains(text(a["aggs"]), "nothing") {
			delete(a, "aggs") // OpenSearch 3.8 counts no documents if a field below does not exist
		}
	}
	return a
}

// metric makes an aggregation without buckets.
func (g *generator) metric() obj {
	name := pick(g, "min", "max", "avg", "sum", "stats", "value_count", "cardinality", "extended_stats", "top_hits")
	g.use("agg " + name)
	field := pick(g, "price", "stock", "price", "stock", "seen", "nothing")
	switch name {
	case "value_count", "cardinality":
		field = pick(g, "kind", "tags", "price", "free", "seen", "nothing", "title.keyword", "cast.keyword")
	case "top_hits":
		if g.many {
			return obj{"value_count": obj{"field": "kind"}}
		}
		return obj{"top_hits": obj{"size": 1 + g.IntN(3), "sort": list{obj{"code": pick(g, "asc", "desc")}}, "_source": pick[any](g, list{"kind"}, false, true)}}
	}
	if field == "seen" {
		g.use("agg of dates")
	}
	m := obj{"field": field}
	if g.one(6) && field != "seen" && name != "value_count" && name != "cardinality" {
		g.use("agg missing value")
		m["missing"] = 5
	}
	if g.fault() {
		g.use("agg of text")
		m["field"] = "body"
	}
	if g.one(8) && m["field"] != "body" && m["missing"] == nil && (name != "sum" || field != "seen") && name != "value_count" && name != "cardinality" {
		g.use("agg format")
		if m["format"] = g.numberFormat(); field == "seen" {
			m["format"] = g.dateFormat()
		}
	}
	return obj{name: m}
}

func (g *generator) termsAgg() obj {
	g.use("agg terms")
	field := pick(g, "kind", "kind", "tags", "title.keyword", "cast.keyword", "code", "stock", "price", "free", "seen", "nothing")
	m := obj{"field": field}
	if field == "stock" || field == "price" || field == "free" || field == "seen" {
		g.use("agg terms of " + field)
	}
	if g.one(2) {
		m["size"] = pick(g, 1, 2, 5, 20, 1000)
	}
	if g.one(3) {
		g.use("agg terms order")
		m["order"] = pick[any](g, obj{"_key": "asc"}, obj{"_key": "desc"}, obj{"_count": "asc"}, obj{"_count": "desc"}, list{obj{"_count": "desc"}, obj{"_key": "desc"}})
	}
	if g.one(6) && (field == "kind" || field == "tags") {
		g.use("agg terms include")
		m["include"] = pick[any](g, list{"PG", "a", "b"}, "P.*", "a.*")
	}
	if g.one(8) && (field == "kind" || field == "tags") {
		g.use("agg terms exclude")
		m["exclude"] = pick[any](g, list{"PG", "a"}, "P.*")
	}
	if g.one(6) {
		switch field {
		case "kind", "tags":
			m["missing"] = pick(g, "none", "PG")
		case "stock", "price":
			m["missing"], m["exclude"] = -3, list{1, 2.5}
		case "seen":
			m["missing"], m["format"] = "1999-12-31", "yyyy-MM-dd"
		case "free":
			m["missing"] = true
		}
		g.use("agg terms missing")
	}
	if g.one(8) {
		g.use("agg terms min_doc_count")
		if m["min_doc_count"] = pick(g, 1, 2, 10); m["min_doc_count"] != 1 {
			g.use("agg terms min_doc_count above 1")
		}
	}
	if g.one(10) {
		m["shard_size"], m["show_term_doc_count_error"] = 2000, false
		g.use("agg terms shard_size")
	}
	if g.many || m["min_doc_count"] == 2 || m["min_doc_count"] == 10 {
		m["shard_size"] = 10_000 // all values
	}
	return obj{"terms": m}
}

func (g *generator) filterAgg() obj {
	g.use("agg filter")
	saved := g.faults
	g.faults = 0 // their errors have other types than those of a query
	defer func() { g.faults = saved }()
	return obj{"filter": g.query(0)}
}

func (g *generator) filtersAgg() obj {
	g.use("agg filters")
	saved := g.faults
	g.faults = 0
	defer func() { g.faults = saved }()
	if g.one(2) {
		m := obj{"filters": obj{"x": g.filterQuery(), "y": g.filterQuery()}}
		if g.one(3) {
			g.use("agg filters other_bucket")
			m["other_bucket"] = true
		}
		if g.one(6) {
			g.use("agg filters other_bucket")
			m["other_bucket_key"] = "rest"
		}
		return obj{"filters": m}
	}
	return obj{"filters": obj{"filters": list{g.filterQuery(), g.filterQuery()}}}
}

func (g *generator) missingAgg() obj {
	g.use("agg missing")
	return obj{"missing": obj{"field": pick(g, "kind", "tags", "price", "stock", "seen", "free", "nothing", "title.keyword", "cast.keyword")}}
}

func (g *generator) rangeAgg() obj {
	g.use("agg range")
	ranges := list{obj{"to": 0}, obj{"from": 0, "to": 10.5}, obj{"from": 10.5}}
	if g.one(3) {
		ranges = list{obj{"from": -5.5, "key": "many"}, obj{"to": 100}, obj{"from": 1, "to": 2, "key": "one"}}
	}
	m := obj{"field": pick(g, "price", "stock", "nothing"), "ranges": ranges}
	if g.one(6) {
		g.use("agg range format")
		m["format"] = g.numberFormat()
	}
	if g.one(6) && m["format"] == nil {
		g.use("agg range missing")
		m["missing"] = 3
	}
	if g.one(4) {
		g.use("agg range keyed")
		m["keyed"] = true
	}
	return obj{"range": m}
}

func (g *generator) dateRangeAgg() obj {
	g.use("agg date_range")
	if g.one(6) {
		g.use("agg date_range time_zone")
		return obj{"date_range": obj{"field": "seen", "time_zone": pick(g, "+02:00", "Europe/Berlin"), "missing": "1999-12-31", "ranges": list{obj{"to": "1980-01-01||/M"}, obj{"from": "now-40y/d", "to": "2000-03"}}}} // milliseconds in a zone are shifted by OpenSearch
	}
	ranges := list{obj{"to": "1980-01-01"}, obj{"from": "1980-01-01", "to": "2000"}, obj{"from": "2000"}}
	if g.one(3) {
		g.use("date math")
		ranges = list{obj{"from": "now-30y/y", "key": "recent"}, obj{"to": "now/y||-1y"}}
		ranges = ranges[:1]
	}
	m := obj{"field": pick(g, "seen", "nothing"), "ranges": ranges}
	if g.one(3) {
		g.use("agg date_range format")
		m["format"] = "yyyy"
		m["ranges"] = list{obj{"to": "1980"}, obj{"from": "1980", "to": "2000"}}
	}
	if g.one(4) {
		m["keyed"] = true
	}
	return obj{"date_range": m}
}

func (g *generator) histogram() obj {
	g.use("agg histogram")
	m := obj{"field": pick(g, "price", "stock", "nothing"), "interval": pick[any](g, 10, 50, 2.5, 100)}
	if g.one(3) {
		g.use("agg histogram min_doc_count")
		m["min_doc_count"] = pick(g, 0, 1, 3)
	}
	if g.one(6) {
		g.use("agg histogram offset")
		m["offset"] = 3
	}
	if g.one(6) {
		g.use("agg histogram bounds")
		m["extended_bounds"] = obj{"min": -300, "max": 700}
	}
	if g.one(6) {
		g.use("agg histogram order")
		m["order"] = pick(g, obj{"_key": "desc"}, obj{"_count": "asc"})
	}
	if g.one(6) {
		m["keyed"] = true
	}
	if g.one(6) {
		g.use("agg histogram format")
		m["format"] = g.numberFormat()
	}
	return obj{"histogram": m}
}

func (g *generator) dateHistogram() obj {
	g.use("agg date_histogram")
	m := obj{"field": pick(g, "seen", "seen", "seen", "nothing")}
	if g.one(3) {
		g.use("agg date_histogram fixed_interval")
		m["fixed_interval"] = pick(g, "3650d", "10000h", "1000d")
	} else {
		m["calendar_interval"] = pick(g, "year", "1y", "quarter", "1q", "month", "week")
		if m["calendar_interval"] == "week" || m["calendar_interval"] == "month" {
			m["min_doc_count"] = 1
		}
	}
	if g.one(3) {
		m["format"] = pick(g, "yyyy-MM-dd", "yyyy", "yyyy-MM-dd'T'HH:mm:ss", "epoch_millis")
		g.use("agg date_histogram format")
	}
	if g.one(8) && m["format"] == nil {
		g.use("agg date_histogram bounds")
		m["extended_bounds"] = obj{"min": "1940", "max": pick[any](g, "2030-01-01", 1893456000000)}
	}
	if g.one(8) && m["format"] == nil {
		g.use("agg date_histogram missing")
		m["missing"] = "2001-02-03"
	}
	if g.one(4) {
		g.use("agg date_histogram time_zone")
		m["time_zone"] = pick(g, "+02:00", "America/New_York")
	}
	if g.one(3) && m["min_doc_count"] == nil {
		m["min_doc_count"] = pick(g, 0, 1, 2)
	}
	if g.one(6) {
		g.use("agg date_histogram order")
		m["order"] = pick(g, obj{"_key": "desc"}, obj{"_count": "desc"})
	}
	if g.one(8) {
		g.use("agg date_histogram offset")
		m["offset"] = pick(g, "+6h", "-1d")
	}
	if g.one(6) {
		m["keyed"] = true
	}
	return obj{"date_histogram": m}
}

func (g *generator) rareAgg() obj {
	if g.fault() {
		g.use("agg nothing")
		return obj{"nothing": obj{}}
	}
	g.use("agg composite")
	source := pick(g, obj{"terms": obj{"field": pick(g, "kind", "tags", "free", "stock", "nothing")}}, obj{"histogram": obj{"field": "price", "interval": 50}}, obj{"date_histogram": obj{"field": "seen", "calendar_interval": "year"}},
		obj{"terms": obj{"field": "kind", "order": "desc"}}, obj{"terms": obj{"field": "kind", "missing_bucket": true}})
	return obj{"composite": obj{"size": pick(g, 2, 5, 50), "sources": list{obj{"k": source}, obj{"l": obj{"terms": obj{"field": pick(g, "free", "kind")}}}}}}
}

// highlight adds highlights to a body.
func (g *generator) highlight(body obj) {
	g.use("highlight")
	each := obj{}
	if g.one(2) {
		each["number_of_fragments"] = 0
	} else {
		g.use("highlight fragments")
		each = pick(g, obj{}, obj{"fragment_size": 50}, obj{"number_of_fragments": 2, "fragment_size": 30})
	}
	m := obj{"fields": obj{pick(g, "title", "body", "cast"): each}}
	switch g.IntN(6) {
	case 0:
		m["pre_tags"], m["post_tags"] = list{"<b>"}, list{"</b>"}
	case 1:
		g.use("highlight *")
		m["fields"] = obj{"*": each}
	case 2:
		g.use("highlight list")
		m["fields"] = list{obj{"title": each}, obj{"body": each}}
	case 3:
		g.use("highlight options")
		all := obj{"require_field_match": false, "encoder": "html", "type": "unified", "order": "score", "no_match_size": 10}
		key := pick(g, sorted(all)...)
		m[key] = all[key]
		g.use("highlight " + key)
	}
	body["highlight"] = m
}

// suggest adds a suggester to a body.
func (g *generator) suggest(body obj) {
	g.use("suggest")
	w := g.near()
	switch g.IntN(5) {
	case 0:
		g.use("suggest phrase")
		body["suggest"] = obj{"s": obj{"text": strings.ToLower(pick(g, g.common...) + " " + w), "phrase": obj{"field": "body"}}}
	case 1:
		g.use("suggest term")
		body["suggest"] = obj{"s": obj{"text": w, "term": obj{"field": "body", "suggest_mode": "always", "min_word_length": 5}}}
	case 2:
		g.use("suggest term")
		body["suggest"] = obj{"text": w, "s": obj{"term": obj{"field": pick(g, "title", "body"), "suggest_mode": pick(g, "missing", "popular", "always"), "size": 3}}}
	default:
		g.use("suggest term")
		body["suggest"] = obj{"s": obj{"text": w, "term": obj{"field": "body"}}}
	}
}
