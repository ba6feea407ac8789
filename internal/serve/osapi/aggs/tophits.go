package aggs

import (
	"context"
	"encoding/json"

	"indexerd/internal/index/query"
	"indexerd/internal/index/search"
	"indexerd/internal/serve/osapi/input"
)

// A TopHits is a top_hits that is read by what reads searches.
type TopHits struct {
	Of    query.TopAgg
	Alike bool // the hits are sorted by nothing but their keys
	Print func(context.Context, search.Results, query.Hit) (json.RawMessage, error)
}

// topHits reads an aggregation to the first hits, whose body is that of a search.
func (p *parser) topHits(a *Agg, m map[string]json.RawMessage) error {
	if len(p.Tables) > 1 {
		return input.ParsingError("[top_hits] in %d indices is not supported, since their scores do not compare: search one index", len(p.Tables))
	}
	top, err := p.top(m)
	switch end := top.Of.From + top.Of.Size; {
	case err != nil:
		return err
	case top.Of.Size == 0:
		return input.ArgumentError("[top_hits] of size 0 is not supported: its number of documents is that of the bucket")
	case end > query.MaxTop:
		return input.ArgumentError("Top hits result window is too large, the top hits aggregator [%s]'s from + size must be less than or equal to: [%d] but was [%d].", query.Shorten(a.name), query.MaxTop, end)
	case top.Alike:
		return input.ParsingError("[top_hits] sort by nothing but [_doc] or [_id] is not supported")
	}
	a.kind = top.Of
	a.show = func(p *Printer, _ Agg, res query.AggResult) (map[string]any, error) { return p.hits(top, res) }
	return nil
}

// hits returns the hits of top_hits, as a search does.
func (p *Printer) hits(top TopHits, res query.AggResult) (map[string]any, error) {
	list := make([]json.RawMessage, 0, len(res.Hits))
	for _, h := range res.Hits {
		text, err := top.Print(p.Context, p.Results, h)
		if err != nil {
			return nil, err
		}
		if p.hitSize += len(text); p.hitSize > p.MaxHits {
			return nil, input.ParsingError("the hits of [top_hits] are larger than %d MiB: write a smaller size, or name fields in _source", p.MaxHits>>20)
		}
		list = append(list, text)
	}
	hits := map[string]any{"total": map[string]any{"value": res.Total, "relation": "eq"}, "max_score": nil, "hits": list}
	if len(top.Of.Sort) == 0 && len(list) > 0 {
		hits["max_score"] = res.Best
	}
	return map[string]any{"hits": hits}, nil
}
