package opensearch

import (
	"errors"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
)

// whole is a row with columns and a child that are in no field of searches.
func whole(t *testing.T) (schema.Mapping, doc.Doc) {
	t.Helper()
	m := films
	m.Children = []schema.Child{
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

// The source of a document whose words are all shared needs no filter. One with words of
// indexerd's own has none of them.
func TestSourceIsFilteredForWords(t *testing.T) {
	c := node(t)
	for _, test := range []struct {
		analyzer string
		want     []string
	}{
		{"standard", []string{"key", "numbers", "values"}},
		{"cjk", nil},
	} {
		c := c
		c.Name, c.Mapping.Analyzer = c.Name+test.analyzer, test.analyzer
		ix := create(t, c)
		if err := ix.Apply([]doc.Doc{film(t, 1, 10, "a")}, nil); err != nil {
			t.Fatal(err)
		}
		own, _ := sourceIn(t, ix)["ix"].(map[string]any)
		if got := slices.Sorted(maps.Keys(own)); !slices.Equal(got, test.want) {
			t.Errorf("%s: got ix.%v in the source, want ix.%v", test.analyzer, got, test.want)
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

// A text of which the cluster would make other terms is folded under its name, and one
// without a term is left out there. ix.row has both as they are. A list stays a list.
func TestSourceOfTextsThatAreFolded(t *testing.T) {
	for _, test := range []struct{ title, want, row any }{
		{"It’s 今 “Ünï”, 🎬", "It’s 今 “Ünï”, 🎬", nil},
		{"The ＷＩＤＥ １２", "the wide 12", "The ＷＩＤＥ １２"},
		{"?!", nil, "?!"},
		{[]any{"Two", int64(2), nil}, []any{"Two", 2.0, nil}, nil},
		{1e-7, "1e-07", 1e-7},
		{nil, nil, nil},
	} {
		ix := create(t, node(t))
		d := film(t, 1, 1, "")
		d.Row.Values[0] = test.title
		if err := ix.Apply([]doc.Doc{d}, nil); err != nil {
			t.Fatal(err)
		}
		got := sourceIn(t, ix)
		inner, _ := got["ix"].(map[string]any)
		row, _ := inner["row"].(map[string]any)
		if !reflect.DeepEqual(got["title"], test.want) || !reflect.DeepEqual(row["title"], test.row) {
			t.Errorf("%v: got %v, want %v and %v in ix.row", test.title, got, test.want, test.row)
		}
	}
}

// An index that was made before columns shared their words has two sets of them. It takes
// documents, is searched, and differs from the configuration.
func TestIndexWithTwoSetsOfWords(t *testing.T) {
	c := node(t)
	s, err := schema.New(c.Mapping)
	if err != nil {
		t.Fatal(err)
	}
	properties := c.properties(s)
	properties["title"] = object{"type": "text", "analyzer": "standard"}
	words := properties["ix"].(object)["properties"].(object)["words"].(object)["properties"].(object)
	if alias := words["title"].(object)["type"]; alias != "alias" {
		t.Fatalf("ix.words.title: got %v, want an alias", alias)
	}
	words["title"] = object{"type": "text", "analyzer": ready}
	name := c.newName(7)
	if err := newWire(c).ask(t.Context(), http.MethodPut, "/"+name, object{
		"settings": c.settings(s), "aliases": object{c.Name: object{}},
		"mappings": object{
			"dynamic": "strict", "_source": object{"excludes": []string{"ix.key", "ix.words", "ix.values", "ix.numbers"}}, "properties": properties,
			"_meta": object{"indexerd": meta{c.Owner, 7, epoch{0, EpochBits}, "before", c.Mapping}},
		},
	}, nil); err != nil {
		t.Fatal(err)
	}
	ix, err := c.Open(t.Context(), 7)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = remove(ix) })
	if _, ok := ix.Built(c); ok {
		t.Error("got that the index is as configured")
	}
	if err := ix.Apply([]doc.Doc{film(t, 1, 1, "The ＷＩＤＥ 12"), film(t, 2, 2, "wide")}, nil); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{"wide": 2, `"the wide"`: 1, "wid*": 2, `"wide 12"`: 1} {
		n, err := query.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		found, err := ix.Search(t.Context(), query.Request{Query: n, Size: 10})
		if err != nil || int(found.Total) != want {
			t.Errorf("%s: got %d, %v, want %d", text, found.Total, err, want)
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
