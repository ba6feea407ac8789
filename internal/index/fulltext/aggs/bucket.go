package aggs

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"indexerd/internal/base/calendar"
	"indexerd/internal/index/aggregate"
	"indexerd/internal/index/fulltext/plan"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/fulltext/segment"
	"indexerd/internal/index/query"
)

// Buckets put documents in buckets by keys. Each bucket of the parent has buckets of
// its own.
type buckets struct {
	a      *Aggregation
	agg    query.Agg
	in     input
	keys   func() []uint64                      // of the current document, each once
	values func(key uint64) []query.BucketValue // of a key
	fixed  int                                  // there are the keys below, with documents or not; 0: those that documents have
	subs   []aggregator

	byValue bool // a key is a value, and nothing else is needed of a document

	numbers map[bucketKey]uint32
	recent  [recentBuckets]recentBucket // some of numbers, by their hashes
	found   []bucketKey                 // of each number
	counts  []uint64                    // documents of each number
	under   map[uint32][]uint32
	counted *query.AggResult // all of it, if the buckets are counted by value
}

// A bucketKey is a bucket by its parent's number and its key.
type bucketKey struct {
	parent uint32
	key    uint64
}

// recentBuckets is how many buckets are found without a look at all of them, a power of 2:
// most documents are in one of a few, such as 12 months.
const recentBuckets = 64

// A recentBucket is a bucket with its number; all zero is none.
type recentBucket struct {
	bucketKey
	number uint32
	known  bool
}

// hash returns a number below recentBuckets.
func (k bucketKey) hash() uint64 {
	const shift = 64 - 6 // recentBuckets is 1<<6
	return (k.key + uint64(k.parent)) * 0x9E3779B97F4A7C15 >> shift
}

// The memory of a bucket, and of the result of a sub-aggregation in it.
const (
	bucketBytes = 96
	resultBytes = 128
)

// An input is the values of a field, or what stands for a missing one.
type input struct {
	column  *column
	missing []uint64
}

func (a *Aggregation) input(f schema.Field, missing []byte) (input, error) {
	in := input{column: a.column(f)}
	if missing == nil {
		return in, nil
	}
	key, _, err := in.column.keyOf(missing)
	in.missing = []uint64{key}
	return in, err
}

// keys returns the keys of the values of the current document.
func (in input) keys() []uint64 {
	if len(in.column.values) == 0 {
		return in.missing
	}
	return in.column.values
}

func (in input) values(key uint64) []query.BucketValue {
	return []query.BucketValue{in.column.value(key)}
}

// aggregator makes the aggregator of a plan.
func (a *Aggregation) aggregator(p plannedAgg) (aggregator, error) {
	subs, err := a.aggregators(p.subs)
	if err != nil {
		return nil, err
	}
	b := &buckets{a: a, agg: p.Agg, subs: subs, numbers: map[bucketKey]uint32{}}
	if len(p.fields) == 1 {
		if b.in, err = a.input(p.fields[0], p.missing); err != nil {
			return nil, err
		}
		b.values = b.in.values
	}
	switch of := p.Of.(type) {
	case query.TermsAgg:
		b.ofTerms(of)
	case query.FiltersAgg:
		return b, b.ofFilters(p, of)
	case query.RangesAgg:
		b.ofRanges(of)
	case query.HistogramAgg:
		b.keys = each(b.in.keys, func(n float64) float64 { return aggregate.NumberKey(n, of.Interval, of.Offset) })
	case query.DatesAgg:
		b.keys = each(b.in.keys, starts(of.Interval))
	case query.CompositeAgg:
		return b, b.ofComposite(p, of)
	case query.TopAgg:
		return a.top(p, of)
	case query.DistinctAgg:
		return &distinct{a: a, in: b.in, known: map[bucketKey]struct{}{}}, nil
	case query.PercentilesAgg:
		return &percentiles{a: a, of: of, in: b.in}, nil
	case query.StatsAgg:
		return &statistics{a: a, in: b.in, numbers: true}, nil
	default:
		return &statistics{a: a, in: b.in}, nil
	}
	return b, nil
}

func (b *buckets) ofTerms(of query.TermsAgg) {
	b.keys = b.in.keys
	b.byValue = len(b.subs) == 0 && b.in.missing == nil && b.in.column.field.Type != schema.Date && b.in.column.field.Name != ""
	if of.Include != nil || of.Exclude != nil {
		keep := newChoice(b.in.column, of)
		var some []uint64
		b.keys = func() []uint64 {
			some = some[:0]
			for _, key := range b.in.keys() {
				if keep.has(key) {
					some = append(some, key)
				}
			}
			return some
		}
		b.byValue = false
	}
}

func (b *buckets) ofRanges(of query.RangesAgg) {
	b.fixed = len(of.Ranges)
	var in []uint64
	b.keys = func() []uint64 {
		in = in[:0]
		for i, r := range of.Ranges {
			if slices.ContainsFunc(b.in.keys(), func(key uint64) bool {
				n := math.Float64frombits(key)
				return r.From <= n && n < r.To
			}) {
				in = append(in, uint64(i))
			}
		}
		return in
	}
}

// each returns a function that changes the numbers of keys, and returns each once.
func each(keys func() []uint64, change func(float64) float64) func() []uint64 {
	var changed []uint64
	return func() []uint64 {
		changed = changed[:0]
		for _, key := range keys() {
			if c := math.Float64bits(change(math.Float64frombits(key)) + 0); !slices.Contains(changed, c) {
				changed = append(changed, c)
			}
		}
		return changed
	}
}

// manyIntervals is the number of intervals from which on all that are known are dropped.
const manyIntervals = 4096

