package osapi

import (
	"encoding/json"

	"indexerd/internal/query"
)

// all returns a query for what all nodes match.
func all(nodes []query.Node) query.Node {
	switch len(nodes) {
	case 0:
		return query.None()
	case 1:
		return nodes[0]
	}
	return query.And{Nodes: nodes}
}

// anyOf returns a query for what any node matches.
func anyOf(nodes []query.Node) query.Node {
	switch len(nodes) {
	case 0:
		return query.None()
	case 1:
		return nodes[0]
	}
	return query.Or{Nodes: nodes}
}

// searched returns a query that matches what n does, and nothing if the analyzer
// leaves n no word, such as a stop word. The index ignores such a part of a query.
func searched(n query.Node) query.Node { return query.Or{Nodes: []query.Node{query.None(), n}} }

// unscored returns a query that matches the same and adds nothing to a score.
func unscored(n query.Node) query.Node { return query.Not{Node: query.Not{Node: n}} }

// bool translates a bool query. Without must and filter, one of should has to
// match; otherwise should only adds to the score.
func (t *translator) bool(body json.RawMessage) (query.Node, error) {
	m, err := object(body, "bool")
	if err != nil {
		return nil, err
	}
	if err := only(m, "bool", "must", "filter", "should", "must_not", "minimum_should_match"); err != nil {
		return nil, err
	}
	parts := map[string][]query.Node{}
	for _, name := range []string{"must", "filter", "should", "must_not"} {
		if parts[name], err = t.list(m[name]); err != nil {
			return nil, err
		}
	}
	nodes := parts["must"]
	for _, n := range parts["filter"] {
		nodes = append(nodes, unscored(n))
	}
	optional := len(nodes) > 0
	if v := m["minimum_should_match"]; v != nil {
		at, err := scalar(v, "minimum_should_match")
		if err != nil {
			return nil, err
		}
		if at != "0" && at != "1" {
			return nil, parsing("[bool] minimum_should_match is 0 or 1")
		}
		optional = at == "0"
	}
	if should := parts["should"]; len(should) > 0 {
		if optional {
			should = append(should, query.All{}) // adds the same to every score
		}
		nodes = append(nodes, anyOf(should))
	}
	for _, n := range parts["must_not"] {
		nodes = append(nodes, query.Not{Node: n})
	}
	if len(nodes) == 0 {
		return query.All{}, nil
	}
	return all(nodes), nil
}

// list translates one query or a list of them.
func (t *translator) list(text json.RawMessage) ([]query.Node, error) {
	if text == nil {
		return nil, nil
	}
	list := []json.RawMessage{text}
	if text[0] == '[' {
		if err := json.Unmarshal(text, &list); err != nil {
			return nil, parsing("[bool] needs a query or a list of queries")
		}
	}
	nodes := make([]query.Node, len(list))
	for i, one := range list {
		var err error
		if nodes[i], err = t.node(one); err != nil {
			return nil, err
		}
	}
	return nodes, nil
}

func (t *translator) constantScore(body json.RawMessage) (query.Node, error) {
	m, err := object(body, "constant_score")
	if err != nil {
		return nil, err
	}
	if err := only(m, "constant_score", "filter"); err != nil {
		return nil, err
	}
	if m["filter"] == nil {
		return nil, parsing("[constant_score] needs [filter]")
	}
	n, err := t.node(m["filter"])
	if err != nil {
		return nil, err
	}
	return unscored(n), nil
}
