package plan

import (
	"errors"
	"slices"
	"unicode/utf8"

	index "github.com/blevesearch/bleve_index_api"

	"indexerd/internal/base/nearest"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/fulltext/segment"
	"indexerd/internal/index/fulltext/words"
)

type (
	// A termPlan matches documents that have the term.
	termPlan struct{ field, term string }

	// A prefixPlan matches documents that have a term with the prefix, one of the
	// first most of these terms unless most is 0.
	prefixPlan struct {
		field, prefix string
		most          int
	}

	// A fuzzyPlan matches documents that have a term within an edit distance.
	fuzzyPlan struct {
		field, term  string
		editDistance int
	}
)

// A wordMatcher matches documents that have any of some terms of a field, and
// scores them as one word.
type wordMatcher struct {
	s      *Session
	number int // of the word in the query
	field  string
	text   string // the word as explanations show it
	rank   rank
	terms  [][]weightedTerm // of each part
	counts []int            // of the live documents of each part, -1 while unknown

	phrases []*wordPhrase  // that count as the word too
	kept    []segment.Bits // see bounded; nil: not needed
	scored  *wordScorer    // nil while unknown
	tables  tables
}

type weightedTerm struct {
	segment.Postings
	weight float64
}

func (s *Session) newWord(field, text string) *wordMatcher {
	return &wordMatcher{s: s, number: s.newNumber(), field: field, text: text, rank: s.rank, terms: make([][]weightedTerm, len(s.Parts)), counts: s.unknownCounts()}
}

// newNumber returns the number of a word of the query.
func (s *Session) newNumber() int {
	s.words++
	for len(s.Stats.Having) < s.words {
		s.Stats.Having = append(s.Stats.Having, 0)
	}
	return s.words - 1
}

// unknownCounts returns -1 for each part.
func (s *Session) unknownCounts() []int { return slices.Repeat([]int{-1}, len(s.Parts)) }

// add adds a term in all parts.
func (m *wordMatcher) add(term string, weight float64) error {
	for i, p := range m.s.Parts {
		docs, ok, err := p.Find(m.field, term)
		if err != nil {
			return err
		}
		if ok {
			m.terms[i] = append(m.terms[i], weightedTerm{docs, weight})
		}
	}
	return nil
}

func (p termPlan) Open(s *Session) (Matcher, error) {
	m := s.newWord(p.field, p.term)
	return m, m.add(p.term, 1)
}

// Open collects the terms that a visible document has. Terms of deleted documents,
// which stay in the dictionary until segments are merged, do not count.
func (p prefixPlan) Open(s *Session) (Matcher, error) { return p.word(s) }

func (p prefixPlan) word(s *Session) (*wordMatcher, error) {
	terms := termsPlan{field: p.field, text: p.prefix + "*", Range: schema.Range{Min: p.prefix, Max: afterPrefix(p.prefix)}, most: p.most}
	return terms.word(s)
}

// afterPrefix returns the first term after those with a prefix, "" if there is none.
func afterPrefix(prefix string) string {
	for n := len(prefix); n > 0; n-- {
		if c := prefix[n-1]; c < 0xff {
			return prefix[:n-1] + string([]byte{c + 1})
		}
	}
	return ""
}

func (p fuzzyPlan) Open(s *Session) (_ Matcher, err error) {
	m := s.newWord(p.field, p.term+"~")
	dict, err := s.candidates(p.field, p.term, p.editDistance)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dict.Close()) }()
	for {
		entry, err := dict.Next()
		if err = errors.Join(err, s.Step()); err != nil || entry == nil {
			return m, err
		}
		if !words.WithinDistance(p.editDistance, p.term, entry.Term) {
			continue
		}
		visible, err := s.hasVisible(p.field, entry.Term)
		if err != nil {
			return nil, err
		}
		if !visible {
			continue
		}
		if err := s.countTerm(p.term + "~"); err != nil {
			return nil, err
		}
		if err := m.add(entry.Term, 1/float64(1+nearest.Distance(p.term, entry.Term))); err != nil {
			return nil, err
		}
	}
}

// hasVisible reports whether a visible document has a term.
func (s *Session) hasVisible(field, term string) (bool, error) {
	for _, p := range s.Parts {
		docs, ok, err := p.Find(field, term)
		if err != nil {
			return false, err
		}
		if !ok {
			continue
		}
		if n, err := docs.CountIn(p.counted()); err != nil || n > 0 {
			return n > 0, err
		}
	}
	return false, nil
}

// vellumBytes is the length up to which vellum's automaton counts edits in
// letters. In a longer word that is not ASCII it counts bytes.
const vellumBytes = 32

// candidates returns terms among which are all similar ones: those that an
// automaton finds or, if it can't be used, all terms.
func (s *Session) candidates(field, term string, distance int) (index.FieldDict, error) {
	if len(term) > vellumBytes && utf8.RuneCountInString(term) < len(term) {
		return s.Reader.FieldDict(field)
	}
	return s.Reader.FieldDictFuzzy(field, term, distance, "")
}

func (m *wordMatcher) Match(p *Part, among segment.Bits) (segment.Bits, error) {
	return matchFound(m, p, among)
}

