package opensearch

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/aggregate"
	"indexerd/internal/index/fulltext/compiled"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
)

// aggregate returns the results of the aggregations of a search.
func (ix *Index) aggregate(ctx context.Context, s search, found hitPage) ([]query.AggResult, error) {
	if len(s.Aggs) == 0 {
		return nil, nil
	}
	g := s.aggregator
	for {
		r := aggReader{aggregator: g, exact: true}
		results, err := r.all(s.Aggs, found.Aggregations)
		if err != nil {
			return nil, err
		}
		if r.exact {
			if !s.req.Mergeable {
				err = aggregate.Finish(s.req.Aggs, results)
			}
			return results, err
		}
		if g.size == maxBuckets {
			return nil, query.TooMuchToCount()
		}
		g.size = min(maxBuckets, max(1000, 8*g.size))
		if found, err = ix.find(ctx, object{"query": dsl(s.Query), "size": 0, "aggs": g.named(s.Aggs)}); err != nil {
			return nil, err
		}
	}
}

// An aggReader reads the results of aggregations.
type aggReader struct {
	aggregator
	exact bool // no bucket and no count can be wrong
}

// An aggAnswer is what the cluster answers to one aggregation.
type aggAnswer struct {
	Buckets []json.RawMessage
	Error   int    `json:"doc_count_error_upper_bound"`
	Other   uint64 `json:"sum_other_doc_count"`
	Value   *float64
	Count   uint64
	Min     decimal
	Max     decimal
	Sum     decimal
	Squares decimal `json:"sum_of_squares"`
	Hits    struct {
		Total struct{ Value uint64 }
		Hits  []topHit
	}
}

// A decimal is also the text Infinity; null is 0.
type decimal float64

// UnmarshalJSON implements json.Unmarshaler.
func (n *decimal) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	f, err := strconv.ParseFloat(strings.Trim(string(text), `"`), 64)
	*n = decimal(f)
	return err
}

type topHit struct {
	Version doc.Version `json:"_version"`
	Score   *float64    `json:"_score"`
	Sort    []json.RawMessage
}

// A bucketAnswer is a bucket; its sub-aggregations are in the same object.
type bucketAnswer struct {
	Key   json.RawMessage
	Count uint64 `json:"doc_count"`
}

func (r *aggReader) all(aggs []compiled.Agg, answers map[string]json.RawMessage) ([]query.AggResult, error) {
	results := make([]query.AggResult, len(aggs))
	for i, a := range aggs {
		var answer aggAnswer
		if err := json.Unmarshal(answers[strconv.Itoa(i)], &answer); err != nil {
			return nil, fmt.Errorf("aggregation %d: %w", i, err)
		}
		var err error
		if results[i], err = r.one(a, answer); err != nil {
			return nil, fmt.Errorf("aggregation %d: %w", i, err)
		}
	}
	return results, nil
}

func (r *aggReader) one(a compiled.Agg, answer aggAnswer) (res query.AggResult, err error) {
	switch of := a.Of.(type) {
	case query.StatsAgg:
		if answer.Count > 0 {
			res.Stats = query.Stats{Count: answer.Count, Min: float64(answer.Min), Max: float64(answer.Max), Sum: float64(answer.Sum), Squares: float64(answer.Squares)}
		}
	case query.CountAgg:
		if answer.Value != nil {
			res.Stats.Count = uint64(*answer.Value)
		}
	case query.DistinctAgg:
		return r.distinct(a, answer)
	case query.PercentilesAgg:
		return r.counts(a, answer)
	case query.TopAgg:
		return topOf(a, of, answer)
	case query.RangesAgg:
		if answer.Buckets, err = byPlace(answer.Buckets); err != nil {
			return res, err
		}
		res.Buckets, err = r.buckets(a, answer.Buckets)
	case query.TermsAgg:
		every := r.every(of)
		if every && answer.Other > 0 {
			return res, query.TooMuchToCount()
		}
		r.exact = r.exact && (every || !r.several || exactOrder(of) || answer.Error == 0)
		res.Other = answer.Other
		res.Buckets, err = r.buckets(a, answer.Buckets)
	default:
		res.Buckets, err = r.buckets(a, answer.Buckets)
	}
	return res, err
}

// byPlace returns the buckets of ranges in the order of their keys, which are numbers.
func byPlace(buckets []json.RawMessage) ([]json.RawMessage, error) {
	sorted := make([]json.RawMessage, len(buckets))
	for _, text := range buckets {
		var b struct{ Key string }
		if err := json.Unmarshal(text, &b); err != nil {
			return nil, err
		}
		at, err := strconv.Atoi(b.Key)
		if err != nil || at < 0 || at >= len(sorted) || sorted[at] != nil {
			return nil, fmt.Errorf("range %q was not asked for", b.Key)
		}
		sorted[at] = text
	}
	return sorted, nil
}

