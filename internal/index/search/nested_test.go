package search

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
)

// A cast is a table of films with the child cast, and the groups that see them.
func newCast(t *testing.T, casts ...[]string) *Searcher {
	t.Helper()
	m := schema.Mapping{
		Content: []string{"title"}, Analyzer: "standard", Positions: true, Metadata: []schema.Field{{Name: "grp", Type: schema.Keyword}},
		Children: []schema.Child{{Name: "cast", Columns: []string{"name"}, Searched: true, Type: schema.Keyword}},
	}
	ix, err := fulltext.Create(filepath.Join(t.TempDir(), "index"), m, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ix.Close() })
	pages := &fakeTable{pages: map[doc.OID]doc.Page{}}
	var docs []doc.Doc
	for i, names := range casts {
		d := doc.Doc{Meta: doc.Meta{Stamp: doc.Stamp{OID: key(t, int64(i+1))}, V: doc.Version(i + 1)}, Row: doc.Row{Names: []string{"title", "grp"}, Values: []any{"film", "sales"}}}
		if i == 0 {
			d.Row.Values[1] = "boss"
		}
		child := doc.Child{Name: "cast"}
		for _, name := range names {
			child.Rows = append(child.Rows, doc.Row{Names: []string{"name"}, Values: []any{name}})
		}
		d.Row.Children = []doc.Child{child}
		body, err := d.Row.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		pages.pages[d.OID] = doc.Page{Meta: d.Meta, Body: body}
		docs = append(docs, d)
	}
	if err := ix.Apply(docs, nil); err != nil {
		t.Fatal(err)
	}
	return &Searcher{Index: ix, Pages: pages, Table: "film", Content: m.Content, Metadata: []string{"grp"}, ACL: "grp", Children: []Child{{Name: "cast", Columns: []string{"name"}, Searched: true}}}
}

// A nested query finds the documents that have one row for which it matches, where the
// same query without nested finds words of several rows.
func TestNested(t *testing.T) {
	s := newCast(t, []string{"joe swank"}, []string{"joe gable", "ann swank"}, []string{"ann swank"}, nil, []string{"joe swank", "joe swank"}, []string{"swank"})
	word := func(text string) query.Node { return query.Word{Field: "cast", Text: text} }
	both := query.And{Nodes: []query.Node{word("joe"), word("swank")}}
	for _, c := range []struct {
		name string
		node query.Node
		want string
	}{
		{"words of several rows", both, "1 2 5"},
		{"words of one row", query.Nested{Path: "cast", Node: both}, "1 5"},
		{"a row without a word", query.Nested{Path: "cast", Node: query.And{Nodes: []query.Node{word("swank"), query.Not{Node: word("joe")}}}}, "2 3 6"},
		{"any row", query.Nested{Path: "cast", Node: query.All{}}, "1 2 3 5 6"},
		{"no row", query.Nested{Path: "cast", Node: query.None()}, ""},
		{"most of the words of one row", query.Nested{Path: "cast", Node: query.AtLeast{Nodes: []query.Node{word("joe"), word("swank"), word("ann")}, Least: query.Exactly(2)}}, "1 2 3 5"},
		{"a value", query.Nested{Path: "cast", Node: query.Pattern{Field: "cast", Kind: query.Exact, Text: "swank", Value: true}}, "6"},
		{"excluded", query.And{Nodes: []query.Node{query.All{}, query.Not{Node: query.Nested{Path: "cast", Node: both}}}}, "2 3 4 6"},
		{"two of them", query.Or{Nodes: []query.Node{query.Nested{Path: "cast", Node: both}, query.Nested{Path: "cast", Node: word("ann")}}}, "1 2 3 5"},
	} {
		for _, who := range []Caller{{Admin: true}, {Groups: []string{"sales"}}} {
			want := c.want
			if !who.Admin { // does not see document 1
				want = strings.TrimPrefix(strings.TrimPrefix(want, "1"), " ")
			}
			if got := foundBy(t, s, c.node, who); got != want {
				t.Errorf("%s, by %v: got %s, want %s", c.name, who, got, want)
			}
			all, err := SearchAll(t.Context(), []Part{{s, who}}, nil, Params{Node: c.node, Size: 100, Sort: []query.Sort{}})
			if err != nil || fmt.Sprint(all.Total) != fmt.Sprint(len(strings.Fields(want))) {
				t.Errorf("%s in all tables, by %v: got %d, %v, want %s", c.name, who, all.Total, err, want)
			}
		}
	}
}

// foundBy returns the keys that a caller finds.
func foundBy(t *testing.T, s *Searcher, n query.Node, who Caller) string {
	t.Helper()
	res, err := s.Search(t.Context(), Params{Node: n, Size: 100, Sort: []query.Sort{{Field: query.ByScore}}, Caller: who})
	if err != nil {
		t.Fatalf("%v: %v", n, err)
	}
	found := map[string]bool{}
	for i := range res.Len {
		h, err := res.Hit(t.Context(), i)
		if err != nil {
			t.Fatal(err)
		}
		found[h.OID] = true
	}
	var keys []string
	for i := range 10 {
		if k := fmt.Sprint(i); found[k] {
			keys = append(keys, k)
		}
	}
	return strings.Join(keys, " ")
}

// An index does not answer a nested query itself, a table with too many rows to check
// refuses it, and a search that ends stops checking.
func TestNestedLimits(t *testing.T) {
	s := newCast(t, make([]string, 60_000), make([]string, 60_000))
	nested := query.Nested{Path: "cast", Node: query.All{}}
	if _, err := s.Index.Search(t.Context(), query.Request{Query: nested, Size: 1}); err == nil {
		t.Error("an index answers a nested query")
	}
	s = newCast(t, strings.Fields(strings.Repeat("joe ", 60_000)), strings.Fields(strings.Repeat("joe ", 60_000)))
	_, err := s.Search(t.Context(), Params{Node: nested, Size: 10, Caller: Caller{Admin: true}})
	var bad *Error
	if !errors.As(err, &bad) || !strings.Contains(bad.Message, "more than 100000 rows to check") {
		t.Errorf("120,000 rows: got %v, want that they are too many", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Search(ended, Params{Node: nested, Size: 10, Caller: Caller{Admin: true}}); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended search: got %v, want that it is canceled", err)
	}
}
