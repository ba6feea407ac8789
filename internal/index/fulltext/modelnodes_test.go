package fulltext

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"pgregory.net/rapid"

	"indexerd/internal/index/query"
)

// modelPatterns are texts of a query.Pattern, each with a regular expression that
// means the same.
var modelPatterns = map[query.PatternKind][][2]string{
	query.Exact:     {{"mad", "mad"}, {"MAD", "MAD"}, {"a", "a"}, {"武", "武"}, {"the", "the"}},
	query.Beginning: {{"ma", "ma.*"}, {"", ".*"}, {"Ma", "Ma.*"}, {"今", "今.*"}},
	query.Wildcard:  {{"m*n", "m.*n"}, {"?a", ".a"}, {"*", ".*"}, {"m?d*", "m.d.*"}, {`\*`, `\*`}, {"**a?", ".*a."}},
	query.Regexp:    {{"m.*n", "m.*n"}, {"ma|mad", "ma|mad"}, {"[^m].*", "[^m].*"}, {"@a@", ".*a.*"}, {"#", `x\by`}, {`m"a"{1,2}(d|n)?`, "ma{1,2}(d|n)?"}, {"M..", "M.."}},
}

// drawOther draws a node that combines scores or searches terms.
func drawOther(t *rapid.T, depth int, slop bool) query.Node {
	nodes := func() (all []query.Node) {
		for range rapid.IntRange(1, 3).Draw(t, "n") {
			all = append(all, drawNode(t, depth-1, slop))
		}
		return all
	}
	if depth == 0 || rapid.Bool().Draw(t, "of terms") {
		return drawTerms(t, slop)
	}
	switch rapid.IntRange(0, 6).Draw(t, "combined") {
	case 0:
		least, err := query.ParseMinimum(rapid.SampledFrom([]string{"0", "1", "2", "3", "-1", "50%", "-40%", "2<-1", "1<50% 2<2"}).Draw(t, "least"))
		if err != nil {
			t.Fatal(err)
		}
		return query.AtLeast{Nodes: nodes(), Least: least}
	case 1:
		return query.Optional{Nodes: nodes()}
	case 2:
		return query.DisMax{Nodes: nodes(), Tie: rapid.SampledFrom([]float64{0, 0.3, 1}).Draw(t, "tie")}
	case 3:
		return query.Boosted{Node: drawNode(t, depth-1, slop), Factor: rapid.SampledFrom([]float64{0, 0.5, 1, 3}).Draw(t, "factor")}
	case 4:
		return drawReweighted(t, depth, slop)
	case 5:
		return query.Constant{Node: drawNode(t, depth-1, slop), Score: rapid.SampledFrom([]float64{0, 1, 2.5}).Draw(t, "score")}
	}
	return query.Searched{Node: drawNode(t, depth-1, slop), Else: rapid.SampledFrom([]query.Node{query.All{}, query.None()}).Draw(t, "else")}
}

func drawReweighted(t *rapid.T, depth int, slop bool) query.Node {
	modes := []query.Mode{query.Multiply, query.Sum, query.Average, query.Least, query.Greatest}
	n := query.Reweighted{Node: drawNode(t, depth-1, slop), Mode: rapid.SampledFrom(append(modes, query.First)).Draw(t, "mode"), Combine: rapid.SampledFrom(append(modes, query.Replace)).Draw(t, "combine"), Most: rapid.SampledFrom([]float64{0, 2}).Draw(t, "most")}
	for range rapid.IntRange(1, 2).Draw(t, "functions") {
		f := query.Function{Weight: rapid.SampledFrom([]float64{0, 0.5, 1, 3}).Draw(t, "weight")}
		if rapid.Bool().Draw(t, "filtered function") {
			f.Filter = drawNode(t, depth-1, slop)
		}
		if rapid.Bool().Draw(t, "of years") {
			missing := 2.0
			f.Value = &query.FieldFunction{Field: "year", Curve: rapid.SampledFrom([]query.Curve{query.Factor, query.Gauss, query.Exp, query.Linear}).Draw(t, "curve"), Factor: 1, Modify: "square", Missing: &missing, Origin: 1, Scale: 2, Decay: 0.5}
		}
		n.Functions = append(n.Functions, f)
	}
	return n
}

// drawTerms draws a node that searches terms. The model knows those of tags, and with
// words also those of texts.
func drawTerms(t *rapid.T, words bool) query.Node {
	field := "tags"
	if words {
		field = rapid.SampledFrom([]string{"tags", "title", "body", "cast"}).Draw(t, "field of terms")
	}
	switch kind := rapid.IntRange(0, 4).Draw(t, "terms"); {
	case kind == 0:
		return query.Has{Field: rapid.SampledFrom([]string{"tags", "year", "title", "body", "cast"}).Draw(t, "has")}
	case kind == 1 && words && field != "tags":
		return query.PhrasePrefix{Field: field, Text: drawText(t, "phrase"), Slop: rapid.IntRange(0, 2).Draw(t, "slop")}
	case kind == 2:
		n := query.Similar{Field: field, Text: rapid.SampledFrom(append([]string{"amd", "mdman", "b"}, modelWords...)).Draw(t, "similar"), NoSwaps: rapid.Bool().Draw(t, "no swaps"), Prefix: rapid.IntRange(0, 2).Draw(t, "same")}
		n.Edits = rapid.SampledFrom([]query.Edits{{}, {Most: 1}, {Most: 2}, {Low: 3, High: 6}, {Low: 1, High: 4}}).Draw(t, "edits")
		n.Words = rapid.Bool().Draw(t, "analyzed")
		return n
	}
	if rapid.Bool().Draw(t, "several") {
		return query.AnyTerm{Field: field, Texts: rapid.SliceOfN(rapid.SampledFrom(slices.Concat(modelTags, modelWords)), 0, 3).Draw(t, "any")}
	}
	kind := rapid.SampledFrom([]query.PatternKind{query.Exact, query.Beginning, query.Wildcard, query.Regexp}).Draw(t, "pattern")
	text := rapid.SampledFrom(modelPatterns[kind]).Draw(t, "text")[0]
	return query.Pattern{Field: field, Kind: kind, Text: text, Fold: rapid.Bool().Draw(t, "fold")}
}

