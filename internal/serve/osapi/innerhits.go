package osapi

import (
	"context"
	"encoding/json"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/query"
	"indexerd/internal/index/search"
	"indexerd/internal/serve/osapi/dsl"
	"indexerd/internal/serve/osapi/input"
	"indexerd/internal/serve/osapi/mapping"
)

// maxInner is how many searches inner_hits may make: one for each hit of each of them.
const maxInner = 100

// An innerHits is a search for the documents behind a hit that is collapsed.
type innerHits struct {
	name string
	of   mapping.Field
	request
}

// innerHits reads inner_hits, which are one or a list. It runs last: the whole search is
// known.
func (r *request) innerHits(v json.RawMessage, f mapping.Field, t *target) error {
	list := input.List(v)
	if len(list)*r.Size > maxInner {
		return input.ArgumentError("[inner_hits] of %d hits need %d searches, more than %d: write a smaller size", r.Size, len(list)*r.Size, maxInner)
	}
	if r.alike && len(list) > 0 {
		return input.ParsingError("[inner_hits] beside a sort by nothing but keys of documents is not supported, since these hits have no scores: sort by [_score] or a field")
	}
	for _, one := range list {
		in, err := innerOf(one, t)
		if err != nil {
			return err
		}
		in.of = f
		r.inner = append(r.inner, in)
	}
	return nil
}

func innerOf(v json.RawMessage, t *target) (in innerHits, err error) {
	m, err := input.Object(v, "inner_hits")
	if err != nil {
		return in, input.Error(input.UnknownKey, "[collapse] inner_hits is an object, or a list of objects")
	}
	if err := input.OnlyIn(m, "inner_hits", "name", "from", "size", "sort", "_source"); err != nil {
		return in, err
	}
	switch {
	case m["name"] == nil:
		return in, input.ArgumentError("[inner_hits] needs a name")
	case json.Unmarshal(m["name"], &in.name) != nil || in.name == "":
		return in, input.Error(input.UnknownKey, "[inner_hits] name is text")
	case m["sort"] != nil && m["sort"][0] == '"':
		return in, input.Error(input.UnknownKey, "[inner_hits] sort is a list, or an object")
	}
	for key, to := range map[string]*int{"from": &in.From, "size": &in.Size} {
		if m[key] != nil && input.Whole(m[key], key, to) != nil {
			return in, input.Error(input.UnknownKey, "[inner_hits] failed to parse field [%s]: it is a whole number from 0", key)
		}
	}
	delete(m, "name")
	if in.request, err = t.firstHits(m); err == nil && in.Size > query.MaxTop {
		err = input.ArgumentError("[inner_hits] has a size of %d, more than %d", in.Size, query.MaxTop)
	}
	return in, err
}

// expand returns the documents behind a hit, by the names of inner_hits.
func (t *target) expand(ctx context.Context, r request, hit search.Hit) (map[string]any, error) {
	all := map[string]any{}
	for _, in := range r.inner {
		group, err := t.groupOf(in.of, hit)
		if err != nil {
			return nil, err
		}
		p := in.Params
		p.Node, p.Post, p.Relevance, p.Caller, p.Fresh = query.And{Nodes: []query.Node{r.Node, dsl.Filtered(group)}}, r.Post, r.Relevance, r.Caller, new(bool)
		if in.alike {
			p.Node = dsl.Constant(p.Node)
		}
		results, err := t.find(ctx, p)
		if err != nil {
			return nil, err
		}
		inner := in.request
		inner.Caller, inner.Relevance, inner.named = r.Caller, r.Relevance, r.named
		rendered, _, err := t.render(ctx, inner, results)
		if err != nil {
			return nil, err
		}
		all[in.name] = map[string]any{"hits": rendered}
	}
	return all, nil
}

// groupOf returns the query for the documents with the value of a hit.
func (t *target) groupOf(f mapping.Field, hit search.Hit) (query.Node, error) {
	v := hit.Fields.Get(f.Name)
	if list, many := v.([]any); many {
		if v = nil; len(list) > 0 {
			v = list[0]
		}
	}
	if v == nil || v == "" {
		return query.Not{Node: query.Range{Field: f.Name}}, nil
	}
	return dsl.New(&t.Scope).SameValue(f, doc.FormatText(v))
}
