package opensearch

import (
	"math"
	"slices"
	"strconv"
	"time"

	"indexerd/internal/index/fulltext/compiled"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
)

// Aggregations are those of the cluster, over the documents that the query of the request
// matches, which are visible to the caller. What the cluster estimates is asked for in
// another way: different values are counted, and percentiles computed, by a terms
// aggregation of all values. Empty buckets and
// their order are made by aggregate.Finish.
//
// Of several shards each returns its first buckets only. An aggregator asks for more
// until no bucket and no count can be wrong, and at last for all.

// An aggregator is the aggregations of one search.
type aggregator struct {
	several bool // the index has several shards
	whole   bool // all buckets are returned, to be merged
	size    int  // buckets that each shard returns of a terms aggregation; 0: as the cluster decides
}

// noField is a field that no index has.
const noField = "ix.none"

// named are the names of aggregations in a request.
func (g aggregator) named(aggs []compiled.Agg) object {
	all := object{}
	for i, a := range aggs {
		one := g.request(a)
		if len(a.Subs) > 0 {
			one["aggs"] = g.named(a.Subs)
		}
		all[strconv.Itoa(i)] = one
	}
	return all
}

func fieldOf(f compiled.Field) string {
	if f.Name == "" {
		return noField
	}
	return field(f.Name)
}

// request returns the request for an aggregation, without its sub-aggregations.
func (g aggregator) request(a compiled.Agg) object {
	body := object{}
	if len(a.Fields) == 1 {
		body["field"] = fieldOf(a.Fields[0])
	}
	if a.Missing != nil {
		body["missing"] = valueOf(a.Fields[0], *a.Missing)
	}
	switch of := a.Of.(type) {
	case query.TermsAgg:
		return object{"terms": g.terms(a, of, body)}
	case query.FiltersAgg:
		return object{"filters": object{"filters": each(a.Filters), "other_bucket": of.Others}}
	case query.RangesAgg:
		body["ranges"] = rangesOf(of)
		return object{"range": body}
	case query.HistogramAgg:
		body["interval"], body["offset"], body["min_doc_count"] = of.Interval, of.Offset, 1
		return object{"histogram": body}
	case query.DatesAgg:
		for name, v := range datesOf(of.Interval.Unit, of.Interval.Length, of.Interval.Offset, of.Interval.Zone) {
			body[name] = v
		}
		body["min_doc_count"] = 1
		return object{"date_histogram": body}
	case query.CompositeAgg:
		return object{"composite": compositeOf(a, of)}
	case query.CountAgg:
		return object{"value_count": body}
	case query.DistinctAgg, query.PercentilesAgg:
		body["size"] = maxBuckets
		return object{"terms": body}
	case query.TopAgg:
		return object{"top_hits": object{"size": max(1, of.From+of.Size), "sort": sortsOf(a.Sorts), "version": true, "_source": false, "track_scores": sortedByScore(a.Sorts)}}
	}
	return object{"extended_stats": body}
}

// valueOf returns a value as the field has it.
func valueOf(f compiled.Field, v query.BucketValue) any {
	switch f.Type {
	case schema.Keyword:
		return v.Text
	case schema.Date:
		return int64(v.Number)
	}
	return v.Number
}

// exactOrder reports whether the first buckets of all shards are those of the index.
func exactOrder(of query.TermsAgg) bool { return len(of.Order) > 0 && of.Order[0].By == query.ByKey }

// boundedOrder reports whether the cluster bounds how wrong the counts of buckets are.
func boundedOrder(of query.TermsAgg) bool {
	return len(of.Order) == 0 || of.Order[0].By == query.ByCount && of.Order[0].Descending
}

// every reports whether the cluster returns every bucket of a terms aggregation, because
// the first ones can't be found otherwise.
func (g aggregator) every(of query.TermsAgg) bool {
	metric := func(o query.BucketOrder) bool { return len(o.Path) > 0 }
	return g.whole || of.MinCount > 1 || slices.ContainsFunc(of.Order, metric) || g.several && !exactOrder(of) && !boundedOrder(of)
}

func (g aggregator) terms(a compiled.Agg, of query.TermsAgg, body object) object {
	body["size"], body["min_doc_count"] = of.Size, of.MinCount
	body["order"] = ordersOf(of)
	if g.every(of) {
		body["size"], body["min_doc_count"], body["order"] = maxBuckets, 1, object{"_key": "asc"}
	} else if g.size > 0 {
		body["shard_size"] = max(g.size, of.Size)
	}
	for name, set := range map[string]*query.ValueSet{"include": of.Include, "exclude": of.Exclude} {
		if set == nil {
			continue
		}
		if body[name] = set.Text; set.Pattern == nil {
			values := a.Include
			if name == "exclude" {
				values = a.Exclude
			}
			list := make([]any, len(values))
			for i, v := range values {
				list[i] = valueOf(a.Fields[0], v)
			}
			body[name] = list
		}
	}
	return body
}

// ordersOf returns the order of a terms aggregation by counts and keys.
func ordersOf(of query.TermsAgg) []object {
	if len(of.Order) == 0 {
		return []object{{"_count": "desc"}, {"_key": "asc"}}
	}
	var all []object
	for _, by := range of.Order {
		direction := "asc"
		if by.Descending {
			direction = "desc"
		}
		if all = append(all, object{by.By: direction}); by.By == query.ByKey {
			return all
		}
	}
	return append(all, object{"_key": "asc"})
}

func rangesOf(of query.RangesAgg) (all []object) {
	for i, r := range of.Ranges {
		one := object{"key": strconv.Itoa(i)}
		if !math.IsInf(r.From, -1) {
			one["from"] = r.From
		}
		if !math.IsInf(r.To, 1) {
			one["to"] = r.To
		}
		all = append(all, one)
	}
	return all
}

func datesOf(unit string, length, offset time.Duration, zone *time.Location) object {
	body := object{"offset": strconv.FormatInt(offset.Milliseconds(), 10) + "ms"}
	if offset >= 0 {
		body["offset"] = "+" + body["offset"].(string)
	}
	if body["calendar_interval"] = unit; unit == "" {
		delete(body, "calendar_interval")
		body["fixed_interval"] = strconv.FormatInt(length.Milliseconds(), 10) + "ms"
	}
	if zone == nil {
		return body
	}
	if body["time_zone"] = zone.String(); zone.String() == "" {
		body["time_zone"] = time.Unix(0, 0).In(zone).Format("-07:00")
	}
	return body
}

func compositeOf(a compiled.Agg, of query.CompositeAgg) object {
	sources, after := make([]object, len(of.Sources)), object{}
	for i, s := range of.Sources {
		body := object{"field": fieldOf(a.Fields[i]), "missing_bucket": s.Missing, "order": "asc"}
		if s.Descending {
			body["order"] = "desc"
		}
		kind := "terms"
		switch {
		case s.Dates != nil:
			kind = "date_histogram"
			for name, v := range datesOf(s.Dates.Unit, s.Dates.Length, s.Dates.Offset, s.Dates.Zone) {
				body[name] = v
			}
		case s.Interval > 0:
			kind, body["interval"] = "histogram", s.Interval
		}
		name := strconv.Itoa(i)
		sources[i] = object{name: object{kind: body}}
		if of.After != nil {
			if after[name] = nil; !of.After[i].None {
				after[name] = valueOf(a.Fields[i], of.After[i])
			}
		}
	}
	body := object{"sources": sources, "size": of.Size}
	if of.After != nil {
		body["after"] = after
	}
	return body
}
