package search

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"indexerd/internal/doc"
	"indexerd/internal/query"
)

var actors = Child{Name: "actors", Columns: []string{"first", "last"}, Skip: []string{"film_id"}, Searched: true}

// newFamily is a searcher whose documents have actors, a lone column of
// numbers, and an extra.
func newFamily(t *testing.T) (*Searcher, *shelf) {
	t.Helper()
	s, shelf := newSearcher(t)
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
	setPage(t, shelf, doc.Row{
		Names: []string{"film_id", "title"}, Values: []any{int64(7), "a <drama>"},
		Children: []doc.Child{
			{Name: "actors", Rows: rows([]string{"film_id", "first", "last"},
				[]any{int64(7), "UMA", "<drama>"}, []any{int64(7), nil, "WOOD"}, []any{int64(7), nil, nil}, []any{int64(7), "drama", "UMA"})},
			{Name: "rents", Rows: rows([]string{"film_id", "n"}, []any{int64(7), int64(2)}, []any{int64(7), nil}, []any{int64(7), int64(2)})},
			{Name: "acl", Rows: rows([]string{"film_id", "group", "at"}, []any{int64(7), "staff", "2006"})},
		},
	})
	shelf.result.Hits = []query.Hit{{OID: key(t, 7), V: 2}}
	return s, shelf
}

func setPage(t *testing.T, s *shelf, row doc.Row) {
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
	a, err := answered(s, p)
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
			Params{Query: "2", Highlight: true, Fields: []string{"rents"}}, // its text is not searched
			`{"oid":"7","score":0,"fields":{"rents":[2,2]},"highlights":{}}`,
		},
		{
			Params{Query: "drama", Fields: []string{"actors", "title"}},
			`{"oid":"7","score":0,"fields":{"actors":["UMA <drama>","WOOD","drama UMA"],"title":"a <drama>"},"highlights":{}}`,
		},
	} {
		if got := show(t, searchOne(t, s, c.params)); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.params.Query, got, c.want)
		}
	}
	_, err := answered(s, Params{Fields: []string{"actor"}})
	checkBadQuery(t, err, "no field actor: did you mean actors?")
}

// Lists are never null: a child without rows is an empty one. A page that was
// written before the child was configured, or with another SQL, has no value.
func TestChildrenThatSayNothing(t *testing.T) {
	s, shelf := newFamily(t)
	other := []doc.Row{{Names: []string{"film_id", "full_name"}, Values: []any{int64(7), "UMA WOOD"}}}
	for want, children := range map[string][]doc.Child{
		`{"title":"x","actors":[]}`:            {{Name: "actors"}},
		`{"title":"x","actors":[],"rents":[]}`: {{Name: "actors", Rows: other}, {Name: "rents"}},
		`{"title":"x"}`:                        nil,
	} {
		setPage(t, shelf, doc.Row{Names: []string{"title"}, Values: []any{"x"}, Children: children})
		if got := show(t, searchOne(t, s, Params{Highlight: true}).Fields); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// A child has no more fragments than a column, however many of its rows match.
func TestHighlightsOfManyRows(t *testing.T) {
	s, _ := newFamily(t)
	var rows []doc.Row
	for i := range 2 * maxFragments {
		rows = append(rows, doc.Row{Names: []string{"first", "last"}, Values: []any{"drama", fmt.Sprint(i)}})
	}
	row := doc.Row{Children: []doc.Child{{Name: "actors", Rows: rows}}}
	found, err := s.highlights(context.Background(), row, s.Index.Matcher(query.Word{Text: "drama"}))
	if err != nil {
		t.Fatal(err)
	}
	got := found["actors"]
	want := []string{"<mark>drama</mark> 0", "<mark>drama</mark> 1", "<mark>drama</mark> 2"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestDocAndVersionsShowChildren(t *testing.T) {
	s, _ := newFamily(t)
	d, err := s.Doc(key(t, 7))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"title":"a <drama>","actors":["UMA <drama>","WOOD","drama UMA"],"rents":[2,2],"acl":["staff"]}`
	if got := show(t, d.Fields); got != want {
		t.Errorf("doc: got %s, want %s", got, want)
	}
	v, err := s.Versions(key(t, 7))
	if err != nil {
		t.Fatal(err)
	}
	if got := show(t, v.Versions[0].Fields); got != want {
		t.Errorf("newest version: got %s, want %s", got, want)
	}
}
