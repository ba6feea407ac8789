package plan

import (
	"container/heap"
	"slices"

	"indexerd/internal/index/fulltext/segment"
)

// A termHeap has cursors of the terms of a word, the one with the first document on top. So
// a document takes time for the terms that it has, and not for all: a prefix may have
// thousands.
type termHeap []*segment.Cursor

// openTerms opens the terms before the first document of a set.
func openTerms(terms []weightedTerm, among segment.Bits) (h termHeap, err error) {
	for _, t := range terms {
		c := t.Cursor(among)
		if c.Next() {
			h = append(h, c)
		} else if err = c.Err(); err != nil {
			return nil, err
		}
	}
	heap.Init(&h)
	return h, nil
}

// read appends the positions of the terms in a document to places, in order. Documents come
// in order. length is the number of words of the field, 0 if the document has none of the terms.
func (h *termHeap) read(doc uint32, places []int) (_ []int, length int, err error) {
	if len(*h) == 1 { // most words have one term: it is not read ahead
		c := (*h)[0]
		if c.SkipTo(doc) && c.Doc == doc {
			places, length = c.AppendPositions(places), c.Length
		}
		return places, length, c.Err()
	}
	terms := 0
	for len(*h) > 0 && (*h)[0].Doc <= doc {
		c, more := (*h)[0], false
		if c.Doc < doc {
			more = c.SkipTo(doc)
		} else {
			places, length = c.AppendPositions(places), c.Length
			terms++
			more = c.Next()
		}
		if err := c.Err(); err != nil {
			return nil, 0, err
		}
		if more {
			heap.Fix(h, 0)
		} else {
			heap.Pop(h)
		}
	}
	if terms > 1 {
		slices.Sort(places)
		places = slices.Compact(places)
	}
	return places, length, nil
}

// Len implements heap.Interface, as the other methods.
func (h termHeap) Len() int           { return len(h) }
func (h termHeap) Less(i, j int) bool { return h[i].Doc < h[j].Doc }
func (h termHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *termHeap) Push(x any)        { *h = append(*h, x.(*segment.Cursor)) }

// Pop implements heap.Interface.
func (h *termHeap) Pop() any {
	last := len(*h) - 1
	c := (*h)[last]
	*h = (*h)[:last]
	return c
}
