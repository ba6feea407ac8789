package osapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/analysis"
	"indexerd/internal/index/fulltext"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/search"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/serve/osapi/mapping"
)

// The tokens of a world.
const (
	ops   = "ops-secret"   // an admin
	sales = "sales-secret" // sees the documents of the group sales
	press = "press-secret" // sees those of press, and those of sales
	guest = "guest-secret" // has no group
)

// A world is an engine over real indexes, without a database, and its handler.
type world struct {
	tables  []*worldTable
	handler http.Handler
	open    *Cursors
	meters  *httpapi.Meters
	loading string // a table that is still loaded
}

// A worldTable is one table, its index and its pages.
type worldTable struct {
	name     string
	acl      string
	mapping  schema.Mapping
	index    *fulltext.Index
	searcher *search.Searcher
	pages    map[doc.OID]doc.Page
	written  doc.Version
}

// newWorld returns a world of films, which have an acl, and of actors.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{open: NewCursors(), meters: httpapi.NewMeters()}
	w.add(t, "film", "grp", schema.Mapping{
		Content: []string{"title", "plot"}, Analyzer: "standard", Positions: true,
		Metadata: []schema.Field{{Name: "title", Type: schema.Keyword}, {Name: "rating", Type: schema.Keyword}, {Name: "year", Type: schema.Number}, {Name: "released", Type: schema.Date}, {Name: "colour", Type: schema.Boolean}, {Name: "grp", Type: schema.Keyword}},
	})
	w.add(t, "actor", "", schema.Mapping{Content: []string{"name"}, Analyzer: "standard", Positions: true, Metadata: []schema.Field{{Name: "year", Type: schema.Number}}})
	a := httpapi.Access{Limits: httpapi.NewLimits(nil), Tokens: []httpapi.Token{
		{Secret: ops, Caller: search.Caller{Admin: true}}, {Secret: sales, Caller: search.Caller{Groups: []string{"sales"}}},
		{Secret: press, Caller: search.Caller{Groups: []string{"press", "sales"}}}, {Secret: guest},
	}}
	w.handler = Handler(w, a, w.open, slog.New(slog.DiscardHandler))
	return w
}

func (w *world) add(t *testing.T, name, acl string, m schema.Mapping) {
	t.Helper()
	index, err := fulltext.Create(filepath.Join(t.TempDir(), "index"), m, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := index.Close(); err != nil {
			t.Error(err)
		}
	})
	one := &worldTable{name: name, acl: acl, mapping: m, index: index, pages: map[doc.OID]doc.Page{}}
	one.searcher = &search.Searcher{Index: index, Pages: one, Table: name, Content: m.Content, ACL: acl}
	for _, f := range m.Metadata {
		one.searcher.Metadata = append(one.searcher.Metadata, f.Name)
	}
	w.tables = append(w.tables, one)
}

// put writes rows of a table: its key, and then its columns as "name value".
func (w *world) put(t *testing.T, name string, rows ...map[string]any) {
	t.Helper()
	w.write(t, name, rows, nil)
}

func (w *world) write(t *testing.T, name string, rows []map[string]any, gone []doc.Removal) {
	t.Helper()
	one := w.table(name)
	var docs []doc.Doc
	for _, r := range rows {
		one.written++
		oid, err := doc.NewOID(int64(r["id"].(int)))
		if err != nil {
			t.Fatal(err)
		}
		d := doc.Doc{Meta: doc.Meta{Stamp: doc.Stamp{OID: oid, Updated: time.UnixMicro(1_000_000 + int64(one.written)).UTC()}, V: one.written}}
		for _, column := range append(slices.Clone(one.mapping.Content), one.searcher.Metadata...) {
			if slices.Contains(d.Row.Names, column) {
				continue
			}
			v := r[column]
			if n, ok := v.(int); ok {
				v = int64(n)
			}
			d.Row.Names, d.Row.Values = append(d.Row.Names, column), append(d.Row.Values, v)
		}
		if d.Hash, _, err = one.index.Hash(d.Row); err != nil {
			t.Fatal(err)
		}
		body, err := d.Row.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		one.pages[oid] = doc.Page{Meta: d.Meta, Body: body}
		docs = append(docs, d)
	}
	if err := one.index.Apply(docs, gone); err != nil {
		t.Fatal(err)
	}
}

// remove removes a document.
func (w *world) remove(t *testing.T, name string, id int64) {
	t.Helper()
	oid, err := doc.NewOID(id)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.table(name).index.Apply(nil, []doc.Removal{{OID: oid}}); err != nil {
		t.Fatal(err)
	}
	delete(w.table(name).pages, oid)
}

// replace makes rows the only ones of a table.
func (w *world) replace(t *testing.T, name string, rows []map[string]any) {
	t.Helper()
	one := w.table(name)
	var gone []doc.Removal
	for oid := range one.pages {
		if !slices.ContainsFunc(rows, func(r map[string]any) bool { return oid.String() == fmt.Sprint(r["id"]) }) {
			gone = append(gone, doc.Removal{OID: oid})
		}
	}
	one.pages, one.written = map[doc.OID]doc.Page{}, 0
	w.write(t, name, rows, gone)
}

