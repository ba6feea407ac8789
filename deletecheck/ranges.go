package deletecheck

import (
	"cmp"
	"slices"
	"sync"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/giveway"
)

// rangeRows is about how many documents a range has, and maxRanges how many ranges
// a table. With more ranges, the sums cost more; with fewer, the listing of one
// does.
const (
	rangeRows = 250
	maxRanges = 10_000
)

// Ranges divide the keys of a table, and keep for each range the sum that the
// database had before the range was last listed. A range whose sum is the same has
// no document without a row, provided that no document was added to the index
// since: Added reports those. Only memory holds them: after a restart, every range
// is listed once. The zero Ranges are one range that was never listed.
type Ranges struct {
	Rows int // about how many documents a range has; 0: 250, more in a large table

	mu     sync.Mutex
	bounds []doc.OID            // the first keys of all ranges but the first
	listed map[doc.OID]doc.Sum  // by first key; absent: not listed
	held   map[doc.OID]struct{} // first keys of ranges with removals that the guard held
	added  map[doc.OID]struct{} // first keys of ranges to which documents were added
}

// Added reports keys that the index had not, after they were written.
func (r *Ranges) Added(oids []doc.OID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.added == nil {
		r.added = map[doc.OID]struct{}{}
	}
	for _, oid := range oids {
		r.added[firstOf(r.bounds, oid)] = struct{}{}
	}
}

// begin forgets the sums of ranges to which documents were added, and returns the
// bounds. Documents that are added from now on count for the next listing too.
func (r *Ranges) begin() []doc.OID {
	r.mu.Lock()
	defer r.mu.Unlock()
	for first := range r.added {
		delete(r.listed, first)
	}
	clear(r.added)
	return slices.Clone(r.bounds)
}

// different returns the ranges to list, in order, of which adjacent ones are
// joined: those with another sum, and those to which documents were added since
// begin. If there is one, those with held removals are listed too: the guard judges
// all removals together.
func (r *Ranges) different(bounds []doc.OID, sums []doc.Sum) []doc.Range {
	r.mu.Lock()
	defer r.mu.Unlock()
	differs := func(first doc.OID, sum doc.Sum) bool {
		kept, listed := r.listed[first]
		_, added := r.added[first]
		return !listed || kept != sum || added
	}
	list := ranges(bounds, sums, differs)
	if len(list) == 0 || len(r.held) == 0 {
		return list
	}
	return ranges(bounds, sums, func(first doc.OID, sum doc.Sum) bool {
		_, held := r.held[first]
		return held || differs(first, sum)
	})
}

// ranges returns the ranges that are wanted. Adjacent ones are joined.
func ranges(bounds []doc.OID, sums []doc.Sum, wanted func(first doc.OID, sum doc.Sum) bool) (list []doc.Range) {
	for i, sum := range sums {
		of := rangeAt(bounds, i)
		switch n := len(list); {
		case !wanted(of.From, sum):
		case n > 0 && list[n-1].To == of.From:
			list[n-1].To = of.To
		default:
			list = append(list, of)
		}
	}
	return list
}

// keep keeps the sums that were read before all ranges that differed were listed, if
// there were any. The guard held removals in the ranges that begin with the keys held.
func (r *Ranges) keep(bounds []doc.OID, sums []doc.Sum, held map[doc.OID]struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.listed, r.held = make(map[doc.OID]doc.Sum, len(sums)), held
	for i, sum := range sums {
		r.listed[rangeAt(bounds, i).From] = sum
	}
}

// every returns how many documents a range has.
func (r *Ranges) every(sums []doc.Sum) int {
	total := int64(0)
	for _, s := range sums {
		total += s.Rows
	}
	return max(cmp.Or(r.Rows, rangeRows), int(total/maxRanges))
}

// divide divides the ranges that have far more rows than they should, by documents
// of the index. It reports whether there are new bounds.
func (r *Ranges) divide(index Index, bounds []doc.OID, sums []doc.Sum) (bool, error) {
	var all []doc.OID
	every, work := r.every(sums), giveway.Background()
	defer work.End()
	for i, sum := range sums {
		of := rangeAt(bounds, i)
		if of.From != "" {
			all = append(all, of.From)
		}
		for from := of.From; sum.Rows > 2*int64(every); {
			work.Step()
			_, next, err := index.Documents(from, every)
			if err != nil {
				return false, err
			}
			if next == "" || of.To != "" && next >= of.To {
				break
			}
			all, from = append(all, next), next
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bounds = all
	return len(all) > len(bounds), nil
}

func rangeAt(bounds []doc.OID, i int) (of doc.Range) {
	if i > 0 {
		of.From = bounds[i-1]
	}
	if i < len(bounds) {
		of.To = bounds[i]
	}
	return of
}
