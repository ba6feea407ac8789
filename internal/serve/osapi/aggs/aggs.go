// Package aggs reads the aggregations of a search, and prints their results. What a
// top_hits shows is read and printed by functions of the caller.
package aggs

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"indexerd/internal/index/query"
	"indexerd/internal/index/search"
	"indexerd/internal/serve/osapi/dsl"
	"indexerd/internal/serve/osapi/format"
	"indexerd/internal/serve/osapi/input"
	"indexerd/internal/serve/osapi/mapping"
)

// An Agg is a parsed aggregation.
type Agg struct {
	name   string
	typed  string          // the name of its type, for typed_keys
	meta   json.RawMessage // nil: none
	kind   query.AggKind
	show   func(p *Printer, a Agg, r query.AggResult) (map[string]any, error)
	metric func(name string) string // what orders buckets by a number of it; "" if it has none with the name
	subs   []Agg
}

// Queries returns what an index computes for aggregations.
func Queries(aggs []Agg) []query.Agg {
	var all []query.Agg
	for _, a := range aggs {
		all = append(all, query.Agg{Of: a.kind, Subs: Queries(a.subs)})
	}
	return all
}

// Parse reads the aggregations in the body of a search. top reads the body of a
// top_hits.
func Parse(m map[string]json.RawMessage, t *dsl.Translator, top func(map[string]json.RawMessage) (TopHits, error)) ([]Agg, error) {
	p := &parser{Translator: t, top: top}
	return p.of(m, "body")
}

// An parser reads the aggregations of a search.
type parser struct {
	*dsl.Translator
	top   func(map[string]json.RawMessage) (TopHits, error)
	depth int
	count int
}

