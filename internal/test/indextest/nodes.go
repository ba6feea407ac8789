package indextest

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/query"
)

var nodeBehaviours = []behaviour{
	{"each node finds the documents that it describes", true, nodesFind},
	{"scores are constant, boosted, summed and chosen as a query says", true, nodesScore},
	{"the weight of a column multiplies the scores of what is found in it", true, columnWeights},
	{"a limit of similar terms and of beginnings keeps the most similar and the first ones", true, nodesLimit},
}

// catalogue writes documents with keys 1, 2, 3 ...
func (r *run) catalogue(titles ...string) {
	r.Helper()
	var puts []doc.Doc
	for i, title := range titles {
		d := film(key(int64(i+1)), doc.Version(i+1), title)
		d.Row = row(title, int64(2001+i))
		puts = append(puts, d)
	}
	r.apply(r, puts)
}

// keys returns the keys of the hits with a score for each, in the order of keys.
func (r *run) keys(n query.Node) (keys []string, scores map[string]float64) {
	r.Helper()
	result, err := r.ix.(Searcher).Search(r.Context(), query.Request{Query: n, Size: query.MaxSize})
	if err != nil {
		r.Fatalf("%v: %v", n, err)
	}
	scores = map[string]float64{}
	for _, h := range result.Hits {
		keys, scores[h.OID.String()] = append(keys, h.OID.String()), h.Score
	}
	slices.Sort(keys)
	if int(result.Total) != len(keys) {
		r.Errorf("%v: got a total of %d and %d hits", n, result.Total, len(keys))
	}
	return keys, scores
}

func word(text string) query.Node { return query.Word{Field: "title", Text: text} }

func words(texts ...string) (nodes []query.Node) {
	for _, text := range texts {
		nodes = append(nodes, word(text))
	}
	return nodes
}

func pattern(kind query.PatternKind, text string, fold bool) query.Node {
	return query.Pattern{Field: "title", Kind: kind, Text: text, Fold: fold}
}

func nodesFind(r *run) {
	r.catalogue("quiet harbour", "quiet river", "loud river bend", "harbor", "", "Rover")
	similar := func(text string, n query.Similar) query.Node {
		n.Field, n.Text = "title", text
		return n
	}
	two, least := query.Exactly(2), func(text string) query.Minimum {
		m, err := query.ParseMinimum(text)
		if err != nil {
			r.Fatal(err)
		}
		return m
	}
	for _, c := range []struct {
		node query.Node
		want string
	}{
		{query.AtLeast{Nodes: words("quiet", "river", "bend"), Least: two}, "2 3"},
		{query.AtLeast{Nodes: words("quiet", "river", "bend"), Least: least("-1")}, "2 3"},
		{query.AtLeast{Nodes: words("quiet", "river", "bend"), Least: least("40%")}, "1 2 3"},
		{query.AtLeast{Nodes: words("quiet"), Least: two}, "1 2"},
		{query.AtLeast{Nodes: words("quiet", "river"), Least: query.Exactly(3)}, ""},
		{query.Optional{Nodes: words("quiet")}, "1 2 3 4 5 6"},
		{query.DisMax{Nodes: words("quiet", "bend")}, "1 2 3"},
		{query.Boosted{Node: word("quiet"), Factor: 2}, "1 2"},
		{query.Constant{Node: word("quiet"), Score: 2}, "1 2"},
		{query.Searched{Node: word("..."), Else: query.All{}}, "1 2 3 4 5 6"},
		{query.Searched{Node: word("..."), Else: query.None()}, ""},
		{query.Searched{Node: word("quiet"), Else: query.All{}}, "1 2"},
		{pattern(query.Exact, "rover", false), "6"},
		{pattern(query.Exact, "Rover", false), ""},
		{pattern(query.Exact, "ROVER", true), "6"},
		{pattern(query.Beginning, "ri", false), "2 3"},
		{pattern(query.Beginning, "RI", false), ""},
		{pattern(query.Beginning, "RI", true), "2 3"},
		{pattern(query.Wildcard, "r?ver", false), "2 3 6"},
		{pattern(query.Wildcard, "harb*r", false), "1 4"},
		{pattern(query.Wildcard, "*", false), "1 2 3 4 6"},
		{pattern(query.Wildcard, `harb\*`, false), ""},
		{pattern(query.Regexp, "r[io]ver|bend", false), "2 3 6"},
		{pattern(query.Regexp, "harbou?r", false), "1 4"},
		{pattern(query.Regexp, "harb", false), ""},
		{pattern(query.Regexp, "R.*", true), "2 3 6"},
		{query.Pattern{Field: "year", Kind: query.Exact, Text: "2003"}, "3"},
		{similar("harbor", query.Similar{Edits: query.Edits{Most: 1}}), "1 4"},
		{similar("harbor", query.Similar{}), "4"},
		{similar("hrabor", query.Similar{Edits: query.Edits{Most: 1}}), "4"},
		{similar("hrabor", query.Similar{Edits: query.Edits{Most: 1}, NoSwaps: true}), ""},
		{similar("river", query.Similar{Edits: query.Edits{Low: 3, High: 6}}), "2 3 6"},
		{similar("river", query.Similar{Edits: query.Edits{Low: 3, High: 6}, Prefix: 2}), "2 3"},
		{similar("Rover", query.Similar{Words: true}), "6"},
		{similar("Rover", query.Similar{}), ""},
		{query.PhrasePrefix{Field: "title", Text: "har"}, "1 4"},
		{query.Has{Field: "title"}, "1 2 3 4 6"},
		{query.Has{Field: "year"}, "1 2 3 4 5 6"},
	} {
		if got, _ := r.keys(c.node); strings.Join(got, " ") != c.want {
			r.Errorf("%v: got %v, want %s", c.node, got, c.want)
		}
	}
}

