package opensearch

import (
	"indexerd/internal/index/query"
)

// other returns a node that combines scores or searches terms.
func (d *differential) other(field string, depth int, few func() []query.Node) query.Node {
	switch d.IntN(5 + 7*min(depth, 1)) {
	case 0, 1:
		return d.pattern()
	case 2:
		n := query.Similar{Field: pick(d, []string{"title", "body", "tags"}), Text: pick(d, vocabulary), Prefix: d.IntN(2), NoSwaps: d.IntN(2) == 0, Words: d.IntN(2) == 0}
		if n.Edits = (query.Edits{Most: d.IntN(3)}); d.IntN(2) == 0 {
			n.Edits = query.Edits{Low: 3, High: 6}
		}
		return n
	case 3:
		if field == "" {
			field = "body"
		}
		return query.PhrasePrefix{Field: field, Text: d.words(1, 3), Slop: max(0, d.IntN(6)-3), Most: 1000}
	case 4:
		return query.Has{Field: pick(d, []string{"title", "body", "cast", "tags", "year"})}
	case 5:
		least, _ := query.ParseMinimum(pick(d, []string{"0", "1", "2", "3", "-1", "50%", "-40%", "2<-1"})) // they are valid
		return query.AtLeast{Nodes: few(), Least: least}
	case 6:
		return query.Optional{Nodes: few()}
	case 7:
		return query.DisMax{Nodes: few(), Tie: 0.5}
	case 8:
		return query.Boosted{Node: d.node(depth - 1), Factor: 2}
	case 9:
		return query.Reweighted{Node: d.node(depth - 1), Functions: []query.Function{{Filter: d.node(depth - 1), Weight: 2}}, Mode: query.Sum, Combine: query.Multiply}
	case 10:
		return query.Constant{Node: d.node(depth - 1), Score: float64(d.IntN(3))}
	}
	return query.Searched{Node: d.node(depth - 1), Else: query.All{}}
}

func (d *differential) pattern() query.Node {
	n := query.Pattern{Field: pick(d, []string{"title", "body", "cast", "tags"}), Fold: d.IntN(2) == 0}
	switch d.IntN(5) {
	case 4:
		any := query.AnyTerm{Field: n.Field}
		for range d.IntN(4) {
			any.Texts = append(any.Texts, pick(d, append(tags, vocabulary...)))
		}
		return query.Constant{Node: any, Score: 1}
	case 0:
		n.Kind, n.Text = query.Exact, pick(d, append(tags, vocabulary...))
	case 1:
		n.Kind, n.Text = query.Beginning, firstRunes(pick(d, append(tags, vocabulary...)), 1+d.IntN(3))
	case 2:
		n.Kind, n.Text = query.Wildcard, pick(d, []string{"*", "?a*", "*a?", "m*n", `\*`, "S*", "*武*", "a\\"})
	default:
		n.Kind, n.Text = query.Regexp, pick(d, []string{"m.*", "[a-m]+", "[^a]*", "(s|m)[a-z]{2,4}", "@a@", "#", `"a"?.*`, "S.+", "武.?", `\w+`, ".*[0-9]", "~x", `a\-b`})
	}
	return n
}
