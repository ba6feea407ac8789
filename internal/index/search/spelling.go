package search

import (
	"context"
	"errors"
	"html"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"indexerd/internal/base/nearest"
	"indexerd/internal/index/query"
)

// maxSpelt is the number of words of a query up to which their spelling is looked at,
// and speltHits how many documents with similar words are read for each.
const (
	maxSpelt  = 8
	speltHits = 5
)

// A speller replaces words that no document has by similar words that are in the text
// of a document. It searches as the caller, so it reveals no word of a document that
// the caller may not see. The words are as they are written there, also where the
// index has stems. It costs a search for each word of the query, and another one for
// each that is not found.
type speller struct {
	search searchFunc
	caller Caller
}

// respell returns a query with other spellings, the same if no word has one.
func (s speller) respell(ctx context.Context, n query.Node) (_ query.Node, err error) {
	words := map[string]string{} // the spelling of each word
	eachIncluded(n, func(n query.Node) query.Node {
		if w, ok := n.(query.Word); ok && w.Field == "" {
			words[w.Text] = w.Text
		}
		return n
	})
	if len(words) > maxSpelt {
		return n, nil
	}
	for word := range words {
		if words[word], err = s.similar(ctx, word); err != nil {
			return n, err
		}
	}
	return eachIncluded(n, func(n query.Node) query.Node {
		if w, ok := n.(query.Word); ok && w.Field == "" {
			return query.Word{Text: words[w.Text]}
		}
		return n
	}), nil
}

// eachIncluded is query.Map without the parts that the query excludes.
func eachIncluded(n query.Node, f func(query.Node) query.Node) query.Node {
	switch n := n.(type) {
	case query.Not:
		return n
	case query.And:
		nodes := make([]query.Node, len(n.Nodes))
		for i := range n.Nodes {
			nodes[i] = eachIncluded(n.Nodes[i], f)
		}
		return query.And{Nodes: nodes}
	}
	return query.Map(n, f)
}

// similar returns the word if a document has it or none has a similar one, and else the
// most similar one. Of equally similar ones it is that of the best hit.
func (s speller) similar(ctx context.Context, word string) (string, error) {
	if strings.ContainsFunc(word, func(c rune) bool { return !unicode.In(c, unicode.L, unicode.M, unicode.N) }) {
		return word, nil // it may be several words
	}
	has, err := s.search(ctx, Params{Query: query.Word{Text: word}.String(), Fresh: new(bool), Caller: s.caller})
	if err != nil || has.Total > 0 {
		return word, err
	}
	near, err := s.search(ctx, Params{Query: query.Fuzzy{Text: word}.String(), Size: speltHits, Highlight: true, Fresh: new(bool), Caller: s.caller})
	if bad := (*Error)(nil); errors.As(err, &bad) { // the word is too long, or like too many
		return word, nil
	}
	if err != nil {
		return word, err
	}
	best, least := word, math.MaxInt
	for i := range near.Len {
		hit, err := near.Hit(ctx, i)
		if err != nil {
			return word, err
		}
		for _, found := range marked(hit) {
			if d := nearest.Distance(strings.ToLower(word), found); d < least {
				best, least = found, d
			}
		}
	}
	return best, nil
}

var mark = regexp.MustCompile(`<mark>(.*?)</mark>`)

// marked returns the words of a hit's highlights, in lower case. The order of fields
// does not matter: of two equally similar words the first in the alphabet is taken.
func marked(h Hit) (words []string) {
	for _, fragments := range h.Highlights {
		for _, f := range fragments {
			for _, m := range mark.FindAllStringSubmatch(f, -1) {
				words = append(words, strings.ToLower(html.UnescapeString(m[1])))
			}
		}
	}
	slices.Sort(words)
	return words
}
