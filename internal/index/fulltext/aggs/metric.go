package aggs

import (
	"math"

	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
)

// statistics are the numbers of values in each bucket.
type statistics struct {
	a       *Aggregation
	in      input
	numbers bool // false: only how many values there are
	all     []sums
}

// sums add up numbers as Kahan does, so that the order hardly matters.
type sums struct {
	query.Stats
	lost, lostSquares float64
}

// statisticsBytes is the memory of sums.
const statisticsBytes = 64

func (m *statistics) collect(bucket uint32) {
	for len(m.all) <= int(bucket) {
		m.a.spend(statisticsBytes)
		m.all = append(m.all, sums{})
	}
	s := &m.all[bucket]
	for _, key := range m.in.keys() {
		if s.Count++; !m.numbers {
			continue
		}
		n := math.Float64frombits(key)
		if s.Count == 1 {
			s.Min, s.Max = n, n
		}
		s.Min, s.Max = min(s.Min, n), max(s.Max, n)
		s.Sum, s.lost = kahan(s.Sum, s.lost, n)
		s.Squares, s.lostSquares = kahan(s.Squares, s.lostSquares, n*n)
	}
}

// kahan adds n to a sum. lost is what the sum has too much.
func kahan(sum, lost, n float64) (newSum, newLost float64) {
	n -= lost
	newSum = sum + n
	if math.IsInf(newSum, 0) {
		return newSum, 0
	}
	return newSum, (newSum - sum) - n
}

func (m *statistics) result(bucket uint32) (query.AggResult, error) {
	if int(bucket) >= len(m.all) {
		return query.AggResult{}, nil
	}
	return query.AggResult{Stats: m.all[bucket].Stats}, nil
}

// A distinct has the different values in each bucket. As a root it may be counted by the
// values themselves, and then needs no memory for them.
type distinct struct {
	a      *Aggregation
	in     input
	known  map[bucketKey]struct{}
	counts []uint64
	values map[uint32]map[query.BucketValue]struct{} // made for results that are merged
}

func (m *distinct) collect(bucket uint32) {
	for len(m.counts) <= int(bucket) {
		m.a.spend(8)
		m.counts = append(m.counts, 0)
	}
	for _, key := range m.in.keys() {
		k := bucketKey{bucket, key}
		if _, known := m.known[k]; known {
			continue
		}
		m.a.spend(bucketBytes)
		m.known[k] = struct{}{}
		m.counts[bucket]++
	}
}

// valueColumn implements counter. The values of several tables are merged one by one.
func (m *distinct) valueColumn() *column {
	if m.a.mergeable || m.in.missing != nil || m.in.column.field.Name == "" {
		return nil
	}
	return m.in.column
}

// count counts the values without a table of them.
func (m *distinct) count(all []*Matches) error {
	n, last := uint64(0), query.BucketValue{}
	err := m.a.merged(all, m.in.column, func(value query.BucketValue, _ uint64) {
		if n == 0 || value != last { // microseconds of one millisecond follow each other
			n, last = n+1, value
		}
	})
	m.counts = []uint64{n}
	return err
}

func (m *distinct) result(bucket uint32) (r query.AggResult, err error) {
	if int(bucket) < len(m.counts) {
		r.Stats.Count = m.counts[bucket]
	}
	if !m.a.mergeable {
		return r, nil
	}
	if m.values == nil {
		m.values = map[uint32]map[query.BucketValue]struct{}{}
		for k := range m.known {
			if m.values[k.parent] == nil {
				m.values[k.parent] = map[query.BucketValue]struct{}{}
			}
			m.values[k.parent][m.in.column.value(k.key)] = struct{}{}
		}
	}
	r.Values = m.values[bucket]
	return r, nil
}

// A choice is the values that a terms aggregation counts.
type choice struct {
	column           *column
	include, exclude func(key uint64) bool
	known            map[uint64]bool
}

func newChoice(c *column, of query.TermsAgg) choice {
	return choice{c, memberOf(c, of.Include), memberOf(c, of.Exclude), map[uint64]bool{}}
}

// memberOf returns a function that reports whether a value is in a set; nil for no set.
func memberOf(c *column, set *query.ValueSet) func(key uint64) bool {
	if set == nil {
		return nil
	}
	if set.Pattern != nil {
		return func(key uint64) bool { return set.Pattern.MatchString(c.texts[key]) }
	}
	values := map[query.BucketValue]bool{}
	for _, text := range set.Values {
		if v, err := bucketValue(c.field, text); err == nil { // the plan has checked them
			values[v] = true
		}
	}
	return func(key uint64) bool { return values[c.value(key)] }
}

// bucketValue returns the value that a text is.
func bucketValue(f schema.Field, text string) (v query.BucketValue, err error) {
	if f.Type == schema.Keyword {
		return query.BucketValue{Text: text}, nil
	}
	terms, err := f.Value(text)
	if err == nil {
		v.Number, err = f.Type.Float([]byte(terms.Min))
	}
	return v, err
}

func (c choice) has(key uint64) bool {
	yes, known := c.known[key]
	if !known {
		yes = (c.include == nil || c.include(key)) && (c.exclude == nil || !c.exclude(key))
		c.known[key] = yes
	}
	return yes
}
