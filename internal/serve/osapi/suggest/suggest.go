// Package suggest answers suggest: words that are spelt like those of a text, and texts
// with such words. It knows words only from searches as the caller.
package suggest

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"indexerd/internal/base/nearest"
	"indexerd/internal/index/analysis"
	"indexerd/internal/index/query"
	"indexerd/internal/index/search"
	"indexerd/internal/serve/osapi/format"
	"indexerd/internal/serve/osapi/mapping"
)

// The limits of suggest.
const (
	maxSuggestions = 8   // of one request
	maxSuggested   = 16  // words of all texts
	maxOptions     = 20  // of a word
	maxSimilar     = 64  // words that are like a word
	similarHits    = 20  // documents that are read for similar words at a time
	maxMarked      = 100 // words that are marked in one of them
)

// A Suggestion is one entry of suggest: words of the documents that the caller may see
// and that are spelt like those of a text. Each word costs a search, and those that are
// corrected one more for each similar word.
type Suggestion struct {
	name, kind string
	text       string
	field      mapping.Field

	// How a word is corrected.
	size      int
	mode      string // missing, popular or always
	byFreq    bool
	edits     int
	prefix    int // letters that stay
	minLength int

	// How a corrected text is shown.
	errors    float64 // words that may be corrected; below 1 a share of them
	pre, post string  // around a corrected word
	marked    bool
}

// An Option is a word or a text to search instead.
type Option struct {
	Text        string  `json:"text"`
	Highlighted string  `json:"highlighted,omitempty"`
	Score       float64 `json:"score"`
	Freq        *uint64 `json:"freq,omitempty"`
}

// An Entry is a word of a text, or the text, with its options. Offsets count UTF-16
// code units.
type Entry struct {
	Text    string   `json:"text"`
	Offset  int      `json:"offset"`
	Length  int      `json:"length"`
	Options []Option `json:"options"`
}

// A textWord is a word of a text.
type textWord struct {
	word       string
	start, end int
}

// isBreak reports whether a character separates words.
func isBreak(r rune) bool { return !unicode.In(r, unicode.L, unicode.N, unicode.M) }

// wordsOf returns the words of a text.
func wordsOf(text string) (list []textWord) {
	at := -1
	for i, r := range text + " " {
		switch {
		case !isBreak(r) && at < 0:
			at = i
		case isBreak(r) && at >= 0:
			list = append(list, textWord{text[at:i], at, i})
			at = -1
		}
	}
	return list
}

// A Suggester answers suggestions by searches as one caller.
type Suggester struct {
	Find   func(context.Context, search.Params) (search.Results, error)
	Caller search.Caller
}

// Answer answers the suggestions of a search, by name. typed adds the name of the type.
func (t Suggester) Answer(ctx context.Context, list []Suggestion, typed bool) (map[string][]Entry, error) {
	answer := map[string][]Entry{}
	for _, s := range list {
		entries, err := t.entriesOf(ctx, s)
		if err != nil {
			return nil, err
		}
		name := s.name
		if typed {
			name = s.kind + "#" + name
		}
		answer[name] = entries
	}
	return answer, nil
}

func (t Suggester) entriesOf(ctx context.Context, s Suggestion) ([]Entry, error) {
	words := wordsOf(s.text)
	found := make([][]Option, len(words))
	for i, w := range words {
		var err error
		if found[i], err = t.similar(ctx, s, w.word); err != nil {
			return nil, err
		}
	}
	if s.kind == "phrase" {
		return []Entry{{s.text, 0, format.UTF16Len(s.text), s.corrected(words, found)}}, nil
	}
	entries := make([]Entry, len(words))
	for i, w := range words {
		entries[i] = Entry{strings.ToLower(w.word), format.UTF16Len(s.text[:w.start]), format.UTF16Len(w.word), found[i]}
	}
	return entries, nil
}

// corrected returns the texts with other words, the most similar first: one with the
// best word for each that no document has, and others with a second best one.
func (s Suggestion) corrected(words []textWord, found [][]Option) []Option {
	wrong, most := 0, 0
	for _, list := range found {
		wrong, most = wrong+min(1, len(list)), max(most, len(list))
	}
	allowed := s.errors
	if allowed < 1 {
		allowed *= float64(len(words))
	}
	all := []Option{}
	if wrong == 0 || float64(wrong) > allowed {
		return all
	}
	for rank := range min(most, s.size) {
		var text, marked strings.Builder
		at, score := 0, 1.0
		for i, w := range words {
			between, word := s.text[at:w.start], w.word
			at = w.end
			text.WriteString(between)
			marked.WriteString(between)
			if len(found[i]) == 0 {
				text.WriteString(word)
				marked.WriteString(word)
				continue
			}
			o := found[i][min(rank, len(found[i])-1)]
			score *= o.Score
			text.WriteString(o.Text)
			marked.WriteString(s.pre + o.Text + s.post)
		}
		o := Option{Text: text.String() + s.text[at:], Score: score}
		if s.marked {
			o.Highlighted = marked.String() + s.text[at:]
		}
		all = append(all, o)
	}
	return all
}