// starts returns Start of an interval. What is known of an interval is kept: a calendar takes
// a hundred times as long as a look at the known ones.
func starts(iv calendar.Interval) func(float64) float64 {
	type span struct{ start, next int64 }
	var known []span
	var last span
	return func(n float64) float64 {
		ms := int64(n)
		if last.start <= ms && ms < last.next {
			return float64(last.start)
		}
		i := sort.Search(len(known), func(i int) bool { return known[i].next > ms })
		if i == len(known) || known[i].start > ms {
			if len(known) == manyIntervals {
				known, i = known[:0], 0
			}
			start := iv.Start(ms)
			known = slices.Insert(known, i, span{start, iv.Next(start)})
		}
		last = known[i]
		return float64(last.start)
	}
}

// A filterBuckets has the matches of queries in the current part.
type filterBuckets struct {
	s        *plan.Session
	matchers []plan.Matcher
	in       []segment.Bits
}

func (f *filterBuckets) open(in *Matches) error {
	for i, m := range f.matchers {
		var err error
		if f.in[i], err = m.Match(in.Part, in.Docs); err != nil {
			return err
		}
	}
	return f.s.Check()
}

func (b *buckets) ofFilters(p plannedAgg, of query.FiltersAgg) error {
	f := &filterBuckets{s: b.a.s, in: make([]segment.Bits, len(p.plans))}
	for _, one := range p.plans {
		m, err := one.Open(b.a.s)
		if err != nil {
			return err
		}
		f.matchers = append(f.matchers, m)
	}
	b.a.filters = append(b.a.filters, f)
	if b.fixed = len(f.in); of.Others {
		b.fixed++
	}
	var in []uint64
	b.keys = func() []uint64 {
		in = in[:0]
		for i, docs := range f.in {
			if docs.Has(b.a.doc.number) {
				in = append(in, uint64(i))
			}
		}
		if len(in) == 0 && of.Others {
			in = append(in, uint64(len(f.in)))
		}
		return in
	}
	return nil
}

func (b *buckets) collect(parent uint32) {
	for _, key := range b.keys() {
		if !b.a.goOn() {
			return
		}
		b.add(bucketKey{parent, key})
	}
}

// add adds the current document to a bucket.
func (b *buckets) add(key bucketKey) {
	number := b.numberOf(key)
	b.counts[number]++
	for _, sub := range b.subs {
		sub.collect(number)
	}
}

// numberOf returns the number of a bucket, which is a new one if there is none yet.
func (b *buckets) numberOf(key bucketKey) uint32 {
	recent := &b.recent[key.hash()]
	if recent.known && recent.bucketKey == key {
		return recent.number
	}
	number, known := b.numbers[key]
	if !known {
		b.a.spend(bucketBytes)
		number = uint32(len(b.found))
		b.numbers[key], b.found, b.counts = number, append(b.found, key), append(b.counts, 0)
	}
	*recent = recentBucket{key, number, true}
	return number
}

func (b *buckets) result(parent uint32) (r query.AggResult, err error) {
	switch {
	case b.counted != nil:
		return *b.counted, nil
	case b.fixed > 0:
		return b.inOrder(parent)
	}
	if b.under == nil {
		b.under = map[uint32][]uint32{}
		for number, key := range b.found {
			b.under[key.parent] = append(b.under[key.parent], uint32(number))
		}
	}
	for _, number := range b.under[parent] {
		r.Buckets = append(r.Buckets, query.Bucket{Key: b.values(b.found[number].key), Count: b.counts[number]})
	}
	if len(b.subs) == 0 {
		return r, nil
	}
	if of, ok := b.agg.Of.(query.TermsAgg); ok && !b.a.mergeable && !byMetric(of) {
		aggregate.CutTerms(b.agg, of, &r) // before the results of many buckets are made
		return r, b.addSubs(r.Buckets, func(i int) uint32 {
			key, _ := b.in.column.find(r.Buckets[i].Key[0])
			return b.numbers[bucketKey{parent, key}]
		})
	}
	return r, b.addSubs(r.Buckets, func(i int) uint32 { return b.under[parent][i] })
}

// byMetric reports whether buckets are ordered by what their sub-aggregations compute.
func byMetric(of query.TermsAgg) bool {
	return slices.ContainsFunc(of.Order, func(o query.BucketOrder) bool { return len(o.Path) > 0 })
}

func (b *buckets) addSubs(all []query.Bucket, number func(i int) uint32) (err error) {
	for i := range all {
		if b.a.spend(resultBytes * len(b.subs)); !b.a.goOn() {
			return b.a.err
		}
		if all[i].Subs, err = resultsOf(b.subs, number(i)); err != nil {
			return err
		}
	}
	return nil
}

// inOrder returns a bucket for each key below fixed.
func (b *buckets) inOrder(parent uint32) (r query.AggResult, err error) {
	empty := bucketBytes * aggregate.Least(b.agg.Subs)
	for key := range b.fixed {
		if b.a.spend(bucketBytes + resultBytes*len(b.subs)); !b.a.goOn() {
			return r, b.a.err
		}
		one := query.Bucket{}
		if number, known := b.numbers[bucketKey{parent, uint64(key)}]; known {
			one.Count = b.counts[number]
			one.Subs, err = resultsOf(b.subs, number)
		} else if b.a.spend(empty); b.a.err == nil {
			one.Subs = aggregate.Empty(b.agg.Subs)
		}
		if err = cmp.Or(err, b.a.err); err != nil {
			return r, err
		}
		r.Buckets = append(r.Buckets, one)
	}
	return r, nil
}
