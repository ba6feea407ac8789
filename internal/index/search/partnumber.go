package search

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"indexerd/internal/index/query"
)

// maxPartNumbers is how many parts of a query may be looked up as part numbers, in so
// many documents each.
const (
	maxPartNumbers  = 4
	partNumbersHits = 10
)

// withPartNumbers returns a query without the exclusions that are pasted part numbers: a
// minus and a word with digits that is in a text in this form, as -54-OR323014-.
func (a asked) withPartNumbers(ctx context.Context, n query.Node, notes *query.Notes) (query.Node, error) {
	nodes := []query.Node{n}
	and, several := n.(query.And)
	if several {
		nodes = slices.Clone(and.Nodes)
	}
	for i, left := 0, maxPartNumbers; i < len(nodes) && left > 0; i++ {
		token, ok := partNumber(nodes[i])
		if !ok {
			continue
		}
		left--
		is, err := a.hasToken(ctx, token)
		if err != nil {
			return nil, err
		}
		if is {
			nodes[i] = query.Word{Text: token}
			notes.Add("read as text: " + query.Shorten(token))
		}
	}
	if several {
		return query.And{Nodes: nodes}, nil
	}
	return nodes[0], nil
}

// partNumber returns what is written for an exclusion that may be a part number: with
// digits, and with another minus or letters. So -2005, -x and -sci-fi are none.
func partNumber(n query.Node) (token string, may bool) {
	not, _ := n.(query.Not)
	w, ok := not.Node.(query.Word)
	mixed := strings.Contains(w.Text, "-") || strings.ContainsFunc(w.Text, unicode.IsLetter)
	return "-" + w.Text, ok && w.Field == "" && mixed && strings.ContainsFunc(w.Text, unicode.IsDigit)
}

// hasToken reports whether one of the first documents with the words of a token has it
// in a text of its content as it is written.
func (a asked) hasToken(ctx context.Context, token string) (bool, error) {
	r, err := a.search(ctx, Params{Size: partNumbersHits, Fresh: new(bool), Caller: a.Caller}, query.Word{Text: token})
	if isFault(err) {
		return false, nil
	}
	for i := 0; err == nil && i < r.Len; i++ {
		var hit Hit
		if hit, err = r.Hit(ctx, i); err != nil {
			break
		}
		for _, f := range hit.Fields {
			if containsToken(f.Value, token) {
				return true, nil
			}
		}
	}
	return false, err
}

// containsToken reports whether a value or one of a list is a text that has a token.
func containsToken(value any, token string) bool {
	switch value := value.(type) {
	case []any:
		return slices.ContainsFunc(value, func(v any) bool { return containsToken(v, token) })
	case string:
		text, token := strings.ToLower(value), strings.ToLower(token)
		for at := 0; ; at++ {
			i := strings.Index(text[at:], token)
			if i < 0 {
				return false
			}
			at += i
			before, _ := utf8.DecodeLastRuneInString(text[:at])
			last, _ := utf8.DecodeLastRuneInString(token)
			after, _ := utf8.DecodeRuneInString(text[at+len(token):])
			if !isWordRune(before) && !(isWordRune(last) && isWordRune(after)) {
				return true
			}
		}
	}
	return false
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
