package database

import (
	"slices"

	"indexerd/configs"
	"indexerd/internal/base/doc"
	"indexerd/internal/index/analysis"
	"indexerd/internal/index/fulltext/schema"
)

// A SideSQL is a child or an extra of a table, as every source takes it.
type SideSQL struct {
	Name, Path string
	SQL        string
	Key        []string
	Updated    string
	Unit       string
	JSON       []string
	Values     []string
	Columns    []string
	Value      bool
}

// SideSQLs lists the SQLs of a document beside the main one: children, then
// extras.
func SideSQLs(t configs.Table) []SideSQL {
	var all []SideSQL
	for _, c := range t.Children {
		s := SideSQL{Name: c.Name, Path: "children." + c.Name, SQL: c.SQL, Key: c.Key, Updated: c.Updated, Unit: c.Unit, JSON: c.JSON, Columns: c.Content}
		if c.Type != "" {
			s.Values = c.JSON
		}
		all = append(all, s)
	}
	for _, x := range t.Extra {
		all = append(all, SideSQL{Name: x.Name, Path: "extra." + x.Name, SQL: x.SQL, Key: x.Key, Updated: x.Updated, Unit: x.Unit, Value: true})
	}
	return all
}

// jsonValues returns the columns with JSON as text that are filtered by value.
func jsonValues(t configs.Table) (values []string) {
	for _, name := range t.JSON {
		if slices.ContainsFunc(t.Metadata, func(m configs.Meta) bool { return m.Name == name }) {
			values = append(values, name)
		}
	}
	return values
}

// ACL returns the field that holds the groups of a document.
func ACL(t configs.Table) doc.ACL {
	if slices.ContainsFunc(SideSQLs(t), func(s SideSQL) bool { return s.Name == t.ACL }) {
		return doc.ACL{Child: t.ACL}
	}
	return doc.ACL{Column: t.ACL}
}

// Mapping returns which columns of a table are indexed, and how.
func Mapping(t configs.Table) schema.Mapping {
	m := schema.Mapping{Content: t.Content.Fields, Analyzer: t.Content.Analyzer, Positions: t.Positions, Language: t.Language}
	if m.AnalysisVersion = analysis.Latest; t.Content.First {
		m.AnalysisVersion = analysis.First
	}
	m.Stopwords = t.DroppedWords
	if t.Stopwords == configs.EnglishStopwords {
		m.Stopwords = analysis.English()
	}
	for _, f := range t.Metadata {
		m.Metadata = append(m.Metadata, schema.Field{Name: f.Name, Type: schema.Type(f.Type)})
	}
	for _, c := range t.Children {
		m.Children = append(m.Children, schema.Child{Name: c.Name, Columns: c.Content, Searched: true, Type: schema.Type(c.Type)})
	}
	for _, x := range t.Extra {
		m.Children = append(m.Children, schema.Child{Name: x.Name, Skip: keyAndUpdated(x), Type: schema.Type(x.Type)})
	}
	return m
}

// keyAndUpdated names the columns of an extra that are not its value.
func keyAndUpdated(x configs.Extra) []string {
	if x.Updated == "" {
		return x.Key
	}
	return append(slices.Clone(x.Key), x.Updated)
}
