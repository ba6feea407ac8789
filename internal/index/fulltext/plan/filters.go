package plan

import (
	"container/list"
	"fmt"
	"slices"
	"strings"
	"sync"

	"indexerd/internal/index/fulltext/segment"
)

// A FilterCache has the documents that filters match, a set for each filter and segment.
// Segments never change, so that a set holds for as long as its segment is there: deleted
// documents are in it, and each search leaves them out, as it does the documents that its
// caller may not see. After a merge the sets of old segments are not used again and make
// room for others.
//
// Indexes share a cache. It takes a set when a filter is used for the second time, and drops
// those that were not used for longest. An answer does not depend on it.
type FilterCache struct {
	size  int // bytes at most
	least int // documents of a segment; a smaller one is read as fast

	mu    sync.Mutex
	bytes int
	sets  map[filterKey]*list.Element // of *filterSet
	used  list.List                   // the last used first
	seen  map[filterKey]bool          // used once
	of    map[*IndexFilters]bool      // indexes with any of these
}

// A filterKey is a filter in one segment. scorch numbers segments, and never uses a number
// again while the index is open.
type filterKey struct {
	index   *IndexFilters
	segment uint64
	filter  string
}

type filterSet struct {
	filterKey
	docs segment.Bits // read-only
}

// IndexFilters are the filters of one open index in a cache, and the lengths of its segments.
type IndexFilters struct {
	cache   *FilterCache
	lengths lengths
}

const (
	filterSeen    = 10_000
	filterOver    = 256 // bytes of a set besides its documents and its key
	maxFilterName = 4096
)

// NewFilterCache returns an empty cache of at most so many bytes, for the segments with a
// least number of documents.
func NewFilterCache(size, least int) *FilterCache {
	return &FilterCache{size: size, least: least, sets: map[filterKey]*list.Element{}, seen: map[filterKey]bool{}, of: map[*IndexFilters]bool{}}
}

// OfIndex returns the place of an index that was opened.
func (c *FilterCache) OfIndex() *IndexFilters { return &IndexFilters{cache: c} }

// Held returns how many bytes the cache has.
func (c *FilterCache) Held() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes
}

func (s *filterSet) bytes() int { return 8*len(s.docs) + len(s.filter) + filterOver }

// get returns the documents of a filter, nil if they are not there. wanted reports
// whether the caller should put them.
func (c *FilterCache) get(key filterKey) (docs segment.Bits, wanted bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.sets[key]; e != nil {
		c.used.MoveToFront(e)
		return e.Value.(*filterSet).docs, false
	}
	if c.seen[key] {
		delete(c.seen, key)
		return nil, true
	}
	if len(c.seen) >= filterSeen {
		clear(c.seen)
	}
	c.seen[key], c.of[key.index] = true, true
	return nil, false
}

// put adds the documents of a filter.
func (c *FilterCache) put(key filterKey, docs segment.Bits) {
	c.mu.Lock()
	defer c.mu.Unlock()
	set := &filterSet{key, docs}
	if c.sets[key] != nil || set.bytes() > c.size {
		return
	}
	c.sets[key] = c.used.PushFront(set)
	for c.bytes += set.bytes(); c.bytes > c.size; {
		c.remove(c.used.Back())
	}
}

func (c *FilterCache) remove(e *list.Element) {
	set := c.used.Remove(e).(*filterSet)
	c.bytes -= set.bytes()
	delete(c.sets, set.filterKey)
}

// Drop removes all sets of the index, which is closed.
func (ix *IndexFilters) Drop() {
	c := ix.cache
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.of[ix] {
		return
	}
	delete(c.of, ix)
	for e := c.used.Front(); e != nil; {
		next := e.Next()
		if e.Value.(*filterSet).index == ix {
			c.remove(e)
		}
		e = next
	}
	for key := range c.seen {
		if key.index == ix {
			delete(c.seen, key)
		}
	}
}

// A filterMatcher matches as its plan does, by the cache if it can.
type filterMatcher struct {
	s      *Session
	name   string
	plan   Plan
	opened Matcher // nil while it was not needed
}

// filterName identifies a filter in an index, and counts its words. It is "" for a plan
// that is no filter, or that is too long.
func filterName(p Plan) (name string, words int) {
	switch p := p.(type) {
	case termPlan:
		return fmt.Sprintf("%q=%q", p.field, p.term), 1
	case rangePlan:
		return fmt.Sprintf("%q:%q-%q", p.field, p.Min, p.Max), 0
	case orPlan:
		names := make([]string, len(p))
		for i, part := range p {
			of, n := filterName(part)
			if of == "" {
				return "", 0
			}
			names[i], words = of, words+n
		}
		name = "(" + strings.Join(names, " ") + ")"
	case unscored:
		return filterName(p.plan)
	}
	if len(name) > maxFilterName {
		return "", 0
	}
	return name, words
}

// openFilter returns a matcher of a filter. It takes the numbers of its words, so that
// those of the other words of the query do not depend on the cache.
func (s *Session) openFilter(name string, words int, p Plan) Matcher {
	for range words {
		s.newNumber()
	}
	return &filterMatcher{s: s, name: name, plan: p}
}

func (m *filterMatcher) Match(p *Part, among segment.Bits) (segment.Bits, error) {
	cache := m.s.filters.cache
	if p.Docs() < cache.least {
		return m.read(p, among)
	}
	key := filterKey{m.s.filters, p.segment, m.name}
	docs, wanted := cache.get(key)
	if docs == nil && !wanted {
		return m.read(p, among)
	}
	if docs == nil {
		var err error
		if docs, err = m.read(p, segment.AllBits(p.Docs())); err != nil {
			return nil, err
		}
		docs = slices.Clone(docs) // the cache keeps them for longer than the session
		cache.put(key, docs)
	}
	found := p.CopyOf(docs)
	found.And(among)
	return found, nil
}

// ranged reports whether the filter has a range.
func (m *filterMatcher) ranged() bool {
	var has func(Plan) bool
	has = func(p Plan) bool {
		switch p := p.(type) {
		case rangePlan:
			return true
		case unscored:
			return has(p.plan)
		case orPlan:
			return slices.ContainsFunc(p, has)
		}
		return false
	}
	return has(m.plan)
}

// read reads the documents from the index. Its words have no numbers of the query: a
// cursor, which has those of all words, must not show whether the filter was kept.
func (m *filterMatcher) read(p *Part, among segment.Bits) (_ segment.Bits, err error) {
	if m.opened == nil {
		words, having := m.s.words, len(m.s.Stats.Having)
		m.opened, err = m.plan.Open(m.s)
		m.s.words, m.s.Stats.Having = words, m.s.Stats.Having[:having]
		if err != nil {
			return nil, err
		}
	}
	return m.opened.Match(p, among)
}

func (*filterMatcher) Score(*Part, *Scores) error { return nil }
