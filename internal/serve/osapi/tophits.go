package osapi

import (
	"context"
	"encoding/json"

	"indexerd/internal/index/query"
	"indexerd/internal/index/search"
	"indexerd/internal/serve/osapi/aggs"
)

// firstHits reads the body of a top_hits or of inner_hits: that of a search for a few hits.
func (t *target) firstHits(m map[string]json.RawMessage) (request, error) {
	if m["size"] == nil {
		m["size"] = json.RawMessage("3")
	}
	text, err := json.Marshal(m)
	if err != nil {
		return request{}, err
	}
	return t.parse(text, nil, []string{"from", "size", "sort", "_source"})
}

// topHits reads the body of a top_hits. Its hits are printed as those of a search, and have
// scores if they are sorted by nothing.
func (t *target) topHits(m map[string]json.RawMessage) (aggs.TopHits, error) {
	r, err := t.firstHits(m)
	r.scored = len(r.order) == 0
	return aggs.TopHits{Of: query.TopAgg{From: r.From, Size: r.Size, Sort: r.Sort}, Alike: r.alike, Print: func(ctx context.Context, results search.Results, h query.Hit) (json.RawMessage, error) {
		hit, err := results.Top(ctx, h, r.Fields)
		if err != nil {
			return nil, err
		}
		hit.Highlights = nil // they are those of the search
		return json.Marshal(t.renderHit(r, hit))
	}}, err
}
