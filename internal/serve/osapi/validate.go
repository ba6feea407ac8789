package osapi

import (
	"bytes"
	"net/http"

	"indexerd/internal/index/query"
	"indexerd/internal/index/search"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/serve/osapi/dsl"
	"indexerd/internal/serve/osapi/hits"
	"indexerd/internal/serve/osapi/input"
)

// validate reports whether a query can be answered. It makes the search, without hits.
func (s server) validate(c *call) (any, error) {
	t, err := s.targetOf(c, append([]string{"explain", "rewrite", "all_shards"}, queryInURL...)...)
	if err != nil {
		return nil, err
	}
	v := c.URL.Query()
	shards := map[string]int{"total": len(t.Tables), "successful": len(t.Tables), "failed": 0}
	answer := map[string]any{"_shards": shards, "valid": true}
	r, err := t.parse(c.body, onlyQuery(v), []string{"query"})
	if err == nil {
		_, err = t.find(c.ctx, search.Params{Node: r.Node, Fresh: new(bool), Caller: c.caller})
	}
	if err == nil {
		if v.Get("explain") == "true" {
			var list []any
			for _, table := range t.Tables {
				list = append(list, map[string]any{"index": table, "valid": true, "explanation": r.Node.String()})
			}
			answer["explanations"] = list
		}
		return answer, nil
	}
	e := httpapi.ErrorOf(err)
	if e.Status != http.StatusBadRequest {
		return nil, err
	}
	answer = map[string]any{"valid": false}
	if v.Get("explain") == "true" {
		answer["error"] = errorBody(e)["error"].(map[string]any)["reason"]
	}
	return answer, nil
}

// explainDocument explains the score that a query gives to a document.
func (s server) explainDocument(c *call) (any, error) {
	t, err := s.targetOf(c, append(append([]string{}, queryInURL...), documentInURL...)...)
	if err != nil {
		return nil, err
	}
	if len(t.Tables) != 1 {
		return nil, input.ParsingError("an explanation needs one index, not %d", len(t.Tables))
	}
	v := c.URL.Query()
	if m, err := input.Object(c.body, "body"); !v.Has("q") && (len(bytes.TrimSpace(c.body)) == 0 || err == nil && m["query"] == nil) {
		return nil, input.Error(input.InvalidRequest, "query is missing")
	}
	r, err := t.parse(c.body, onlyQuery(v), []string{"query"})
	if err != nil {
		return nil, err
	}
	id := c.PathValue("id")
	answer := map[string]any{"_index": t.Tables[0], "_id": id, "matched": false}
	found, err := t.find(c.ctx, search.Params{Node: t.Keys([]string{id}), Fresh: new(bool), Caller: c.caller})
	if err != nil {
		return nil, err
	}
	if found.Total == 0 {
		return httpapi.NotFound{Body: answer}, nil
	}
	results, err := t.find(c.ctx, search.Params{Node: query.And{Nodes: []query.Node{r.Node, dsl.Filtered(t.Keys([]string{id}))}}, Size: 1, Explain: true, Relevance: query.Lucene, Fresh: new(bool), Caller: c.caller})
	if err != nil {
		return nil, err
	}
	if results.Len == 0 {
		answer["explanation"] = hits.Leaf(0, "no matching clause")
		return answer, nil
	}
	hit, err := results.Hit(c.ctx, 0)
	if err != nil {
		return nil, err
	}
	answer["matched"], answer["explanation"] = true, hits.Explain(hit, true)
	return answer, nil
}
