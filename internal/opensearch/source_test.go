package opensearch

import (
	"errors"
	"net/http"
	"reflect"
	"testing"

	"indexerd/internal/doc"
	"indexerd/internal/fulltext"
)

// whole is a row with columns and a child that are in no field of searches.
func whole(t *testing.T) (fulltext.Mapping, doc.Doc) {
	t.Helper()
	m := films
	m.Children = []fulltext.Child{
		{Name: "actors", Columns: []string{"name"}, Searched: true}, {Name: "stores", Columns: []string{"city"}, Searched: true},
	}
	d := film(t, 1, 1, "Academy Dinosaur")
	d.Row.Names = append(d.Row.Names, "rate", "notes", "last.update", "gone")
	d.Row.Values = append(d.Row.Values, 0.99, []any{"a", int64(2)}, "2026-11-25T07:00:00Z", nil)
	d.Row.Children = []doc.Child{
		{Name: "actors", Rows: []doc.Row{{Names: []string{"name"}, Values: []any{"Penelope"}}}},
		{Name: "stores", Rows: []doc.Row{{Names: []string{"city", "id"}, Values: []any{"Lethbridge", int64(3)}}, {Names: []string{"city", "id"}, Values: []any{nil, int64(4)}}}},
	}
	return m, d
}

func sourceIn(t *testing.T, ix *Index) map[string]any {
	t.Helper()
	var answer struct {
		Found  bool           `json:"found"`
		Source map[string]any `json:"_source"`
	}
	if err := ix.wire.ask(t.Context(), http.MethodGet, "/"+ix.config.Name+"/_doc/"+id(oid(t, 1)), nil, &answer); err != nil || !answer.Found {
		t.Fatalf("the document: found %t, %v", answer.Found, err)
	}
	return answer.Source
}

// _source has the whole row: what is in no field of its own is in ix.row. With Source
// false there is none of it.
func TestSourceHoldsTheRow(t *testing.T) {
	c := node(t)
	var d doc.Doc
	c.Mapping, d = whole(t)
	for _, test := range []struct {
		source bool
		want   map[string]any
	}{
		{true, map[string]any{
			"title": "Academy Dinosaur", "year": 1999.0, "actors": []any{"Penelope"}, "stores": []any{"Lethbridge"},
			"ix": map[string]any{"row": map[string]any{
				"rate": 0.99, "notes": []any{"a", 2.0}, "last.update": "2026-11-25T07:00:00Z",
				"stores": []any{map[string]any{"city": "Lethbridge", "id": 3.0}, map[string]any{"city": nil, "id": 4.0}},
			}},
		}},
		{false, nil},
	} {
		c := c
		c.Name, c.Source = c.Name+map[bool]string{true: "y", false: "n"}[test.source], test.source
		ix := create(t, c)
		if err := ix.Apply([]doc.Doc{d}, nil); err != nil {
			t.Fatal(err)
		}
		if got := sourceIn(t, ix); !reflect.DeepEqual(got, test.want) {
			t.Errorf("source %t: got %v, want %v", test.source, got, test.want)
		}
	}
}

// An index that was built with another Source takes documents as it was built, until a
// reindex: its mapping is strict.
func TestSourceIsThatOfTheIndex(t *testing.T) {
	c := node(t)
	var d doc.Doc
	c.Mapping, d = whole(t)
	for _, source := range []bool{true, false} {
		built := c
		built.Name, built.Source = c.Name+map[bool]string{true: "y", false: "n"}[source], source
		ix := create(t, built)
		built.Source = !source
		ix, err := built.Open(t.Context(), ix.Generation())
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := ix.Built(built); ok {
			t.Errorf("built with source %t: got that it is as configured", source)
		}
		if err := ix.Apply([]doc.Doc{d}, nil); err != nil {
			t.Errorf("built with source %t: got %v, want no refusal", source, err)
		}
		if got := sourceIn(t, ix) != nil; got != source {
			t.Errorf("built with source %t: got one %t", source, got)
		}
	}
}

// A new index is refreshed by Serve, and every second from then on. What an operator has set stays.
func TestServe(t *testing.T) {
	c := node(t)
	ix := create(t, c)
	interval := func(want string) {
		t.Helper()
		state, err := ix.state(t.Context())
		if err != nil || state.Settings.Index.Refresh != want {
			t.Errorf("refresh_interval: got %s, %v, want %s", state.Settings.Index.Refresh, err, want)
		}
	}
	interval("-1")
	if err := ix.Apply([]doc.Doc{film(t, 1, 10, "a")}, nil); err != nil {
		t.Fatal(err)
	}
	if err := ix.Serve(t.Context()); err != nil {
		t.Fatal(err)
	}
	var seen struct{ Count int }
	if err := ix.wire.ask(t.Context(), http.MethodGet, "/"+ix.name+"/_count", nil, &seen); err != nil || seen.Count != 1 || ix.stale.Load() {
		t.Errorf("a client sees %d documents, %v, want 1", seen.Count, err)
	}
	interval("1s")
	if err := ix.wire.ask(t.Context(), http.MethodPut, "/"+ix.name+"/_settings", object{"index.refresh_interval": "30s"}, nil); err != nil {
		t.Fatal(err)
	}
	again, err := c.Open(t.Context(), 7)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(again.Serve(t.Context()), again.Close()); err != nil {
		t.Fatal(err)
	}
	interval("30s")
}
