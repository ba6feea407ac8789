package aggs

import (
	"encoding/json"
	"slices"
	"strconv"

	"indexerd/internal/index/query"
	"indexerd/internal/serve/osapi/input"
	"indexerd/internal/serve/osapi/mapping"
)

// A keyPart is one source of a composite aggregation.
type keyPart struct {
	name string
	form valueForm
	text bool // dates are printed in their format
}

func (p *parser) composite(a *Agg, m map[string]json.RawMessage) error {
	if err := input.OnlyIn(m, "composite", "sources", "size", "after"); err != nil {
		return err
	}
	if p.depth > 1 {
		return input.ArgumentError("[composite] aggregation cannot be used with a parent aggregation")
	}
	of := query.CompositeAgg{Size: 10}
	if err := input.WholeNumbers(m, map[string]*int{"size": &of.Size}); err != nil {
		return err
	}
	var list []json.RawMessage
	if m["sources"] == nil || json.Unmarshal(m["sources"], &list) != nil || len(list) == 0 || len(list) > query.MaxSorts {
		return input.ArgumentError("Composite [sources] has %d sources, not 1 to %d", len(list), query.MaxSorts)
	}
	if of.Size < 1 || of.Size > query.MaxBuckets {
		return input.ArgumentError("[size] of [composite] is not 1 to %d", query.MaxBuckets)
	}
	var parts []keyPart
	for _, one := range list {
		part, source, err := p.source(one)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(parts, func(k keyPart) bool { return k.name == part.name }) {
			return input.ArgumentError("Composite source names must be unique, found duplicates: [%s]", query.Shorten(part.name))
		}
		parts, of.Sources = append(parts, part), append(of.Sources, source)
	}
	if m["after"] != nil {
		var err error
		if of.After, err = p.after(parts, m["after"]); err != nil {
			return err
		}
	}
	a.kind = of
	a.show = func(p *Printer, a Agg, r query.AggResult) (map[string]any, error) {
		shown := map[string]any{}
		buckets, err := p.buckets(a, r.Buckets, func(_ int, b query.Bucket) map[string]any {
			key := map[string]any{}
			for k, part := range parts {
				key[part.name] = part.show(b.Key[k])
			}
			shown["after_key"] = key
			return map[string]any{"key": key}
		})
		shown["buckets"] = buckets
		return shown, err
	}
	return nil
}

// source reads one source.
func (p *parser) source(text json.RawMessage) (part keyPart, s query.Source, err error) {
	name, definition, err := input.Single(text, "sources")
	if err != nil {
		return part, s, err
	}
	kind, body, err := input.Single(definition, name)
	if err != nil {
		return part, s, err
	}
	m, err := input.Object(body, kind)
	if err != nil {
		return part, s, err
	}
	options := []string{"order", "missing_bucket", "missing_order"}
	var f mapping.Field
	switch kind {
	case "terms":
		f, err = p.field(kind, m, options...)
	case "histogram":
		if f, err = p.numeric(kind, m, append(options, "interval")...); err == nil {
			s.Interval, _, err = grid(name, m)
		}
	case "date_histogram":
		f, err = p.dates(kind, "histogram", m, append(options, "calendar_interval", "fixed_interval", "interval", "time_zone", "offset", "format")...)
	default:
		err = input.ParsingError("source [%s] of [composite] is not supported; supported are terms, histogram, date_histogram", query.Shorten(kind))
	}
	if err != nil {
		return part, s, err
	}
	part.name, s.Field, part.text = name, f.Name, m["format"] != nil
	if part.form, err = p.form(f, m); err != nil {
		return part, s, err
	}
	if kind == "date_histogram" {
		iv, err := intervalOf(m, part.form.zone)
		if err != nil {
			return part, s, err
		}
		s.Dates = &iv
	}
	return part, s, sourceOptions(&s, m)
}

func sourceOptions(s *query.Source, m map[string]json.RawMessage) error {
	if v := m["missing_bucket"]; v != nil && json.Unmarshal(v, &s.Missing) != nil {
		return input.ParsingError("[missing_bucket] is true or false")
	}
	if v := string(m["missing_order"]); v != "" && v != `"default"` {
		return input.ParsingError("[missing_order] is default")
	}
	switch string(m["order"]) {
	case "", `"asc"`:
	case `"desc"`:
		s.Descending = true
	default:
		return input.ParsingError("[order] of a source is asc or desc")
	}
	return nil
}

// show returns a part of a key.
func (k keyPart) show(v query.BucketValue) any {
	switch {
	case v.None:
		return nil
	case k.form.Type == mapping.Boolean:
		return v.Number != 0
	case k.form.Type == mapping.Date && k.text:
		return k.form.date(v.Number)
	}
	key, _ := k.form.key(v)
	return key
}

// after reads the key of a bucket as it was shown.
func (p *parser) after(parts []keyPart, text json.RawMessage) ([]query.BucketValue, error) {
	m, err := input.Object(text, "after")
	if err != nil {
		return nil, err
	}
	if len(m) != len(parts) {
		return nil, input.ArgumentError("[after] has %d value(s) but [sources] has %d", len(m), len(parts))
	}
	key := make([]query.BucketValue, len(parts))
	for i, part := range parts {
		v := m[part.name]
		if v == nil {
			return nil, input.ArgumentError("Missing value for [after.%s]", query.Shorten(part.name))
		}
		if string(v) == "null" {
			key[i].None = true
			continue
		}
		text, err := input.Scalar(v, "after")
		if err != nil {
			return nil, err
		}
		switch part.form.Type {
		case mapping.Double:
			key[i].Number, err = strconv.ParseFloat(text, 64)
		case mapping.Date:
			key[i].Number, err = p.instant(text, part.form)
		case mapping.Boolean:
			var yes bool
			if yes, err = strconv.ParseBool(text); yes {
				key[i].Number = 1
			}
		default:
			key[i].Text = text
		}
		if err != nil {
			return nil, input.ArgumentError("[after.%s] has [%s], which is no key", query.Shorten(part.name), query.Shorten(text))
		}
	}
	return key, nil
}
