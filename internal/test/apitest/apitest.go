// Package apitest serves the OpenSearch API of tables that a test makes: real indexes
// in a directory of the test, pages in memory, and no database. Every caller is an
// admin.
package apitest

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/analysis"
	"indexerd/internal/index/fulltext"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/search"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/serve/osapi"
	"indexerd/internal/serve/osapi/mapping"
	"indexerd/internal/test/hostile"
)

// Batch is how many documents Add takes at a time without much memory.
const Batch = 1000

// A Server has the tables. It implements osapi.Engine.
type Server struct {
	osapi.Engine // nil: calls of methods that Server lacks panic
	tables       []*Table
	meters       *httpapi.Meters
}

// A Table is one table. Its documents are in the order of their keys.
type Table struct {
	Name     string
	mapping  schema.Mapping
	kinds    []doc.Kind
	index    *fulltext.Index
	searcher *search.Searcher
	pages    hostile.Pages
	added    int
}

// New returns a server without tables.
func New() *Server { return &Server{meters: httpapi.NewMeters()} }

// Create adds an empty table. kind is the type of its key. pages are the pages of its
// documents, nil for those that Add keeps in memory.
func (s *Server) Create(t testing.TB, name string, m schema.Mapping, kind doc.Kind, pages search.Pages) *Table {
	t.Helper()
	ix, err := fulltext.Create(filepath.Join(t.TempDir(), "index"), m, 1)
	if err != nil {
		t.Fatalf("table %s: %v", name, err)
	}
	t.Cleanup(func() {
		if err := errors.Join(ix.Err(), ix.Close()); err != nil {
			t.Error(err)
		}
	})
	table := &Table{Name: name, mapping: m, kinds: []doc.Kind{kind}, index: ix, pages: hostile.Pages{}}
	if pages == nil {
		pages = table.pages
	}
	table.searcher = &search.Searcher{Index: ix, Pages: pages, Table: name, Content: m.Content}
	for _, f := range m.Metadata {
		table.searcher.Metadata = append(table.searcher.Metadata, f.Name)
	}
	for _, c := range m.Children {
		table.searcher.Children = append(table.searcher.Children, search.Child{Name: c.Name, Columns: c.Columns, Skip: c.Skip, Searched: c.Searched})
	}
	s.tables = append(s.tables, table)
	return table
}

// Drop removes a table. Its index is closed when the test ends.
func (s *Server) Drop(name string) {
	s.tables = slices.DeleteFunc(s.tables, func(t *Table) bool { return t.Name == name })
}

// Add indexes documents. If keep, their pages stay in memory.
func (t *Table) Add(docs []doc.Doc, keep bool) error {
	for i := range docs {
		t.added++
		docs[i].V = doc.Version(t.added)
		if !keep {
			continue
		}
		body, err := docs[i].Row.AppendJSON(nil)
		if err != nil {
			return err
		}
		t.pages[docs[i].OID] = doc.Page{Meta: docs[i].Meta, Body: body}
	}
	return t.index.Apply(docs, nil)
}

// Handler returns the handler of the API.
func (s *Server) Handler() http.Handler {
	return osapi.Handler(s, httpapi.Access{Limits: httpapi.NewLimits(nil)}, osapi.NewCursors(), slog.New(slog.DiscardHandler))
}

func (s *Server) table(name string) (*Table, error) {
	if i := slices.IndexFunc(s.tables, func(t *Table) bool { return t.Name == name }); i >= 0 {
		return s.tables[i], nil
	}
	return nil, &httpapi.Error{Status: http.StatusNotFound, Code: "unknown_table", Message: "no table " + name}
}

// Analyzer implements osapi.Engine.
func (s *Server) Analyzer(table string) (*analysis.Analyzer, error) {
	t, err := s.table(table)
	if err != nil {
		return nil, err
	}
	return analysis.New(t.mapping.Spec())
}

// Tables implements osapi.Engine.
func (s *Server) Tables(search.Caller) []string {
	names := make([]string, len(s.tables))
	for i, t := range s.tables {
		names[i] = t.Name
	}
	return names
}

// Meters implements osapi.Engine.
func (s *Server) Meters() *httpapi.Meters { return s.meters }

// Search implements osapi.Engine.
func (s *Server) Search(ctx context.Context, name string, p search.Params) (search.Results, error) {
	t, err := s.table(name)
	if err != nil {
		return search.Results{}, err
	}
	return t.searcher.Search(ctx, p)
}

// SearchTables implements osapi.Engine.
func (s *Server) SearchTables(ctx context.Context, names []string, p search.Params) (search.Results, error) {
	var parts []search.Part
	for _, t := range s.tables {
		if slices.Contains(names, t.Name) {
			parts = append(parts, search.Part{Searcher: t.searcher, Caller: p.Caller})
		}
	}
	return search.SearchAll(ctx, parts, nil, p)
}

// OID implements osapi.Engine.
func (s *Server) OID(name, key string) (doc.OID, error) {
	t, err := s.table(name)
	if err != nil {
		return "", err
	}
	oid, err := doc.ParseOID(key, t.kinds)
	if err != nil {
		return "", &httpapi.Error{Status: http.StatusBadRequest, Code: "bad_query", Message: err.Error()}
	}
	return oid, nil
}

// Fields implements osapi.Engine.
func (s *Server) Fields(name string, _ search.Caller) (fields []mapping.Field, err error) {
	t, err := s.table(name)
	if err != nil {
		return nil, err
	}
	types := map[schema.Type]string{schema.Keyword: mapping.Keyword, schema.Number: mapping.Double, schema.Date: mapping.Date, schema.Boolean: mapping.Boolean}
	for _, name := range t.mapping.Content {
		fields = append(fields, mapping.Field{Name: name, Type: mapping.Text})
	}
	for _, f := range t.mapping.Metadata {
		fields = append(fields, mapping.Field{Name: f.Name, Type: types[f.Type]})
	}
	for _, c := range t.mapping.Children {
		if c.Searched {
			fields = append(fields, mapping.Field{Name: c.Name, Type: mapping.Text})
		}
		if c.Type != "" {
			fields = append(fields, mapping.Field{Name: c.Name, Type: types[c.Type]})
		}
	}
	return fields, nil
}

// Number returns the number of documents.
func (t *Table) Number() int { return cmp.Or(t.added, len(t.pages)) }
