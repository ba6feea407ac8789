package plan

import (
	"indexerd/internal/index/fulltext/numbers"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/fulltext/segment"
)

// A rangePlan matches documents that have a term in the range.
type rangePlan struct {
	field string
	schema.Range
}

type rangeMatcher struct {
	s *Session
	rangePlan
}

func (p rangePlan) Open(s *Session) (Matcher, error) { return rangeMatcher{s, p}, nil }

// maxRangeTerms is how many terms of a range are looked up in any case. If there
// are more of them than documents to choose from, it is cheaper to check the values
// of each document: about 0.3 us, against 0.1 us per term. From a column a hundred
// values are checked in that time.
const (
	maxRangeTerms  = 1024
	fewRangeTerms  = 64 // with a column
	numbersPerTerm = 64
)

func (m rangeMatcher) Match(p *Part, among segment.Bits) (segment.Bits, error) {
	column, err := p.Column(m.field)
	if err != nil {
		return nil, err
	}
	numbers, isNumbers := m.numbers()
	fromColumn := column.Has() && isNumbers
	count := among.Count()
	most := max(maxRangeTerms, count)
	if fromColumn {
		most = max(fewRangeTerms, count/numbersPerTerm)
	}
	found := p.Set()
	terms := 0
	err = p.Each(m.field, m.Min, m.Max, func(_ []byte, docs segment.Postings) (bool, error) {
		if terms++; terms > most {
			return false, nil
		}
		if err := m.s.Step(); err != nil {
			return false, err
		}
		return true, docs.AddTo(found)
	})
	switch {
	case err != nil:
		return nil, err
	case terms <= most:
		found.And(among)
		return found, nil
	case fromColumn:
		return m.scanColumn(p, column, numbers, among)
	}
	return m.scan(p, among)
}

func (rangeMatcher) Score(*Part, *Scores) error { return nil }

// scan checks the values of each document.
func (m rangeMatcher) scan(p *Part, among segment.Bits) (segment.Bits, error) {
	found := p.Set()
	values := m.s.Values([]string{m.field})
	for doc := range among.All {
		if err := m.s.Step(); err != nil {
			return nil, err
		}
		err := values.Visit(p, doc, func(_ string, term []byte) {
			if string(term) >= m.Min && (m.Max == "" || string(term) < m.Max) {
				found.Set(doc)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// scanColumn checks the numbers of each document. Only one that has a number below the range
// and one above it may have others in it.
func (m rangeMatcher) scanColumn(p *Part, column numbers.Column, in numbers.Range, among segment.Bits) (segment.Bits, error) {
	found, unsure := p.Set(), segment.Bits(nil)
	if column.Several() {
		unsure = p.Set()
	}
	column.In(in, among, found, unsure)
	if err := m.s.Check(); err != nil || unsure == nil {
		return found, err
	}
	more, err := m.scan(p, unsure)
	found.Or(more)
	return found, err
}

// numbers returns the numbers of the range, false if its bounds are not the terms of numbers.
func (m rangeMatcher) numbers() (n numbers.Range, ok bool) {
	if n.From, ok = numberFrom(m.Min); !ok {
		return n, false
	}
	n.NoEnd = m.Max == ""
	n.Before, ok = numberFrom(m.Max)
	return n, ok
}

// numberFrom returns the first number whose term is not before a bound, false if there is
// none or if the bound is not the term of a number, or that and more.
func numberFrom(bound string) (n uint64, ok bool) {
	if bound == "" {
		return 0, true
	}
	term := bound[:min(len(bound), numbers.TermSize)]
	if n, ok = numbers.Of([]byte(term)); !ok {
		return 0, false
	}
	if len(bound) > len(term) {
		n++
		return n, n > 0
	}
	return n, true
}
