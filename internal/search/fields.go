package search

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Fields are what is shown of a document. In JSON they are an object whose keys
// have the configuration's order, content first: its first field is mostly the
// name by which people know a document.
type Fields []Field

// A Field is a column, or a child with the texts of its rows.
type Field struct {
	Name  string
	Value any
}

// Get returns a field's value, nil where there is none.
func (f Fields) Get(name string) any {
	for _, one := range f {
		if one.Name == name {
			return one.Value
		}
	}
	return nil
}

// MarshalJSON writes an object, an empty one for no fields.
func (f Fields) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // that is the caller's to say
	b.WriteByte('{')
	for i, one := range f {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := e.Encode(one.Name); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := e.Encode(one.Value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// UnmarshalJSON reads an object and keeps its order.
func (f *Fields) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return fmt.Errorf("fields are no object: %s", text)
	}
	*f = nil
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		one := Field{Name: name.(string)} // a key is nothing else
		if err := d.Decode(&one.Value); err != nil {
			return err
		}
		*f = append(*f, one)
	}
	return nil
}