func (r *aggReader) buckets(a compiled.Agg, texts []json.RawMessage) ([]query.Bucket, error) {
	var all []query.Bucket
	for _, text := range texts {
		var answer bucketAnswer
		if err := json.Unmarshal(text, &answer); err != nil {
			return nil, err
		}
		b := query.Bucket{Count: answer.Count}
		var err error
		if b.Key, err = keyOf(a, answer.Key); err != nil {
			return nil, err
		}
		if len(a.Subs) > 0 {
			var subs map[string]json.RawMessage
			if err := json.Unmarshal(text, &subs); err != nil {
				return nil, err
			}
			if b.Subs, err = r.all(a.Subs, subs); err != nil {
				return nil, err
			}
		}
		all = append(all, b)
	}
	return all, nil
}

// keyOf reads the key of a bucket.
func keyOf(a compiled.Agg, text json.RawMessage) ([]query.BucketValue, error) {
	switch of := a.Of.(type) {
	case query.FiltersAgg, query.RangesAgg:
		return nil, nil
	case query.CompositeAgg:
		var parts map[string]json.RawMessage
		if err := json.Unmarshal(text, &parts); err != nil {
			return nil, err
		}
		key := make([]query.BucketValue, len(of.Sources))
		for i := range of.Sources {
			var err error
			if key[i], err = readValue(a.Fields[i], parts[strconv.Itoa(i)]); err != nil {
				return nil, err
			}
		}
		return key, nil
	}
	v, err := readValue(a.Fields[0], text)
	return []query.BucketValue{v}, err
}

func readValue(f compiled.Field, text json.RawMessage) (v query.BucketValue, err error) {
	switch {
	case string(text) == "null":
		return query.BucketValue{None: true}, nil
	case f.Type == schema.Keyword:
		return v, json.Unmarshal(text, &v.Text)
	}
	// A field that the index does not have has texts, if a value stands in for it.
	v.Number, err = strconv.ParseFloat(strings.Trim(string(text), `"`), 64)
	return v, err
}

// values returns the buckets of all values.
func (r *aggReader) values(a compiled.Agg, answer aggAnswer) ([]query.Bucket, error) {
	if answer.Other > 0 {
		return nil, query.TooMuchToCount()
	}
	return r.buckets(compiled.Agg{Agg: query.Agg{Of: query.TermsAgg{}}, Fields: a.Fields}, answer.Buckets)
}

// counts returns how many documents have each value.
func (r *aggReader) counts(a compiled.Agg, answer aggAnswer) (res query.AggResult, err error) {
	buckets, err := r.values(a, answer)
	res.Counts = map[float64]uint64{}
	for _, b := range buckets {
		res.Counts[b.Key[0].Number] += b.Count
	}
	return res, err
}

// distinct counts the buckets of all values.
func (r *aggReader) distinct(a compiled.Agg, answer aggAnswer) (res query.AggResult, err error) {
	if answer.Other > 0 {
		return res, query.TooMuchToCount()
	}
	if res.Stats.Count = uint64(len(answer.Buckets)); !r.whole {
		return res, nil
	}
	res.Values = map[query.BucketValue]struct{}{}
	buckets, err := r.values(a, answer)
	for _, b := range buckets {
		res.Values[b.Key[0]] = struct{}{}
	}
	return res, err
}

func topOf(a compiled.Agg, of query.TopAgg, answer aggAnswer) (res query.AggResult, err error) {
	s := search{Request: compiled.Request{Sorts: a.Sorts}}
	res.Total, res.Hits = answer.Hits.Total.Value, []query.Hit{}
	for i, h := range answer.Hits.Hits {
		if len(h.Sort) != len(a.Sorts)+1 {
			return res, fmt.Errorf("hit %d has %d sort values, not %d", i, len(h.Sort), len(a.Sorts)+1)
		}
		terms, oid, err := s.place(h.Sort)
		if err != nil {
			return res, err
		}
		hit := query.Hit{OID: oid, V: h.Version, Keys: s.Keys(terms)}
		if h.Score != nil && s.scored() {
			hit.Score = *h.Score
		}
		if i == 0 && len(a.Sorts) == 1 && a.Sorts[0].Field == "" && a.Sorts[0].Descending {
			res.Best = hit.Score
		}
		if i >= of.From && i < of.From+of.Size {
			res.Hits = append(res.Hits, hit)
		}
	}
	return res, nil
}
