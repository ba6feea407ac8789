package hits

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/search"
	"indexerd/internal/serve/osapi/format"
	"indexerd/internal/serve/osapi/input"
	"indexerd/internal/serve/osapi/mapping"
)

// A Field is a field of fields or docvalue_fields.
type Field struct {
	mapping.Field
	date   format.Date
	number *format.Number // nil: numbers are as they are
	sorted bool           // values are those of the index, not of the document
}

// DocValue returns a field whose values are shown as docvalue_fields has them.
func DocValue(f mapping.Field) Field { return Field{Field: f, date: format.AnyDate[0], sorted: true} }

// AddFields reads fields or docvalue_fields, by key: a list of names and of {field, format}.
// Names may have *. It adds them to other fields, whose formats it replaces.
func AddFields(fields []Field, v json.RawMessage, key string, ix mapping.Index) ([]Field, error) {
	var list []json.RawMessage
	if json.Unmarshal(v, &list) != nil {
		return nil, input.ParsingError("[%s] is a list of fields", key)
	}
	for _, one := range list {
		pattern, layout, err := namedField(one, key)
		if err != nil {
			return nil, err
		}
		for _, field := range ix.Match(pattern) {
			f := Field{Field: field}
			if f.sorted = key == "docvalue_fields"; f.sorted && f.Type == mapping.Text {
				return nil, input.ArgumentError("[docvalue_fields] on text field [%s] is not supported: use a field of metadata, or fields", f.Shown())
			}
			if err := f.setFormat(layout); err != nil {
				return nil, err
			}
			fields = append(slices.DeleteFunc(fields, func(other Field) bool { return other.Shown() == f.Shown() }), f)
		}
	}
	return fields, nil
}

// setFormat sets how values are printed. Numbers have formats in docvalue_fields only.
func (f *Field) setFormat(layout string) (err error) {
	f.date = format.AnyDate[0]
	switch {
	case layout == "" || layout == "use_field_mapping":
	case f.Type == mapping.Date:
		var all []format.Date
		if all, err = format.Dates(layout); err == nil {
			f.date = all[0]
		}
	case f.Type == mapping.Double && f.sorted:
		f.number, err = format.ParseNumber(layout)
	default:
		err = input.ArgumentError("Field [%s] of type [%s] doesn't support formats.", f.Shown(), f.Type)
	}
	return err
}

// namedField reads a name, or {field, format}. The layout is "" without a format.
func namedField(v json.RawMessage, key string) (name, layout string, err error) {
	if json.Unmarshal(v, &name) == nil {
		return name, "", nil
	}
	m, err := input.ObjectOf(v, key, "field", "format")
	if err != nil {
		return "", "", err
	}
	if name, err = input.Scalar(m["field"], key+".field"); err != nil || m["format"] == nil {
		return name, "", err
	}
	layout, err = input.Scalar(m["format"], "format")
	return name, layout, err
}

// FieldValues returns the values of the requested fields of a hit, each as a list.
func FieldValues(fields []Field, hit search.Hit) map[string][]any {
	values := map[string][]any{}
	for _, f := range fields {
		list, many := hit.Fields.Get(f.Name).([]any)
		if v := hit.Fields.Get(f.Name); !many && v != nil {
			list = []any{v}
		}
		if f.sorted {
			list = inOrder(list)
		}
		for _, v := range list {
			values[f.Shown()] = append(values[f.Shown()], f.show(v))
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
func (f Field) show(v any) any {
	text := doc.FormatText(v)
	if f.number != nil {
		if n, err := strconv.ParseFloat(text, 64); err == nil {
			return f.number.Print(n)
		}
	}
	if f.Type != mapping.Date {
		return v
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999", "2006-01-02"} {
		if at, err := time.Parse(layout, text); err == nil {
			return f.date.Print(at.UnixMilli(), time.UTC)
		}
	}
	return v
}
