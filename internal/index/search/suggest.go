package search

import (
	"cmp"
	"context"

	"indexerd/internal/index/query"
)

// A Suggestion is another search, of an answer without hits, and how many documents
// it finds: words that are spelt in another way, or the same query with another match.
type Suggestion struct {
	Query string      `json:"query,omitempty"` // "": that of the answer
	Match query.Match `json:"match"`
	Total uint64      `json:"total"`
}

// suggestion returns the first other search that finds something, nil if none does. n is
// the query that finds nothing.
func (a asked) suggestion(ctx context.Context, n query.Node) (*Suggestion, error) {
	spelt, err := a.respell(ctx, n)
	if err != nil {
		return nil, err
	}
	for _, other := range a.others(n, spelt) {
		node, _ := other.Match.In(other.node)
		found, err := a.search(ctx, Params{Filters: a.Filters, Fresh: new(bool), Caller: a.Caller}, node)
		if isFault(err) { // most of the words stand for too many, where the first have no hits
			continue
		}
		if err != nil {
			return nil, err
		}
		if other.Total = found.Total; other.Total > 0 {
			return &other.Suggestion, nil
		}
	}
	return nil, nil
}

// An other is a search to suggest, and the query that it is for.
type other struct {
	Suggestion
	node query.Node
}

// others returns the searches to try: the query with other spellings, for most words,
// and for most words with other spellings.
func (a asked) others(n, spelt query.Node) (list []other) {
	match, text, differs := cmp.Or(a.Match, query.MatchAll), spelt.String(), spelt.String() != n.String()
	if differs {
		list = append(list, other{Suggestion{Query: text, Match: match}, spelt})
	}
	if _, fewer := query.MatchMost.In(n); !fewer || match != query.MatchAll {
		return list
	}
	list = append(list, other{Suggestion{Match: query.MatchMost}, n})
	if differs {
		list = append(list, other{Suggestion{Query: text, Match: query.MatchMost}, spelt})
	}
	return list
}
