package segment

import (
	"sync/atomic"

	"github.com/RoaringBitmap/roaring/v2"
)

// A live has the documents that some deletions have left of a segment.
type live struct {
	deleted *roaring.Bitmap // nil: none; scorch replaces it, and does not change it
	docs    Bits
	count   int
}

// A liveCache has the last live set of a segment that is in a file. Making one takes longer
// than a search for a rare word, and most segments change rarely.
type liveCache struct{ atomic.Pointer[live] }

// Live returns the documents that are not deleted, and how many there are. Other searches
// have the set too: it must not be changed.
func (r *Reader) Live(deleted *roaring.Bitmap) (docs Bits, count int) {
	cache := r.src.visible
	if cache != nil {
		if l := cache.Load(); l != nil && l.deleted == deleted {
			return l.docs, l.count
		}
	}
	l := &live{deleted: deleted, docs: AllBits(r.Docs())}
	if deleted != nil {
		for it := deleted.Iterator(); it.HasNext(); {
			if doc := it.Next(); int(doc) < r.Docs() {
				l.docs.Clear(doc)
			}
		}
	}
	l.count = l.docs.Count()
	if cache != nil {
		cache.Store(l)
	}
	return l.docs, l.count
}
