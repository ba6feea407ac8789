package search

import (
	"cmp"
	"context"
	"errors"
	"time"

	"indexerd/internal/index/query"
)

// A Suggestion is another search, of an answer without hits, and how many documents
// it finds: words that are spelt in another way, or the same query with another match.
type Suggestion struct {
	Query string      `json:"query,omitempty"` // "": that of the answer
	Match query.Match `json:"match"`
	Total uint64      `json:"total"`
}

// parse returns the query that is searched. Its error is an *Error.
func (p Params) parse() (query.Node, error) {
	if p.Node != nil {
		return p.Node, nil
	}
	n, err := query.Parse(p.Query)
	if err != nil {
		return nil, asBadQuery(err)
	}
	if p.Typing {
		n = query.Typing(n, p.Query)
	}
	n, _ = p.Match.In(n)
	return n, nil
}

// A searchFunc makes a search, and suggests nothing.
type searchFunc func(context.Context, Params) (Results, error)

// answer makes a search with what may be added to it: a last word that can't be
// completed, as in a field of numbers, or by too many words, is searched as it is; and
// an answer without hits has a suggestion.
func (search searchFunc) answer(ctx context.Context, p Params) (Results, error) {
	r, err := search(ctx, p)
	if bad := (*Error)(nil); p.Typing && errors.As(err, &bad) {
		p.Typing = false
		r, err = search(ctx, p)
	}
	if err != nil {
		return r, err
	}
	return r, r.suggest(ctx, p, search)
}

// suggestWithin is how long other searches may take.
const suggestWithin = time.Second

// suggest sets the suggestion of an answer without hits, if there is one in time.
func (r *Results) suggest(ctx context.Context, p Params, search searchFunc) error {
	if r.Total > 0 || p.Node != nil {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, suggestWithin)
	defer cancel()
	s, err := p.suggestion(limited, search)
	if limited.Err() != nil {
		return ctx.Err()
	}
	r.Suggest = s
	return err
}

// suggestion returns the first other search that finds something, nil if none does.
func (p Params) suggestion(ctx context.Context, search searchFunc) (*Suggestion, error) {
	others, err := p.others(ctx, search)
	if err != nil {
		return nil, err
	}
	for _, s := range others {
		found, err := search(ctx, Params{Query: cmp.Or(s.Query, p.Query), Match: s.Match, Filters: p.Filters, Fresh: new(bool), Caller: p.Caller})
		if err != nil {
			return nil, err
		}
		if s.Total = found.Total; s.Total > 0 {
			return &s, nil
		}
	}
	return nil, nil
}

// others returns the searches to try: the query with other spellings, for most words,
// and for most words with other spellings.
func (p Params) others(ctx context.Context, search searchFunc) (list []Suggestion, err error) {
	n, err := query.Parse(p.Query)
	if err != nil {
		return nil, asBadQuery(err)
	}
	spelt, err := speller{search, p.Caller}.respell(ctx, n)
	if err != nil {
		return nil, err
	}
	match, text, differs := cmp.Or(p.Match, query.MatchAll), spelt.String(), spelt.String() != n.String()
	if differs {
		list = append(list, Suggestion{Query: text, Match: match})
	}
	if _, fewer := query.MatchMost.In(n); !fewer || match != query.MatchAll {
		return list, nil
	}
	list = append(list, Suggestion{Match: query.MatchMost})
	if differs {
		list = append(list, Suggestion{Query: text, Match: query.MatchMost})
	}
	return list, nil
}
