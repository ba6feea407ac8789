package segment

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"slices"
	"sort"

	"github.com/RoaringBitmap/roaring/v2"
	segment "github.com/blevesearch/scorch_segment_api/v2"
)

// Merge implements scorch.SegmentPlugin.
func (p *Plugin) Merge(segments []segment.Segment, drops []*roaring.Bitmap, path string, closed chan struct{}, stats segment.StatsReporter) ([][]uint64, uint64, error) {
	return p.MergeUsing(segments, drops, path, closed, stats, nil)
}

// MergeUsing implements scorch.SegmentPlugin. zapx merges segments with different
// fields, and those that this package can't read.
func (p *Plugin) MergeUsing(segments []segment.Segment, drops []*roaring.Bitmap, path string, closed chan struct{}, stats segment.StatsReporter, config map[string]any) ([][]uint64, uint64, error) {
	if err := checkSources(segments, config); err != nil {
		return nil, 0, fmt.Errorf("merge segments into %s: %w", path, err)
	}
	b := builders.Get().(*builder)
	numbers, size, err := b.mergeSegments(segments, drops, path, closed)
	b.release(err)
	switch {
	case errors.Is(err, errForeign):
		return p.ZapPlugin.MergeUsing(unwrap(segments), drops, path, closed, stats, config)
	case errors.Is(err, segment.ErrClosed):
		return nil, 0, segment.ErrClosed // scorch compares by ==; anything else is a failure of the index
	case err != nil:
		return nil, 0, fmt.Errorf("merge segments into %s: %w", path, err)
	}
	if stats != nil {
		stats.ReportBytesWritten(size)
	}
	return numbers, size, nil
}

// mergeSegments writes the merged segment durably. After an error there is no
// file. Damaged bytes can make vellum panic, and an unreadable page of a file
// raises a fault: both are errors here.
func (b *builder) mergeSegments(segments []segment.Segment, drops []*roaring.Bitmap, path string, closed chan struct{}) (numbers [][]uint64, size uint64, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", errBroken, p)
		}
	}()
	defer b.begin()()
	m, err := newMerge(segments, drops, closed)
	if err != nil {
		return nil, 0, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, 0, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(path))
		}
	}()
	defer func() { err = errors.Join(err, f.Close()) }()
	b.reset(f)
	if err := b.merge(m); err != nil {
		return nil, 0, err
	}
	for _, s := range m.sources {
		numbers = append(numbers, s.numbers)
	}
	return numbers, b.base, f.Sync()
}

// A merge is a list of segments with the same fields.
type merge struct {
	sources []*source
	docs    int // of the merged segment
	closed  chan struct{}
}

func newMerge(segments []segment.Segment, drops []*roaring.Bitmap, closed chan struct{}) (*merge, error) {
	m := &merge{closed: closed}
	next := uint64(0)
	for i, seg := range segments {
		s, err := openSource(seg)
		if err != nil {
			return nil, err
		}
		if i > 0 && !sameFields(s, m.sources[0]) {
			return nil, errForeign
		}
		next = s.number(next, drops[i])
		m.sources = append(m.sources, s)
	}
	if next == 0 || next > math.MaxUint32 {
		return nil, errForeign
	}
	m.docs = int(next)
	return m, nil
}

// stopped returns an error if scorch closes the index.
func (m *merge) stopped() error {
	select {
	case <-m.closed:
		return segment.ErrClosed
	default:
		return nil
	}
}

func (b *builder) merge(m *merge) error {
	stored, err := b.mergeStored(m)
	if err != nil {
		return err
	}
	fields := slices.Clone(m.sources[0].fields)
	for i := range fields {
		if err := b.mergeField(m, i, &fields[i]); err != nil {
			return fmt.Errorf("field %s: %w", fields[i].name, err)
		}
	}
	return b.writeFooter(uint64(m.docs), stored, b.writeFields(fields))
}

func (b *builder) mergeStored(m *merge) (at uint64, err error) {
	b.offsets = b.offsets[:0]
	for _, s := range m.sources {
		if err := m.stopped(); err != nil {
			return 0, err
		}
		for doc, n := range s.numbers {
			if n == dropped {
				continue
			}
			data, err := s.storedFields(doc)
			if err != nil {
				return 0, err
			}
			b.offsets = append(b.offsets, b.at())
			b.out = append(b.out, data...)
			if err := b.flushLarge(); err != nil {
				return 0, err
			}
			b.step()
		}
	}
	return b.writeStoredIndex(), nil
}

func (b *builder) mergeField(m *merge, i int, f *field) error {
	values := make([][]byte, len(m.sources))
	var open []*source // with terms left
	hasValues, termBytes := false, 0
	for k, s := range m.sources {
		var err error
		if values[k], err = s.openField(i); err != nil {
			return err
		}
		hasValues, termBytes = hasValues || values[k] != nil, termBytes+s.termBytes
		if s.terms != nil {
			open = append(open, s)
		}
	}
	b.dict.Start(termBytes)
	if err := b.mergeTerms(m, open); err != nil {
		return err
	}
	if !hasValues {
		return b.finishField(f, m.docs, nil)
	}
	return b.finishField(f, m.docs, func(add addTerms) error { return m.eachTerms(b, values, add) })
}

