package osapi

import (
	"encoding/json"
	"math"
	"strconv"
	"time"

	"indexerd/internal/index/query"
)

// A valueForm prints the values of a field.
type valueForm struct {
	kind   string // of the field; "" for one that no index has
	format []dateFormat
	number *numberFormat // nil: none
	zone   *time.Location
}

// form reads format and time_zone of an aggregation of a field.
func (p *aggParser) form(f Field, m map[string]json.RawMessage) (v valueForm, err error) {
	v = valueForm{kind: f.Type, format: anyDate, zone: time.UTC}
	if m["time_zone"] != nil {
		name, err := scalar(m["time_zone"], "time_zone")
		if err != nil {
			return v, err
		}
		if v.zone, err = location(name); err != nil {
			return v, parsing("time zone [%s] is unknown", query.Shorten(name))
		}
	}
	if m["format"] == nil || len(p.tables) == 0 {
		return v, nil
	}
	text, err := scalar(m["format"], "format")
	switch {
	case err != nil:
		return v, err
	case f.Type == Double || f.Type == "":
		v.number, err = numberPattern(text)
	case f.Type == Date:
		v.format, err = formatsOf(text)
	default:
		err = illegal("Field [%s] of type [%s] does not support custom formats", f.shown(), f.Type)
	}
	return v, err
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
	return v.format[0].print(whole, v.zone)
}

// text returns the text of a number of the field; false if it has none.
func (v valueForm) text(n float64) (any, bool) {
	switch v.kind {
	case Date:
		return v.date(n), true
	case Boolean:
		return n != 0, true
	}
	if v.number != nil {
		return v.number.print(n), true
	}
	return nil, false
}

// key returns a value as the key of a bucket, and its text; nil for none.
func (v valueForm) key(value query.BucketValue) (key, text any) {
	switch v.kind {
	case Double:
		if v.number != nil {
			return decimal(value.Number), v.number.print(value.Number)
		}
		return decimal(value.Number), nil
	case Date:
		return int64(value.Number), v.date(value.Number)
	case Boolean:
		return int64(value.Number), strconv.FormatBool(value.Number != 0)
	}
	return value.Text, nil
}

// metric returns the object of one number.
func (v valueForm) metric(n float64) map[string]any {
	if math.IsNaN(n) || math.IsInf(n, 0) {
		return map[string]any{"value": nil}
	}
	m := map[string]any{"value": decimal(n)}
	if text, ok := v.text(n); ok {
		m["value_as_string"] = asText(text)
	}
	return m
}
