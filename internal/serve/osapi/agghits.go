package osapi

import (
	"encoding/json"
	"slices"

	"indexerd/internal/index/query"
)

// topSize is how many hits top_hits returns without a size.
const topSize = "3"

// topHits reads an aggregation to the first hits, whose body is that of a search.
func (p *aggParser) topHits(a *agg, text json.RawMessage) error {
	if len(p.tables) > 1 {
		return parsing("[top_hits] in %d indices is not supported, since their scores do not compare: search one index", len(p.tables))
	}
	m, err := object(text, "top_hits")
	if err != nil {
		return err
	}
	if m["size"] == nil {
		m["size"] = json.RawMessage(topSize)
	}
	if text, err = json.Marshal(m); err != nil {
		return err
	}
	r, err := p.parse(text, nil, []string{"from", "size", "sort", "_source"})
	if err != nil {
		return err
	}
	if r.Size == 0 {
		return illegal("[top_hits] of size 0 is not supported: its number of documents is that of the bucket")
	}
	if r.From+r.Size > query.MaxTop {
		return illegal("Top hits result window is too large, the top hits aggregator [%s]'s from + size must be less than or equal to: [%d] but was [%d].", query.Shorten(a.name), query.MaxTop, r.From+r.Size)
	}
	if len(r.order) > 0 && !slices.ContainsFunc(r.order, func(k sortKey) bool { return k.kind != byKey && k.kind != byNoType }) {
		return parsing("[top_hits] sort by nothing but [_doc] or [_id] is not supported")
	}
	if len(r.order) == 1 && r.order[0].kind == byScore && r.order[0].Descending {
		r.order = nil
	}
	r.scored = len(r.order) == 0
	a.kind = query.TopAgg{From: r.From, Size: r.Size, Sort: r.Sort}
	a.show = func(p *aggPrinter, _ agg, res query.AggResult) (map[string]any, error) { return p.hits(r, res) }
	return nil
}

// hits returns the hits of top_hits, as a search does.
func (p *aggPrinter) hits(r request, res query.AggResult) (map[string]any, error) {
	list := make([]json.RawMessage, 0, len(res.Hits))
	for _, h := range res.Hits {
		hit, err := p.results.Top(p.ctx, h, r.Fields)
		if err != nil {
			return nil, err
		}
		hit.Highlights = nil // they are those of the search
		text, err := json.Marshal(p.renderHit(r, hit))
		if err != nil {
			return nil, err
		}
		if p.hitSize += len(text); p.hitSize > maxHits {
			return nil, parsing("the hits of [top_hits] are larger than %d MiB: write a smaller size, or name fields in _source", maxHits>>20)
		}
		list = append(list, text)
	}
	hits := map[string]any{"total": map[string]any{"value": res.Total, "relation": "eq"}, "max_score": nil, "hits": list}
	if r.scored && len(list) > 0 {
		hits["max_score"] = res.Best
	}
	return map[string]any{"hits": hits}, nil
}