// matchesOther is matches for these nodes.
func (m *model) matchesOther(n query.Node, d modelDoc) (yes, ignored bool) {
	switch n := n.(type) {
	case query.AtLeast:
		return m.atLeast(n, d)
	case query.Optional:
		_, ignored = m.matches(query.Or(n), d)
		return true, ignored
	case query.DisMax:
		return m.matches(query.Or{Nodes: n.Nodes}, d)
	case query.Boosted:
		return m.matches(n.Node, d)
	case query.Constant:
		return m.matches(n.Node, d)
	case query.Reweighted:
		return m.matches(n.Node, d)
	case query.Searched:
		if yes, ignored = m.matches(n.Node, d); ignored {
			return m.matches(n.Else, d)
		}
		return yes, false
	case query.Has:
		return m.has(n, d), false
	case query.PhrasePrefix:
		words := m.trim(m.words(n.Text))
		return m.anyText(n.Field, words, d, func(text, words []string) bool { return m.nearPrefix(text, words, n.Slop, nil) })
	case query.Similar:
		return m.similar(n, d)
	case query.Pattern:
		return m.pattern(n, d), false
	case query.AnyTerm:
		return slices.ContainsFunc(m.terms(n.Field, d), func(term string) bool { return slices.Contains(n.Texts, term) }), false
	}
	panic("an unknown node")
}

func (m *model) atLeast(n query.AtLeast, d modelDoc) (yes, ignored bool) {
	matched, searched := 0, 0
	for _, c := range n.Nodes {
		switch y, i := m.matches(c, d); {
		case i:
		case y:
			matched++
			searched++
		default:
			searched++
		}
	}
	if searched == 1 {
		return matched == 1, false
	}
	return matched >= max(1, n.Least.Of(searched)), searched == 0
}

// terms returns the terms of a field.
func (m *model) terms(field string, d modelDoc) (terms []string) {
	if field == "tags" {
		return d.tags
	}
	for _, text := range d.texts(field) {
		terms = append(terms, m.words(text)...)
	}
	return slices.DeleteFunc(terms, func(w string) bool { return m.stop[w] })
}

func (m *model) has(n query.Has, d modelDoc) bool {
	if n.Field == "year" {
		return d.year != nil
	}
	return len(m.terms(n.Field, d)) > 0
}

func (m *model) pattern(n query.Pattern, d modelDoc) bool {
	i := slices.IndexFunc(modelPatterns[n.Kind], func(p [2]string) bool { return p[0] == n.Text })
	expression := "^(" + modelPatterns[n.Kind][i][1] + ")$"
	if n.Fold {
		expression = "(?i)" + expression
	}
	return slices.ContainsFunc(m.terms(n.Field, d), regexp.MustCompile(expression).MatchString)
}

func (m *model) similar(n query.Similar, d modelDoc) (yes, ignored bool) {
	words := []string{n.Text}
	if n.Words && n.Field != "tags" {
		words = slices.DeleteFunc(m.words(n.Text), func(w string) bool { return m.stop[w] })
	}
	for _, word := range words {
		edits := n.Edits.Of(utf8.RuneCountInString(word))
		same := []rune(word)[:min(n.Prefix, utf8.RuneCountInString(word))]
		like := func(term string) bool {
			distance := fewestEdits([]rune(word), []rune(term))
			if n.NoSwaps {
				distance = fewestChanges([]rune(word), []rune(term))
			}
			return distance <= edits && strings.HasPrefix(term, string(same))
		}
		if !slices.ContainsFunc(m.terms(n.Field, d), like) {
			return false, false
		}
	}
	return true, len(words) == 0
}

// fewestChanges is fewestEdits without exchanged letters.
func fewestChanges(a, b []rune) int {
	if len(a) == 0 || len(b) == 0 {
		return len(a) + len(b)
	}
	if a[0] == b[0] {
		return fewestChanges(a[1:], b[1:])
	}
	return 1 + min(fewestChanges(a[1:], b[1:]), fewestChanges(a[1:], b), fewestChanges(a, b[1:]))
}

// nearPrefix is near for a phrase whose last word is the beginning of a word.
func (m *model) nearPrefix(text, words []string, slop int, taken []int) bool {
	var ends []string
	for _, word := range text {
		if strings.HasPrefix(word, words[len(words)-1]) && !m.stop[word] && !slices.Contains(ends, word) {
			ends = append(ends, word)
		}
	}
	return slices.ContainsFunc(ends, func(end string) bool {
		return m.near(text, append(slices.Clone(words[:len(words)-1]), end), slop, taken)
	})
}

// needed returns the parts of an And: if some are ignored and only optional ones are
// left, these are not optional.
func (m *model) needed(nodes []query.Node) []query.Node {
	var left []query.Node
	optional := true
	for _, n := range nodes {
		if _, ignored := m.matches(n, modelDoc{}); ignored {
			continue
		}
		not, excluded := n.(query.Not)
		if excluded {
			_, ignored := m.matches(not.Node, modelDoc{})
			excluded = !ignored
		}
		if o, ok := n.(query.Optional); ok {
			n = query.Or(o)
		} else {
			optional = optional && excluded
		}
		left = append(left, n)
	}
	if len(left) == len(nodes) || !optional {
		return nodes
	}
	return left
}
