package query

import "slices"

// A Match is how many of its words a document must have to match a query. It
// concerns the words that stand by themselves: not phrases, words in a field,
// exclusions, or what is in parentheses with an OR.
type Match string

// The values of Match. The zero Match is MatchAll.
const (
	MatchAll  Match = "all"
	MatchMost Match = "most" // 70 %, rounded
	MatchAny  Match = "any"
)

// mostPercent is the share of words for MatchMost.
const mostPercent = 70

// Most returns how many of n words are most of them: 1 of 2, 2 of 3, 3 of 4, 4 of 5.
func Most(n int) int { return (n*mostPercent + 50) / 100 }

// Matches returns the values of Match.
func Matches() []string { return []string{string(MatchAll), string(MatchMost), string(MatchAny)} }

// A Relevance is how hits are ordered by score.
type Relevance string

// The values of Relevance.
const (
	Plain Relevance = "plain" // each field adds the BM25 score of each word
	Tuned Relevance = "tuned" // see Request.Tuned

	// Lucene is Plain with the scores of Lucene, see Request.Lucene. Users can't ask
	// for it.
	Lucene Relevance = "lucene"
)

// Relevances returns the values of Relevance that users can ask for.
func Relevances() []string { return []string{string(Tuned), string(Plain)} }

// In returns the query that finds the documents with so many words of a query. It
// reports whether that is another query.
func (m Match) In(n Node) (Node, bool) {
	and, ok := n.(And)
	if !ok || m != MatchMost && m != MatchAny {
		return n, false
	}
	var words, rest []Node
	for _, c := range and.Nodes {
		if free(c) {
			words = append(words, c)
		} else {
			rest = append(rest, c)
		}
	}
	if len(words) < 2 {
		return n, false
	}
	some := Node(Or{words})
	if m == MatchMost {
		some = Some{words}
	}
	if len(rest) == 0 {
		return some, true
	}
	return And{append(slices.Clip(rest), some)}, true
}

// free reports whether a part of a query is a word that stands by itself.
func free(n Node) bool {
	switch n := n.(type) {
	case Word:
		return n.Field == ""
	case Prefix:
		return n.Field == ""
	case Fuzzy:
		return n.Field == ""
	}
	return false
}
