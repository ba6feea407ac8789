package aggs

import (
	"math"

	"indexerd/internal/index/aggregate"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
)

// Percentiles have the values in each bucket, and how many documents have each. As a
// root they may be counted by the values themselves, and then need no memory for them.
type percentiles struct {
	a      *Aggregation
	of     query.PercentilesAgg
	in     input
	counts []map[float64]uint64
	picked []float64 // all of it, if the values are counted without documents
}

// countsBytes is the memory of the values of a bucket before the first one.
const countsBytes = 256

func (m *percentiles) collect(bucket uint32) {
	for len(m.counts) <= int(bucket) {
		m.a.spend(countsBytes + 8*len(m.of.Percents))
		m.counts = append(m.counts, map[float64]uint64{})
	}
	counts := m.counts[bucket]
	for _, key := range m.in.keys() {
		value := math.Float64frombits(key) + 0 // -0 is 0
		if _, known := counts[value]; !known {
			m.a.spend(bucketBytes)
		}
		counts[value]++
	}
}

// valueColumn implements counter. A document may have several microseconds of one
// millisecond, which it has once.
func (m *percentiles) valueColumn() *column {
	if m.a.mergeable || m.in.missing != nil || m.in.column.field.Name == "" || m.in.column.field.Type == schema.Date {
		return nil
	}
	return m.in.column
}

// count reads the values twice: to count them, and to pick from them.
func (m *percentiles) count(all []*Matches) error {
	total := uint64(0)
	if err := m.a.merged(all, m.in.column, func(_ query.BucketValue, n uint64) { total += n }); err != nil {
		return err
	}
	p := aggregate.NewPercentiles(m.of.Percents, total)
	err := m.a.merged(all, m.in.column, func(value query.BucketValue, n uint64) { p.Add(value.Number, n) })
	m.picked = p.Values()
	return err
}

func (m *percentiles) result(bucket uint32) (query.AggResult, error) {
	r := query.AggResult{Percentiles: m.picked}
	if int(bucket) < len(m.counts) {
		r.Counts = m.counts[bucket]
	}
	return r, nil
}
