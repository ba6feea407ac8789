package osapi

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/search"
)

// A shownField is a field of fields or docvalue_fields.
type shownField struct {
	Field
	date   dateFormat
	number *numberFormat // nil: numbers are as they are
	sorted bool          // values are those of the index, not of the document
}

// docValue returns a field whose values are shown as docvalue_fields has them.
func docValue(f Field) shownField { return shownField{Field: f, date: anyDate[0], sorted: true} }

// addFields reads fields or docvalue_fields, by key: a list of names and of {field, format}.
// Names may have *. It adds them to other fields, whose formats it replaces.
func addFields(fields []shownField, v json.RawMessage, key string, ix Index) ([]shownField, error) {
	var list []json.RawMessage
	if json.Unmarshal(v, &list) != nil {
		return nil, parsing("[%s] is a list of fields", key)
	}
	for _, one := range list {
		pattern, layout, err := namedField(one, key)
		if err != nil {
			return nil, err
		}
		for _, field := range ix.named(pattern) {
			f := shownField{Field: field}
			if f.sorted = key == "docvalue_fields"; f.sorted && f.Type == Text {
				return nil, illegal("[docvalue_fields] on text field [%s] is not supported: use a field of metadata, or fields", f.shown())
			}
			if err := f.setFormat(layout); err != nil {
				return nil, err
			}
			fields = append(slices.DeleteFunc(fields, func(other shownField) bool { return other.shown() == f.shown() }), f)
		}
	}
	return fields, nil
}

// setFormat sets how values are printed. Numbers have formats in docvalue_fields only.
func (f *shownField) setFormat(layout string) (err error) {
	f.date = anyDate[0]
	switch {
	case layout == "" || layout == "use_field_mapping":
	case f.Type == Date:
		var all []dateFormat
		if all, err = formatsOf(layout); err == nil {
			f.date = all[0]
		}
	case f.Type == Double && f.sorted:
		f.number, err = numberPattern(layout)
	default:
		err = illegal("Field [%s] of type [%s] doesn't support formats.", f.shown(), f.Type)
	}
	return err
}

// namedField reads a name, or {field, format}. The layout is "" without a format.
func namedField(v json.RawMessage, key string) (name, layout string, err error) {
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
	layout, err = scalar(m["format"], "format")
	return name, layout, err
}

// valuesOf returns the values of the requested fields of a hit, each as a list.
func valuesOf(fields []shownField, hit search.Hit) map[string][]any {
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
			values[f.shown()] = append(values[f.shown()], f.show(v))
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
	text := doc.FormatText(v)
	if f.number != nil {
		if n, err := strconv.ParseFloat(text, 64); err == nil {
			return f.number.print(n)
		}
	}
	if f.Type != Date {
		return v
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999", "2006-01-02"} {
		if at, err := time.Parse(layout, text); err == nil {
			return f.date.print(at.UnixMilli(), time.UTC)
		}
	}
	return v
}
