package deletecheck

import (
	"cmp"
	"iter"
	"slices"
	"sync"
	"time"

	"indexerd/internal/base/doc"
)

// The sums of documents are used for forgetAfter before all documents are read again, and
// for at least a hundred times as long as that takes.
const (
	forgetAfter = 10 * time.Minute
	useTimes    = 100
)

// Stored divides the keys of a table into ranges, and keeps for each range the sum of
// the stamps of its documents. A range with the same sum in the database has the same
// rows, since a token covers the key. Writes adjust the sum of their range, from the stamp
// that was stored before to the one that is stored now. Where these are not known, or the
// documents of the range were read while they were written, the range has no sum, and is
// listed.
//
// The sums of the database are read first, and compared in the lane. In another order
// or without the lane a pass could write what it fetched before the sum was read.
//
// Only memory holds the sums. After a restart, and every 10 minutes, all documents are
// read again; a large table's in a hundredth of the time. The zero Stored is one range
// without a sum.
type Stored struct {
	Rows int // about how many documents a range has; 0: 250, more in a large table

	mu     sync.Mutex
	bounds []doc.OID             // the first keys of all ranges but the first
	sums   map[doc.OID]storedSum // by first key; absent: not known
	writes int                   // number of calls of Writing, Wrote and Changed
	since  time.Time             // when all sums were forgotten
	took   time.Duration         // to read documents since then
	size   int                   // documents of a range, when they were read last

	retried map[doc.OID]doc.Token // of rows that were fetched and are in quarantine, or were
}

// A storedSum is the sum of a range.
type storedSum struct {
	doc.Sum
	read  int // number of writes when its documents were read
	wrote int // number of writes when one of them was adjusted for
}

// maxRetried is the number of rows whose tokens are kept, to fetch a row in quarantine
// once for each of its versions. With more, all are fetched again.
const maxRetried = 10_000

// retry reports whether a row in quarantine was not fetched in this version. If its
// digest is unknown, only a sweep fetches it.
func (s *Stored) retry(row doc.Stamp) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return row.Token.Digest != 0 && row.Token != s.retried[row.OID]
}

// tried notes the rows that were fetched.
func (s *Stored) tried(rows []doc.Stamp) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.retried == nil || len(s.retried)+len(rows) > maxRetried {
		s.retried = map[doc.OID]doc.Token{}
	}
	for _, row := range rows {
		s.retried[row.OID] = row.Token
	}
}

// Writing implements sink.Sums.
func (s *Stored) Writing() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes++
	return s.writes
}

// Wrote implements sink.Sums. A sum that was read since the call of Writing may have the
// documents of before or after, and is forgotten. Without sums, as in a load, it costs
// nothing.
func (s *Stored) Wrote(since int, stamps iter.Seq2[doc.Stamp, doc.Stamp]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes++
	if len(s.sums) == 0 {
		return
	}
	for before, now := range stamps {
		first := firstOf(s.bounds, now.OID)
		sum, known := s.sums[first]
		if !known {
			continue
		}
		if sum.read < since && sum.replace(before, now) && sum.Rows <= 2*int64(s.size) {
			sum.wrote = s.writes
			s.sums[first] = sum
		} else {
			delete(s.sums, first)
		}
	}
}

// replace adjusts the sum for a document that was written. It reports false if that is
// not possible.
func (s *storedSum) replace(before, after doc.Stamp) bool {
	switch {
	case after.Token.Digest == 0 || s.Rows > 0 && s.Epoch != after.Token.Epoch:
		return false
	case before.OID == "":
		s.Rows++
	case before.Token.Digest == 0:
		return false
	}
	s.Digest, s.Epoch = s.Digest+after.Token.Digest-before.Token.Digest, after.Token.Epoch
	return true
}

// Changed implements sink.Sums.
func (s *Stored) Changed(oids []doc.OID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes++
	for _, oid := range oids {
		delete(s.sums, firstOf(s.bounds, oid))
	}
}

// Forget forgets all sums: for an index that was replaced.
func (s *Stored) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget()
}

func (s *Stored) forget() {
	s.writes++
	s.bounds, s.sums, s.since, s.took = nil, map[doc.OID]storedSum{}, time.Now(), 0
}

// firstOf returns the first key of a key's range; "" for the first range.
func firstOf(bounds []doc.OID, oid doc.OID) doc.OID {
	i, found := slices.BinarySearch(bounds, oid)
	if found {
		return oid
	}
	if i == 0 {
		return ""
	}
	return bounds[i-1]
}

