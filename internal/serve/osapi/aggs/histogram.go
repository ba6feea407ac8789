package aggs

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"indexerd/internal/base/calendar"
	"indexerd/internal/index/query"
	"indexerd/internal/serve/osapi/format"
	"indexerd/internal/serve/osapi/input"
	"indexerd/internal/serve/osapi/mapping"
)

func (p *parser) histogram(a *Agg, m map[string]json.RawMessage) error {
	form, err := p.numbers("histogram", m, "interval", "offset", "min_doc_count", "extended_bounds", "keyed", "order", "missing", "format")
	if err != nil {
		return err
	}
	of := query.HistogramAgg{Field: form.Name}
	if of.Interval, of.Offset, err = grid(a.name, m); err != nil {
		return err
	}
	var named bool
	if of.MinCount, of.Order, named, err = p.histogramOptions(a, m); err != nil {
		return err
	}
	if of.Missing, err = p.missingOf(form, m); err != nil {
		return err
	}
	if m["extended_bounds"] != nil {
		of.Bounds = new([2]float64)
		if err := bounds(m["extended_bounds"], func(v json.RawMessage) (float64, error) {
			text, err := input.Scalar(v, "extended_bounds")
			if err != nil {
				return 0, err
			}
			n, err := input.Finite(text)
			if err != nil {
				err = input.ParsingError("[extended_bounds] has [%s], which is no number", query.Shorten(text))
			}
			return n, err
		}, &of.Bounds[0], &of.Bounds[1]); err != nil {
			return err
		}
	}
	a.kind = of
	a.show = form.showHistogram(named, func(n float64) any { return format.Decimal(n) })
	return nil
}

// grid reads interval and offset of a histogram of numbers.
func grid(name string, m map[string]json.RawMessage) (interval, offset float64, err error) {
	for key, to := range map[string]*float64{"interval": &interval, "offset": &offset} {
		if m[key] == nil {
			continue
		}
		text, err := input.Scalar(m[key], key)
		if err != nil {
			return 0, 0, err
		}
		if *to, err = input.Finite(text); err != nil {
			return 0, 0, input.ParsingError("[%s] is not a number", key)
		}
	}
	if m["interval"] == nil {
		return 0, 0, input.ArgumentError("interval of histogram aggregation [%s] must be positive", query.Shorten(name))
	}
	if interval <= 0 {
		return 0, 0, input.Error(input.UnknownKey, "[interval] must be >0 for histogram aggregation [%s]", query.Shorten(name))
	}
	return interval, offset, nil
}

// histogramOptions reads what all histograms have.
func (p *parser) histogramOptions(a *Agg, m map[string]json.RawMessage) (least int, order []query.BucketOrder, named bool, err error) {
	if err := input.WholeNumbers(m, map[string]*int{"min_doc_count": &least}); err != nil {
		return 0, nil, false, err
	}
	if v := m["keyed"]; v != nil && json.Unmarshal(v, &named) != nil {
		return 0, nil, false, input.ParsingError("[keyed] is true or false")
	}
	order, err = orderOf(m["order"], a.subs)
	return least, order, named, err
}

// bounds reads min and max.
func bounds(v json.RawMessage, read func(json.RawMessage) (float64, error), low, high *float64) error {
	m, err := input.ObjectOf(v, "extended_bounds", "min", "max")
	if err != nil {
		return err
	}
	for name, to := range map[string]*float64{"min": low, "max": high} {
		if m[name] == nil {
			return input.ParsingError("[extended_bounds] without [%s] is not supported", name)
		}
		if *to, err = read(m[name]); err != nil {
			return err
		}
	}
	if *low > *high {
		return input.ArgumentError("[extended_bounds.min] can't be greater than [extended_bounds.max]")
	}
	return nil
}

// showHistogram returns the function that prints a histogram. key returns the key of a
// bucket.
func (v valueForm) showHistogram(named bool, key func(float64) any) func(*Printer, Agg, query.AggResult) (map[string]any, error) {
	return func(p *Printer, a Agg, r query.AggResult) (map[string]any, error) {
		var names []string
		if named {
			names = []string{}
		}
		buckets, err := p.buckets(a, r.Buckets, func(_ int, b query.Bucket) map[string]any {
			n := b.Key[0].Number
			one, name := map[string]any{"key": key(n)}, v.bound(n)
			if v.Type == mapping.Date || v.Type == mapping.Boolean || v.number != nil {
				one["key_as_string"] = name
			}
			if named {
				names = append(names, name)
			}
			return one
		})
		return keyed(buckets, names), err
	}
}

