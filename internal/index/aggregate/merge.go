package aggregate

import (
	"encoding/binary"
	"math"

	"indexerd/internal/index/query"
)

// valueOverhead is the memory of a value or bucket besides its text.
const valueOverhead = 128

// A Merge adds up results that are not finished. The zero Merge is ready to use.
type Merge struct {
	bytes int // of values and buckets
}

// Add adds the results of one more index to those of others, nil for none, and
// returns the sum. It may use the memory of both.
func (m *Merge) Add(aggs []query.Agg, sum, more []query.AggResult) ([]query.AggResult, error) {
	if sum == nil {
		sum = Empty(aggs)
	}
	for i := range aggs {
		if err := m.add(aggs[i], &sum[i], more[i]); err != nil {
			return nil, err
		}
	}
	return sum, nil
}

func (m *Merge) add(a query.Agg, sum *query.AggResult, more query.AggResult) error {
	switch a.Of.(type) {
	case query.FiltersAgg, query.RangesAgg:
		for i, b := range more.Buckets {
			if err := m.addBucket(a, &sum.Buckets[i], b); err != nil {
				return err
			}
		}
	case query.DistinctAgg:
		return m.addValues(sum, more)
	case query.PercentilesAgg:
		return m.addCounts(sum, more)
	case query.StatsAgg, query.CountAgg:
		sum.Stats = sum.Stats.Add(more.Stats)
	default:
		return m.addBuckets(a, sum, more.Buckets)
	}
	return nil
}

func (m *Merge) addValues(sum *query.AggResult, more query.AggResult) error {
	if sum.Values == nil {
		sum.Values = map[query.BucketValue]struct{}{}
	}
	for v := range more.Values {
		if _, known := sum.Values[v]; known {
			continue
		}
		if err := m.grow(len(v.Text)); err != nil {
			return err
		}
		sum.Values[v] = struct{}{}
	}
	sum.Stats.Count = uint64(len(sum.Values))
	return nil
}

func (m *Merge) addBuckets(a query.Agg, sum *query.AggResult, more []query.Bucket) error {
	at := map[string]int{}
	for i, b := range sum.Buckets {
		at[keyText(b.Key)] = i
	}
	for _, b := range more {
		key := keyText(b.Key)
		i, known := at[key]
		if known {
			if err := m.addBucket(a, &sum.Buckets[i], b); err != nil {
				return err
			}
			continue
		}
		if err := m.grow(len(key) * (1 + len(a.Subs))); err != nil {
			return err
		}
		sum.Buckets = append(sum.Buckets, b)
	}
	return nil
}

func (m *Merge) addBucket(a query.Agg, sum *query.Bucket, more query.Bucket) (err error) {
	sum.Count += more.Count
	sum.Subs, err = m.Add(a.Subs, sum.Subs, more.Subs)
	return err
}

func (m *Merge) grow(n int) error {
	if m.bytes += n + valueOverhead; m.bytes > query.MaxValueBytes {
		return query.TooMuchToCount()
	}
	return nil
}

// keyText encodes the key of a bucket.
func keyText(key []query.BucketValue) string {
	var b []byte
	for _, v := range key {
		kind := byte(0)
		if v.None {
			kind = 1
		}
		b = append(binary.BigEndian.AppendUint64(append(b, kind), math.Float64bits(v.Number)), v.Text...)
		b = append(b, 0xff) // is in no text
	}
	return string(b)
}
