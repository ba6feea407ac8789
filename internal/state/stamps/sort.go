package stamps

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"indexerd/internal/base/doc"
)

const (
	// sortBytes is the most that a sort keeps in memory: 500,000 stamps with integer
	// keys, or 300,000 with keys of 30 bytes. While it grows, a sort takes half more.
	// It is less if a quarter of the tree's budget is. A sort in memory takes 0.3 to
	// 2 µs a stamp, and about 0.3 µs more if it writes runs.
	sortBytes = 16 << 20
	// sortPage is the number of stamps in a sorted page.
	sortPage = 1000
	// sortedBytes is what an entry takes in a slice.
	sortedBytes = 32
)

// Sorted returns the stamps of pages in OID order, each OID once. It reads all
// pages before it yields the first. Up to sortBytes are sorted in memory; more are
// written to runs, which are removed when the iteration ends.
//
// Equal stamps of one OID become one. Different stamps of one OID become one with
// the later updateTime and an unknown token: the row changed while the pages were
// read, or several rows have its key. Stamps without an OID become one, at the end.
// Before it, also at the end, come the stamps with keys longer than the tree keeps.
//
// After an error, of a page or of a run, the iteration ends.
func (t *Tree) Sorted(pages iter.Seq2[[]doc.Stamp, error]) iter.Seq2[[]doc.Stamp, error] {
	return func(yield func([]doc.Stamp, error) bool) {
		s := &sorter{tree: t, most: min(sortBytes, t.options.Budget/4)}
		defer func() { _ = s.runs.release() }() // New removes a file that stays
		err := s.read(pages)
		if err == nil {
			err = s.yield(yield)
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// A sorter sorts stamps, in memory and in runs.
type sorter struct {
	longKeys
	tree    *Tree
	most    int64 // bytes in memory
	entries []entry
	runs    layers

	long     map[doc.OID]record // keys longer than maxKey
	unusable bool               // there was a stamp without an OID
	key      []byte             // of the stamp that is added
}

func (s *sorter) read(pages iter.Seq2[[]doc.Stamp, error]) error {
	for page, err := range pages {
		if err != nil {
			return err
		}
		for _, stamp := range page {
			if err := s.add(stamp); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *sorter) add(stamp doc.Stamp) error {
	switch {
	case stamp.OID == "":
		s.unusable = true
		return nil
	case len(stamp.OID) > maxKey:
		s.addLong(stamp)
		return nil
	}
	s.key = append(s.key[:0], stamp.OID...)
	e := newEntry(recordOf(s.key, stamp))
	if len(s.key) > inlineBytes {
		e.tail = s.arena.add(s.key[headBytes:])
	}
	s.grow()
	s.entries = append(s.entries, e)
	if int64(len(s.entries))*sortedBytes+s.arena.size() > s.most {
		return s.spill()
	}
	return nil
}

func (s *sorter) addLong(stamp doc.Stamp) {
	r := newRecord(stamp)
	if other, ok := s.long[stamp.OID]; ok {
		r.join(other)
	}
	if s.long == nil {
		s.long = map[doc.OID]record{}
	}
	s.long[stamp.OID] = r
}

// grow makes room for an entry. It doubles the slice, up to what memory may hold.
func (s *sorter) grow() {
	if n := len(s.entries); n == cap(s.entries) {
		room := min(max(2*n, 64), int(s.most/sortedBytes)+1)
		s.entries = append(make([]entry, 0, room), s.entries...)
	}
}

// spill writes the entries to a run, and merges runs if there are too many.
func (s *sorter) spill() error {
	if err := s.write(s.sorted(), nil); err != nil {
		return err
	}
	s.entries, s.arena = s.entries[:0], arena{}
	if n := s.runs.tooMany(); n > 1 {
		return s.write(s.runs[:n].joined(), s.runs[:n])
	}
	return nil
}

// write writes records to a run, which replaces the newest runs that are given.
func (s *sorter) write(records iter.Seq2[record, error], newest layers) error {
	run, err := s.tree.writeRun(nil, records)
	if err != nil {
		return fmt.Errorf("sort stamps: %w", err)
	}
	s.runs = append(layers{{run: run, floor: lowest}}, s.runs[len(newest):]...)
	return newest.release()
}

// sorted sorts the entries and returns the joined record of each key.
func (s *sorter) sorted() iter.Seq2[record, error] {
	slices.SortFunc(s.entries, s.compare)
	return func(yield func(record, error) bool) {
		var key []byte
		for rest := s.entries; len(rest) > 0; {
			first, n := rest[0], 1
			key = s.arena.appendKey(key[:0], first)
			r := first.record(key)
			for ; n < len(rest) && s.compare(first, rest[n]) == 0; n++ {
				r.join(rest[n].record(key))
			}
			if !yield(r, nil) {
				return
			}
			rest = rest[n:]
		}
	}
}

// joined returns the joined record of each key, in key order.
func (ls layers) joined() iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		m := newMerge(ls)
		m.join = true
		m.yieldBefore(nil, yield)
	}
}

// join makes one record of two of a key.
func (r *record) join(o record) {
	if r.u == o.u && r.digest == o.digest && r.epoch == o.epoch {
		return
	}
	r.u, r.digest, r.epoch = max(r.u, o.u), 0, max(r.epoch, o.epoch)
}

// yield yields what was read, in pages, until the caller stops.
func (s *sorter) yield(yield func([]doc.Stamp, error) bool) error {
	records, err := s.all()
	if err != nil {
		return err
	}
	p := &pager{yield: yield}
	for r, err := range records {
		if err != nil {
			return err
		}
		if !p.add(r.stamp()) {
			return nil
		}
	}
	for _, oid := range slices.Sorted(maps.Keys(s.long)) {
		if !p.add(s.long[oid].stamp()) {
			return nil
		}
	}
	if s.unusable && !p.add(doc.Stamp{}) {
		return nil
	}
	p.flush()
	return nil
}

// all returns the joined record of each key. If there are runs, it writes what is
// in memory to another run.
func (s *sorter) all() (iter.Seq2[record, error], error) {
	if len(s.runs) == 0 {
		return s.sorted(), nil
	}
	if len(s.entries) > 0 {
		if err := s.spill(); err != nil {
			return nil, err
		}
	}
	return s.runs.joined(), nil
}

// A pager yields stamps in pages of sortPage. The caller may keep a page.
type pager struct {
	yield func([]doc.Stamp, error) bool
	page  []doc.Stamp
}

// add adds a stamp. It returns false if the caller stops.
func (p *pager) add(stamp doc.Stamp) bool {
	p.page = append(p.page, stamp)
	return len(p.page) < sortPage || p.flush()
}

func (p *pager) flush() (more bool) {
	page := p.page
	p.page = nil
	return len(page) == 0 || p.yield(page, nil)
}
