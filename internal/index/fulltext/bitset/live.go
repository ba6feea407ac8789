package bitset

import (
	"iter"
	"sync/atomic"
)

// A LiveCache has the documents of a segment that are not deleted. Making the set takes longer
// than a search for a rare word, and most segments change rarely. A nil cache keeps nothing.
type LiveCache struct{ last atomic.Pointer[live] }

// A live has the documents that some deletions have left.
type live struct {
	deletions any
	docs      Bits
	count     int
}

// Of returns the documents that are not deleted, and how many there are. deletions identifies
// what deleted lists: for the same, it lists the same. Other searches have the set too: it
// must not be changed.
func (c *LiveCache) Of(docs int, deletions any, deleted iter.Seq[uint32]) (Bits, int) {
	if c != nil {
		if l := c.last.Load(); l != nil && l.deletions == deletions {
			return l.docs, l.count
		}
	}
	l := &live{deletions: deletions, docs: All(docs)}
	for doc := range deleted {
		if int(doc) < docs {
			l.docs.Clear(doc)
		}
	}
	l.count = l.docs.Count()
	if c != nil {
		c.last.Store(l)
	}
	return l.docs, l.count
}
