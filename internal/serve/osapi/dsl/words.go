package dsl

import (
	"math"
	"strings"
	"unicode"

	"indexerd/internal/index/query"
	"indexerd/internal/serve/osapi/input"
	"indexerd/internal/serve/osapi/mapping"
)

// A matching says how the words of a text are searched.
type matching struct {
	all      bool          // all words must match
	least    query.Minimum // of the words; the zero one: one
	given    bool          // least is given
	fuzzy    *query.Edits  // nil: the words are exact
	prefix   int           // letters that a fuzzy word has in common
	most     int           // words that a fuzzy or incomplete one stands for
	noSwaps  bool
	slop     int
	orAll    bool // a text without a word matches everything
	lenient  bool // text that does not fit a field matches nothing
	begins   bool // the last word is the beginning of one
	part     bool // of a query that leaves parts without a word out
	tie      float64
	tieGiven bool
}

// The options that say how words are searched, as queries have them.
var (
	wordOptions  = []string{"operator", "minimum_should_match", "lenient", "zero_terms_query"}
	fuzzyOptions = []string{"fuzziness", "prefix_length", "max_expansions", "fuzzy_transpositions"}
)

// matching reads these options.
func (o *options) matching() matching {
	m := matching{
		all: o.word("operator", "or", "and") == "and", prefix: o.whole("prefix_length", 0, math.MaxInt32), most: o.whole("max_expansions", 50, math.MaxInt32),
		noSwaps: !o.flag("fuzzy_transpositions", true), slop: o.whole("slop", 0, query.MaxSlop), orAll: o.word("zero_terms_query", "none", "all") == "all",
		lenient: o.flag("lenient", false), tie: o.float("tie_breaker", 0), tieGiven: o.has("tie_breaker"),
	}
	if m.most = max(1, m.most); m.tie > 1 {
		o.fail("tie_breaker is a number from 0 to 1")
	}
	m.least, m.given = o.minimum()
	if o.has("fuzziness") {
		m.fuzzy = o.fuzziness(o.text("fuzziness"))
	}
	o.flag("auto_generate_synonyms_phrase_query", true) // there are no synonyms
	return m
}

// fuzziness reads a number of edits.
func (o *options) fuzziness(text string) *query.Edits {
	e, ok := fuzziness(text)
	if !ok {
		o.fail("fuzziness [%s] is not supported: write AUTO, AUTO:3,6, 0, 1 or 2", query.Shorten(text))
	}
	return &e
}

// fuzziness reads 0, 1, 2, AUTO or AUTO:3,6.
func fuzziness(text string) (query.Edits, bool) {
	rest, auto := strings.CutPrefix(strings.ToUpper(text), "AUTO")
	switch {
	case auto && rest == "":
		return query.Edits{Low: 3, High: 6}, true
	case auto:
		low, high, ok := strings.Cut(strings.TrimPrefix(rest, ":"), ",")
		from, err := wholeNumber(low)
		to, err2 := wholeNumber(high)
		return query.Edits{Low: from, High: to}, rest[0] == ':' && ok && err == nil && err2 == nil && 0 <= from && from <= to && to > 0
	}
	n, err := input.Finite(text)
	return query.Edits{Most: int(min(n, query.MaxEdits))}, err == nil && n >= 0
}

// chunks splits a text into words as OpenSearch's standard analyzer does. The
// analyzer of the table splits them further if it knows better.
func chunks(text string) (words []string) {
	runes := []rune(text)
	from := 0
	for i, r := range runes {
		if inWord(r) || joins(runes, i) {
			continue
		}
		if from < i {
			words = append(words, string(runes[from:i]))
		}
		from = i + 1
	}
	if from < len(runes) {
		words = append(words, string(runes[from:]))
	}
	return words
}

func inWord(r rune) bool { return r == '_' || unicode.In(r, unicode.L, unicode.N, unicode.M) }

// joins reports whether a character joins those beside it to one word, as in don't,
// git.exe and 3,5.
func joins(text []rune, i int) bool {
	if i == 0 || i == len(text)-1 {
		return false
	}
	between := func(in func(rune) bool) bool { return in(text[i-1]) && in(text[i+1]) }
	switch text[i] {
	case '.', '\'', '’', '․', '‘':
		return between(unicode.IsLetter) || between(unicode.IsDigit)
	case ':', '·':
		return between(unicode.IsLetter)
	case ',', ';':
		return between(unicode.IsDigit)
	}
	return false
}

