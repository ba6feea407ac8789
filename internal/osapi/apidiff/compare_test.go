package apidiff

import (
	"encoding/json"
	"fmt"
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
	case "_search_shards":
		return a.body["shards"] != nil
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
	case "_cat/indices", "_cat/count":
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
	v["timed_out"], v["shards"] = body["timed_out"], failedShards(body)
	v["total"], v["aggs"], v["suggest"] = hits["total"], meaning(body["aggregations"]), suggested(body["suggest"])
	v["max_score"] = hits["max_score"] != nil
	v["hits"] = len(list)
	if total(hits) > r.window && !r.ordered {
		return // which of the matches are in the answer depends on scores
	}
	if !r.ordered {
		slices.SortFunc(list, func(a, b map[string]any) int {
			return strings.Compare(fmt.Sprint(a["_index"], a["_id"]), fmt.Sprint(b["_index"], b["_id"]))
		})
	}
	for aspect, key := range map[string]string{"ids": "_id", "indices": "_index", "sort": "sort", "source": "_source", "fields": "fields", "highlight": "highlight", "matched": "matched_queries"} {
		values := make([]any, len(list))
		for i, hit := range list {
			values[i] = hit[key]
		}
		v[aspect] = values
	}
	if r.scored {
		scores := make([]any, len(list))
		best, _ := hits["max_score"].(float64)
		for i, hit := range list {
			if score, ok := hit["_score"].(float64); ok {
				scores[i] = score / best // those of OpenSearch 2 are all k1+1 times as high
			}
		}
		v["scores"] = scores
	}
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
// top_hits without their scores.
func meaning(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := map[string]any{}
		for key, value := range v {
			switch key {
			case "doc_count_error_upper_bound", "_score", "max_score", "meta":
			default:
				m[key] = meaning(value)
			}
		}
		return m
	case []any:
		all := make([]any, len(v))
		for i := range v {
			all[i] = meaning(v[i])
		}
		return all
	}
	return v
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

// equal compares JSON. Numbers are equal to six digits: a node has scores of 32 bits.
func equal(a, b any) bool {
	switch a := a.(type) {
	case float64:
		b, ok := b.(float64)
		return ok && math.Abs(a-b) <= 1e-6*max(math.Abs(a), math.Abs(b))
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
