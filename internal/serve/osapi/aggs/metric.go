package aggs

import (
	"encoding/json"
	"math"
	"strconv"

	"indexerd/internal/index/query"
	"indexerd/internal/serve/osapi/format"
	"indexerd/internal/serve/osapi/input"
)

// number reads an aggregation to one number of the values.
func (p *parser) number(a *Agg, kind string, m map[string]json.RawMessage) error {
	form, err := p.numbers(kind, m, "missing", "format")
	if err != nil {
		return err
	}
	missing, err := p.missingOf(form, m)
	a.kind = query.StatsAgg{Field: form.Name, Missing: missing}
	a.metric = oneValue(kind)
	a.show = func(_ *Printer, _ Agg, r query.AggResult) (map[string]any, error) {
		return form.metric(r.Stats.Metric(kind)), nil
	}
	return err
}

// oneValue returns the metric of an aggregation to one number.
func oneValue(metric string) func(string) string {
	return func(name string) string {
		if name == "" || name == "value" {
			return metric
		}
		return ""
	}
}

// counted reads an aggregation that counts values of any type.
func (p *parser) counted(a *Agg, kind string, m map[string]json.RawMessage) error {
	options := []string{"missing"}
	if kind == "value_count" {
		options = append(options, "format") // of no effect
	}
	if kind == "cardinality" {
		options = append(options, "precision_threshold", "execution_hint") // the count is exact
	}
	f, err := p.field(kind, m, options...)
	if err != nil {
		return err
	}
	if text := m["precision_threshold"]; text != nil && text[0] == '-' {
		return input.Error(input.UnknownKey, "[cardinality] failed to parse field [precision_threshold]: it is a number from 0")
	}
	form, err := p.form(f, nil)
	if err != nil {
		return err
	}
	missing, err := p.missingOf(form, m)
	if a.kind = (query.CountAgg{Field: form.Name, Missing: missing}); kind == "cardinality" {
		a.kind = query.DistinctAgg{Field: form.Name, Missing: missing}
	}
	a.metric = oneValue(query.MetricCount)
	a.show = func(_ *Printer, _ Agg, r query.AggResult) (map[string]any, error) {
		return map[string]any{"value": r.Stats.Count}, nil
	}
	return err
}

// metricNames are the numbers of stats, and of extended_stats, that order buckets.
var metricNames = map[string]string{
	"count": query.MetricCount, "min": query.MetricMin, "max": query.MetricMax, "avg": query.MetricAvg, "sum": query.MetricSum,
	"sum_of_squares": query.MetricSquares, "variance": query.MetricVariance, "std_deviation": query.MetricDeviation,
}

func (p *parser) stats(a *Agg, kind string, m map[string]json.RawMessage) error {
	options := []string{"missing", "format"}
	if kind == "extended_stats" {
		options = append(options, "sigma")
	}
	form, err := p.numbers(kind, m, options...)
	if err != nil {
		return err
	}
	sigma := 2.0
	if v := m["sigma"]; v != nil && (json.Unmarshal(v, &sigma) != nil || sigma < 0) {
		return input.ParsingError("[sigma] is a number from 0")
	}
	missing, err := p.missingOf(form, m)
	a.kind = query.StatsAgg{Field: form.Name, Missing: missing}
	a.metric = func(name string) string {
		if _, simple := map[string]bool{"count": true, "min": true, "max": true, "avg": true, "sum": true}[name]; simple || kind == "extended_stats" {
			return metricNames[name]
		}
		return ""
	}
	a.show = func(_ *Printer, _ Agg, r query.AggResult) (map[string]any, error) {
		all := form.stats(r.Stats)
		if kind == "extended_stats" {
			form.addSpread(all, r.Stats, sigma)
		}
		return all, nil
	}
	return err
}

func (v valueForm) stats(s query.Stats) map[string]any {
	all := map[string]any{"count": s.Count}
	for _, name := range []string{"min", "max", "avg", "sum"} {
		n := s.Metric(name)
		all[name] = format.Decimal(n)
		v.addText(all, s, name, n)
	}
	return all
}

// addSpread adds what extended_stats has and stats does not.
func (v valueForm) addSpread(to map[string]any, s query.Stats, sigma float64) {
	n, mean := float64(s.Count), s.Metric(query.MetricAvg)
	sampling := max(0, (s.Squares-s.Sum*s.Sum/n)/(n-1))
	bounds, texts := map[string]any{}, map[string]any{}
	add := func(to map[string]any, name string, x float64) {
		if to[name] = nil; s.Count > 0 {
			to[name] = extended(x)
		}
	}
	add(to, "sum_of_squares", s.Squares)
	v.addText(to, s, "sum_of_squares", s.Squares)
	for _, one := range []struct {
		suffix   string
		variance float64
	}{{"", s.Metric(query.MetricVariance)}, {"_population", s.Metric(query.MetricVariance)}, {"_sampling", sampling}} {
		deviation := math.Sqrt(one.variance)
		add(to, "variance"+one.suffix, one.variance)
		add(to, "std_deviation"+one.suffix, deviation)
		add(bounds, "upper"+one.suffix, mean+sigma*deviation)
		add(bounds, "lower"+one.suffix, mean-sigma*deviation)
		v.addText(to, s, "variance"+one.suffix, one.variance)
		for name, x := range map[string]float64{"upper": mean + sigma*deviation, "lower": mean - sigma*deviation} {
			if text, ok := v.text(x); ok {
				texts[name+one.suffix] = asText(text)
			}
		}
		if text, ok := v.text(deviation); ok && s.Count > 0 {
			to["std_deviation"+one.suffix+"_as_string"] = asText(text)
		}
	}
	if to["std_deviation_bounds"] = bounds; s.Count > 0 && len(texts) > 0 {
		to["std_deviation_bounds_as_string"] = texts
	}
}

// addText adds the text of a number of at least one value, if it has one.
func (v valueForm) addText(to map[string]any, s query.Stats, name string, n float64) {
	if text, ok := v.text(n); ok && s.Count > 0 {
		to[name+"_as_string"] = text
	}
}

// asText returns a text, or a boolean as text.
func asText(v any) any {
	if yes, isBool := v.(bool); isBool {
		return strconv.FormatBool(yes)
	}
	return v
}

// extended returns a number, or the text NaN or Infinity, as extended_stats prints them.
func extended(n float64) any {
	if math.IsNaN(n) || math.IsInf(n, 0) {
		return map[bool]string{true: "NaN", false: "Infinity"}[math.IsNaN(n)]
	}
	return format.Decimal(n)
}
