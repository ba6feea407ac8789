package aggs

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"indexerd/internal/index/query"
	"indexerd/internal/serve/osapi/format"
	"indexerd/internal/serve/osapi/input"
)

// defaultPercents are those of an aggregation that names none.
var defaultPercents = []float64{1, 5, 25, 50, 75, 95, 99}

// percentiles reads an aggregation to values below which shares of all values are. They
// are exact, so the options of an estimate change nothing.
func (p *parser) percentiles(a *Agg, m map[string]json.RawMessage) error {
	form, err := p.numbers("percentiles", m, "percents", "keyed", "missing", "format", "tdigest")
	if err != nil {
		return err
	}
	of := query.PercentilesAgg{Field: form.Name}
	if of.Percents, err = percentsOf(m["percents"]); err != nil {
		return err
	}
	if err := checkDigest(m["tdigest"]); err != nil {
		return err
	}
	named := true
	if v := m["keyed"]; v != nil && input.Flag(v, "keyed", &named) != nil {
		return input.Error(input.UnknownKey, "[percentiles] failed to parse field [keyed]: it is true or false")
	}
	of.Missing, err = p.missingOf(form, m)
	a.kind, a.typed = of, "tdigest_percentiles"
	a.metric = func(name string) string {
		wanted, err := strconv.ParseFloat(name, 64)
		if at := slices.Index(of.Percents, wanted); err == nil && at >= 0 {
			return query.MetricPercentile(at)
		}
		return ""
	}
	a.show = func(_ *Printer, _ Agg, r query.AggResult) (map[string]any, error) {
		if named {
			return map[string]any{"values": form.byPercent(of.Percents, r.Percentiles)}, nil
		}
		return map[string]any{"values": form.listed(of.Percents, r.Percentiles)}, nil
	}
	return err
}

// percentsOf reads a list of percents, or one. They are returned in order.
func percentsOf(v json.RawMessage) ([]float64, error) {
	if v == nil {
		return defaultPercents, nil
	}
	list := input.List(v)
	if len(list) == 0 || len(list) > query.MaxPercents {
		return nil, input.Error(input.UnknownKey, "[percents] must not be empty, and has up to %d numbers", query.MaxPercents)
	}
	var percents []float64
	for _, one := range list {
		text, err := input.Scalar(one, "percents")
		if err != nil {
			return nil, input.Error(input.UnknownKey, "[percentiles] percents doesn't support values of this type: write numbers")
		}
		percent, err := strconv.ParseFloat(text, 64)
		if err != nil || !(percent >= 0 && percent <= 100) {
			return nil, input.Error(input.UnknownKey, "percent must be in [0,100], got [%s]", query.Shorten(text))
		}
		percents = append(percents, percent)
	}
	slices.Sort(percents)
	return percents, nil
}

// checkDigest checks the options of the estimate that OpenSearch makes.
func checkDigest(v json.RawMessage) error {
	if v == nil {
		return nil
	}
	m, err := input.Object(v, "tdigest")
	if err != nil {
		return input.Error(input.UnknownKey, "[percentiles] tdigest is an object")
	}
	if err := input.OnlyIn(m, "tdigest", "compression"); err != nil {
		return err
	}
	compression := 0.0
	if text := m["compression"]; text != nil && (json.Unmarshal(text, &compression) != nil || compression < 0) {
		return input.Error(input.UnknownKey, "[compression] must be greater than or equal to 0")
	}
	return nil
}

// byPercent returns percentiles by their percents. Without values they are null.
func (v valueForm) byPercent(percents, values []float64) map[string]any {
	all := map[string]any{}
	for i, percent := range percents {
		key := format.Decimal(percent).String()
		if all[key] = format.Decimal(values[i]); math.IsNaN(values[i]) {
			continue
		}
		if text, ok := v.text(values[i]); ok {
			all[key+"_as_string"] = asText(text)
		}
	}
	return all
}

// listed returns percentiles as a list.
func (v valueForm) listed(percents, values []float64) []map[string]any {
	all := make([]map[string]any, len(percents))
	for i, percent := range percents {
		all[i] = v.metric(values[i])
		all[i]["key"] = format.Decimal(percent)
	}
	return all
}
