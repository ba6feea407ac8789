package doc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// referenceParseRow is ParseRow on encoding/json's tokens: the definition of a
// page body.
func referenceParseRow(body []byte) (Row, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var row Row
	err := referenceObject(d, func(key string) error {
		switch key {
		case "row":
			r, err := referenceColumns(d)
			row.Names, row.Values = r.Names, r.Values
			return err
		case "children":
			return referenceObject(d, func(name string) error {
				rows, err := referenceRows(d)
				row.Children = append(row.Children, Child{Name: name, Rows: rows})
				return err
			})
		}
		return fmt.Errorf("unknown member %q", key)
	})
	if err == nil {
		err = expectEnd(d)
	}
	if err != nil {
		return Row{}, fmt.Errorf("page body: %w", err)
	}
	return row, nil
}

// referenceObject calls member for each key; member reads the value.
func referenceObject(d *json.Decoder, member func(key string) error) error {
	if err := expect(d, '{'); err != nil {
		return err
	}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return err
		}
		if err := member(t.(string)); err != nil {
			return err
		}
	}
	return expect(d, '}')
}

func referenceRows(d *json.Decoder) ([]Row, error) {
	if err := expect(d, '['); err != nil {
		return nil, err
	}
	var rows []Row
	for d.More() {
		r, err := referenceColumns(d)
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, expect(d, ']')
}

func referenceColumns(d *json.Decoder) (Row, error) {
	var r Row
	err := referenceObject(d, func(name string) error {
		v, err := referenceValue(d)
		r.Names, r.Values = append(r.Names, name), append(r.Values, v)
		return err
	})
	return r, err
}

func referenceValue(d *json.Decoder) (any, error) {
	var raw json.RawMessage
	if err := d.Decode(&raw); err != nil {
		return nil, err
	}
	inner := json.NewDecoder(bytes.NewReader(raw))
	inner.UseNumber()
	switch raw[0] {
	case '{':
		if !utf8.Valid(raw) {
			return nil, fmt.Errorf("the object is not valid UTF-8")
		}
		return JSON(raw), nil
	case '[':
		list := []any{}
		err := expect(inner, '[')
		for err == nil && inner.More() {
			var v any
			v, err = referenceValue(inner)
			list = append(list, v)
		}
		if err != nil {
			return nil, err
		}
		return list, expect(inner, ']')
	}
	var v any
	if err := inner.Decode(&v); err != nil {
		return nil, err
	}
	if n, ok := v.(json.Number); ok && n != "-0" { // as an integer it would lose its sign
		if i, err := n.Int64(); err == nil {
			return i, nil
		}
	}
	return v, nil
}

func expect(d *json.Decoder, want json.Delim) error {
	t, err := d.Token()
	if err != nil {
		return err
	}
	if t != want {
		return fmt.Errorf("found %v, want %v", t, want)
	}
	return nil
}

func expectEnd(d *json.Decoder) error {
	t, err := d.Token()
	switch {
	case err == nil:
		return fmt.Errorf("found %v after the end of the text", t)
	case errors.Is(err, io.EOF):
		return nil
	}
	return err
}
