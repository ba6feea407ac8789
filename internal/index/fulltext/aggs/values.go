package aggs

import (
	"bytes"
	"cmp"
	"iter"
	"slices"

	"indexerd/internal/index/aggregate"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/fulltext/segment"
	"indexerd/internal/index/query"
)

// manyValues is the number of values from which on a terms aggregation is counted by the
// documents of each value in any case: no table of all values is held then.
const manyValues = 50_000

// A valueCount is a value and the number of matches in a part that have it.
type valueCount struct {
	term []byte
	n    int
}

// valuesOf iterates over the values that matches of a part have, in order. A term is
// valid until the next one.
func (a *Aggregation) valuesOf(f *Matches, field string) iter.Seq[valueCount] {
	return func(yield func(valueCount) bool) {
		err := f.Part.Each(field, "", "", func(term []byte, docs segment.Postings) (bool, error) {
			n, err := docs.CountIn(f.Docs)
			if err = cmp.Or(err, a.s.Step()); err != nil || n == 0 {
				return true, err
			}
			return yield(valueCount{term, n}), nil
		})
		a.err = cmp.Or(a.err, err)
	}
}

// A counter is a root that is counted by the documents of each value, if it can be.
type counter interface {
	aggregator
	// valueColumn returns the column whose values are counted, nil if documents have to be read.
	valueColumn() *column
	// count counts the values of all parts.
	count(all []*Matches) error
}

// countable reports whether a root is counted by the documents of each value: if that
// reads less than the values of each match, or if there are many values.
func countable(root counter, all []*Matches) (bool, error) {
	column := root.valueColumn()
	if column == nil {
		return false, nil
	}
	terms, docs, matches := 0, 0, 0
	for _, f := range all {
		n, err := f.Part.Terms(column.name)
		if err != nil {
			return false, err
		}
		terms, docs, matches = terms+n, docs+f.Part.Docs(), matches+f.Count
	}
	return terms+docs/64 <= matches || terms > manyValues, nil
}

func (b *buckets) valueColumn() *column {
	if !b.byValue {
		return nil
	}
	return b.in.column
}

// count counts the buckets by the documents of each value, and keeps those that can be
// among the first.
func (b *buckets) count(all []*Matches) error {
	k := kept{buckets: b, result: &query.AggResult{}}
	err := b.a.merged(all, b.in.column, func(value query.BucketValue, n uint64) {
		k.add(query.Bucket{Key: []query.BucketValue{value}, Count: n})
	})
	b.a.spend(k.bytes)
	b.counted = k.result
	return cmp.Or(err, b.a.err)
}

// merged calls use with each value of a column that matches of any part have, in order,
// and their number.
func (a *Aggregation) merged(all []*Matches, c *column, use func(value query.BucketValue, n uint64)) error {
	var nexts []func() (valueCount, bool)
	for _, f := range all {
		next, stop := iter.Pull(a.valuesOf(f, c.name))
		defer stop()
		nexts = append(nexts, next)
	}
	heads := make([]valueCount, 0, len(nexts))
	for i := 0; i < len(nexts); {
		if head, more := nexts[i](); more {
			heads = append(heads, head)
			i++
		} else {
			nexts = slices.Delete(nexts, i, i+1)
		}
	}
	var term []byte
	for len(heads) > 0 && a.err == nil {
		least := heads[0].term
		for _, h := range heads[1:] {
			if bytes.Compare(h.term, least) < 0 {
				least = h.term
			}
		}
		term = append(term[:0], least...) // least ends with its head
		value, err := valueOf(c.field, term)
		if err != nil {
			return err
		}
		n := uint64(0)
		for i := 0; i < len(heads); {
			if !bytes.Equal(heads[i].term, term) {
				i++
				continue
			}
			n += uint64(heads[i].n)
			if head, more := nexts[i](); more {
				heads[i] = head
			} else {
				heads, nexts = slices.Delete(heads, i, i+1), slices.Delete(nexts, i, i+1)
			}
		}
		use(value, n)
	}
	return a.err
}

// kept are the buckets that can be among the first.
type kept struct {
	*buckets
	result *query.AggResult
	bytes  int
}

// spareBuckets is how many buckets more than wanted are kept before some are left out.
const spareBuckets = 1000

func (k *kept) add(one query.Bucket) {
	k.result.Buckets = append(k.result.Buckets, one)
	cost := bucketBytes + len(one.Key[0].Text)
	k.bytes += cost
	of := k.agg.Of.(query.TermsAgg)
	if !k.a.mergeable && (len(k.result.Buckets) > 2*of.Size+spareBuckets || k.bytes > k.a.budget) {
		aggregate.CutTerms(k.agg, of, k.result)
		k.bytes = 0
		for _, b := range k.result.Buckets {
			k.bytes += bucketBytes + len(b.Key[0].Text)
		}
	}
	if k.bytes > k.a.budget {
		k.a.err = cmp.Or(k.a.err, error(query.TooMuchToCount()))
	}
}

// valueOf returns the value that a term is.
func valueOf(f schema.Field, term []byte) (v query.BucketValue, err error) {
	if f.Type == schema.Keyword {
		return query.BucketValue{Text: string(term)}, nil
	}
	v.Number, err = f.Type.Float(term)
	return v, err
}
