package aggs

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"indexerd/internal/index/query"
	"indexerd/internal/serve/osapi/format"
	"indexerd/internal/serve/osapi/input"
	"indexerd/internal/serve/osapi/mapping"
)

// A keyRange is one range of an aggregation.
type keyRange struct {
	key string
	query.Span64
}

func (p *parser) ranges(a *Agg, m map[string]json.RawMessage) error {
	form, err := p.numbers("range", m, "ranges", "keyed", "missing", "format")
	if err != nil {
		return err
	}
	return p.rangesOf(a, form, m)
}

func (p *parser) dateRanges(a *Agg, m map[string]json.RawMessage) error {
	f, err := p.dates("date_range", "range", m, "ranges", "keyed", "missing", "format", "time_zone")
	if err != nil {
		return err
	}
	f.Type = mapping.Date
	form, err := p.form(f, m)
	if err != nil {
		return err
	}
	return p.rangesOf(a, form, m)
}

// instant returns the milliseconds of a date with date math.
func (p *parser) instant(text string, v valueForm) (float64, error) {
	names := make([]string, len(v.format))
	for i, f := range v.format {
		names[i] = f.Name
	}
	at, err := p.Date(text, names, v.zone, false)
	return float64(at.UnixMilli()), err
}

// rangesOf reads ranges, and sorts them by their bounds.
func (p *parser) rangesOf(a *Agg, form valueForm, m map[string]json.RawMessage) (err error) {
	var list []json.RawMessage
	if m["ranges"] != nil && json.Unmarshal(m["ranges"], &list) != nil || len(list) == 0 || len(list) > maxFilters {
		return input.ArgumentError("[ranges] of the [%s] aggregation has %d ranges, not 1 to %d", query.Shorten(a.name), len(list), maxFilters)
	}
	all := make([]keyRange, len(list))
	for i, one := range list {
		if all[i], err = p.readRange(one, form); err != nil {
			return err
		}
	}
	slices.SortStableFunc(all, func(r, s keyRange) int { return cmp.Or(cmp.Compare(r.From, s.From), cmp.Compare(r.To, s.To)) })
	of := query.RangesAgg{Field: form.Name}
	for _, r := range all {
		of.Ranges = append(of.Ranges, r.Span64)
	}
	if of.Missing, err = p.missingOf(form, m); err != nil {
		return err
	}
	named := false
	if v := m["keyed"]; v != nil && json.Unmarshal(v, &named) != nil {
		return input.ParsingError("[keyed] is true or false")
	}
	a.kind = of
	a.show = func(p *Printer, a Agg, r query.AggResult) (map[string]any, error) {
		var names []string
		buckets, err := p.buckets(a, r.Buckets, func(i int, _ query.Bucket) map[string]any {
			shown := form.bucketOf(all[i])
			if named {
				names = append(names, all[i].key)
				delete(shown, "key")
			}
			return shown
		})
		return keyed(buckets, names), err
	}
	return nil
}

func (p *parser) readRange(text json.RawMessage, form valueForm) (r keyRange, err error) {
	m, err := input.ObjectOf(text, "ranges", "key", "from", "to")
	if err != nil {
		return r, err
	}
	r.From, r.To = math.Inf(-1), math.Inf(1)
	for name, to := range map[string]*float64{"from": &r.From, "to": &r.To} {
		if m[name] == nil || string(m[name]) == "null" {
			continue
		}
		text, err := input.Scalar(m[name], name)
		if err != nil {
			return r, err
		}
		if *to, err = p.bound(text, form); err != nil {
			return r, err
		}
	}
	r.key = form.bound(r.From) + "-" + form.bound(r.To)
	if v := m["key"]; v != nil && string(v) != "null" {
		r.key, err = input.Scalar(v, "key")
	}
	return r, err
}

// bound reads a bound: a date, or a number, which may be infinite.
func (p *parser) bound(text string, form valueForm) (float64, error) {
	if form.Type == mapping.Date {
		return p.instant(text, form)
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) {
		return 0, input.ParsingError("[range] bound [%s] is not a number", query.Shorten(text))
	}
	return n, nil
}

// bound returns the text of a bound in the key of a bucket.
func (v valueForm) bound(n float64) string {
	switch {
	case math.IsInf(n, 0):
		return "*"
	case v.Type == mapping.Date:
		return v.date(n)
	case v.Type == mapping.Boolean:
		return strconv.FormatBool(n != 0)
	case v.number != nil:
		return v.number.Print(n)
	}
	return format.Decimal(n).String()
}

// bucketOf returns a bucket of a range without its documents.
func (v valueForm) bucketOf(r keyRange) map[string]any {
	shown := map[string]any{"key": r.key}
	for name, n := range map[string]float64{"from": r.From, "to": r.To} {
		if math.IsInf(n, 0) {
			continue
		}
		shown[name] = format.Decimal(n)
		if text, ok := v.text(n); ok {
			shown[name+"_as_string"] = text
		}
	}
	return shown
}
