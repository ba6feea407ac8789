package aggs

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"indexerd/internal/index/query"
	"indexerd/internal/serve/osapi/format"
	"indexerd/internal/serve/osapi/input"
	"indexerd/internal/serve/osapi/mapping"
)

// typedTerms are the names of terms aggregations by the type of their field.
var typedTerms = map[string]string{mapping.Double: "dterms", mapping.Date: "lterms", mapping.Boolean: "lterms"}

// withoutEffect are options that choose between ways to the same result.
var withoutEffect = []string{"shard_size", "execution_hint", "collect_mode"}

func (p *parser) terms(a *Agg, m map[string]json.RawMessage) error {
	f, err := p.field("terms", m, append(slices.Clone(withoutEffect), "size", "order", "min_doc_count", "shard_min_doc_count", "include", "exclude", "missing", "format", "show_term_doc_count_error")...)
	if err != nil {
		return err
	}
	of := query.TermsAgg{Field: f.Name, Size: 10, MinCount: 1}
	form, err := p.form(f, m)
	if err != nil {
		return err
	}
	var ignored int
	for _, option := range []struct {
		name string
		to   *int
	}{{"size", &of.Size}, {"min_doc_count", &of.MinCount}, {"shard_min_doc_count", &ignored}} {
		if m[option.name] == nil {
			continue
		}
		if err := input.Whole(m[option.name], option.name, option.to); err != nil {
			return err
		}
	}
	switch {
	case of.Size == 0:
		return input.Error(input.UnknownKey, "[size] must be greater than 0. Found [0] in [%s]", query.Shorten(a.name))
	case of.MinCount == 0:
		return input.ParsingError("[terms] min_doc_count 0 is not supported: it would list values of documents that do not match")
	}
	of.Size = min(of.Size, query.MaxBuckets)
	if of.Missing, err = p.missingOf(form, m); err != nil {
		return err
	}
	if of.Include, of.Exclude, err = choices(f, m); err != nil {
		return err
	}
	if of.Order, err = orderOf(m["order"], a.subs); err != nil {
		return err
	}
	errorsShown := false
	if v := m["show_term_doc_count_error"]; v != nil && json.Unmarshal(v, &errorsShown) != nil {
		return input.ParsingError("[show_term_doc_count_error] is true or false")
	}
	a.kind, a.typed = of, "sterms"
	if t := typedTerms[f.Type]; t != "" {
		a.typed = t
	}
	a.show = func(p *Printer, a Agg, r query.AggResult) (map[string]any, error) {
		buckets, err := p.buckets(a, r.Buckets, func(_ int, b query.Bucket) map[string]any {
			one := map[string]any{}
			if errorsShown {
				one["doc_count_error_upper_bound"] = 0
			}
			form.addKey(one, b.Key[0])
			return one
		})
		return map[string]any{"doc_count_error_upper_bound": 0, "sum_other_doc_count": r.Other, "buckets": buckets}, err
	}
	return nil
}

// choices reads include and exclude. Both are lists, or both are patterns.
func choices(f mapping.Field, m map[string]json.RawMessage) (include, exclude *query.ValueSet, err error) {
	if include, err = valueSet(f, "include", m["include"]); err != nil {
		return nil, nil, err
	}
	if exclude, err = valueSet(f, "exclude", m["exclude"]); err != nil {
		return nil, nil, err
	}
	if include != nil && exclude != nil && (include.Pattern == nil) != (exclude.Pattern == nil) {
		return nil, nil, input.Error(input.UnknownKey, "Cannot mix a set-based include with a regex-based method")
	}
	return include, exclude, nil
}

