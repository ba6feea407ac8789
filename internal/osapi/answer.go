package osapi

import (
	"context"
	"encoding/json"
	"time"

	"indexerd/internal/search"
)

// maxHits bounds the hits of an answer, in bytes of JSON. They are in memory until
// the answer is written.
const maxHits = 4 << 20

var shards = map[string]int{"total": 1, "successful": 1, "skipped": 0, "failed": 0}

func (server) info(*call) (any, error) {
	return map[string]any{
		"name": "indexerd", "cluster_name": "indexerd", "cluster_uuid": "indexerd",
		"version": map[string]any{
			"distribution": "opensearch", "number": version, "build_type": "indexerd", "build_flavor": "indexerd",
			"minimum_wire_compatibility_version": version, "minimum_index_compatibility_version": version,
		},
		"tagline": "The OpenSearch Project: https://opensearch.org/",
	}, nil
}

func (server) health(*call) (any, error) {
	return map[string]any{"cluster_name": "indexerd", "status": "green", "timed_out": false, "number_of_nodes": 1, "number_of_data_nodes": 1}, nil
}

func (s server) mapping(c *call) (any, error) {
	table, ix, err := s.index(c)
	if err != nil {
		return nil, err
	}
	properties := map[string]any{}
	for _, f := range ix {
		property := map[string]any{"type": f.Type}
		if ix.field(f.Name).both {
			value := ix.field(f.Name + suffix)
			property = map[string]any{"type": Text, "fields": map[string]any{"keyword": map[string]any{"type": value.Type}}}
		}
		properties[f.Name] = property
	}
	return map[string]any{table: map[string]any{"mappings": map[string]any{"properties": properties}}}, nil
}

// index returns the index that a request names, and checks the names of the
// parameters in its URL.
func (s server) index(c *call, parameters ...string) (string, Index, error) {
	table := c.PathValue("index")
	ix, err := s.engine.Fields(table, c.caller)
	if err != nil {
		return "", nil, err
	}
	c.table = table
	return table, ix, checkURL(c.URL.Query(), parameters)
}

func (s server) search(c *call) (any, error) {
	began := time.Now()
	table, ix, err := s.index(c, inURL...)
	if err != nil {
		return nil, err
	}
	p, err := parse(c.body, ix, "query", "from", "size", "sort", "_source", "track_total_hits")
	if err != nil {
		return nil, err
	}
	if err := p.set(c.URL.Query()); err != nil {
		return nil, err
	}
	p.Caller = c.caller
	results, err := s.engine.Search(c.ctx, table, p.Params)
	if err != nil {
		return nil, err
	}
	hits, err := render(c.ctx, table, p, results)
	if err != nil {
		return nil, err
	}
	return map[string]any{"took": time.Since(began).Milliseconds(), "timed_out": false, "_shards": shards, "hits": hits}, nil
}

// render returns the hits of an answer. Without a sort by score, scores are null.
func render(ctx context.Context, table string, p request, results search.Results) (any, error) {
	list, size := make([]json.RawMessage, 0, results.Len), 0
	for i := range results.Len {
		hit, err := results.Hit(ctx, i)
		if err != nil {
			return nil, err
		}
		one := map[string]any{"_index": table, "_id": hit.OID, "_score": nil}
		if p.scored {
			one["_score"] = hit.Score
		}
		if p.source {
			one["_source"] = hit.Fields
		}
		text, err := json.Marshal(one)
		if err != nil {
			return nil, err
		}
		if size += len(text); size > maxHits {
			return nil, parsing("the hits are larger than %d MiB: write a smaller size, or name fields in _source", maxHits>>20)
		}
		list = append(list, text)
	}
	hits := map[string]any{"max_score": nil, "hits": list}
	if p.scored && len(list) > 0 {
		hits["max_score"] = results.Best
	}
	if p.total {
		hits["total"] = map[string]any{"value": results.Total, "relation": "eq"}
	}
	return hits, nil
}

func (s server) count(c *call) (any, error) {
	table, ix, err := s.index(c)
	if err != nil {
		return nil, err
	}
	p, err := parse(c.body, ix, "query")
	if err != nil {
		return nil, err
	}
	results, err := s.engine.Search(c.ctx, table, search.Params{Node: p.Node, Fresh: new(bool), Caller: c.caller})
	if err != nil {
		return nil, err
	}
	return map[string]any{"count": results.Total, "_shards": shards}, nil
}

func (s server) document(c *call) (any, error) {
	table, _, err := s.index(c)
	if err != nil {
		return nil, err
	}
	d, err := s.engine.Doc(c.ctx, table, c.PathValue("id"))
	if err != nil {
		return nil, err
	}
	return map[string]any{"_index": table, "_id": d.OID, "found": true, "_source": d.Fields}, nil
}
