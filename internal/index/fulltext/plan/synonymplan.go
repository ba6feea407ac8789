package plan

import (
	"fmt"
	"slices"
	"strings"

	"indexerd/internal/index/fulltext/compiled"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/fulltext/segment"
	"indexerd/internal/index/fulltext/words"
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
	*words.Set
}

// synonym matches a word with its synonyms.
func (c compiler) synonym(n query.Synonym) (Plan, error) {
	columns := c.columns(n.Field)
	if columns == nil {
		return c.equal(n.Field, n.Text) // that is an error
	}
	sl := c.slotOf(n)
	if sl.One == nil {
		return nil, nil
	}
	return c.word(columns, sl), nil
}

// slotOf returns the slot of a word with its synonyms, without any if none of them is
// searched. The slot of equal words is the same.
func (c compiler) slotOf(n query.Synonym) words.Slot {
	key := fmt.Sprintf("%q", n.Texts)
	if a, ok := c.sets[key]; ok {
		return words.Slot{One: a}
	}
	a := &words.Set{Loose: !c.Positions}
	var texts []string
	for _, text := range n.Texts {
		set := c.analyzer.Word(text)
		if len(set.Words)+len(set.Phrases) == 0 {
			continue
		}
		a.Words, a.Phrases = append(a.Words, set.Words...), append(a.Phrases, set.Phrases...)
		if len(set.Words) == 0 {
			text = `"` + text + `"`
		}
		texts = append(texts, text)
	}
	a.Text = cut(strings.Join(texts, " | "))
	if len(texts) == 0 {
		a = nil
	}
	if c.sets != nil { // a compiler without a tuned order needs no equal slots
		c.sets[key] = a
	}
	return words.Slot{One: a}
}

// maxText is the number of characters of a word in an explanation that consists of many.
const maxText = 60

func cut(text string) string {
	if r := []rune(text); len(r) > maxText {
		return string(r[:maxText]) + "…"
	}
	return text
}

func (p synonymPlan) Open(s *Session) (Matcher, error) {
	m := s.newWord(p.field, p.Text)
	for _, sl := range p.Words {
		w, err := s.openSlot(p.field, sl)
		if err != nil {
			return nil, err
		}
		for i := range m.terms {
			m.terms[i] = append(m.terms[i], w.terms[i]...)
		}
	}
	for _, words := range p.Phrases {
		opened, err := phrasePlan{p.field, words, 0}.Open(s)
		if err != nil {
			return nil, err
		}
		phrase := opened.(*phraseMatcher)
		phrase.loose = p.Loose
		m.phrases = append(m.phrases, &wordPhrase{phrase, make([]segment.Bits, len(s.Parts))})
	}
	return m, nil
}

// A wordPhrase is a phrase that counts as a word.
type wordPhrase struct {
	*phraseMatcher
	in []segment.Bits // the documents of each part that have it, nil while unknown
}

// addTo adds the visible documents of a part that have the phrase.
func (w *wordPhrase) addTo(p *Part, found segment.Bits) (err error) {
	if w.in[p.number] == nil {
		if w.in[p.number], err = w.Match(p, p.Live); err != nil {
			return err
		}
	}
	found.Or(w.in[p.number])
	return nil
}

// clause returns a synonym for other engines, whose scores are theirs.
func (p synonymPlan) clause() compiled.Clause {
	field, any := schema.Exported(p.field), compiled.Any{AtLeast: 1}
	forms := compiled.Forms{Field: field}
	for _, sl := range p.Words {
		if p.weighted() && !sl.Prefix {
			forms.Terms = append(forms.Terms, sl.Term) // a word as the query has it is two of them
		} else {
			any.Clauses = append(any.Clauses, slotClause(field, sl))
		}
	}
	if forms.Terms != nil {
		any.Clauses = append(any.Clauses, forms)
	}
	for _, phrase := range p.Phrases {
		if !p.Loose {
			any.Clauses = append(any.Clauses, phrasePlan{p.field, phrase, 0}.terms())
			continue
		}
		var all compiled.Both
		for _, sl := range phrase {
			if sl.Term != "" {
				all.Must = append(all.Must, slotClause(field, sl))
			}
		}
		any.Clauses = append(any.Clauses, all)
	}
	return any
}

// weighted reports whether a word of the set counts more or less than others.
func (p synonymPlan) weighted() bool {
	return slices.ContainsFunc(p.Words, func(sl words.Slot) bool { return sl.Weight > 0 })
}

func slotClause(field string, sl words.Slot) compiled.Clause {
	switch {
	case sl.One != nil:
		any := compiled.Any{AtLeast: 1}
		for _, w := range sl.One.Words {
			any.Clauses = append(any.Clauses, slotClause(field, w))
		}
		return any
	case sl.Prefix:
		return compiled.TermPrefix{Field: field, Prefix: sl.Term, Most: sl.Most}
	}
	return compiled.Term{Field: field, Term: sl.Term}
}