func (p *parser) dateHistogram(a *Agg, m map[string]json.RawMessage) error {
	f, err := p.dates("date_histogram", "histogram", m, "calendar_interval", "fixed_interval", "interval", "time_zone", "offset", "format", "min_doc_count", "extended_bounds", "keyed", "order", "missing")
	if err != nil {
		return err
	}
	f.Type = mapping.Date
	form, err := p.form(f, m)
	if err != nil {
		return err
	}
	of := query.DatesAgg{Field: form.Name}
	if of.Interval, err = intervalOf(m, form.zone); err != nil {
		return err
	}
	var named bool
	if of.MinCount, of.Order, named, err = p.histogramOptions(a, m); err != nil {
		return err
	}
	if of.Missing, err = p.missingOf(form, m); err != nil {
		return err
	}
	if m["extended_bounds"] != nil {
		var low, high float64
		if err := bounds(m["extended_bounds"], func(v json.RawMessage) (float64, error) {
			var ms int64
			if json.Unmarshal(v, &ms) == nil {
				return float64(ms), nil // in any format
			}
			text, err := input.Scalar(v, "extended_bounds")
			if err != nil {
				return 0, err
			}
			return p.instant(text, form)
		}, &low, &high); err != nil {
			return err
		}
		of.Bounds = &[2]int64{int64(low), int64(high)}
	}
	a.kind = of
	a.show = form.showHistogram(named, func(n float64) any { return int64(n) })
	return nil
}

// calendarUnits are the names of the units of calendar_interval.
var calendarUnits = map[string]string{
	"second": calendar.Second, "1s": calendar.Second, "minute": calendar.Minute, "1m": calendar.Minute, "hour": calendar.Hour, "1h": calendar.Hour,
	"day": calendar.Day, "1d": calendar.Day, "week": calendar.Week, "1w": calendar.Week, "month": calendar.Month, "1M": calendar.Month,
	"quarter": calendar.Quarter, "1q": calendar.Quarter, "year": calendar.Year, "1y": calendar.Year,
}

// intervalOf reads the interval of a histogram of dates.
func intervalOf(m map[string]json.RawMessage, zone *time.Location) (iv calendar.Interval, err error) {
	iv.Zone = zone
	if v := m["offset"]; v != nil {
		text, err := input.Scalar(v, "offset")
		if err != nil {
			return iv, err
		}
		sign := time.Duration(1)
		if strings.HasPrefix(text, "-") {
			sign = -1
		}
		if iv.Offset, err = lengthOf("offset", strings.TrimLeft(text, "+-")); err != nil {
			return iv, err
		}
		iv.Offset *= sign
	}
	var texts []string
	for _, name := range []string{"calendar_interval", "fixed_interval", "interval"} {
		if m[name] == nil {
			continue
		}
		text, err := input.Scalar(m[name], name)
		if err != nil {
			return iv, err
		}
		texts = append(texts, text)
		unit := calendarUnits[text]
		switch {
		case name != "fixed_interval" && unit != "":
			iv.Unit = unit
		case name == "calendar_interval":
			return iv, input.Error(input.UnknownKey, "The supplied interval [%s] could not be parsed as a calendar interval.", query.Shorten(text))
		default:
			if iv.Length, err = lengthOf(name, text); err != nil {
				return iv, err
			}
		}
	}
	if len(texts) != 1 {
		return iv, input.ArgumentError("[date_histogram] needs one of [calendar_interval], [fixed_interval] and [interval]")
	}
	if !iv.Valid() {
		return iv, input.ArgumentError("[date_histogram] interval [%s] must be 1 or greater than 1 ms", query.Shorten(texts[0]))
	}
	return iv, nil
}

// maxLength bounds lengths of time, so that sums of them have no overflow.
const maxLength = 100 * 365 * 24 * time.Hour

// lengthOf reads a length of time, such as 90m; without a unit it is milliseconds.
func lengthOf(name, text string) (time.Duration, error) {
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	n, err := strconv.ParseInt(text[:digits], 10, 64)
	unit, known := map[string]time.Duration{"": time.Millisecond, "ms": time.Millisecond, "s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}[text[digits:]]
	if err != nil || !known || n > int64(maxLength/unit) {
		return 0, input.ArgumentError("[%s] with value [%s] is not a length of time", name, query.Shorten(text))
	}
	return time.Duration(n) * unit, nil
}
