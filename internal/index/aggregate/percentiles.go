package aggregate

import (
	"maps"
	"math"
	"slices"

	"indexerd/internal/index/query"
)

// finishPercentiles computes the percentiles from the values, unless the index has done so.
func finishPercentiles(of query.PercentilesAgg, r *query.AggResult) {
	if r.Percentiles != nil {
		return
	}
	p := NewPercentiles(of.Percents, totalOf(r.Counts))
	for _, value := range slices.Sorted(maps.Keys(r.Counts)) {
		p.Add(value, r.Counts[value])
	}
	r.Percentiles, r.Counts = p.Values(), nil
}

func totalOf(counts map[float64]uint64) (n uint64) {
	for _, count := range counts {
		n += count
	}
	return n
}

// Percentiles picks values from a sorted list without holding it.
type Percentiles struct {
	ranks  []uint64 // of the values to pick, from 0
	values []float64
	seen   uint64
}

// NewPercentiles returns the percentiles of n values.
func NewPercentiles(percents []float64, n uint64) *Percentiles {
	p := &Percentiles{ranks: make([]uint64, len(percents)), values: make([]float64, len(percents))}
	for i, percent := range percents {
		p.values[i] = math.NaN()
		if n > 0 {
			p.ranks[i] = min(n-1, uint64(percent/100*float64(n)))
		}
	}
	return p
}

// Add adds the next value, which occurs some times.
func (p *Percentiles) Add(value float64, times uint64) {
	for i, rank := range p.ranks {
		if p.seen <= rank && rank < p.seen+times {
			p.values[i] = value
		}
	}
	p.seen += times
}

// Values returns the picked values, NaN for each if there are none.
func (p *Percentiles) Values() []float64 { return p.values }

func (m *Merge) addCounts(sum *query.AggResult, more query.AggResult) error {
	if sum.Counts == nil {
		sum.Counts = map[float64]uint64{}
	}
	for value, count := range more.Counts {
		if _, known := sum.Counts[value]; !known {
			if err := m.grow(0); err != nil {
				return err
			}
		}
		sum.Counts[value] += count
	}
	return nil
}
