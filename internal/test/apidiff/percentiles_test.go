package apidiff

import (
	"math"
	"slices"
	"strings"
)

// percentiles makes an aggregation whose numbers OpenSearch estimates.
func (g *generator) percentiles() obj {
	g.use("agg percentiles")
	field := pick(g, "price", "stock", "price", "seen", "free", "nothing")
	m := obj{"field": field, "percents": pick[any](g, list{50}, list{0, 25, 33.3, 50, 75, 100}, list{99, 1, 99}, 90, list{"10"})}
	if g.one(4) {
		g.use("agg percentiles default")
		delete(m, "percents")
	}
	if g.one(3) {
		m["keyed"] = g.one(2)
	}
	if g.one(6) && field != "seen" && field != "free" {
		g.use("agg missing value")
		m["missing"] = 5
	}
	if g.one(6) && field != "free" && m["missing"] == nil {
		g.use("agg percentiles format")
		if m["format"] = g.numberFormat(); field == "seen" {
			m["format"] = pick(g, "yyyy", "epoch_millis")
		}
	}
	if g.one(6) {
		m["tdigest"] = pick(g, obj{}, obj{"compression": 100})
	}
	if g.fault() {
		g.use("malformed percentiles")
		for key, value := range pick(g, obj{"percents": list{}}, obj{"percents": list{-1}}, obj{"percents": list{100.5}}, obj{"percents": list{"x"}}, obj{"percents": nil}, obj{"keyed": "no"}, obj{"tdigest": obj{"compression": -1}}, obj{"tdigest": obj{"x": 1}}, obj{"tdigest": 1}, obj{"field": "kind"}, obj{"field": "body"}, obj{"values": list{1}}) {
			m[key] = value
		}
	}
	return obj{"percentiles": m, "meta": obj{"field": field}}
}

// An estimate is a number of a node that may be another one of the index.
type estimate struct{ value, tolerance float64 }

// OpenSearch 3.8 holds the values of up to exactDocs documents, and OpenSearch 2 none.
// From then on it joins neighbours, so an estimate is between values some places away.
const exactDocs = 30

// spans are the numbers that the fields of the corpus are spread over. An estimate of
// booleans is any number.
var spans = map[string]float64{`"price"`: 500, `"stock"`: 40, `"seen"`: 2.4e12, `"free"`: 10}

// summarized returns how many documents the aggregations of the first level have at most.
func (r request) summarized(hits map[string]any) int {
	if capped(hits) || slices.Contains(r.features, "post_filter") {
		return math.MaxInt
	}
	return total(hits)
}

// withEstimates returns aggregations in which the percentiles that OpenSearch estimates are
// equal within a tolerance, and all these percentiles as they are.
func (r request) withEstimates(v any, docs int) (compared any, all []any) {
	switch v := v.(type) {
	case map[string]any:
		if n, ok := v["doc_count"].(float64); ok {
			docs = int(n)
		}
		m := map[string]any{}
		for _, key := range sorted(v) {
			var some []any
			if values := v["values"]; key == "values" {
				meta, _ := v["meta"].(map[string]any)
				m[key], some = r.estimates(values, docs, spans[text(meta["field"])])
				all = append(all, some...)
				continue
			}
			m[key], some = r.withEstimates(v[key], docs)
			all = append(all, some...)
		}
		return m, all
	case []any:
		list := make([]any, len(v))
		for i := range v {
			var some []any
			list[i], some = r.withEstimates(v[i], docs)
			all = append(all, some...)
		}
		return list, all
	}
	return v, nil
}

// estimates returns the values of one aggregation, which are by percent or a list. Their texts are
// compared only if the values are.
func (r request) estimates(v any, docs int, span float64) (compared any, all []any) {
	share := 0.15 // of the numbers that the values are spread over
	if docs <= exactDocs {
		if !strings.HasPrefix(r.release, "2.") {
			return v, nil
		}
		share = 1
	}
	switch v := v.(type) {
	case map[string]any:
		m := map[string]any{}
		for _, key := range sorted(v) {
			all = append(all, v[key])
			m[key] = estimated(v[key], share*span)
		}
		return m, all
	case []any:
		list := make([]any, len(v))
		for i, one := range items(v) {
			all = append(all, one["value"], one["value_as_string"])
			list[i] = map[string]any{"key": one["key"], "value": estimated(one["value"], share*span)}
		}
		return list, all
	}
	return v, nil
}

// estimated returns the estimate of a number.
func estimated(v any, tolerance float64) any {
	switch v := v.(type) {
	case float64:
		return estimate{v, tolerance}
	case string:
		return "text of a number"
	}
	return v
}