// of reads the aggregations in an object, which may have none.
func (p *parser) of(m map[string]json.RawMessage, what string) ([]Agg, error) {
	text := m["aggs"]
	if m["aggregations"] != nil {
		if text != nil {
			return nil, input.ParsingError("Found two sub aggregation definitions under [%s]", query.Shorten(what))
		}
		text = m["aggregations"]
	}
	if text == nil {
		return nil, nil
	}
	if p.depth++; p.depth > query.MaxAggDepth {
		return nil, input.ParsingError("aggregations are nested deeper than %d", query.MaxAggDepth)
	}
	defer func() { p.depth-- }()
	named, err := input.Object(text, "aggs")
	if err != nil {
		return nil, err
	}
	if p.count += len(named); p.count > query.MaxAggs {
		return nil, input.ParsingError("a search has more than %d aggregations", query.MaxAggs)
	}
	var all []Agg
	for _, name := range slices.Sorted(maps.Keys(named)) {
		a, err := p.one(name, named[name])
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

func (p *parser) one(name string, text json.RawMessage) (a Agg, err error) {
	if name == "" || strings.ContainsAny(name, "[]>") {
		return a, input.ParsingError("Invalid aggregation name [%s]. Aggregation names can contain any character except '[', ']', and '>'", query.Shorten(name))
	}
	m, err := input.Object(text, name)
	if err != nil {
		return a, err
	}
	var kind string
	for key := range m {
		switch {
		case key == "meta" || key == "aggs" || key == "aggregations":
		case kind != "":
			return a, input.ParsingError("Found two aggregation type definitions in [%s]: [%s] and [%s]", query.Shorten(name), min(kind, key), max(kind, key))
		default:
			kind = key
		}
	}
	if kind == "" {
		return a, input.ParsingError("Missing definition for aggregation [%s]", query.Shorten(name))
	}
	a = Agg{name: name, typed: kind, metric: func(string) string { return "" }}
	if m["meta"] != nil {
		if _, err := input.Object(m["meta"], "meta"); err != nil {
			return a, err
		}
		a.meta = m["meta"]
	}
	if a.subs, err = p.of(m, name); err != nil {
		return a, err
	}
	body, err := input.Object(m[kind], kind)
	if err != nil && kind != "filter" {
		return a, err
	}
	err = p.kind(&a, kind, body, m[kind])
	return a, err
}

// kind reads the definition of an aggregation.
func (p *parser) kind(a *Agg, kind string, m map[string]json.RawMessage, text json.RawMessage) error {
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
		return input.ArgumentError("Aggregator [%s] of type [%s] cannot accept sub-aggregations", query.Shorten(a.name), query.Shorten(kind))
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
	return input.ParsingError("aggregation [%s] is not supported; supported are terms, filter, filters, missing, range, date_range, histogram, date_histogram, composite, min, max, avg, sum, value_count, cardinality, stats, extended_stats, percentiles, top_hits", query.Shorten(kind))
}

// metricKinds are the aggregations without buckets.
var metricKinds = []string{"min", "max", "avg", "sum", "value_count", "cardinality", "stats", "extended_stats", "percentiles", "top_hits"}

// field reads the field of an aggregation, and checks the names of its options.
func (p *parser) field(kind string, m map[string]json.RawMessage, options ...string) (mapping.Field, error) {
	if err := input.OnlyIn(m, kind, append(options, "field")...); err != nil {
		return mapping.Field{}, err
	}
	if m["field"] == nil {
		return mapping.Field{}, input.ArgumentError("Required one of fields [field, script], but none were specified.")
	}
	name, err := input.Scalar(m["field"], kind)
	if err != nil {
		return mapping.Field{}, err
	}
	f, err := p.Lookup(name)
	if err == nil && f.Type == mapping.Text {
		err = input.ArgumentError("Text fields are not optimised for operations that require per-document field data like aggregations and sorting, so these operations are disabled by default. Please use a keyword field instead. Alternatively, set fielddata=true on [%s] in order to load field data by uninverting the inverted index. Note that this can use significant memory.", f.Name)
	}
	if f.Type == mapping.ID || f.Type == mapping.IndexName {
		err = input.ParsingError("[%s] on field [%s] is not supported: use a field of metadata", kind, f.Type)
	}
	if f.Type == "" {
		f.Name = ""
	}
	return f, err
}

// numeric is field for an aggregation of numbers and dates.
func (p *parser) numeric(kind string, m map[string]json.RawMessage, options ...string) (mapping.Field, error) {
	f, err := p.field(kind, m, options...)
	if err == nil && f.Type == mapping.Keyword {
		err = input.ArgumentError("Field [%s] of type [keyword] is not supported for aggregation [%s]", f.Name, kind)
	}
	return f, err
}

// dates is numeric for an aggregation of dates. instead is that of numbers.
func (p *parser) dates(kind, instead string, m map[string]json.RawMessage, options ...string) (mapping.Field, error) {
	f, err := p.numeric(kind, m, options...)
	if err == nil && f.Type != mapping.Date && f.Type != "" {
		err = input.ParsingError("[%s] on field [%s] of type [%s] is not supported: use %s", kind, f.Name, f.Type, instead)
	}
	return f, err
}

// missingOf reads the value of documents without one.
func (p *parser) missingOf(form valueForm, m map[string]json.RawMessage) (*string, error) {
	if m["missing"] == nil {
		return nil, nil
	}
	text, err := input.Scalar(m["missing"], "missing")
	if err == nil && form.Type == mapping.Date {
		var ms float64
		ms, err = p.instant(text, form)
		text = format.AnyDate[0].Print(int64(ms), time.UTC)
	}
	return &text, err
}

// An Printer prints the results of aggregations.
type Printer struct {
	Context context.Context
	Results search.Results
	Typed   bool // with the names of types
	MaxHits int  // greatest size of all hits of top_hits, in bytes of JSON
	size    int  // bytes of buckets so far, those of sub-aggregations counted at each level
	hitSize int  // bytes of hits so far
}

// maxBuckets bounds the buckets of an answer, in bytes of JSON. They are in memory until
// the answer is written.
const maxBuckets = 64 << 20

// All returns the results by name.
func (p *Printer) All(aggs []Agg, results []query.AggResult) (map[string]any, error) {
	named := map[string]any{}
	return named, p.add(named, aggs, results)
}

func (p *Printer) add(to map[string]any, aggs []Agg, results []query.AggResult) error {
	for i, a := range aggs {
		one, err := a.show(p, a, results[i])
		if err != nil {
			return err
		}
		if a.meta != nil {
			one["meta"] = a.meta
		}
		name := a.name
		if p.Typed {
			name = a.typed + "#" + name
		}
		to[name] = one
	}
	return nil
}

// buckets returns buckets with what key returns for each, and their sub-aggregations, as
// JSON: it takes a tenth of the memory.
func (p *Printer) buckets(a Agg, list []query.Bucket, key func(i int, b query.Bucket) map[string]any) ([]json.RawMessage, error) {
	all := make([]json.RawMessage, len(list))
	for i, b := range list {
		one := key(i, b)
		one["doc_count"] = b.Count
		err := p.add(one, a.subs, b.Subs)
		if err == nil {
			all[i], err = json.Marshal(one)
		}
		if err != nil {
			return nil, err
		}
		if p.size += len(all[i]); p.size > maxBuckets {
			return nil, input.ParsingError("the aggregations are larger than %d MiB: ask for fewer buckets", maxBuckets>>20)
		}
	}
	return all, nil
}

// keyed returns buckets by their names, or as they are for no names.
func keyed(buckets []json.RawMessage, names []string) map[string]any {
	if names == nil {
		return map[string]any{"buckets": buckets}
	}
	named := map[string]json.RawMessage{}
	for i, b := range buckets {
		named[names[i]] = b
	}
	return map[string]any{"buckets": named}
}
