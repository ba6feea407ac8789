package words

import (
	"slices"
	"strings"

	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
)

// Synonyms replace words of queries. Words are compared as the index has them: with
// analyzer en, cars has the synonyms of car. Where several fit, the one of most words
// counts. Words in quotes, prefixes, similar spellings and values have none.
type Synonyms struct {
	schema  *schema.Schema
	rules   map[string][]string // from the key of a word or phrase to what it finds
	longest int                 // terms of a key
}

// NewSynonyms returns synonyms for queries of a table, nil if there are none.
func NewSynonyms(s *schema.Schema, all []query.Synonyms) *Synonyms {
	sy := &Synonyms{schema: s, rules: map[string][]string{}}
	for _, rule := range all {
		for _, from := range rule.From {
			terms := sy.terms(from)
			if len(terms) == 0 {
				continue
			}
			sy.longest = max(sy.longest, len(terms))
			key := keyOf(terms)
			sy.rules[key] = append(sy.rules[key], rule.To...)
		}
	}
	if len(sy.rules) == 0 {
		return nil
	}
	return sy
}

// terms returns the terms of the words of a text. A query has one word after the other,
// so each is analyzed by itself.
func (sy *Synonyms) terms(text string) (terms []string) {
	for _, word := range strings.Fields(text) {
		terms = append(terms, Analyzer{sy.schema.Analysis}.Keys(word)...)
	}
	return terms
}

func keyOf(terms []string) string { return strings.Join(terms, " ") }

// Expand returns a query with the synonyms of its words. Each word of a phrase that has
// synonyms gets them: a document with one of them has both words.
func (sy *Synonyms) Expand(n query.Node) (query.Node, error) {
	e := expansion{Synonyms: sy}
	n = e.node(n)
	if e.texts > query.MaxSynonyms {
		return nil, query.Errorf("search for fewer words", "with its synonyms the query stands for more than %d words and phrases", query.MaxSynonyms)
	}
	return n, nil
}

// An expansion counts the texts of all synonyms of a query.
type expansion struct {
	*Synonyms
	texts int
}

func (e *expansion) node(n query.Node) query.Node {
	switch n := n.(type) {
	case query.And:
		return query.And{Nodes: e.list(n.Nodes)}
	case query.Or:
		return query.Or{Nodes: e.list(n.Nodes)}
	case query.Some:
		return query.Some{Nodes: e.list(n.Nodes)}
	case query.Not:
		return query.Not{Node: e.node(n.Node)}
	case query.Word:
		return e.list([]query.Node{n})[0]
	}
	return n
}

// list expands the words that follow one another in a list.
func (e *expansion) list(nodes []query.Node) []query.Node {
	expanded := make([]query.Node, 0, len(nodes))
	for len(nodes) > 0 {
		n, to := e.longestRule(nodes)
		switch _, word := nodes[0].(query.Word); {
		case n > 0:
			key := keyOf(e.termsOf(nodes[:n]))
			for _, word := range nodes[:n] {
				expanded = append(expanded, e.replace(word, key, to))
			}
		case word:
			n, expanded = 1, append(expanded, nodes[0])
		default:
			n, expanded = 1, append(expanded, e.node(nodes[0]))
		}
		nodes = nodes[n:]
	}
	return expanded
}

// termsOf returns the terms of words.
func (e *expansion) termsOf(words []query.Node) (terms []string) {
	for _, n := range words {
		w, _ := e.wordOf(n)
		terms = append(terms, e.terms(w.Text)...)
	}
	return terms
}

// longestRule returns how many of the first nodes are words that have synonyms together,
// and what these words find.
func (e *expansion) longestRule(nodes []query.Node) (n int, to []string) {
	first, _ := e.wordOf(nodes[0])
	for i, node := range nodes {
		w, ok := e.wordOf(node)
		terms := e.termsOf(nodes[:i+1])
		if !ok || w.Field != first.Field || len(terms) > e.longest {
			break
		}
		if texts := e.rules[keyOf(terms)]; len(texts) > 0 {
			n, to = i+1, texts
		}
	}
	return n, to
}

// wordOf returns a word of the content, also one that is being typed.
func (e *expansion) wordOf(n query.Node) (query.Word, bool) {
	if or, ok := n.(query.Or); ok && len(or.Nodes) == 2 {
		if w, ok := or.Nodes[0].(query.Word); ok && or.Nodes[1] == query.Node(query.Prefix(w)) {
			n = w
		}
	}
	w, ok := n.(query.Word)
	return w, ok && (w.Field == "" || slices.Contains(e.schema.Texts, w.Field))
}

// replace returns a word with what the rule of a key finds. If that is the key too, the
// word itself is found.
func (e *expansion) replace(n query.Node, key string, to []string) query.Node {
	if or, ok := n.(query.Or); ok {
		return query.Or{Nodes: []query.Node{e.replace(or.Nodes[0], key, to), or.Nodes[1]}}
	}
	s, seen := query.Synonym{Word: n.(query.Word)}, map[string]bool{}
	for _, text := range to {
		k := keyOf(e.terms(text))
		switch {
		case k == "" || seen[k]:
			continue
		case k == key:
			s.Texts = append([]string{s.Text}, s.Texts...)
		default:
			s.Texts = append(s.Texts, text)
		}
		seen[k] = true
	}
	e.texts += len(s.Texts)
	return s
}
