package hits

import (
	"cmp"
	"math"
	"slices"

	"indexerd/internal/index/fulltext/numbers"
	"indexerd/internal/index/fulltext/segment"
)

// A search that is sorted by numbers needs the other values, and the keys, of those
// documents only whose number can be that of one of the first hits. The columns of the
// segments have the numbers.

// narrow leaves out matches that are behind the first size+1, or before those that are
// wanted, by their numbers alone. In a part without a column it looks for the first terms.
func (c *collector) narrow(all []*found) error {
	if c.collapse != nil {
		return nil
	}
	n := narrowing{want: c.size + 1, last: math.MaxUint64, cursor: c.after != nil}
	var with []*narrowed
	for _, f := range all {
		places, err := c.order.Places(f.Part)
		if err != nil {
			return err
		}
		if places == nil {
			if err := c.narrowByTerms(f); err != nil {
				return err
			}
			continue
		}
		if f.Count == 0 {
			continue
		}
		if n.cursor {
			var ok bool
			if n.after, ok = c.order.PlaceOf(c.after, places); !ok {
				continue
			}
		}
		with = append(with, &narrowed{f, places, n.first(f, places)})
	}
	for _, f := range with {
		docs := segment.NewBits(f.Part.Docs())
		f.places.UpTo(f.docs, &n.last, func(doc uint32, _ uint64) { docs.Set(doc) })
		f.keepOnly(docs)
	}
	return c.narrowTies(with, n.last)
}

// A narrowed has the matches of a part that can be among the first.
type narrowed struct {
	*found
	places *numbers.Places
	docs   segment.Bits
}

// A narrowing finds the place of the last of the first matches.
type narrowing struct {
	want   int
	cursor bool            // matches are wanted from the place after on
	after  uint64          // of those with this place it is not known whether they are wanted
	least  topHeap[uint64] // the first places, inverted: the last of them is on top
	last   uint64          // that one, once there are enough
}

// first returns the matches of a part that can be among the first, as far as it is known.
func (n *narrowing) first(f *found, places *numbers.Places) segment.Bits {
	docs := segment.NewBits(f.Part.Docs())
	places.UpTo(f.Docs, &n.last, func(doc uint32, place uint64) {
		if n.cursor && place <= n.after {
			if place == n.after {
				docs.Set(doc)
			}
			return
		}
		docs.Set(doc)
		if n.least.keep(^place, n.want); len(n.least) == n.want {
			n.last = ^n.least[0]
		}
	})
	return docs
}

// narrowTerms is the number of terms of a part that are looked at for the first matches.
const narrowTerms = 4096

// narrowByTerms leaves out matches of a part whose terms are behind those of its first
// size+1. After a cursor it leaves out none: a match behind it may have terms before it.
func (c *collector) narrowByTerms(f *found) error {
	field, descending := c.order.Terms()
	want := c.size + 1
	if field == "" || c.after != nil || f.Count <= want {
		return nil
	}
	docs, atMost, terms := segment.NewBits(f.Part.Docs()), 0, 0
	enough := func(of segment.Postings) (bool, error) {
		n, err := of.CountIn(f.Docs)
		if err = cmp.Or(err, of.AddTo(docs)); err != nil {
			return false, err
		}
		if atMost += n; atMost < want {
			return false, nil
		}
		both := slices.Clone(docs)
		both.And(f.Docs)
		atMost = both.Count() // one with several terms was counted more than once
		return atMost >= want, nil
	}
	full := false
	var all []segment.Postings // in descending order
	if descending {
		if n, err := f.Part.Terms(field); err != nil || n > narrowTerms {
			return err
		}
	}
	err := f.Part.Each(field, "", "", func(_ []byte, of segment.Postings) (more bool, err error) {
		if descending {
			all = append(all, of)
			return true, nil
		}
		full, err = enough(of)
		terms++
		return !full && terms < narrowTerms, err
	})
	for i := len(all) - 1; i >= 0 && err == nil && !full; i-- {
		full, err = enough(all[i])
	}
	if err != nil || !full {
		return err
	}
	docs.And(f.Docs)
	f.keepOnly(docs)
	return nil
}
