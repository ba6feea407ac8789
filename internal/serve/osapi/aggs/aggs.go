package osapi

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"indexerd/internal/index/query"
	"indexerd/internal/index/search"
)

// An agg is a parsed aggregation.
type agg struct {
	name   string
	typed  string          // the name of its type, for typed_keys
	meta   json.RawMessage // nil: none
	kind   query.AggKind
	show   func(p *aggPrinter, a agg, r query.AggResult) (map[string]any, error)
	metric func(name string) string // what orders buckets by a number of it; "" if it has none with the name
	subs   []agg
}

func queries(aggs []agg) []query.Agg {
	var all []query.Agg
	for _, a := range aggs {
		all = append(all, query.Agg{Of: a.kind, Subs: queries(a.subs)})
	}
	return all
}

// parseAggs reads the aggregations in the body of a search. top reads the body of a
// top_hits.
func parseAggs(m map[string]json.RawMessage, t *translator, top func(map[string]json.RawMessage) (topHits, error)) ([]agg, error) {
	p := &aggParser{translator: t, top: top}
	return p.of(m, "body")
}

// An aggParser reads the aggregations of a search.
type aggParser struct {
	*translator
	top   func(map[string]json.RawMessage) (topHits, error)
	depth int
	count int
}

// of reads the aggregations in an object, which may have none.
func (p *aggParser) of(m map[string]json.RawMessage, what string) ([]agg, error) {
	text := m["aggs"]
	if m["aggregations"] != nil {
		if text != nil {
			return nil, parsing("Found two sub aggregation definitions under [%s]", query.Shorten(what))
		}
		text = m["aggregations"]
	}
	if text == nil {
		return nil, nil
	}
	if p.depth++; p.depth > query.MaxAggDepth {
		return nil, parsing("aggregations are nested deeper than %d", query.MaxAggDepth)
	}
	defer func() { p.depth-- }()
	named, err := object(text, "aggs")
	if err != nil {
		return nil, err
	}
	if p.count += len(named); p.count > query.MaxAggs {
		return nil, parsing("a search has more than %d aggregations", query.MaxAggs)
	}
	var all []agg
	for _, name := range slices.Sorted(maps.Keys(named)) {
		a, err := p.one(name, named[name])
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

func (p *aggParser) one(name string, text json.RawMessage) (a agg, err error) {
	if name == "" || strings.ContainsAny(name, "[]>") {
		return a, parsing("Invalid aggregation name [%s]. Aggregation names can contain any character except '[', ']', and '>'", query.Shorten(name))
	}
	m, err := object(text, name)
	if err != nil {
		return a, err
	}
	var kind string
	for key := range m {
		switch {
		case key == "meta" || key == "aggs" || key == "aggregations":
		case kind != "":
			return a, parsing("Found two aggregation type definitions in [%s]: [%s] and [%s]", query.Shorten(name), min(kind, key), max(kind, key))
		default:
			kind = key
		}
	}
	if kind == "" {
		return a, parsing("Missing definition for aggregation [%s]", query.Shorten(name))
	}
	a = agg{name: name, typed: kind, metric: func(string) string { return "" }}
	if m["meta"] != nil {
		if _, err := object(m["meta"], "meta"); err != nil {
			return a, err
		}
		a.meta = m["meta"]
	}
	if a.subs, err = p.of(m, name); err != nil {
		return a, err
	}
	body, err := object(m[kind], kind)
	if err != nil && kind != "filter" {
		return a, err
	}
	err = p.kind(&a, kind, body, m[kind])
	return a, err
}

// kind reads the definition of an aggregation.
func (p *aggParser) kind(a *agg, kind string, m map[string]json.RawMessage, text json.RawMessage) error {
	switch kind {
	case "terms":
		return p.terms(a, m)
	case "filter":
		return p.filter(a, text)
	case "filters":
		return p.filters(a, m)
	case "missing":
		return p.missing(a, m)
	case "range":
		return p.ranges(a, m)
	case "date_range":
		return p.dateRanges(a, m)
	case "histogram":
		return p.histogram(a, m)
	case "date_histogram":
		return p.dateHistogram(a, m)
	case "composite":
		return p.composite(a, m)
	}
	if len(a.subs) > 0 && slices.Contains(metricKinds, kind) {
		return illegal("Aggregator [%s] of type [%s] cannot accept sub-aggregations", query.Shorten(a.name), query.Shorten(kind))
	}
	switch kind {
	case "min", "max", "avg", "sum":
		return p.number(a, kind, m)
	case "value_count", "cardinality":
		return p.counted(a, kind, m)
	case "stats", "extended_stats":
		return p.stats(a, kind, m)
	case "top_hits":
		return p.topHits(a, m)
	case "percentiles":
		return p.percentiles(a, m)
	}
	return parsing("aggregation [%s] is not supported; supported are terms, filter, filters, missing, range, date_range, histogram, date_histogram, composite, min, max, avg, sum, value_count, cardinality, stats, extended_stats, percentiles, top_hits", query.Shorten(kind))
}

// metricKinds are the aggregations without buckets.
var metricKinds = []string{"min", "max", "avg", "sum", "value_count", "cardinality", "stats", "extended_stats", "percentiles", "top_hits"}

// field reads the field of an aggregation, and checks the names of its options.
func (p *aggParser) field(kind string, m map[string]json.RawMessage, options ...string) (Field, error) {
	if err := onlyIn(m, kind, append(options, "field")...); err != nil {
		return Field{}, err
	}
	if m["field"] == nil {
		return Field{}, illegal("Required one of fields [field, script], but none were specified.")
	}
	name, err := scalar(m["field"], kind)
	if err != nil {
		return Field{}, err
	}
	f, err := p.lookup(name)
	if err == nil && f.Type == Text {
		err = illegal("Text fields are not optimised for operations that require per-document field data like aggregations and sorting, so these operations are disabled by default. Please use a keyword field instead. Alternatively, set fielddata=true on [%s] in order to load field data by uninverting the inverted index. Note that this can use significant memory.", f.Name)
	}
	if f.Type == idField || f.Type == indexField {
		err = parsing("[%s] on field [%s] is not supported: use a field of metadata", kind, f.Type)
	}
	if f.Type == "" {
		f.Name = ""
	}
	return f, err
}

// numeric is field for an aggregation of numbers and dates.
func (p *aggParser) numeric(kind string, m map[string]json.RawMessage, options ...string) (Field, error) {
	f, err := p.field(kind, m, options...)
	if err == nil && f.Type == Keyword {
		err = illegal("Field [%s] of type [keyword] is not supported for aggregation [%s]", f.Name, kind)
	}
	return f, err
}

// missingOf reads the value of documents without one.
func (p *aggParser) missingOf(f Field, form valueForm, m map[string]json.RawMessage) (*string, error) {
	if m["missing"] == nil {
		return nil, nil
	}
	text, err := scalar(m["missing"], "missing")
	if err == nil && f.Type == Date {
		var ms float64
		ms, err = p.instant(text, form)
		text = anyDate[0].print(int64(ms), time.UTC)
	}
	return &text, err
}

// An aggPrinter prints the results of aggregations.
type aggPrinter struct {
	ctx     context.Context
	results search.Results
	typed   bool // with the names of types
	maxHits int  // greatest size of all hits of top_hits, in bytes of JSON
	size    int  // bytes of buckets so far, those of sub-aggregations counted at each level
	hitSize int  // bytes of hits so far
}

// maxBuckets bounds the buckets of an answer, in bytes of JSON. They are in memory until
// the answer is written.
const maxBuckets = 64 << 20

// all returns the results by name.
func (p *aggPrinter) all(aggs []agg, results []query.AggResult) (map[string]any, error) {
	named := map[string]any{}
	return named, p.add(named, aggs, results)
}

func (p *aggPrinter) add(to map[string]any, aggs []agg, results []query.AggResult) error {
	for i, a := range aggs {
		one, err := a.show(p, a, results[i])
		if err != nil {
			return err
		}
		if a.meta != nil {
			one["meta"] = a.meta
		}
		name := a.name
		if p.typed {
			name = a.typed + "#" + name
		}
		to[name] = one
	}
	return nil
}

// bucket returns a bucket with its key, if it has one, and its sub-aggregations, as JSON:
// it takes a tenth of the memory.
func (p *aggPrinter) bucket(a agg, b query.Bucket, key map[string]any) (json.RawMessage, error) {
	if key == nil {
		key = map[string]any{}
	}
	key["doc_count"] = b.Count
	if err := p.add(key, a.subs, b.Subs); err != nil {
		return nil, err
	}
	text, err := json.Marshal(key)
	if p.size += len(text); p.size > maxBuckets {
		return nil, parsing("the aggregations are larger than %d MiB: ask for fewer buckets", maxBuckets>>20)
	}
	return text, err
}
