package dsl

import (
	"bytes"
	"encoding/json"

	"indexerd/internal/index/query"
	"indexerd/internal/serve/osapi/input"
)

// all returns a query for what all nodes match.
func all(nodes []query.Node) query.Node { return several(nodes, query.And{Nodes: nodes}) }

// anyOf returns a query for what any node matches.
func anyOf(nodes []query.Node) query.Node { return several(nodes, query.Or{Nodes: nodes}) }

// disMax returns a query for what any node matches, with the best of the scores and a part
// of the others.
func disMax(nodes []query.Node, tie float64) query.Node {
	return several(nodes, query.DisMax{Nodes: nodes, Tie: tie})
}

// several returns a query of some nodes: the only one of one, and nothing of none.
func several(nodes []query.Node, n query.Node) query.Node {
	switch len(nodes) {
	case 0:
		return query.None()
	case 1:
		return nodes[0]
	}
	return n
}

// Filtered returns a query that matches the same, and adds nothing to a score.
func Filtered(n query.Node) query.Node { return query.Constant{Node: n} }

// A boolQuery is the parts of a bool query.
type boolQuery struct{ must, filter, should, mustNot []query.Node }

// bool translates a bool query. Without must and filter, one of should has to match;
// otherwise should only adds to the score, unless minimum_should_match is given.
func (t *Translator) bool(body json.RawMessage) (query.Node, error) {
	o := readOptions("bool", body, "must", "filter", "should", "must_not", "minimum_should_match", "adjust_pure_negative")
	if o.err != nil {
		return nil, o.err
	}
	var b boolQuery
	for _, part := range []struct { // in the order in which names of queries count
		name string
		to   *[]query.Node
	}{{"must", &b.must}, {"must_not", &b.mustNot}, {"should", &b.should}, {"filter", &b.filter}} {
		nodes, err := t.list(part.name, o.m[part.name])
		if err != nil {
			return nil, err
		}
		*part.to = nodes
	}
	least, given := o.minimum()
	if !o.flag("adjust_pure_negative", true) && len(b.must)+len(b.filter)+len(b.should) == 0 && len(b.mustNot) > 0 {
		return o.boosted(query.None(), nil)
	}
	return o.boosted(b.node(least, given), nil)
}

func (b boolQuery) node(least query.Minimum, given bool) query.Node {
	nodes := b.must
	for _, n := range b.filter {
		nodes = append(nodes, Filtered(n))
	}
	optional := len(nodes) > 0
	wanted := 0
	if given {
		wanted = least.Of(len(b.should))
	}
	switch n := len(b.should); {
	case n == 0 && len(nodes)+len(b.mustNot) == 0:
		return query.All{}
	case wanted > n && n+len(nodes) > 0:
		return query.None()
	case n == 0:
	case wanted == 0 && optional:
		nodes = append(nodes, query.Optional{Nodes: b.should})
	default:
		nodes = append(nodes, query.AtLeast{Nodes: b.should, Least: query.Exactly(max(1, wanted))})
	}
	if len(nodes) == 0 {
		nodes = []query.Node{Filtered(query.All{})}
	}
	for _, n := range b.mustNot {
		nodes = append(nodes, query.Not{Node: n})
	}
	return all(nodes)
}

// list reads a query or a list of them.
func (t *Translator) list(name string, text json.RawMessage) ([]query.Node, error) {
	if text == nil {
		return nil, nil
	}
	list := input.List(text)
	nodes := make([]query.Node, len(list))
	for i, one := range list {
		var err error
		if one = bytes.TrimSpace(one); one[0] != '{' && name != "dis_max" {
			return nil, input.Error(input.UnknownKey, "[bool] %s is not a query or a list of queries", name)
		}
		if nodes[i], err = t.Node(one); err != nil {
			return nil, err
		}
	}
	return nodes, nil
}

// inner translates a query that is an option of another one.
func (t *Translator) inner(o *options, name string) (query.Node, error) {
	if !o.has(name) {
		return nil, input.ParsingError("[%s] requires a '%s' element", o.query, name)
	}
	return t.Node(o.m[name])
}

func (t *Translator) constantScore(body json.RawMessage) (query.Node, error) {
	o := readOptions("constant_score", body, "filter")
	if o.err != nil {
		return nil, o.err
	}
	n, err := t.inner(o, "filter")
	if err != nil {
		return nil, err
	}
	return o.boosted(Constant(n), nil)
}

func (t *Translator) disMax(body json.RawMessage) (query.Node, error) {
	o := readOptions("dis_max", body, "queries", "tie_breaker")
	if o.err != nil {
		return nil, o.err
	}
	nodes, err := t.list("dis_max", o.m["queries"])
	if err != nil {
		return nil, err
	}
	tie := o.float("tie_breaker", 0)
	if len(nodes) == 0 {
		o.failAs("parsing_exception", "requires 'queries' field with at least one clause")
	}
	return o.boosted(disMax(nodes, tie), nil)
}