func nodesScore(r *run) {
	r.catalogue("a", "a b", "a b c", "d")
	score := func(text string, points float64) query.Node { return query.Constant{Node: word(text), Score: points} }
	a, b, c := score("a", 1), score("b", 2), score("c", 4)
	weights := []query.Function{{Filter: b, Weight: 3}, {Filter: word("c"), Weight: 5}}
	for _, test := range []struct {
		node query.Node
		want string
	}{
		{a, "1=1 2=1 3=1"},
		{query.Boosted{Node: b, Factor: 3}, "2=6 3=6"},
		{query.Boosted{Node: query.All{}, Factor: 3}, "1=3 2=3 3=3 4=3"},
		{query.Boosted{Node: query.Boosted{Node: b, Factor: 3}, Factor: 0.5}, "2=3 3=3"},
		{query.Or{Nodes: []query.Node{a, b, c}}, "1=1 2=3 3=7"},
		{query.And{Nodes: []query.Node{a, b}}, "2=3 3=3"},
		{query.And{Nodes: []query.Node{a, query.Constant{Node: b, Score: 0}}}, "2=1 3=1"},
		{query.AtLeast{Nodes: []query.Node{a, b, c}, Least: query.Exactly(2)}, "2=3 3=7"},
		{query.Optional{Nodes: []query.Node{b}}, "1=0 2=2 3=2 4=0"},
		{query.DisMax{Nodes: []query.Node{a, b, c}}, "1=1 2=2 3=4"},
		{query.DisMax{Nodes: []query.Node{a, b, c}, Tie: 0.5}, "1=1 2=2.5 3=5.5"},
		{query.Constant{Node: query.Or{Nodes: []query.Node{a, b}}, Score: 9}, "1=9 2=9 3=9"},
		{query.Constant{Node: query.Not{Node: a}, Score: 0}, "4=0"},
		{query.Searched{Node: b, Else: c}, "2=2 3=2"},
		{query.Reweighted{Node: a, Functions: weights, Mode: query.Multiply, Combine: query.Multiply}, "1=1 2=3 3=15"},
		{query.Reweighted{Node: a, Functions: weights, Mode: query.Sum, Combine: query.Sum}, "1=2 2=4 3=9"},
		{query.Reweighted{Node: a, Functions: weights, Mode: query.Average, Combine: query.Replace}, "1=1 2=1 3=1"},
		{query.Reweighted{Node: a, Functions: weights, Mode: query.First, Combine: query.Greatest}, "1=1 2=3 3=3"},
		{query.Reweighted{Node: a, Functions: weights, Mode: query.Greatest, Combine: query.Replace, Most: 4}, "1=1 2=3 3=4"},
		{query.Boosted{Node: query.Reweighted{Node: a, Functions: weights, Mode: query.Least, Combine: query.Average}, Factor: 2}, "1=1.5 2=2.5 3=2.5"},
	} {
		keys, scores := r.keys(test.node)
		got := ""
		for _, k := range keys {
			got += fmt.Sprintf(" %s=%g", k, math.Round(scores[k]*1000)/1000)
		}
		if strings.TrimSpace(got) != test.want {
			r.Errorf("%v: got%s, want %s", test.node, got, test.want)
		}
	}
}

func columnWeights(r *run) {
	r.catalogue("a shark", "two sharks and a shark", "a whale")
	for _, n := range []query.Node{
		query.Word{Text: "shark"}, word("shark"), query.Prefix{Text: "sha"}, query.Fuzzy{Text: "shork", Edits: 1},
		query.And{Nodes: []query.Node{query.Word{Text: "a"}, query.Word{Text: "shark"}}},
	} {
		var scores [2]map[doc.OID]float64
		for i, weights := range []map[string]float64{nil, {"title": 2.5}} {
			result, err := r.ix.(Searcher).Search(r.Context(), query.Request{Query: n, Size: query.MaxSize, Boosts: weights})
			if err != nil {
				r.Fatalf("%v: %v", n, err)
			}
			scores[i] = map[doc.OID]float64{}
			for _, h := range result.Hits {
				scores[i][h.OID] = h.Score
			}
		}
		if len(scores[0]) != 2 || len(scores[1]) != 2 {
			r.Errorf("%v: got %v, with a weight %v, want two hits", n, scores[0], scores[1])
		}
		for oid, score := range scores[0] {
			if got, want := scores[1][oid], 2.5*score; math.Abs(got-want) > want/1e5 {
				r.Errorf("%v: got the score %g of %s with a weight, want %g", n, got, oid, want)
			}
		}
	}
}

func nodesLimit(r *run) {
	r.catalogue("rivera", "river", "rivet", "riven", "rivers")
	for _, c := range []struct {
		node query.Node
		want string
	}{
		{query.PhrasePrefix{Field: "title", Text: "riv", Most: 1}, "4"},
		{query.PhrasePrefix{Field: "title", Text: "riv", Most: 3}, "1 2 4"},
		{query.Similar{Field: "title", Text: "river", Edits: query.Edits{Most: 1}, Most: 1}, "2"},
		{query.Similar{Field: "title", Text: "river", Edits: query.Edits{Most: 1}, Most: 2}, "2 4"},
		{query.Similar{Field: "title", Text: "river", Edits: query.Edits{Most: 1}, Most: 9}, "1 2 3 4 5"},
	} {
		if got, _ := r.keys(c.node); strings.Join(got, " ") != c.want {
			r.Errorf("%v: got %v, want %s", c.node, got, c.want)
		}
	}
}
