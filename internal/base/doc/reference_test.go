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
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case json.Number:
		// As an integer, "-0" would lose its sign.
		if i, err := t.Int64(); err == nil && t != "-0" {
			return i, nil
		}
		return t, nil
	case json.Delim:
		switch t {
		case '{':
			return referenceBadValue(d)
		case '[':
		default:
			return nil, fmt.Errorf("unexpected %v", t)
		}
		list := []any{}
		for d.More() {
			v, err := referenceValue(d)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, expect(d, ']')
	}
	return t, nil
}

func referenceBadValue(d *json.Decoder) (any, error) {
	var parts [4]string
	for i := range parts {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		if i == 0 && t == "json" {
			return referenceJSON(d)
		}
		text, ok := t.(string)
		if !ok {
			return nil, fmt.Errorf("unexpected %v", t)
		}
		parts[i] = text
	}
	if parts[0] != "text" || parts[2] != "reason" {
		return nil, fmt.Errorf("unexpected members %q", parts)
	}
	return BadValue{parts[1], parts[3]}, expect(d, '}')
}

func referenceJSON(d *json.Decoder) (any, error) {
	var raw json.RawMessage
	if err := d.Decode(&raw); err != nil {
		return nil, err
	}
	if raw[0] != '{' || !utf8.Valid(raw) {
		return nil, fmt.Errorf("%q is not an object", raw)
	}
	return JSON(raw), expect(d, '}')
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
