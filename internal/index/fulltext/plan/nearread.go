package plan

import (
	"cmp"
	"math"
	"slices"

	"indexerd/internal/index/fulltext/segment"
)

// A nearReader has the words of some documents, and reads their pairs one document after
// another.
type nearReader struct {
	m     *Near
	words []nearWord
	at    int // of the document among them
}

// A nearWord is a word in some documents.
type nearWord struct {
	scores []float64 // of each document, 0 if it does not have the word
	places [][][]int // in each column of each document, ascending
}

// nearBatch is the number of documents whose words are in memory together.
const nearBatch = 4096

// read calls f with each of some documents, which are in order.
func (m *Near) read(p *Part, docs []uint32, f func(*nearReader) error) error {
	r := &m.reader
	r.m, r.words = m, slices.Grow(r.words[:0], len(m.words))[:len(m.words)]
	for batch := range slices.Chunk(docs, nearBatch) {
		for i := range m.words {
			if err := r.words[i].read(m.words[i], p, batch); err != nil {
				return err
			}
		}
		for r.at = range batch {
			if err := f(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// read reads the scores and the places of a word in some documents.
func (w *nearWord) read(m *columnsMatcher, p *Part, docs []uint32) error {
	scale, _, err := m.scale()
	if err != nil {
		return err
	}
	columns, err := m.weights()
	if err != nil {
		return err
	}
	n := len(docs)
	w.scores = slices.Grow(w.scores[:0], n)[:n]
	clear(w.scores)
	w.places = slices.Grow(w.places[:0], len(m.parts))[:len(m.parts)]
	none := m.kept != nil && m.kept[p.number] != nil && !slices.ContainsFunc(docs, m.kept[p.number].Has)
	for i, part := range m.parts {
		places := slices.Grow(w.places[i][:cap(w.places[i])], max(0, n-cap(w.places[i])))[:n]
		for at := range places {
			places[at] = places[at][:0]
		}
		if w.places[i] = places; none {
			continue
		}
		if err := part.readPlaces(p, docs, places, func(at int, freq float64, length int) { w.scores[at] += columns[i].weight(freq, length) }); err != nil {
			return err
		}
	}
	for at, weight := range w.scores {
		if weight > 0 {
			w.scores[at] = scale * weight / (weight + m.rank.K1)
		}
	}
	return nil
}

// readPlaces appends the positions of a word in some documents, and calls f with what
// counts in a score. Forms of a word at one position, such as its stem, are one occurrence.
func (m *wordMatcher) readPlaces(p *Part, docs []uint32, places [][]int, f func(at int, freq float64, length int)) error {
	var broken error
	for _, t := range m.terms[p.number] {
		err := t.ScanPositions(docs, m.s.Check, func(at int, p *segment.Posting) {
			f(at, t.weight*float64(p.Freq), p.Length)
			found, err := p.AppendPositions(places[at])
			places[at], broken = found, cmp.Or(broken, err)
		})
		if err = cmp.Or(err, broken); err != nil {
			return err
		}
	}
	if len(m.terms[p.number]) > 1 {
		for at, found := range places {
			slices.Sort(found)
			places[at] = slices.Compact(found)
		}
	}
	return nil
}

// each calls f with the pairs that are near each other in the current document.
func (r *nearReader) each(f func(pair [2]int, column, distance int, score float64)) {
	for _, pair := range r.m.pairs {
		a, b := &r.words[pair[0]], &r.words[pair[1]]
		if a.scores[r.at] == 0 || b.scores[r.at] == 0 {
			continue
		}
		nearest, in := nearText+1, 0
		for column := range a.places {
			if d := distance(a.places[column][r.at], b.places[column][r.at]); d < nearest {
				nearest, in = d, column
			}
		}
		if nearest <= nearText {
			f(pair, in, nearest, nearWeight*(a.scores[r.at]+b.scores[r.at])/float64(nearest))
		}
	}
}

// distance returns the least distance of two ascending lists. An occurrence of both, such
// as that of a synonym, is not near itself.
func distance(a, b []int) int {
	least := math.MaxInt
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			least = min(least, b[0]-a[0])
			a = a[1:]
		case a[0] > b[0]:
			least = min(least, a[0]-b[0])
			b = b[1:]
		default:
			if len(a) > 1 {
				least = min(least, a[1]-b[0])
			}
			if len(b) > 1 {
				least = min(least, b[1]-a[0])
			}
			a, b = a[1:], b[1:]
		}
	}
	return least
}
