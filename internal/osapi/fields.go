package osapi

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"indexerd/internal/doc"
	"indexerd/internal/query"
	"indexerd/internal/search"
)

// A shownField is a field of fields or docvalue_fields.
type shownField struct {
	Field
	as     string // its name in the answer
	format string // of a date
	sorted bool   // values are those of the index, not of the document
}

// shownFormats are the formats of dates in fields. Those without a layout are numbers.
var shownFormats = map[string]string{
	"": "2006-01-02T15:04:05.000Z", "use_field_mapping": "2006-01-02T15:04:05.000Z", "strict_date_optional_time": "2006-01-02T15:04:05.000Z", "date_optional_time": "2006-01-02T15:04:05.000Z",
	"date_time": "2006-01-02T15:04:05.000Z", "strict_date_time": "2006-01-02T15:04:05.000Z", "strict_date_optional_time_nanos": "2006-01-02T15:04:05.999999999Z",
	"date": "2006-01-02", "strict_date": "2006-01-02", "yyyy-MM-dd": "2006-01-02", "epoch_millis": "", "epoch_second": "",
}

// listed reads fields or docvalue_fields: a list of names and of {field, format}. Names
// may have *.
func (r *request) listed(v json.RawMessage, key string, t *target) error {
	var list []json.RawMessage
	if json.Unmarshal(v, &list) != nil {
		return parsing("[%s] is a list of fields", key)
	}
	for _, one := range list {
		pattern, format, err := namedField(one, key)
		if err != nil {
			return err
		}
		if _, ok := shownFormats[format]; !ok {
			return parsing("[%s] format [%s] is not supported", key, query.Shorten(format))
		}
		for _, f := range t.named(pattern) {
			f.format, f.sorted = format, key == "docvalue_fields"
			switch {
			case f.Type == Text && key == "docvalue_fields" && pattern == f.as:
				return parsing("[docvalue_fields] on text field [%s] is not supported: use a field of metadata, or fields", f.as)
			case f.Type == Text && key == "docvalue_fields":
				continue
			case format != "" && format != "use_field_mapping" && f.Type != Date:
				return parsing("[%s] field [%s] of type [%s] does not support formats", key, f.as, f.Type)
			}
			r.fields = append(slices.DeleteFunc(r.fields, func(other shownField) bool { return other.as == f.as }), f)
		}
	}
	return nil
}

// namedField reads a name, or {field, format}.
func namedField(v json.RawMessage, key string) (name, format string, err error) {
	if json.Unmarshal(v, &name) == nil {
		return name, "", nil
	}
	m, err := object(v, key)
	if err != nil {
		return "", "", err
	}
	if err := only(m, key, "field", "format"); err != nil {
		return "", "", err
	}
	if name, err = scalar(m["field"], key+".field"); err != nil || m["format"] == nil {
		return name, "", err
	}
	format, err = scalar(m["format"], "format")
	return name, format, err
}

// named returns the fields whose names match a pattern. The values of a field that is
// also text have a name of their own.
func (ix Index) named(pattern string) (list []shownField) {
	add := func(f Field, as string) {
		if ok, err := path.Match(pattern, as); err == nil && ok && !slices.ContainsFunc(list, func(other shownField) bool { return other.as == as }) {
			list = append(list, shownField{Field: f, as: as})
		}
	}
	for _, f := range ix {
		if ix.field(f.Name).both {
			add(Field{Name: f.Name, Type: Text}, f.Name)
			add(ix.field(f.Name+suffix), f.Name+suffix)
		} else {
			add(f, f.Name)
		}
	}
	return list
}

// valuesOf returns the values of the requested fields of a hit, each as a list.
func (r request) valuesOf(hit search.Hit) map[string][]any {
	values := map[string][]any{}
	for _, f := range r.fields {
		list, many := hit.Fields.Get(f.Name).([]any)
		if v := hit.Fields.Get(f.Name); !many && v != nil {
			list = []any{v}
		}
		if f.sorted {
			list = inOrder(list)
		}
		for _, v := range list {
			values[f.as] = append(values[f.as], f.show(v))
		}
	}
	return values
}

// inOrder returns values in the order of an index: keywords once each, and numbers by
// size.
func inOrder(list []any) []any {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b any) int {
		x, y := doc.FormatText(a), doc.FormatText(b)
		if _, text := a.(string); !text {
			m, errA := strconv.ParseFloat(x, 64)
			n, errB := strconv.ParseFloat(y, 64)
			if errA == nil && errB == nil {
				return cmp.Compare(m, n)
			}
		}
		return strings.Compare(x, y)
	})
	return slices.CompactFunc(list, func(a, b any) bool { x, text := a.(string); return text && x == b })
}

// show returns a value as fields have it.
func (f shownField) show(v any) any {
	if f.Type != Date {
		return v
	}
	text := doc.FormatText(v)
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999", "2006-01-02"} {
		at, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		switch f.format {
		case "epoch_millis":
			return strconv.FormatInt(at.UnixMilli(), 10)
		case "epoch_second":
			return strconv.FormatInt(at.Unix(), 10)
		}
		return at.UTC().Format(shownFormats[f.format])
	}
	return v
}
