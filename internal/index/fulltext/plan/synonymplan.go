package fulltext

import (
	"fmt"
	"strings"

	"indexerd/internal/index/fulltext/segment"
	"indexerd/internal/index/query"
)

// A synonymPlan matches documents that have any of some words and phrases. Its score is
// that of one word: it counts how often the field has any of them, and how many documents
// have any. A loose phrase counts once.
//
// The cost is that of each word and each phrase. A phrase is looked for in all documents,
// because they are counted.
type synonymPlan struct {
	field string
	*synonymSet
}

// synonym matches a word with its synonyms.
func (c compiler) synonym(n query.Synonym) (plan, error) {
	columns := c.columns(n.Field)
	if columns == nil {
		return c.equal(n.Field, n.Text) // that is an error
	}
	sl := c.slotOf(n)
	if sl.one == nil {
		return nil, nil
	}
	return c.word(columns, sl), nil
}

// slotOf returns the slot of a word with its synonyms, without any if none of them is
// searched. The slot of equal words is the same.
func (c compiler) slotOf(n query.Synonym) slot {
	key := fmt.Sprintf("%q", n.Texts)
	if a, ok := c.synonyms[key]; ok {
		return slot{one: a}
	}
	a := &synonymSet{loose: !c.Positions}
	var texts []string
	for _, text := range n.Texts {
		switch p := c.analyzer.phrase(text); {
		case len(p) == 1:
			a.words = append(a.words, p[0])
		case len(p) > 1:
			a.phrases = append(a.phrases, p)
			text = `"` + text + `"`
		default:
			continue
		}
		texts = append(texts, text)
	}
	a.text = cut(strings.Join(texts, " | "))
	if len(texts) == 0 {
		a = nil
	}
	if c.synonyms != nil { // a compiler without a tuned order needs no equal slots
		c.synonyms[key] = a
	}
	return slot{one: a}
}

// maxText is the number of characters of a word in an explanation that consists of many.
const maxText = 60

func cut(text string) string {
	if r := []rune(text); len(r) > maxText {
		return string(r[:maxText]) + "…"
	}
	return text
}

func (p synonymPlan) open(s *session) (matcher, error) {
	m := s.newWord(p.field, p.text)
	for _, sl := range p.words {
		w, err := s.openSlot(p.field, sl)
		if err != nil {
			return nil, err
		}
		for i := range m.terms {
			m.terms[i] = append(m.terms[i], w.terms[i]...)
		}
	}
	for _, words := range p.phrases {
		opened, err := phrasePlan{p.field, words, 0}.open(s)
		if err != nil {
			return nil, err
		}
		phrase := opened.(*phraseMatcher)
		phrase.loose = p.loose
		m.phrases = append(m.phrases, &wordPhrase{phrase, make([]segment.Bits, len(s.views))})
	}
	return m, nil
}

// A wordPhrase is a phrase that counts as a word.
type wordPhrase struct {
	*phraseMatcher
	in []segment.Bits // the documents of each part that have it, nil while unknown
}

// addTo adds the visible documents of a part that have the phrase.
func (w *wordPhrase) addTo(p *view, found segment.Bits) (err error) {
	if w.in[p.number] == nil {
		if w.in[p.number], err = w.match(p, p.live); err != nil {
			return err
		}
	}
	found.Or(w.in[p.number])
	return nil
}

// eachMatch calls f with the documents that have the phrase and are scored.
func (w *wordPhrase) eachMatch(p *view, to *scores, f func(at int, freq float64, length int)) {
	for _, match := range w.found[p.number] {
		if at, ok := to.place(match.doc); ok {
			f(at, match.freq, int(match.length))
		}
	}
}

// clause returns a synonym for other engines, whose scores are theirs.
func (p synonymPlan) clause() Clause {
	field, any := exported(p.field), Any{AtLeast: 1}
	for _, sl := range p.words {
		any.Clauses = append(any.Clauses, sl.clause(field))
	}
	for _, words := range p.phrases {
		if !p.loose {
			any.Clauses = append(any.Clauses, phrasePlan{p.field, words, 0}.terms())
			continue
		}
		var all Both
		for _, sl := range words {
			if sl.term != "" {
				all.Must = append(all.Must, sl.clause(field))
			}
		}
		any.Clauses = append(any.Clauses, all)
	}
	return any
}

func (sl slot) clause(field string) Clause {
	if sl.prefix {
		return TermPrefix{field, sl.term, sl.most}
	}
	return Term{field, sl.term}
}
