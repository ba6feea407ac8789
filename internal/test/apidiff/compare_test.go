package apidiff

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// A view is what of an answer has to be equal, by aspect.
type view map[string]any

// viewOf returns the view of an answer. An error has a status and a type.
func viewOf(r request, a answer) view {
	v := view{"status": a.status}
	if a.status >= 400 {
		if r.method != "HEAD" && r.kind != "_doc" {
			v["error"] = errorType(a.body)
		}
		return v
	}
	if r.method == "HEAD" {
		return v
	}
	switch r.kind {
	case "search", "scroll", "point in time":
		hitsOf(v, r, a.body)
	case "_msearch":
		for i, one := range items(a.body["responses"]) {
			part := view{"status": one["status"]}
			if one["error"] != nil {
				part["error"] = errorType(one)
			} else {
				hitsOf(part, r, one)
			}
			for aspect, value := range part {
				v[fmt.Sprint(aspect, " ", i)] = value
			}
		}
	case "_mget":
		for i, one := range items(a.body["docs"]) {
			v[fmt.Sprint("doc ", i)] = only(one, "_index", "_id", "found", "_source")
			if one["error"] != nil {
				v[fmt.Sprint("error ", i)] = errorType(one)
			}
		}
	case "_source":
		v["source"] = a.body
	default:
		v["answer"] = answered(r.kind, a)
	}
	return v
}

// answered returns what of an answer that has no hits is equal on both.
func answered(kind string, a answer) any {
	switch kind {
	case "_doc":
		return only(a.body, "_index", "_id", "found", "_source")
	case "count":
		return a.body["count"]
	case "_validate":
		return a.body["valid"]
	case "_explain":
		return only(a.body, "_index", "_id", "matched")
	case "_health":
		return a.body["timed_out"]
	case "_field_caps":
		types := view{}
		fields, _ := a.body["fields"].(map[string]any)
		for name, field := range fields {
			if name[0] == '_' {
				continue // only the node has fields of its own
			}
			for kind, one := range field.(map[string]any) {
				types[name+" "+kind] = only(one.(map[string]any), "searchable", "aggregatable")
			}
		}
		return types
	case "_mapping":
		return a.body[index] != nil
	case "_analyze":
		var tokens []any
		for _, token := range items(a.body["tokens"]) {
			tokens = append(tokens, token["token"], token["position"], token["start_offset"], token["end_offset"])
		}
		return tokens
	case "_cat/indices", "_cat/count", "_cat/shards":
		var rows []any
		_ = json.Unmarshal([]byte(a.text), &rows)
		return rows
	case "exists", "status":
		return nil
	}
	return a.body
}

