package source

import (
	"slices"
	"strings"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
)

// A PathConfig is a column of documents that is what is at a path in a column of the main
// SQL, which has JSON.
type PathConfig struct {
	Name   string
	Column string
	Path   []string // the names of members
}

// A jsonPart is a column of documents that is a part of a column of the main SQL.
type jsonPart struct {
	at   int // the column
	path []string
}

// describeJSON finds the columns that have JSON, and the parts of such columns. Documents
// have the parts after the columns of the SQL.
func (t *Table) describeJSON(cfg TableConfig) error {
	if err := t.parseJSON("json", cfg.JSON, cfg.Values); err != nil {
		return err
	}
	t.rowNames = t.names[:t.documented()]
	for _, p := range cfg.Paths {
		field := "paths." + p.Name
		at, err := t.column(field+".column", p.Column)
		if err != nil {
			return err
		}
		if _, err := t.column(field, p.Name); err == nil {
			return &ConfigError{field, "the SQL returns a column of this name", "choose another name"}
		}
		t.fromJSON = append(t.fromJSON, jsonPart{at, p.Path})
		t.rowNames = append(t.rowNames[:len(t.rowNames):len(t.rowNames)], p.Name)
	}
	return nil
}

// parseJSON has the texts of columns parsed as JSON.
func (v *view) parseJSON(field string, columns, values []string) error {
	for _, name := range columns {
		at, err := v.column(field, name)
		if err != nil {
			return err
		}
		v.Columns[at].Value = dialect.ParsedJSON(v.Columns[at].Value, slices.Contains(values, name))
	}
	return nil
}

// documentRow converts a raw row of all columns, and adds the parts.
func (t *Table) documentRow(raw []any) doc.Row {
	row := t.row(raw)
	if len(t.fromJSON) == 0 {
		return row
	}
	row.Names = t.rowNames
	for _, p := range t.fromJSON {
		row.Values = append(row.Values, doc.At(row.Values[p.at], p.path))
	}
	return row
}

// jsonEpoch returns what an epoch covers of JSON: documents depend on it, digests do not.
func (c TableConfig) jsonEpoch() (parts []string) {
	parts = jsonEpoch(c.JSON, c.Values)
	for _, p := range c.Paths {
		parts = append(parts, "path", p.Name, p.Column, strings.Join(p.Path, "\x00"))
	}
	return parts
}

func jsonEpoch(columns, values []string) (parts []string) {
	for _, name := range columns {
		parts = append(parts, "json", name)
	}
	for _, name := range values {
		parts = append(parts, "values", name)
	}
	return parts
}
