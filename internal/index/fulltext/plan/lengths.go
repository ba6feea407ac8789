package plan

import (
	"sync"

	"indexerd/internal/index/fulltext/schema"
)

// A lengths keeps how many words the segments of an index have, which every score needs: they
// are summed up once for each segment and number of deleted documents. The deleted documents
// of a segment only become more, so their number identifies them. Scorch never uses the
// number of a segment again while the index is open.
type lengths struct {
	mu   sync.Mutex
	sums map[lengthKey]lengthSum
}

type lengthKey struct {
	segment uint64
	field   string
}

// A lengthSum is the number of words of the live documents.
type lengthSum struct {
	live  int
	words uint64
}

// keptLengths is the number of sums from which on all are dropped, those of segments that
// were merged among them.
const keptLengths = 4096

func (l *lengths) get(k lengthKey, live int) (words uint64, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	sum, ok := l.sums[k]
	return sum.words, ok && sum.live == live
}

func (l *lengths) put(k lengthKey, sum lengthSum) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sums == nil || len(l.sums) >= keptLengths {
		l.sums = map[lengthKey]lengthSum{}
	}
	l.sums[k] = sum
}

// wordsIn returns the number of words that the visible documents of a part have in a field.
func (s *Session) wordsIn(p *Part, field string) (uint64, error) {
	if s.filters == nil || s.restricted {
		return p.Words(schema.LengthField(field), p.counted())
	}
	k := lengthKey{p.segment, field}
	if words, ok := s.filters.lengths.get(k, p.docs); ok {
		return words, nil
	}
	words, err := p.Words(schema.LengthField(field), p.counted())
	if err == nil {
		s.filters.lengths.put(k, lengthSum{p.docs, words})
	}
	return words, err
}
