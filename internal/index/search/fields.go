package search

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/query"
)

// Fields are the fields of a document. In JSON they are an object whose keys are in
// the order of the configuration, content first, because the first field usually
// is the name of a document.
type Fields []Field

// A Field is a column, or a child with the values of its rows.
type Field struct {
	Name  string
	Value any
}

// Get returns the value of a field, nil if there is none.
func (f Fields) Get(name string) any {
	for _, one := range f {
		if one.Name == name {
			return one.Value
		}
	}
	return nil
}

// MarshalJSON writes an object, {} without fields.
func (f Fields) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // the caller's encoder decides
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

// UnmarshalJSON reads an object and keeps the order of its keys.
func (f *Fields) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return fmt.Errorf("fields are not an object: %s", text)
	}
	*f = nil
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		one := Field{Name: name.(string)} // a key is a string
		if err := d.Decode(&one.Value); err != nil {
			return err
		}
		*f = append(*f, one)
	}
	return nil
}

// A Child is a kind of child rows. They are returned as one field, a list with the
// value of each row: that of its column, or the texts of several columns joined by
// spaces.
type Child struct {
	Name     string
	Columns  []string // none: the only column that is not in Skip
	Skip     []string // key and updateTime
	Searched bool     // its words are searched, so matches are highlighted
}

// values returns the values of the rows, without NULLs. It reports false if the
// page is older than the child. Columns that an older SQL did not return are left
// out.
func (c Child) values(row doc.Row) ([]any, bool) {
	i := slices.IndexFunc(row.Children, func(d doc.Child) bool { return d.Name == c.Name })
	if i < 0 {
		return nil, false
	}
	values := []any{}
	for _, r := range row.Children[i].Rows {
		if v, err := query.ChildValue(r, c.Columns, c.Skip); err == nil && v != nil {
			values = append(values, v)
		}
	}
	return values, true
}