// hitsOf adds what of a search has to be equal.
func hitsOf(v view, r request, body map[string]any) {
	hits, _ := body["hits"].(map[string]any)
	list := items(hits["hits"])
	r.found = total(hits) != 0
	v["timed_out"], v["shards"] = body["timed_out"], failedShards(body)
	aggs, estimates := r.withEstimates(body["aggregations"], r.summarized(hits))
	v["total"], v["aggs"], v["percentiles"], v["suggest"] = hits["total"], r.meaning(aggs), estimates, suggested(body["suggest"])
	v["max_score"] = hits["max_score"] != nil
	v["hits"] = len(list)
	if r.best && strings.HasPrefix(r.release, "3.") {
		r.ordered = true
	}
	if !r.ordered && (total(hits) > r.window || capped(hits)) {
		return // which of the matches are in the answer depends on scores
	}
	if !r.ordered {
		slices.SortFunc(list, func(a, b map[string]any) int {
			return strings.Compare(fmt.Sprint(a["_index"], a["_id"]), fmt.Sprint(b["_index"], b["_id"]))
		})
	}
	for aspect, key := range map[string]string{"ids": "_id", "indices": "_index", "sort": "sort", "source": "_source", "fields": "fields", "highlight": "highlight", "matched": "matched_queries", "inner": "inner_hits"} {
		values := make([]any, len(list))
		for i, hit := range list {
			values[i] = hit[key]
			if names, ok := hit[key].([]any); ok && aspect == "matched" {
				slices.SortFunc(names, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
			}
		}
		v[aspect] = values
	}
	if r.scored || (!r.ordered || r.best) && strings.HasPrefix(r.release, "3.") {
		v["scores"] = r.scores(list, hits)
	}
}

// scores returns the scores of hits. Those of words in OpenSearch 2 are k1+1 times as
// high, so they are compared with the best one.
func (r request) scores(list []map[string]any, hits map[string]any) []any {
	best, _ := hits["max_score"].(float64)
	if best == 0 || strings.HasPrefix(r.release, "3.") {
		best = 1
	}
	scores := make([]any, len(list))
	for i, hit := range list {
		if score, ok := hit["_score"].(float64); ok {
			scores[i] = score / best
		}
	}
	return scores
}

func failedShards(body map[string]any) any {
	shards, _ := body["_shards"].(map[string]any)
	return shards["failed"]
}

// total returns the number of matches, from hits.total in either form.
func total(hits map[string]any) int {
	switch n := hits["total"].(type) {
	case float64:
		return int(n)
	case map[string]any:
		value, _ := n["value"].(float64)
		return int(value)
	}
	return math.MaxInt
}

// capped reports whether more documents match than the total says.
func capped(hits map[string]any) bool {
	m, _ := hits["total"].(map[string]any)
	return m["relation"] == "gte"
}

func items(v any) (all []map[string]any) {
	some, _ := v.([]any)
	for _, one := range some {
		m, _ := one.(map[string]any)
		all = append(all, m)
	}
	return all
}

func only(m map[string]any, keys ...string) map[string]any {
	o := map[string]any{}
	for _, key := range keys {
		if v, ok := m[key]; ok {
			o[key] = v
		}
	}
	return o
}

// errorType returns the type of the first cause.
func errorType(body map[string]any) any {
	e, ok := body["error"].(map[string]any)
	if !ok {
		return body["error"] != nil
	}
	if causes := items(e["root_cause"]); len(causes) > 0 {
		return causes[0]["type"]
	}
	return e["type"]
}

// meaning returns aggregations without what says how they were made, and the hits of
// top_hits without their scores. With min_doc_count above 1 the number of other
// documents depends on the shard_size of OpenSearch.
func (r request) meaning(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := map[string]any{}
		for key, value := range v {
			switch key {
			case "doc_count_error_upper_bound", "_score", "max_score", "meta", "matched_queries":
			case "buckets":
				m[key] = r.meaning(r.filled(value))
			case "sum_other_doc_count":
				if !slices.Contains(r.features, "agg terms min_doc_count above 1") {
					m[key] = value
				}
			default:
				m[key] = r.meaning(value)
			}
		}
		return m
	case []any:
		all := make([]any, len(v))
		for i := range v {
			all[i] = r.meaning(v[i])
		}
		return all
	}
	return v
}

// filled returns the buckets that have documents, if none was found: OpenSearch 3.8
// shows an empty one of some histograms of dates.
func (r request) filled(buckets any) any {
	empty := func(b any) bool {
		m, _ := b.(map[string]any)
		return !r.found && m["doc_count"] == 0.0
	}
	switch b := buckets.(type) {
	case []any:
		return slices.DeleteFunc(slices.Clone(b), empty)
	case map[string]any:
		b = maps.Clone(b)
		maps.DeleteFunc(b, func(_ string, one any) bool { return empty(one) })
		return b
	}
	return buckets
}

// suggested returns the texts of suggestions and of their options.
func suggested(v any) any {
	named, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	texts := map[string]any{}
	for name, entries := range named {
		var all []any
		for _, entry := range items(entries) {
			options := []any{}
			for _, option := range items(entry["options"]) {
				options = append(options, option["text"])
			}
			all = append(all, entry["text"], entry["offset"], options)
		}
		texts[name] = all
	}
	return texts
}

// differences returns the aspects in which two views differ.
func differences(own, node view) (aspects []string) {
	if own["status"] != node["status"] {
		return []string{"status"}
	}
	for _, aspect := range sorted(node, own) {
		if !equal(own[aspect], node[aspect]) {
			aspects = append(aspects, aspect)
		}
	}
	return aspects
}

func sorted(maps ...map[string]any) (keys []string) {
	for _, m := range maps {
		for key := range m {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// equal compares JSON. Numbers are equal to six digits, or to the smallest number of 32
// bits: a node has scores of 32 bits.
func equal(a, b any) bool {
	switch a := a.(type) {
	case estimate:
		b, ok := b.(estimate)
		return ok && math.Abs(a.value-b.value) <= a.tolerance
	case float64:
		b, ok := b.(float64)
		return ok && math.Abs(a-b) <= 1e-6*max(math.Abs(a), math.Abs(b))+math.SmallestNonzeroFloat32
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for key, value := range a {
			other, ok := b[key]
			if !ok || !equal(value, other) {
				return false
			}
		}
		return true
	case view:
		b, ok := b.(view)
		return ok && equal(map[string]any(a), map[string]any(b))
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	}
	return fmt.Sprint(a) == fmt.Sprint(b)
}
