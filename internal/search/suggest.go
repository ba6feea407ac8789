package search

import (
	"context"

	"indexerd/internal/query"
)

// A Suggestion is another search, of an answer without hits: the same query with
// another match, and how many documents it finds.
type Suggestion struct {
	Match query.Match `json:"match"`
	Total uint64      `json:"total"`
}

// parse returns the query that is searched. Its error is an *Error.
func (p Params) parse() (query.Node, error) {
	n, err := query.Parse(p.Query)
	if err != nil {
		return nil, asBadQuery(err)
	}
	n, _ = p.Match.In(n)
	return n, nil
}

// suggest sets the suggestion of an answer without hits: the same search for most
// words, if that finds something. search makes a search.
func (r *Results) suggest(ctx context.Context, p Params, search func(context.Context, Params) (Results, error)) error {
	if r.Total > 0 || p.Match == query.MatchMost || p.Match == query.MatchAny {
		return nil
	}
	n, err := query.Parse(p.Query)
	if err != nil {
		return asBadQuery(err)
	}
	if _, differs := query.MatchMost.In(n); !differs {
		return nil
	}
	never := false
	found, err := search(ctx, Params{Query: p.Query, Match: query.MatchMost, Filters: p.Filters, Fresh: &never, Caller: p.Caller})
	if err != nil {
		return err
	}
	if found.Total > 0 {
		r.Suggest = &Suggestion{query.MatchMost, found.Total}
	}
	return nil
}