// words finds the words of a text in a field.
func (t *Translator) words(f mapping.Field, text string, m matching) (query.Node, error) {
	switch {
	case f.Type == "":
		return query.None(), nil
	case f.Type != mapping.Text:
		return t.wholeText(f, text, m)
	}
	nodes, err := t.eachWord(f, text, m)
	if err != nil {
		return nil, err
	}
	return m.combined(nodes), nil
}

// combined returns the query for the words of a text.
func (m matching) combined(nodes []query.Node) query.Node {
	n := all(nodes)
	switch {
	case len(nodes) == 0:
	case !m.all:
		n = query.AtLeast{Nodes: nodes, Least: m.least}
	case m.given && m.least.Of(0) > 0: // none of the words is optional
		n = query.AtLeast{Nodes: nodes, Least: query.Exactly(math.MaxInt32)}
	}
	return m.searched(n, len(nodes) == 0)
}

// searched returns the query for a text that may have no word for the analyzer.
func (m matching) searched(n query.Node, empty bool) query.Node {
	if m.part && empty {
		return query.And{}
	}
	if m.part {
		return n
	}
	without := query.None()
	if m.orAll {
		without = query.All{}
	}
	if empty {
		return without
	}
	return query.Searched{Node: n, Else: without}
}

// eachWord returns a query for each word of a text.
func (t *Translator) eachWord(f mapping.Field, text string, m matching) ([]query.Node, error) {
	words := chunks(text)
	if err := t.count(len(words)); err != nil {
		return nil, err
	}
	nodes := make([]query.Node, len(words))
	for i, w := range words {
		switch {
		case m.begins && i == len(words)-1 && strings.HasSuffix(text, w): // with anything behind it, it is complete
			nodes[i] = Constant(query.Prefix{Field: f.Name, Text: w})
		case m.fuzzy != nil:
			if err := t.countFuzzy(); err != nil {
				return nil, err
			}
			nodes[i] = m.similar(f, w)
		default:
			nodes[i] = query.Word{Field: f.Name, Text: w}
		}
	}
	return nodes, nil
}

func (m matching) similar(f mapping.Field, text string) query.Similar {
	return query.Similar{Field: f.Name, Text: text, Edits: *m.fuzzy, Prefix: m.prefix, Most: m.most, NoSwaps: m.noSwaps, Words: f.Type == mapping.Text, Value: f.Valued()}
}

// wholeText finds a text in a field of values.
func (t *Translator) wholeText(f mapping.Field, text string, m matching) (query.Node, error) {
	if f.Type == mapping.Keyword && m.begins {
		return Constant(pattern(f, query.Beginning, text, false)), nil
	}
	if m.fuzzy != nil && f.Type == mapping.Keyword {
		if err := t.countFuzzy(); err != nil {
			return nil, err
		}
		return m.similar(f, text), nil
	}
	switch {
	case m.fuzzy != nil && m.lenient:
		return query.None(), nil
	case m.fuzzy != nil:
		return nil, onlyOn("fuzzy", f)
	}
	return t.equal(f, text, m.lenient)
}

// phrase finds the words of a text next to each other. With begins the last one is the
// beginning of a word.
func (t *Translator) phrase(f mapping.Field, text string, m matching) (query.Node, error) {
	switch {
	case f.Type == "":
		return query.None(), nil
	case f.Type != mapping.Text && !m.begins:
		return t.equal(f, text, m.lenient)
	case f.Type != mapping.Text && m.lenient:
		return query.None(), nil
	case f.Type != mapping.Text:
		return nil, input.Error(input.NotOfField, "Can only use phrase prefix queries on text fields - not on [%s] which is of type [%s]", f.Shown(), f.Type)
	case m.begins:
		return m.searched(query.PhrasePrefix{Field: f.Name, Text: text, Slop: m.slop, Most: m.most}, false), nil
	}
	return m.searched(query.Phrase{Field: f.Name, Text: text, Slop: m.slop}, false), nil
}
