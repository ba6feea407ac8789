package fulltext

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/query"
)

// A model answers queries by reading every document. Its texts are words between
// single spaces, so an analyzer is three properties: which words are found by any
// piece (Chinese ones, or all with ngram), whether Chinese words are split into
// characters, and which words are stop words.
type model struct {
	docs    map[doc.OID]modelDoc
	pieces  func(word string) bool
	cut     bool
	stop    map[string]bool
	columns []string
}

type modelDoc struct {
	text map[string]string // by content column
	cast []string          // rows of a child
	tags []string
	year *int64
	v    doc.Version
}

func chinese(word string) bool { return word[0] >= 0x80 }

func all(string) bool  { return true }
func none(string) bool { return false }

func newModel(analyzer string) *model {
	m := &model{docs: map[doc.OID]modelDoc{}, pieces: chinese, columns: []string{"title", "body", "cast"}}
	switch analyzer {
	case "standard":
		m.pieces, m.cut, m.stop = none, true, map[string]bool{"the": true, "and": true}
	case "ngram":
		m.pieces = all
	}
	return m
}

// matches evaluates a query. ignored is true if no part of it is searched.
func (m *model) matches(n query.Node, d modelDoc) (yes, ignored bool) {
	switch n := n.(type) {
	case query.And:
		n.Nodes = m.needed(n.Nodes)
		yes, ignored = true, true
		for _, c := range n.Nodes {
			if y, i := m.matches(c, d); !i {
				yes, ignored = yes && y, false
			}
		}
		return yes, ignored
	case query.Or:
		ignored = true
		for _, c := range n.Nodes {
			if y, i := m.matches(c, d); !i {
				yes, ignored = yes || y, false
			}
		}
		return yes, ignored
	case query.Some:
		matched, searched := 0, 0
		for _, c := range n.Nodes {
			y, i := m.matches(c, d)
			if !i {
				searched++
			}
			if y && !i {
				matched++
			}
		}
		return searched > 0 && matched >= query.Most(searched), searched == 0
	case query.Not:
		yes, ignored = m.matches(n.Node, d)
		return !yes, ignored
	case query.Word:
		if n.Field == "tags" {
			return slices.Contains(d.tags, n.Text), false
		}
		return m.inText(n.Field, n.Text, false, d)
	case query.Synonym:
		ignored = true
		for _, text := range n.Texts {
			if y, i := m.inText(n.Field, text, false, d); !i {
				yes, ignored = yes || y, false
			}
		}
		return yes, ignored
	case query.Phrase:
		if n.Slop > 0 {
			return m.anyText(n.Field, m.trim(m.words(n.Text)), d, func(text, words []string) bool { return m.near(text, words, n.Slop, nil) })
		}
		return m.inText(n.Field, n.Text, false, d)
	case query.Fuzzy:
		if m.pieces(n.Text) || chinese(n.Text) {
			return m.inText(n.Field, n.Text, false, d)
		}
		edits := n.Edits
		if edits == 0 {
			edits = 1
			if len(n.Text) > 5 {
				edits = 2
			}
		}
		edits = min(edits, len(n.Text)-1)
		return m.anyText(n.Field, m.trim([]string{n.Text}), d, func(text, _ []string) bool {
			return slices.ContainsFunc(text, func(w string) bool { return !m.stop[w] && fewestEdits([]rune(w), []rune(n.Text)) <= edits })
		})
	case query.Prefix:
		if n.Field == "tags" {
			return slices.ContainsFunc(d.tags, func(s string) bool { return strings.HasPrefix(s, n.Text) }), false
		}
		return m.inText(n.Field, n.Text, true, d)
	case query.Range:
		return d.year != nil && inRange(n, float64(*d.year)), false
	case query.All, query.Keys:
		return true, false
	}
	return m.matchesOther(n, d)
}

func inRange(r query.Range, year float64) bool {
	lo, hi := math.Inf(-1), math.Inf(1)
	if r.Min.Text != "" {
		lo = number(r.Min.Text)
	}
	if r.Max.Text != "" {
		hi = number(r.Max.Text)
	}
	return (year > lo || year == lo && !r.Min.Exclusive) && (year < hi || year == hi && !r.Max.Exclusive)
}

func number(s string) float64 { return float64(slices.Index(years, s) - len(years)/2) }

// years are the numbers around 0, as text.
var years = []string{"-3", "-2", "-1", "0", "1", "2", "3"}

func (m *model) inText(field, text string, prefix bool, d modelDoc) (yes, ignored bool) {
	words := m.words(text)
	prefix = prefix && !chinese(text)
	if !prefix {
		words = m.trim(words)
	}
	if len(words) == 0 {
		return false, true
	}
	return m.anyText(field, words, d, func(text, words []string) bool { return m.inWords(text, words, prefix) })
}

