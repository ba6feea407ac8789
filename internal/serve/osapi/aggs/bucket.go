package aggs

import (
	"encoding/json"
	"maps"
	"slices"

	"indexerd/internal/index/query"
	"indexerd/internal/serve/osapi/input"
)

// maxFilters is how many filters an aggregation may have.
const maxFilters = 256

func (p *parser) filter(a *Agg, text json.RawMessage) error {
	n, err := p.Node(text)
	a.one(n)
	return err
}

// one makes the aggregation one of the documents that a query matches.
func (a *Agg) one(n query.Node) {
	a.kind = query.FiltersAgg{Queries: []query.Node{n}}
	a.show = func(p *Printer, a Agg, r query.AggResult) (map[string]any, error) {
		one := map[string]any{"doc_count": r.Buckets[0].Count}
		return one, p.add(one, a.subs, r.Buckets[0].Subs)
	}
	a.metric = func(name string) string {
		if name == "" || name == "doc_count" {
			return query.MetricDocs
		}
		return ""
	}
}

func (p *parser) missing(a *Agg, m map[string]json.RawMessage) error {
	f, err := p.field("missing", m)
	if err != nil {
		return err
	}
	a.one(query.All{})
	if f.Type != "" {
		a.one(query.Not{Node: query.Range{Field: f.Name}})
	}
	return nil
}

// filters reads filters, which are a list, or have names and are sorted by them.
func (p *parser) filters(a *Agg, m map[string]json.RawMessage) error {
	if err := input.OnlyIn(m, "filters", "filters", "other_bucket", "other_bucket_key"); err != nil {
		return err
	}
	of, others := query.FiltersAgg{}, "_other_"
	if v := m["other_bucket"]; v != nil && json.Unmarshal(v, &of.Others) != nil {
		return input.ParsingError("[other_bucket] is true or false")
	}
	if v := m["other_bucket_key"]; v != nil {
		of.Others = true
		if json.Unmarshal(v, &others) != nil {
			return input.ParsingError("[other_bucket_key] is a name")
		}
	}
	var names []string
	var list []json.RawMessage
	if json.Unmarshal(m["filters"], &list) != nil {
		named, err := input.Object(m["filters"], "filters")
		if err != nil {
			return err
		}
		names = slices.Sorted(maps.Keys(named))
		for _, name := range names {
			list = append(list, named[name])
		}
	}
	if len(list) == 0 || len(list) > maxFilters {
		return input.ArgumentError("[filters] has %d filters, not 1 to %d", len(list), maxFilters)
	}
	for _, one := range list {
		n, err := p.Node(one)
		if err != nil {
			return err
		}
		of.Queries = append(of.Queries, n)
	}
	if of.Others && names != nil {
		names = append(names, others)
	}
	a.kind = of
	a.show = func(p *Printer, a Agg, r query.AggResult) (map[string]any, error) {
		buckets, err := p.buckets(a, r.Buckets, func(int, query.Bucket) map[string]any { return map[string]any{} })
		return keyed(buckets, names), err
	}
	return nil
}
