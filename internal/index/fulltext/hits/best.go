package hits

import (
	"cmp"
	"container/heap"
	"math"
	"slices"

	"indexerd/internal/index/fulltext/order"
	"indexerd/internal/index/fulltext/plan"
	"indexerd/internal/index/fulltext/segment"
)

// keepBest keeps the matches with the best scores. It reads no key but those of
// matches that are kept, or whose score is that of the last one kept. If very many
// matches have that score, as those of a query without words, it reads the keys in
// their order until it has enough.
func (c *collector) keepBest(s *plan.Session, m plan.Matcher, all []*found) error {
	want := c.size + 1 // one more shows whether more follow
	if near, ok := m.(*plan.Near); ok {
		if err := c.addPairs(pairs{near}, all, want); err != nil {
			return err
		}
	}
	below := float32(0)
	if c.after != nil {
		below = float32(c.after.Score)
		if err := c.keepEqual(s, all, below, c.after.ID, want); err != nil {
			return err
		}
	}
	eligible := func(score float32) bool { return c.after == nil || score < below }
	last, full := lastOfBest(all, want, eligible)
	for _, f := range all {
		least := last
		if full {
			least = math.Nextafter32(last, math.MaxFloat32)
		}
		f.scan(&least, func(at int, score float32) {
			if eligible(score) {
				c.kept = append(c.kept, c.candidate(f, f.doc(at), score))
			}
		})
	}
	if full {
		if err := c.keepEqual(s, all, last, "", want); err != nil {
			return err
		}
	}
	for _, k := range c.kept {
		if err := c.order.ReadID(k); err != nil {
			return err
		}
	}
	slices.SortFunc(c.kept, c.compare)
	if len(c.kept) > c.size {
		c.kept, c.more = c.kept[:c.size], true
	}
	return c.err
}

// candidate returns a match as a candidate of an order by score.
func (c *collector) candidate(f *found, doc uint32, score float32) *order.Candidate {
	one := c.order.Candidate()
	one.Number, one.Score = f.Part.Base+uint64(doc), float64(score)
	return one
}

// addPairs completes the scores that can be among the best.
func (c *collector) addPairs(near pairs, all []*found, want int) error {
	below := math.Inf(1)
	if c.after != nil {
		below = c.after.Score
	}
	if err := near.addPairs(all, want, below); err != nil {
		return err
	}
	for _, f := range all {
		c.best = max(c.best, float64(f.best()))
	}
	return nil
}

// A topHeap has the greatest of some numbers, with the lowest of them on top.
type topHeap[N float32 | uint64] []N

// A scoreHeap has the best scores.
type scoreHeap = topHeap[float32]

func (h topHeap[N]) Len() int           { return len(h) }
func (h topHeap[N]) Less(i, j int) bool { return h[i] < h[j] }
func (h topHeap[N]) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *topHeap[N]) Push(x any)        { *h = append(*h, x.(N)) }
func (h *topHeap[N]) Pop() any          { panic("numbers are only replaced") }

// keep adds a number if it is one of the want greatest.
func (h *topHeap[N]) keep(n N, want int) {
	if top := *h; len(top) < want {
		heap.Push(h, n)
	} else if n > top[0] {
		top[0] = n
		heap.Fix(h, 0)
	}
}

// least returns the number that the next must exceed, 0 while there are fewer than want.
func (h topHeap[N]) least(want int) N {
	if len(h) < want {
		return 0
	}
	return h[0]
}

// lastOfBest returns the lowest of the want best scores, and false if there are
// fewer matches.
func lastOfBest(all []*found, want int, eligible func(float32) bool) (last float32, full bool) {
	var best scoreHeap
	for _, f := range all {
		if f.Scores == nil {
			for range min(f.Count, want) {
				if eligible(f.Constant) {
					best.keep(f.Constant, want)
				}
			}
			continue
		}
		least := best.least(want)
		f.scan(&least, func(_ int, score float32) {
			if eligible(score) {
				best.keep(score, want)
				least = best.least(want)
			}
		})
	}
	if len(best) < want {
		return 0, false
	}
	return best[0], true
}

// keepEqual keeps the first want matches with a score, by their keys, after a key.
func (c *collector) keepEqual(s *plan.Session, all []*found, score float32, after string, want int) error {
	var equal []*order.Candidate
	for _, f := range all {
		docs, n := f.withScore(score)
		if n == 0 {
			continue
		}
		add := func(doc uint32, id string) {
			if id > after {
				one := c.candidate(f, doc, score)
				one.ID = id
				equal = append(equal, one)
			}
		}
		var err error
		if n/readsPerKey > want*f.Part.Docs()/n {
			err = f.firstKeys(docs, after, want, add)
		} else {
			err = c.readKeys(s, f, docs, add)
		}
		if err = cmp.Or(err, s.Check()); err != nil {
			return err
		}
	}
	slices.SortFunc(equal, func(a, b *order.Candidate) int { return cmp.Compare(a.ID, b.ID) })
	c.kept = append(c.kept, equal[:min(want, len(equal))]...)
	return nil
}

// readsPerKey is how many times faster the next key is read than that of a document.
const readsPerKey = 8

// withScore returns the matches with a score.
func (f *found) withScore(score float32) (docs segment.Bits, n int) {
	if f.Scores == nil {
		if f.Constant == score {
			return f.Docs, f.Count
		}
		return nil, 0
	}
	docs = f.Part.Set()
	least := score
	f.scan(&least, func(at int, s float32) {
		if s == score {
			docs.Set(f.doc(at))
			n++
		}
	})
	return docs, n
}

// firstKeys adds the first want documents of a set, by their keys.
func (f *found) firstKeys(docs segment.Bits, after string, want int, add func(doc uint32, id string)) error {
	return f.Part.Each("_id", after, "", func(id []byte, of segment.Postings) (bool, error) {
		doc, err := of.Doc()
		if err != nil {
			return false, err
		}
		if docs.Has(doc) && string(id) != after {
			add(doc, string(id))
			want--
		}
		return want > 0, nil
	})
}

// readKeys adds all documents of a set.
func (c *collector) readKeys(s *plan.Session, f *found, docs segment.Bits, add func(doc uint32, id string)) error {
	for doc := range docs.All {
		k := order.Candidate{Number: f.Part.Base + uint64(doc)}
		if err := cmp.Or(c.order.ReadID(&k), s.Step()); err != nil {
			return err
		}
		add(doc, k.ID)
	}
	return nil
}
