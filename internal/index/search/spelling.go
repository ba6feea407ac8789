package search

import (
	"context"
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

// respell returns a query with words that are in the text of a document in place of those
// that no document has, the same if no word has a similar one. The words are as they are
// written there, also where the index has stems. It costs a search for each word of the
// query, and another one for each that is not found.
func (a asked) respell(ctx context.Context, n query.Node) (_ query.Node, err error) {
	words := map[string]string{} // the spelling of each word
	query.MapIncluded(n, func(n query.Node) query.Node {
		if w, ok := n.(query.Word); ok && w.Field == "" {
			words[w.Text] = w.Text
		}
		return n
	})
	if len(words) > maxSpelt {
		return n, nil
	}
	for word := range words {
		if words[word], err = a.similarWord(ctx, word); err != nil {
			return n, err
		}
	}
	return query.MapIncluded(n, func(n query.Node) query.Node {
		if w, ok := n.(query.Word); ok && w.Field == "" {
			return query.Word{Text: words[w.Text]}
		}
		return n
	}), nil
}

// similarWord returns the word if a document has it or none has a similar one, and else the
// most similar one. Of equally similar ones it is that of the best hit.
func (a asked) similarWord(ctx context.Context, word string) (string, error) {
	if strings.ContainsFunc(word, func(c rune) bool { return !unicode.In(c, unicode.L, unicode.M, unicode.N) }) {
		return word, nil // it may be several words
	}
	has, err := a.search(ctx, Params{Fresh: new(bool), Caller: a.Caller}, query.Word{Text: word})
	if isFault(err) {
		return word, nil
	}
	if err != nil || has.Total > 0 {
		return word, err
	}
	near, err := a.search(ctx, Params{Size: speltHits, Highlight: true, Fresh: new(bool), Caller: a.Caller}, query.Fuzzy{Text: word})
	if isFault(err) { // the word is too long, or like too many
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