// eachTerms calls add with the docvalues of all sources.
func (m *merge) eachTerms(b *builder, values [][]byte, add addTerms) error {
	for k, s := range m.sources {
		if values[k] == nil {
			continue
		}
		if err := m.stopped(); err != nil {
			return err
		}
		err := s.eachValue(values[k], func(doc uint64, terms []byte) {
			if n := s.numbers[doc]; n != dropped {
				add(int(n), terms)
			}
		})
		if err != nil {
			return err
		}
		if err := b.flushLarge(); err != nil {
			return err
		}
	}
	return nil
}

// stopEvery is the number of terms after which a merge asks whether to stop.
const stopEvery = 4096

// mergeTerms merges the terms of one field.
func (b *builder) mergeTerms(m *merge, open []*source) error {
	var term []byte
	var same []*source // that have the term
	for n := 0; len(open) > 0; n++ {
		if n%stopEvery == 0 {
			if err := m.stopped(); err != nil {
				return err
			}
		}
		same = lowest(same[:0], open)
		if n > 0 && bytes.Compare(same[0].term, term) <= 0 {
			return errBroken
		}
		b.step()
		term = append(term[:0], same[0].term...)
		if err := b.mergeTerm(m, term, same); err != nil {
			return err
		}
		for _, s := range same {
			if err := s.next(); err != nil {
				return err
			}
		}
		open = slices.DeleteFunc(open, func(s *source) bool { return s.terms == nil })
	}
	return nil
}

// lowest appends the sources with the lowest current term to dst.
func lowest(dst, open []*source) []*source {
	for _, s := range open {
		if len(dst) > 0 {
			switch bytes.Compare(s.term, dst[0].term) {
			case -1:
				dst = dst[:0]
			case 1:
				continue
			}
		}
		dst = append(dst, s)
	}
	return dst
}

// mergeTerm writes one term, unless all its documents are dropped.
func (b *builder) mergeTerm(m *merge, term []byte, same []*source) error {
	docs, tf, loc := 0, 0, 0
	for _, s := range same {
		if err := s.read(); err != nil {
			return err
		}
		docs, tf, loc = docs+s.live(), tf+len(s.post.tf), loc+len(s.post.loc)
	}
	if docs == 0 {
		return nil
	}
	l := &b.list
	l.start(docs, m.docs)
	l.docs, l.tf, l.loc = slices.Grow(l.docs, docs), slices.Grow(l.tf, tf), slices.Grow(l.loc, loc)
	for _, s := range same {
		var err error
		switch {
		case s.drops:
			err = l.addLive(s)
		case l.chunks > 1:
			err = l.addRuns(s)
		default:
			l.addAll(s)
		}
		if err != nil {
			return err
		}
	}
	v, ok := l.single()
	if b.exact && len(same) > 1 && same[len(same)-1].live() == 0 {
		ok = false // zapx forgets that there was one document
	}
	if !ok {
		v = b.writeList()
	}
	if err := b.dict.Insert(term, v); err != nil {
		return err
	}
	return b.flushLarge()
}

// live returns how many documents of the current term are not dropped.
func (s *source) live() int {
	if !s.drops {
		return len(s.post.docs)
	}
	n := 0
	for _, doc := range s.post.docs {
		if s.numbers[doc] != dropped {
			n++
		}
	}
	return n
}

// addAll adds the documents of the current term of a source without dropped
// ones, in a list of one chunk. Nothing in tf and loc names a document.
func (l *list) addAll(s *source) {
	l.addDocs(s.post.docs, uint32(s.numbers[0]))
	l.tf, l.loc = append(l.tf, s.post.tf...), append(l.loc, s.post.loc...)
}

// addDocs adds documents, which follow others in the merged segment.
func (l *list) addDocs(docs []uint32, others uint32) {
	from := len(l.docs)
	l.docs = append(l.docs, docs...)
	for i := range l.docs[from:] {
		l.docs[from+i] += others
	}
}

// addRuns is addAll for a list of several chunks: it adds the documents of each chunk
// together.
func (l *list) addRuns(s *source) error {
	others, p := uint32(s.numbers[0]), s.postingBytes()
	for docs := s.post.docs; len(docs) > 0; {
		l.reach(others + docs[0])
		n := sort.Search(len(docs), func(i int) bool { return others+docs[i] >= l.next })
		from := p
		if p.skip(n); p.tf.broken || p.loc.broken {
			return errBroken
		}
		l.addDocs(docs[:n], others)
		l.tf, l.loc = append(l.tf, p.tf.data[from.tf.at:p.tf.at]...), append(l.loc, p.loc.data[from.loc.at:p.loc.at]...)
		docs = docs[n:]
	}
	return nil
}

// addLive adds the documents of the current term of a source that are not
// dropped.
func (l *list) addLive(s *source) error {
	return s.eachPosting(func(doc uint64, tf, loc []byte) {
		if doc != dropped {
			l.add(uint32(doc))
			l.tf, l.loc = append(l.tf, tf...), append(l.loc, loc...)
		}
	})
}
