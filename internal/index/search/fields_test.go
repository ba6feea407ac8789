package search

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/query"
)

var actors = Child{Name: "actors", Columns: []string{"first", "last"}, Skip: []string{"film_id"}, Searched: true}

// newFamily returns a searcher of a document with three kinds of children.
func newFamily(t *testing.T) (*Searcher, *fakeTable) {
	t.Helper()
	s, table := newSearcher(t)
	s.Children = []Child{
		actors,
		{Name: "rents", Columns: []string{"n"}, Skip: []string{"film_id"}},
		{Name: "acl", Skip: []string{"film_id", "at"}},
	}
	rows := func(names []string, values ...[]any) (all []doc.Row) {
		for _, v := range values {
			all = append(all, doc.Row{Names: names, Values: v})
		}
		return all
	}
	setPage(t, table, doc.Row{
		Names: []string{"film_id", "title"}, Values: []any{int64(7), "a <drama>"},
		Children: []doc.Child{
			{Name: "actors", Rows: rows([]string{"film_id", "first", "last"},
				[]any{int64(7), "UMA", "<drama>"}, []any{int64(7), nil, "WOOD"}, []any{int64(7), nil, nil}, []any{int64(7), "drama", "UMA"})},
			{Name: "rents", Rows: rows([]string{"film_id", "n"}, []any{int64(7), int64(2)}, []any{int64(7), nil}, []any{int64(7), int64(2)})},
			{Name: "acl", Rows: rows([]string{"film_id", "group", "at"}, []any{int64(7), "staff", "2006"})},
		},
	})
	table.result.Hits = []query.Hit{{OID: key(t, 7), V: 2}}
	return s, table
}

func setPage(t *testing.T, s *fakeTable, row doc.Row) {
	t.Helper()
	body, err := row.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	page := s.pages[key(t, 7)]
	page.Body = body
	s.pages[key(t, 7)] = page
}

func searchOne(t *testing.T, s *Searcher, p Params) Hit {
	t.Helper()
	p.Size = 10
	a, err := searchAll(s, p)
	if err != nil {
		t.Fatal(err)
	}
	return a.Hits[0]
}

func TestSearchShowsChildren(t *testing.T) {
	s, _ := newFamily(t)
	for _, c := range []struct {
		params Params
		want   string
	}{
		{
			Params{Query: "drama", Highlight: true},
			`{"oid":"7","score":0,"fields":{"title":"a <drama>","actors":["UMA <drama>","WOOD","drama UMA"],"rents":[2,2],"acl":["staff"]},` +
				`"highlights":{"actors":["UMA &lt;<mark>drama</mark>&gt;","<mark>drama</mark> UMA"],"title":["a &lt;<mark>drama</mark>&gt;"]}}`,
		},
		{
			Params{Query: "2", Highlight: true, Fields: []string{"rents"}}, // not Searched
			`{"oid":"7","score":0,"fields":{"rents":[2,2]},"highlights":{}}`,
		},
		{
			Params{Query: "drama", Fields: []string{"actors", "title"}},
			`{"oid":"7","score":0,"fields":{"actors":["UMA <drama>","WOOD","drama UMA"],"title":"a <drama>"},"highlights":{}}`,
		},
	} {
		if got := jsonOf(t, searchOne(t, s, c.params)); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.params.Query, got, c.want)
		}
	}
	_, err := searchAll(s, Params{Fields: []string{"actor"}})
	checkBadQuery(t, err, "no field actor: did you mean actors?")
}

// A child without rows is an empty list, not null. A page from before the child
// was configured lacks the field, and columns of another SQL are left out.
func TestChildrenWithoutValues(t *testing.T) {
	s, table := newFamily(t)
	other := []doc.Row{{Names: []string{"film_id", "full_name"}, Values: []any{int64(7), "UMA WOOD"}}}
	for want, children := range map[string][]doc.Child{
		`{"title":"x","actors":[]}`:            {{Name: "actors"}},
		`{"title":"x","actors":[],"rents":[]}`: {{Name: "actors", Rows: other}, {Name: "rents"}},
		`{"title":"x"}`:                        nil,
	} {
		setPage(t, table, doc.Row{Names: []string{"title"}, Values: []any{"x"}, Children: children})
		if got := jsonOf(t, searchOne(t, s, Params{Highlight: true}).Fields); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// A child has at most as many fragments as a column.
func TestHighlightsOfManyRows(t *testing.T) {
	s, _ := newFamily(t)
	var rows []doc.Row
	for i := range 2 * maxFragments {
		rows = append(rows, doc.Row{Names: []string{"first", "last"}, Values: []any{"drama", fmt.Sprint(i)}})
	}
	row := doc.Row{Children: []doc.Child{{Name: "actors", Rows: rows}}}
	found, err := s.prepare(Params{Highlight: true}, query.Word{Text: "drama"}).highlights(context.Background(), row)
	if err != nil {
		t.Fatal(err)
	}
	got := found["actors"]
	want := []string{"<mark>drama</mark> 0", "<mark>drama</mark> 1", "<mark>drama</mark> 2"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Decoded fields keep the order of the JSON object.
func TestFieldsKeepTheirOrder(t *testing.T) {
	for _, text := range []string{`{}`, `{"title":"<b> & c","year":2006,"actors":["A",null],"a\"b":{"deep":[1]}}`} {
		var f Fields
		if err := json.Unmarshal([]byte(text), &f); err != nil {
			t.Fatal(err)
		}
		if got := jsonOf(t, f); got != text {
			t.Errorf("got %s, want %s", got, text)
		}
	}
	if got := jsonOf(t, Fields(nil)); got != "{}" {
		t.Errorf("no fields: got %s, want {}", got)
	}
	f := Fields{{Name: "title", Value: "x"}, {Name: "year", Value: 2006.0}}
	if got := []any{f.Get("year"), f.Get("rating")}; !reflect.DeepEqual(got, []any{2006.0, nil}) {
		t.Errorf("got %v", got)
	}
	for _, text := range []string{`[1]`, `"title"`, `null`} {
		if err := new(Fields).UnmarshalJSON([]byte(text)); err == nil {
			t.Errorf("%s: got no error", text)
		}
	}
}