// anyText reports whether in accepts a text of the field. Without words the query
// is ignored.
func (m *model) anyText(field string, words []string, d modelDoc, in func(text, words []string) bool) (yes, ignored bool) {
	if len(words) == 0 {
		return false, true
	}
	for _, c := range m.columns {
		for _, text := range d.texts(c) {
			yes = yes || (field == "" || field == c) && in(m.words(text), words)
		}
	}
	return yes, false
}

// near tries all ways to assign different positions to the words. taken has the
// positions of the preceding words, -1 for any.
func (m *model) near(text, words []string, slop int, taken []int) bool {
	lo, hi := math.MaxInt, math.MinInt
	for i, at := range taken {
		if at >= 0 {
			lo, hi = min(lo, at-i), max(hi, at-i)
		}
	}
	if len(taken) > 0 && hi-lo > slop {
		return false
	}
	if len(taken) == len(words) {
		return true
	}
	want := words[len(taken)]
	if m.stop[want] {
		return m.near(text, words, slop, append(slices.Clone(taken), -1))
	}
	for at, word := range text {
		if word == want && !slices.Contains(taken, at) && m.near(text, words, slop, append(slices.Clone(taken), at)) {
			return true
		}
	}
	return false
}

// fewestEdits is the definition of the edit distance; it is slow.
func fewestEdits(a, b []rune) int {
	if len(a) == 0 || len(b) == 0 {
		return len(a) + len(b)
	}
	if a[0] == b[0] {
		return fewestEdits(a[1:], b[1:])
	}
	n := 1 + min(fewestEdits(a[1:], b[1:]), fewestEdits(a[1:], b), fewestEdits(a, b[1:]))
	if len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] {
		n = min(n, 1+fewestEdits(a[2:], b[2:]))
	}
	return n
}

// texts returns the texts of a column or child. No phrase spans two of them.
func (d modelDoc) texts(column string) []string {
	if column == "cast" {
		return d.cast
	}
	return []string{d.text[column]}
}

func (m *model) words(text string) []string {
	words := strings.Fields(text)
	if !m.cut {
		return words
	}
	var cut []string
	for _, w := range words {
		if !chinese(w) {
			cut = append(cut, w)
		} else {
			cut = append(cut, strings.Split(w, "")...)
		}
	}
	return cut
}

// trim drops stop words at both ends of a phrase.
func (m *model) trim(words []string) []string {
	for len(words) > 0 && m.stop[words[0]] {
		words = words[1:]
	}
	for len(words) > 0 && m.stop[words[len(words)-1]] {
		words = words[:len(words)-1]
	}
	return words
}

func (m *model) inWords(text, words []string, prefix bool) bool {
	for i := range len(text) - len(words) + 1 {
		every := true
		for j, w := range words {
			every = every && m.same(text[i+j], w, j == 0, j == len(words)-1, prefix)
		}
		if every {
			return true
		}
	}
	return false
}

// same reports whether a word of a text matches a word of a phrase. Words that
// are found by pieces may continue at both ends of the phrase.
func (m *model) same(word, want string, first, last, prefix bool) bool {
	switch {
	case m.stop[want] && !prefix:
		return true // any word
	case m.stop[word]:
		return false
	case prefix && !m.pieces(want):
		return strings.HasPrefix(word, want)
	case !m.pieces(want):
		return word == want
	case first && last:
		return strings.Contains(word, want)
	case first:
		return strings.HasSuffix(word, want)
	case last:
		return strings.HasPrefix(word, want)
	}
	return word == want
}

// find returns the keys that match a query, in the order of the sort.
func (m *model) find(n query.Node, sorts []query.Sort) []doc.OID {
	var found []doc.OID
	for oid, d := range m.docs {
		if yes, ignored := m.matches(n, d); yes && !ignored {
			found = append(found, oid)
		}
	}
	slices.SortFunc(found, func(a, b doc.OID) int {
		for _, by := range sorts {
			if c := compareBy(by, m.docs[a], m.docs[b]); c != 0 {
				return c
			}
		}
		return cmp.Compare(a, b)
	})
	return found
}

func compareBy(by query.Sort, a, b modelDoc) int {
	va, vb := sortText(by, a), sortText(by, b)
	if va == "" || vb == "" {
		c := cmp.Compare(present(vb != ""), present(va != ""))
		if by.First {
			c = -c
		}
		return c
	}
	c := cmp.Compare(va, vb)
	if by.Field == "year" {
		ya, _ := strconv.ParseFloat(va, 64)
		yb, _ := strconv.ParseFloat(vb, 64)
		c = cmp.Compare(ya, yb)
	}
	if by.Descending {
		c = -c
	}
	return c
}

// sortText returns the value by which a document is sorted, "" for none.
func sortText(by query.Sort, d modelDoc) string {
	switch {
	case by.Field == "year" && d.year != nil:
		return fmt.Sprint(*d.year)
	case by.Field == "year" || len(d.tags) == 0:
		return by.Missing
	case by.Pick == query.PickMax || by.Pick == "" && by.Descending:
		return slices.Max(d.tags)
	}
	return slices.Min(d.tags)
}

func present(b bool) int {
	if b {
		return 1
	}
	return 0
}