// films writes three films. Sales may see two of them.
func (w *world) films(t *testing.T) {
	t.Helper()
	w.put(t, "film",
		map[string]any{"id": 1, "title": "mad shark", "plot": "A mad shark swims. Then it sleeps & dreams of <fish>.", "rating": "PG", "year": 2005, "released": "2005-01-02T03:04:05.678Z", "colour": true, "grp": "sales"},
		map[string]any{"id": 2, "title": "shark", "plot": "Nothing happens at all.", "rating": "PG-13", "year": 2006, "released": "2006-07-08T00:00:00Z", "grp": "sales"},
		map[string]any{"id": 3, "title": "secret shark", "plot": "Espionage of a submarine shark.", "rating": "R", "year": 2007, "grp": "boss"})
	w.put(t, "actor", map[string]any{"id": 1, "name": "Mark Shark", "year": 1970})
}

func (w *world) table(name string) *worldTable {
	for _, one := range w.tables {
		if one.name == name {
			return one
		}
	}
	return nil
}

// ask sends a request with a token, and returns the status and the body of the answer.
func (w *world) ask(token, method, path, body string) (int, string) {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+token)
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	return rec.Code, rec.Body.String()
}

// want sends a request and compares the status and a part of the body of the answer.
func (w *world) want(t *testing.T, token, method, path, body string, status int, part string) string {
	t.Helper()
	gotStatus, got := w.ask(token, method, path, body)
	if gotStatus != status || !strings.Contains(got, part) {
		t.Errorf("%s %s %.120s: got %d %s, want %d with %s", method, path, body, gotStatus, got, status, part)
	}
	return got
}

// Search implements Engine.
func (w *world) Search(ctx context.Context, table string, p search.Params) (search.Results, error) {
	one := w.table(table)
	if one == nil {
		return search.Results{}, missingTable(table)
	}
	return one.searcher.Search(ctx, p)
}

func missingTable(name string) error {
	return &httpapi.Error{Status: http.StatusNotFound, Code: "unknown_table", Message: "no table " + name}
}

// SearchTables implements Engine.
func (w *world) SearchTables(ctx context.Context, tables []string, p search.Params) (search.Results, error) {
	var parts []search.Part
	for _, name := range tables {
		parts = append(parts, search.Part{Searcher: w.table(name).searcher, Caller: p.Caller})
	}
	return search.SearchAll(ctx, parts, nil, p)
}

// Tables implements Engine.
func (w *world) Tables(c search.Caller) (names []string) {
	for _, one := range w.tables {
		if c.Sees(one.name) {
			names = append(names, one.name)
		}
	}
	return names
}

// OID implements Engine.
func (w *world) OID(table, key string) (doc.OID, error) {
	return doc.ParseOID(key, []doc.Kind{doc.Integer})
}

// Fields implements Engine.
func (w *world) Fields(table string, c search.Caller) (fields []mapping.Field, err error) {
	one := w.table(table)
	if one == nil {
		return nil, missingTable(table)
	}
	if table == w.loading {
		return nil, &httpapi.Error{Status: http.StatusServiceUnavailable, Code: "not_ready", Message: table + " is still being loaded"}
	}
	for _, name := range one.mapping.Content {
		fields = append(fields, mapping.Field{Name: name, Type: mapping.Text, Analyzer: mapping.AnalyzerName(one.mapping.Spec())})
	}
	types := map[schema.Type]string{schema.Keyword: mapping.Keyword, schema.Number: mapping.Double, schema.Date: mapping.Date, schema.Boolean: mapping.Boolean}
	for _, f := range one.mapping.Metadata {
		if c.Admin || f.Name != one.acl {
			fields = append(fields, mapping.Field{Name: f.Name, Type: types[f.Type]})
		}
	}
	return fields, nil
}

// Analyzer implements Engine.
func (w *world) Analyzer(table string) (*analysis.Analyzer, error) {
	return analysis.New(w.table(table).mapping.Spec())
}

// Meters implements Engine.
func (w *world) Meters() *httpapi.Meters { return w.meters }

var errNoPage = errors.New("no such page")

// View implements search.Pages.
func (one *worldTable) View(oid doc.OID, f func(doc.Page) error) error {
	page, ok := one.pages[oid]
	if !ok {
		return errNoPage
	}
	return f(page)
}

// Meta implements search.Pages.
func (one *worldTable) Meta(oid doc.OID) (doc.Meta, bool, error) {
	page, ok := one.pages[oid]
	return page.Meta, ok, nil
}

// NewestVersions implements search.Pages.
func (one *worldTable) NewestVersions(oid doc.OID, _ int) ([]doc.Page, bool, error) {
	return []doc.Page{one.pages[oid]}, false, nil
}

// numbered writes n more films of sales, from a key on.
func (w *world) numbered(t *testing.T, from, n int) {
	t.Helper()
	rows := make([]map[string]any, n)
	for i := range rows {
		rows[i] = map[string]any{"id": from + i, "title": fmt.Sprintf("numbered %d", from+i), "year": 1900 + (from+i)%7, "grp": "sales"}
	}
	w.put(t, "film", rows...)
}
