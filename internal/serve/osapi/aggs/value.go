package aggs

import (
	"encoding/json"
	"math"
	"strconv"
	"time"

	"indexerd/internal/index/query"
	"indexerd/internal/serve/osapi/format"
	"indexerd/internal/serve/osapi/input"
	"indexerd/internal/serve/osapi/mapping"
)

// A valueForm prints the values of a field.
type valueForm struct {
	mapping.Field // without a type if no index has it
	format        []format.Date
	number        *format.Number // nil: none
	zone          *time.Location
}

// form reads format and time_zone of an aggregation of a field.
func (p *parser) form(f mapping.Field, m map[string]json.RawMessage) (v valueForm, err error) {
	v = valueForm{Field: f, format: format.AnyDate, zone: time.UTC}
	if m["time_zone"] != nil {
		name, err := input.Scalar(m["time_zone"], "time_zone")
		if err != nil {
			return v, err
		}
		if v.zone, err = format.Zone(name); err != nil {
			return v, input.ParsingError("time zone [%s] is unknown", query.Shorten(name))
		}
	}
	if m["format"] == nil || len(p.Tables) == 0 {
		return v, nil
	}
	text, err := input.Scalar(m["format"], "format")
	switch {
	case err != nil:
		return v, err
	case f.Type == mapping.Double || f.Type == "":
		v.number, err = format.ParseNumber(text)
	case f.Type == mapping.Date:
		v.format, err = format.Dates(text)
	default:
		err = input.ArgumentError("Field [%s] of type [%s] does not support custom formats", f.Shown(), f.Type)
	}
	return v, err
}

// numbers reads the field of an aggregation of numbers and dates, and its format.
func (p *parser) numbers(kind string, m map[string]json.RawMessage, options ...string) (valueForm, error) {
	f, err := p.numeric(kind, m, options...)
	if err != nil {
		return valueForm{}, err
	}
	return p.form(f, m)
}

// date returns the text of milliseconds, of the last ones that a date can have for more.
func (v valueForm) date(ms float64) string {
	whole := int64(math.MaxInt64)
	switch {
	case math.IsNaN(ms):
		whole = 0
	case ms <= math.MinInt64:
		whole = math.MinInt64
	case ms < math.MaxInt64:
		whole = int64(ms)
	}
	return v.format[0].Print(whole, v.zone)
}

// text returns the text of a number of the field; false if it has none.
func (v valueForm) text(n float64) (any, bool) {
	switch v.Type {
	case mapping.Date:
		return v.date(n), true
	case mapping.Boolean:
		return n != 0, true
	}
	if v.number != nil {
		return v.number.Print(n), true
	}
	return nil, false
}

// key returns a value as the key of a bucket, and its text; nil for none.
func (v valueForm) key(value query.BucketValue) (key, text any) {
	switch v.Type {
	case mapping.Double:
		if v.number != nil {
			return format.Decimal(value.Number), v.number.Print(value.Number)
		}
		return format.Decimal(value.Number), nil
	case mapping.Date:
		return int64(value.Number), v.date(value.Number)
	case mapping.Boolean:
		return int64(value.Number), strconv.FormatBool(value.Number != 0)
	}
	return value.Text, nil
}

// metric returns the object of one number.
func (v valueForm) metric(n float64) map[string]any {
	if math.IsNaN(n) || math.IsInf(n, 0) {
		return map[string]any{"value": nil}
	}
	m := map[string]any{"value": format.Decimal(n)}
	if text, ok := v.text(n); ok {
		m["value_as_string"] = asText(text)
	}
	return m
}
