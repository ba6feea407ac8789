package search

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext"
	"indexerd/internal/index/fulltext/schema"
)

// A realTable has a real index, and pages.
type realTable struct {
	*fakeTable
	*fulltext.Index
	searcher *Searcher
	mapping  schema.Mapping
	written  doc.Version
}

// View implements Pages.
func (r *realTable) View(oid doc.OID, f func(doc.Page) error) error { return r.fakeTable.View(oid, f) }

// newTable returns a table without documents. Fields are name:type, and text without
// a type.
func newTable(t *testing.T, name string, fields ...string) *realTable {
	t.Helper()
	r := &realTable{fakeTable: &fakeTable{pages: map[doc.OID]doc.Page{}}, mapping: schema.Mapping{Analyzer: "en", Positions: true}}
	r.searcher = &Searcher{Pages: r.fakeTable, Table: name}
	for _, f := range fields {
		column, kind, typed := strings.Cut(f, ":")
		if !typed {
			r.mapping.Content = append(r.mapping.Content, column)
			continue
		}
		r.mapping.Metadata = append(r.mapping.Metadata, schema.Field{Name: column, Type: schema.Type(kind)})
		r.searcher.Metadata = append(r.searcher.Metadata, column)
	}
	r.searcher.Content = r.mapping.Content
	r.create(t)
	return r
}

// create gives a table an empty index of its mapping.
func (r *realTable) create(t *testing.T) {
	t.Helper()
	index, err := fulltext.Create(filepath.Join(t.TempDir(), "index"), r.mapping, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { index.Close() })
	r.Index, r.searcher.Index = index, index
}

// put stores rows: key, then the values of content and metadata.
func (r *realTable) put(t *testing.T, rows ...[]any) {
	t.Helper()
	names := slices.Clone(r.mapping.Content)
	for _, f := range r.mapping.Metadata {
		names = append(names, f.Name)
	}
	var docs []doc.Doc
	for _, values := range rows {
		r.written++
		oid := key(t, int64(values[0].(int)))
		d := doc.Doc{Meta: doc.Meta{Stamp: doc.Stamp{OID: oid}, V: r.written}, Row: doc.Row{Names: names, Values: values[1:]}}
		for i, v := range d.Row.Values {
			if n, ok := v.(int); ok {
				d.Row.Values[i] = int64(n)
			}
		}
		hash, _, err := r.Index.Hash(d.Row)
		if err != nil {
			t.Fatal(err)
		}
		d.Hash = hash
		body, err := d.Row.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		r.pages[oid] = doc.Page{Meta: d.Meta, Body: body}
		docs = append(docs, d)
	}
	if err := r.Apply(docs, nil); err != nil {
		t.Fatal(err)
	}
}

// library returns three tables that share some fields: year is a number in film and
// song, and a keyword in note.
func library(t *testing.T) (film, song, note *realTable) {
	film = newTable(t, "film", "title", "plot", "rating:keyword", "year:number")
	film.put(t,
		[]any{1, "shark drama", "a drama about a shark", "PG", 2001},
		[]any{2, "a long day", "nothing but a drama of a day on which many things are said and few are done", "G", 2002},
		[]any{3, "the shark", "no comment", "PG", nil})
	song = newTable(t, "song", "title", "year:number")
	song.put(t,
		[]any{1, "drama", 2003},
		[]any{2, "shark shark", 2000})
	note = newTable(t, "note", "body", "rating:keyword", "year:keyword")
	note.put(t,
		[]any{7, "drama and more drama", "G", "2009"},
		[]any{8, "shark", "PG", "2010"})
	return film, song, note
}
