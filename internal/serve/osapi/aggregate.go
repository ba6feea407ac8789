package osapi

import (
	"context"
	"encoding/json"
	"slices"

	"indexerd/internal/index/query"
	"indexerd/internal/index/search"
	"indexerd/internal/serve/osapi/aggs"
	"indexerd/internal/serve/osapi/dsl"
	"indexerd/internal/serve/osapi/input"
)

// aggregate reads the aggregations, the post filter and the least score of a search.
func (r *request) aggregate(m map[string]json.RawMessage, t *target) (err error) {
	if r.aggs, err = aggs.Parse(m, dsl.New(&t.Scope), t.topHits); err != nil {
		return err
	}
	if r.Aggs = aggs.Queries(r.aggs); r.alike && topByScore(r.Aggs) {
		return input.ParsingError("[top_hits] by score beside a sort by nothing but keys of documents is not supported, since these hits have no scores: sort by [_score] or a field")
	}
	if v := m["post_filter"]; v != nil {
		if r.Post, err = r.query(v, t); err != nil {
			return err
		}
	}
	if v := m["min_score"]; v != nil {
		if json.Unmarshal(v, &r.MinScore) != nil || r.MinScore < 0 {
			return input.Error(input.UnreadableNumber, "[min_score] is not a number from 0")
		}
		if r.MinScore > 0 && r.alike {
			return input.ParsingError("[min_score] with a sort by nothing but keys of documents is not supported, since these hits have no scores: sort by [_score] or a field")
		}
		if r.MinScore > 0 && len(t.Tables) > 1 {
			return input.ParsingError("[min_score] in %d indices is not supported, since their scores do not compare: search one index", len(t.Tables))
		}
	}
	return nil
}

// topByScore reports whether an aggregation returns the hits with the best scores.
func topByScore(list []query.Agg) bool {
	return slices.ContainsFunc(list, func(a query.Agg) bool {
		top, ok := a.Of.(query.TopAgg)
		return ok && (len(top.Sort) == 0 || slices.ContainsFunc(top.Sort, func(s query.Sort) bool { return s.Field == query.ByScore })) || topByScore(a.Subs)
	})
}

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