// read reads the documents of the ranges that have no sum, and divides those with too
// many. It returns the bounds.
func (s *Stored) read(c *comparison) ([]doc.OID, error) {
	n, err := c.index.Count()
	if err != nil {
		return nil, err
	}
	c.chunk = s.every(int(n))
	list, began := s.unknown(c.chunk), time.Now()
	for _, of := range list {
		if err := s.readRange(c, of); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.took += time.Since(began)
	return slices.Clone(s.bounds), nil
}

// Total returns the sum of the stamps of all documents; false if that of a range is not
// known. It reads the documents of the ranges that have no sum.
func (s *Stored) Total(index Index, pages Pages) (total doc.Sum, known bool, err error) {
	if _, err := s.read(&comparison{index: index, pages: pages}); err != nil {
		return total, false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range len(s.bounds) + 1 {
		sum, known := s.sums[rangeAt(s.bounds, i).From]
		if !known || sum.Rows > 0 && total.Rows > 0 && sum.Epoch != total.Epoch {
			return total, false, nil
		}
		total.Rows, total.Digest, total.Epoch = total.Rows+sum.Rows, total.Digest+sum.Digest, max(total.Epoch, sum.Epoch)
	}
	return total, true, nil
}

// every returns how many documents a range has.
func (s *Stored) every(documents int) int { return max(cmp.Or(s.Rows, rangeRows), documents/maxRanges) }

// unknown returns the ranges that have no sum, to be divided into ranges of a size.
func (s *Stored) unknown(size int) (list []doc.Range) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.size = size
	if time.Since(s.since) > max(forgetAfter, useTimes*s.took) {
		s.forget()
	}
	for i := range len(s.bounds) + 1 {
		of := rangeAt(s.bounds, i)
		if _, known := s.sums[of.From]; !known {
			list = append(list, of)
		}
	}
	return list
}

// readRange reads the documents of a range, part by part. A part has a sum unless
// something was written meanwhile.
func (s *Stored) readRange(c *comparison, of doc.Range) error {
	defer c.join()
	c.to = of.To
	before := s.count() // of writes, when the listing of a part began: while the one before it was summed
	for from := of.From; ; {
		began := s.count()
		documents, next, err := c.documents(from)
		if err != nil {
			return err
		}
		s.add(doc.Range{From: from, To: next}, documents, before)
		if from, before = next, began; next == "" {
			return nil
		}
	}
}

// count returns the number of writes.
func (s *Stored) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writes
}

// add adds a range, with the sum of its documents if nothing was written since they
// were listed.
func (s *Stored) add(of doc.Range, documents []stored, writes int) {
	sum, ok := sumOf(documents)
	s.mu.Lock()
	defer s.mu.Unlock()
	if ok && writes == s.writes {
		s.sums[of.From] = storedSum{Sum: sum, read: s.writes}
	}
	if i, found := slices.BinarySearch(s.bounds, of.To); of.To != "" && !found {
		s.bounds = slices.Insert(s.bounds, i, of.To)
	}
}

// sumOf returns the sum of the stamps of documents. It reports false if one is not
// whole, or has an unknown token or one of another epoch.
func sumOf(documents []stored) (sum doc.Sum, ok bool) {
	for _, d := range documents {
		if !d.whole() || !sum.Add(d.page.Token) {
			return doc.Sum{}, false
		}
	}
	return sum, true
}

// A span is a range to list, with about how many documents it has. One that was written
// since the database was asked for its sum is summed again before, if the reading says so:
// it may have the same rows all the same.
type span struct {
	doc.Range
	documents int
	again     bool
}

// different returns the ranges that have no sum or another one than the database had,
// in order. Adjacent ones are joined, but for those that are summed again.
func (s *Stored) different(r *reading) (list []span) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, sum := range r.sums {
		of := rangeAt(r.bounds, i)
		stored, known := s.sums[of.From]
		again := r.again && known && stored.wrote > r.writes
		switch n := len(list); {
		case known && stored.Sum == sum:
		case n > 0 && list[n-1].To == of.From && !again && !list[n-1].again:
			list[n-1].To = of.To
			list[n-1].documents += r.every
		default:
			list = append(list, span{of, 2 * r.every, again})
		}
	}
	return list
}

// isSum reports whether the documents of a range have a sum.
func (s *Stored) isSum(of doc.Range, sum doc.Sum) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	stored, known := s.sums[of.From]
	return known && stored.Sum == sum
}