// similar returns the words that are spelt like a word, in documents that the caller
// may see. A word that a document has is correct, unless the mode says otherwise.
func (t Suggester) similar(ctx context.Context, s Suggestion, word string) ([]Option, error) {
	options := []Option{}
	if n := utf8.RuneCountInString(word); n < s.minLength || n > query.MaxLetters {
		return options, nil
	}
	own, err := t.freq(ctx, s.field, word)
	if err != nil || s.mode == "missing" && own > 0 {
		return options, err
	}
	words, err := t.wordsLike(ctx, s, word)
	if err != nil {
		return nil, err
	}
	for _, like := range words {
		o, err := t.option(ctx, s, strings.ToLower(word), like)
		if err != nil {
			return nil, err
		}
		if o != nil && (s.mode != "popular" || *o.Freq > own) {
			options = append(options, *o)
		}
	}
	slices.SortFunc(options, func(a, b Option) int {
		byScore, byFreq := cmp.Compare(b.Score, a.Score), cmp.Compare(*b.Freq, *a.Freq)
		if s.byFreq {
			return cmp.Or(byFreq, byScore, strings.Compare(a.Text, b.Text))
		}
		return cmp.Or(byScore, byFreq, strings.Compare(a.Text, b.Text))
	})
	return options[:min(len(options), s.size)], nil
}

// wordsLike returns words that are spelt like a word. It reads the best documents that
// have one, then the best of those without the words found so far, and so on. So it
// misses a word whose documents all have another one, and were not read.
func (t Suggester) wordsLike(ctx context.Context, s Suggestion, word string) (words []string, err error) {
	like := query.Fuzzy{Field: s.field.Name, Text: word, Edits: s.edits}
	nodes, lower := []query.Node{like}, strings.ToLower(word)
	for range maxOptions {
		found, err := t.marked(ctx, query.And{Nodes: nodes}, like, s.field)
		if err != nil {
			return nil, err
		}
		before := len(nodes)
		for _, w := range append(found, lower) {
			if len(nodes) > maxSimilar {
				break
			}
			if without := (query.Not{Node: query.Word{Field: s.field.Name, Text: w}}); !slices.Contains(nodes, query.Node(without)) {
				nodes = append(nodes, without)
				words = append(words, w)
			}
		}
		if len(nodes) == before || len(nodes) > maxSimilar {
			break
		}
	}
	return slices.DeleteFunc(words, func(w string) bool { return w == lower }), nil
}

// option returns a similar word, nil if it is too different.
func (t Suggester) option(ctx context.Context, s Suggestion, word, like string) (*Option, error) {
	letters, other := []rune(word), []rune(like)
	prefix := min(s.prefix, len(letters), len(other))
	edits := nearest.Distance(word, like)
	if edits > s.edits || !slices.Equal(letters[:prefix], other[:prefix]) {
		return nil, nil
	}
	n, err := t.freq(ctx, s.field, like)
	if err != nil || n == 0 {
		return nil, err
	}
	return &Option{Text: like, Score: 1 - float64(edits)/float64(min(len(letters), len(other))), Freq: &n}, nil
}

// freq returns how many documents that the caller may see have a word.
func (t Suggester) freq(ctx context.Context, f mapping.Field, word string) (uint64, error) {
	results, err := t.Find(ctx, search.Params{Node: query.Word{Field: f.Name, Text: word}, Fresh: new(bool), Caller: t.Caller})
	return results.Total, err
}

// The marks around words that are found, which no text has.
const (
	markStart = "\ufdd0"
	markEnd   = "\ufdd1"
)

// marked returns the words of the best hits of a query that another query marks.
func (t Suggester) marked(ctx context.Context, n, marks query.Node, f mapping.Field) (words []string, err error) {
	marking := search.Marking{Field: f.Name, Query: marks, Pre: markStart, Post: markEnd, Fragments: maxMarked, Runes: analysis.MaxWord}
	results, err := t.Find(ctx, search.Params{Node: n, Size: similarHits, Markings: []search.Marking{marking}, Fields: []string{f.Name}, Relevance: query.Lucene, Fresh: new(bool), Caller: t.Caller})
	if bad := (*search.Error)(nil); errors.As(err, &bad) { // the word is like too many
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for i := range results.Len {
		hit, err := results.Hit(ctx, i)
		if err != nil {
			return nil, err
		}
		for _, text := range hit.Highlights[f.Name] {
			for _, piece := range strings.Split(text, markStart)[1:] {
				word, _, _ := strings.Cut(piece, markEnd)
				words = append(words, strings.ToLower(word))
			}
		}
	}
	return words, nil
}