func (m *wordMatcher) find(p *Part) (segment.Bits, error) {
	found := p.setOf(m.kept)
	if err := m.addTo(p, found); err != nil {
		return nil, err
	}
	switch several := len(m.terms[p.number])+len(m.phrases) > 1; {
	case several && m.s.Scored:
		m.counts[p.number] = found.AndCount(p.Live)
	case m.s.Scored && p.counted() != nil:
		m.counts[p.number] = found.CountAnd(p.Live)
	}
	if m.kept != nil {
		m.kept[p.number] = found
	}
	return found, p.Check()
}

// addTo adds the documents of a part that have any of the terms, deleted ones too.
func (m *wordMatcher) addTo(p *Part, found segment.Bits) error {
	for _, t := range m.terms[p.number] {
		if err := errors.Join(t.AddTo(found), p.Step()); err != nil {
			return err
		}
	}
	for _, phrase := range m.phrases {
		if err := phrase.addTo(p, found); err != nil {
			return err
		}
	}
	return nil
}

// isIn reports whether a part may have the word.
func (m *wordMatcher) isIn(p *Part) bool { return len(m.terms[p.number])+len(m.phrases) > 0 }

// having returns how many visible documents have any of the terms.
func (m *wordMatcher) having() (int, error) {
	all := 0
	for i, p := range m.s.Parts {
		if m.counts[i] < 0 {
			if err := m.count(p); err != nil {
				return 0, err
			}
		}
		all += m.counts[i]
	}
	return all, nil
}

func (m *wordMatcher) count(p *Part) (err error) {
	switch terms := m.terms[p.number]; {
	case !m.isIn(p):
		m.counts[p.number] = 0
	case len(terms) == 1 && len(m.phrases) == 0:
		m.counts[p.number], err = terms[0].CountIn(p.counted())
	default:
		found := segment.NewBits(p.Docs()) // not for as long as the session: 32 words would fill its memory
		err = m.addTo(p, found)
		found.And(p.Live)
		m.counts[p.number] = found.Count()
	}
	return err
}

// idf returns the weight of the word.
func (m *wordMatcher) idf() (float64, error) {
	docs, err := m.s.docsOf(m.field)
	if err != nil {
		return 0, err
	}
	return m.s.idf(m.number, docs, m.having)
}

// Bound implements bounded.
func (m *wordMatcher) Bound() (float64, error) {
	idf, err := m.idf()
	return m.rank.most() * idf, err
}

func (m *wordMatcher) Keep() { m.kept = make([]segment.Bits, len(m.s.Parts)) }

func (m *wordMatcher) KeptIn(p *Part) segment.Bits { return m.kept[p.number] }

// scorer returns the scorer of the word, nil if a part does not have it.
func (m *wordMatcher) scorer(p *Part) (*wordScorer, error) {
	idf, err := m.idf() // counted also if no part has the word, as if hidden documents had it
	if err != nil || m.s.isNowhere(m.number) || !m.isIn(p) {
		return nil, err
	}
	if m.scored == nil {
		m.scored, err = m.s.scorer(m.text, m.field, m.rank, idf)
	}
	return m.scored, err
}

func (m *wordMatcher) Score(p *Part, to *Scores) error {
	terms := m.terms[p.number]
	w, err := m.scorer(p)
	if w == nil || err != nil {
		return err
	}
	to.Open()
	add := to.adder(w)
	if len(terms) == 1 && len(m.phrases) == 0 {
		return m.eachMatch(terms[0], to, add)
	}
	freqs, lengths := make([]float64, len(to.Sums)), make([]uint32, len(to.Sums))
	err = m.eachOf(p, to, func(all []match) {
		for _, m := range all {
			freqs[m.at] += m.freq
			lengths[m.at] = uint32(m.length)
		}
	})
	if err != nil {
		return err
	}
	one := make([]match, 1)
	for at, freq := range freqs {
		if freq > 0 {
			one[0] = match{at, int(lengths[at]), freq}
			add(one)
		}
	}
	return nil
}

// A match is a document that is scored, by its place there.
type match struct {
	at, length int
	freq       float64
}

// eachOf calls f with the documents of each term that are scored, some at a time.
func (m *wordMatcher) eachOf(p *Part, to *Scores, f func([]match)) error {
	for _, t := range m.terms[p.number] {
		if err := m.eachMatch(t, to, f); err != nil {
			return err
		}
	}
	for _, phrase := range m.phrases {
		eachPhrase(phrase.found[p.number], to, f)
	}
	return nil
}

// eachMatch calls f with the documents of a term that are scored, some at a time.
func (m *wordMatcher) eachMatch(t weightedTerm, to *Scores, f func([]match)) error {
	if len(to.Sums) == 0 {
		return nil
	}
	if m.s.matches == nil {
		m.s.matches = make([]match, segment.ScanBatch)
	}
	all := m.s.matches
	return t.Scan(to.Docs, m.s.Check, func(batch []segment.Freq) {
		for i, p := range batch {
			at, _ := to.Place(p.Doc)
			all[i] = match{at, int(p.Length), t.weight * float64(p.Freq)}
		}
		f(all[:len(batch)])
	})
}