func valueSet(f mapping.Field, name string, v json.RawMessage) (*query.ValueSet, error) {
	if v == nil {
		return nil, nil
	}
	var list []json.RawMessage
	if json.Unmarshal(v, &list) != nil {
		var text string
		if json.Unmarshal(v, &text) != nil {
			return nil, input.ParsingError("[%s] is a list of values or a regular expression; partitions are not supported", name)
		}
		if f.Type != mapping.Keyword && f.Type != "" {
			return nil, input.ArgumentError("[%s] cannot support regular expression style include/exclude settings as they can only be applied to string fields", name)
		}
		pattern, err := wholePattern(text)
		if err != nil {
			return nil, input.ParsingError("[%s] is not supported: %v", name, err)
		}
		return &query.ValueSet{Pattern: pattern, Text: text}, nil
	}
	if len(list) > query.MaxValues {
		return nil, input.ParsingError("[%s] has more than %d values", name, query.MaxValues)
	}
	set := &query.ValueSet{Values: []string{}}
	for _, one := range list {
		text, err := input.Scalar(one, name)
		if err != nil {
			return nil, err
		}
		if f.Type == mapping.Date {
			text = format.DateText(text)
		}
		set.Values = append(set.Values, text)
	}
	return set, nil
}

// wholePattern reads a regular expression of Lucene, which matches values as a whole.
func wholePattern(text string) (*regexp.Regexp, error) {
	pattern, err := query.RE2(text, false)
	if err != nil {
		return nil, err
	}
	return regexp.Compile(`(?s)^(?:` + pattern + `)$`)
}

// orderOf reads an order, or a list of orders. The default of no order is that of the
// aggregation.
func orderOf(v json.RawMessage, subs []Agg) ([]query.BucketOrder, error) {
	if v == nil {
		return nil, nil
	}
	list := input.List(v)
	if len(list) == 0 || len(list) > query.MaxSorts {
		return nil, input.ParsingError("[order] has 1 to %d orders", query.MaxSorts)
	}
	var orders []query.BucketOrder
	for _, one := range list {
		name, value, err := input.Single(one, "order")
		if err != nil {
			return nil, err
		}
		var direction string
		if json.Unmarshal(value, &direction) != nil || !slices.Contains([]string{"asc", "desc"}, strings.ToLower(direction)) {
			return nil, input.ParsingError("Unknown order direction, which is asc or desc")
		}
		o, err := orderBy(name, subs)
		if err != nil {
			return nil, err
		}
		o.Descending = strings.ToLower(direction) == "desc"
		orders = append(orders, o)
	}
	return orders, nil
}

func orderBy(name string, subs []Agg) (query.BucketOrder, error) {
	switch name {
	case "_count":
		return query.BucketOrder{By: query.ByCount}, nil
	case "_key", "_term", "_time":
		return query.BucketOrder{By: query.ByKey}, nil
	}
	refused := input.ArgumentError("Invalid aggregation order path [%s]: write the name of a metric, with .NAME for one of several numbers, behind those of filters with >", query.Shorten(name))
	var o query.BucketOrder
	parts := strings.Split(name, ">")
	for i, part := range parts {
		at, metric := slices.IndexFunc(subs, func(a Agg) bool { return a.name == part }), ""
		if at < 0 && i == len(parts)-1 {
			part, metric = splitMetric(part)
			at = slices.IndexFunc(subs, func(a Agg) bool { return a.name == part })
		}
		if at < 0 || i < len(parts)-1 && !subs[at].isSingle() {
			return o, refused
		}
		o.Path = append(o.Path, at)
		if i == len(parts)-1 {
			if o.By = subs[at].metric(metric); o.By == "" {
				return o, refused
			}
		}
		subs = subs[at].subs
	}
	return o, nil
}

// splitMetric splits NAME.METRIC and NAME[METRIC].
func splitMetric(text string) (name, metric string) {
	if at := strings.IndexByte(text, '['); at > 0 && strings.HasSuffix(text, "]") {
		return text[:at], text[at+1 : len(text)-1]
	}
	if at := strings.LastIndexByte(text, '.'); at > 0 {
		return text[:at], text[at+1:]
	}
	return text, ""
}

// isSingle reports whether the aggregation has one bucket.
func (a Agg) isSingle() bool { return a.typed == "filter" || a.typed == "missing" }

// addKey adds the key of a bucket, and its text.
func (v valueForm) addKey(to map[string]any, value query.BucketValue) {
	key, text := v.key(value)
	if to["key"] = key; text != nil {
		to["key_as_string"] = text
	}
}
