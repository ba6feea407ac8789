package fulltext

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	segment "github.com/blevesearch/scorch_segment_api/v2"
	"pgregory.net/rapid"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/analysis"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
)

// family has each kind of child: searched with a type, searched, with a type, and
// neither.
var family = schema.Mapping{
	Content:   []string{"title"},
	Analyzer:  "standard",
	Stopwords: analysis.English(),
	Positions: true,
	Metadata:  []schema.Field{{Name: "rating", Type: schema.Keyword}},
	Children: []schema.Child{
		{Name: "actors", Columns: []string{"first", "last"}, Searched: true, Type: schema.Keyword},
		{Name: "reviews", Columns: []string{"text"}, Searched: true},
		{Name: "prices", Columns: []string{"price"}, Type: schema.Number},
		{Name: "acl", Skip: []string{"film_id", "updated"}, Type: schema.Keyword},
		{Name: "notes", Columns: []string{"note"}},
	},
}

// A kin has the child values of one document.
type kin struct {
	actors  [][2]any
	reviews []any
	prices  []any
	acl     []any
}

func (k kin) doc(t rapid.TB, id int64, title string) doc.Doc {
	t.Helper()
	actors := doc.Child{Name: "actors"}
	for _, a := range k.actors {
		actors.Rows = append(actors.Rows, doc.Row{Names: []string{"film_id", "first", "last"}, Values: []any{id, a[0], a[1]}})
	}
	lone := func(name, column string, values []any) doc.Child {
		c := doc.Child{Name: name}
		for _, v := range values {
			c.Rows = append(c.Rows, doc.Row{Names: []string{"film_id", column, "updated"}, Values: []any{id, v, "2006-02-15"}})
		}
		return c
	}
	return doc.Doc{
		Meta: doc.Meta{Stamp: doc.Stamp{OID: oid(t, id)}, V: doc.Version(id)},
		Row: doc.Row{
			Names: []string{"title", "rating"}, Values: []any{title, "PG"},
			Children: []doc.Child{
				lone("notes", "note", []any{"secret"}), actors, lone("reviews", "text", k.reviews),
				lone("prices", "price", k.prices), lone("acl", "group", k.acl),
			},
		},
	}
}

func TestSearchInChildren(t *testing.T) {
	ix := newIndex(t, family)
	apply(t, ix, []doc.Doc{
		kin{
			actors:  [][2]any{{"PENELOPE", "GUINESS"}, {"NICK", "WAHLBERG"}, {"PENELOPE", "GUINESS"}},
			reviews: []any{"a drama for man", "and woman"},
			prices:  []any{int64(5), 2.5, nil},
			acl:     []any{[]any{"staff", "boss"}, "guests", ""},
		}.doc(t, 1, "Academy"),
		kin{actors: [][2]any{{"PENELOPE", nil}, {nil, nil}}, prices: []any{int64(4)}, acl: []any{"staff"}}.doc(t, 2, "Goldfinger"),
		kin{}.doc(t, 3, "Penelope"),
	})
	for text, want := range map[string][]string{
		"penelope":                  {"1", "2", "3"}, // a word without a field is searched in children too
		"actors:penelope":           {"1", "2"},
		"title:penelope":            {"3"},
		`actors:"penelope guiness"`: {"1"}, // columns are joined
		`"penelope guiness"`:        {"1"},
		`"guiness nick"`:            {}, // rows are not joined
		`"guiness penelope"`:        {},
		`"man and woman"`:           {},
		"man woman":                 {"1"},
		"academy wahlberg":          {"1"},
		"actors:wahl*":              {"1"},
		"drama":                     {"1"},
		"secret":                    {},
		"staff":                     {}, // metadata is not content
		"acl:staff":                 {"1", "2"},
		"acl:boss":                  {"1"},
		"acl:guests":                {"1"},
		"-acl:*":                    {"3"},
		"prices:5":                  {"1"},
		"prices:[3 TO 4.5]":         {"2"},
		"prices:<3":                 {"1"},
		`prices:>=4`:                {"1", "2"},
	} {
		got := find(t, ix, text)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
	}
	// A searched child with a type is filtered by its whole value.
	byActor := func(r *query.Request) {
		r.Filters = []query.Filter{{Field: "actors", Values: []string{"PENELOPE GUINESS"}}}
		r.Facets = []query.Facet{{Field: "actors", Size: 5}, {Field: "acl", Size: 1}}
	}
	res := ask(t, ix, "", byActor)
	want := []query.Count{{Value: "NICK WAHLBERG", Count: 1}, {Value: "PENELOPE GUINESS", Count: 1}} // a document counts once
	if !slices.Equal(keys(res), []string{"1"}) || !slices.Equal(res.Facets["actors"], want) || len(res.Facets["acl"]) != 1 {
		t.Errorf("filtered: got %v and %v, want [1] and %v", keys(res), res.Facets, want)
	}
}

// A phrase matches across two rows only if it has as many stop words as there are
// positions between rows, and such a phrase is longer than a query may be.
func TestNoPhraseSpansTwoRows(t *testing.T) {
	ix := newIndex(t, family)
	apply(t, ix, []doc.Doc{kin{reviews: []any{"x", "y"}}.doc(t, 1, "")})
	shortest := query.Phrase{Text: "x" + strings.Repeat(" a", schema.RowGap) + " y"}
	res, err := ix.Search(context.Background(), query.Request{Query: shortest, Size: 1})
	if err != nil || res.Total != 1 {
		t.Errorf("a phrase across the gap: got %d hits, %v; want 1", res.Total, err)
	}
	if _, err := query.Parse(shortest.String()); err == nil {
		t.Errorf("a query of %d bytes matches across two rows", len(shortest.String()))
	}
}

// The gap between rows does not change the length of the field.
func TestGapBetweenRows(t *testing.T) {
	s, err := schema.New(family)
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.Build(kin{reviews: []any{"mad man", "...", "the scientist"}}.doc(t, 1, "").Row, new(schema.Lists))
	if err != nil {
		t.Fatal(err)
	}
	// The texts are sorted: ... is the first.
	want := map[string]uint64{"mad": 1, "man": 2, "scientist": 2 + schema.RowGap + 2}
	got := map[string]uint64{}
	eachPosting(t, s, b, "reviews", func(term string, p segment.Posting) {
		got[term] = p.Locations()[0].Pos()
		if length := math.Round(1 / (p.Norm() * p.Norm())); length != 3 {
			t.Errorf("%s: got a field of %.0f words, want 3", term, length)
		}
	})
	if !maps.Equal(got, want) {
		t.Errorf("got positions %v, want %v", got, want)
	}
}

func TestChildErrors(t *testing.T) {
	ix := newIndex(t, family)
	for want, change := range map[string]func(*doc.Row){
		"child actors is not in the row: the source must return it": func(r *doc.Row) { r.Children = r.Children[:1] },
		"child reviews: column text is not in the row: the SQL must return it": func(r *doc.Row) {
			r.Children[2].Rows[0].Names = []string{"film_id", "body", "updated"}
		},
		"child acl: the row has 2 columns beside its key and updateTime: the SQL must return one": func(r *doc.Row) {
			r.Children[4].Rows[0].Names = []string{"film_id", "group", "at"}
		},
	} {
		d := kin{reviews: []any{"x"}, prices: []any{int64(1)}, acl: []any{"staff"}}.doc(t, 1, "")
		change(&d.Row)
		if _, _, err := ix.Hash(d.Row); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	for text, want := range map[string]string{
		"actor:x":     "no field actor: did you mean actors?",
		"notes:x":     "no field notes: there are title, actors, reviews, rating, prices, acl",
		"reviews:>=x": "field reviews is text, searched by its words: give the child a type to filter, sort, compare or count it",
		"prices:many": "field prices: many is not a number: write a number as 5, -1.5 or 1e6",
	} {
		checkError(t, ix, query.Request{Query: parse(t, text)}, want)
	}
}

func TestMappingOfChildren(t *testing.T) {
	for want, children := range map[string][]schema.Child{
		"mapping: child title has the name of another field":  {{Name: "title", Searched: true}},
		"mapping: child rating has the name of another field": {{Name: "rating", Type: schema.Keyword}},
		"mapping: child notes has the name of another field":  {{Name: "notes"}, {Name: "notes"}},
		`mapping: metadata acl: unknown type "text"`:          {{Name: "acl", Type: "text"}},
	} {
		m := family
		m.Children = children
		if _, err := schema.New(m); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	seen := map[uint64]schema.Child{}
	for _, c := range []schema.Child{
		{Name: "a"}, {Name: "b"}, {Name: "a", Columns: []string{"x"}}, {Name: "a", Columns: []string{"x", "y"}}, {Name: "a", Skip: []string{"x"}},
		{Name: "a", Searched: true}, {Name: "a", Type: schema.Keyword}, {Name: "a", Type: schema.Number},
	} {
		fingerprint := schema.Mapping{Children: []schema.Child{c}}.Fingerprint()
		if other, taken := seen[fingerprint]; taken {
			t.Errorf("%+v and %+v have the same fingerprint", c, other)
		}
		seen[fingerprint] = c
	}
}

// The fingerprint and hash of a mapping without children, with the stop words that
// were dropped before a mapping named them and without lengths, do not change, so that
// existing indexes stay valid.
func TestFingerprintAndHashAreStable(t *testing.T) {
	films := films
	films.Unmeasured = true
	if got, want := films.Fingerprint(), uint64(0x23b4c7be3e0d252b); got != want {
		t.Errorf("fingerprint: got %#x, want %#x", got, want)
	}
	row := film(t, int64(1), 1, map[string]any{"title": "drama", "rating": "PG", "year": int64(2006), "tags": []any{"b", "a"}}).Row
	got, _, err := newIndex(t, films).Hash(row)
	if want := doc.DocHash(0x4e8bcc29832138c9); err != nil || got != want {
		t.Errorf("hash: got %#x, %v; want %#x", got, err, want)
	}
}

// Two rows have equal hashes if and only if their children are equal to a search.
// A row that was stored as JSON has the same hash.
func TestHashOfChildren(t *testing.T) {
	ix := newIndex(t, family)
	rapid.Check(t, func(t *rapid.T) {
		a := drawKin(t)
		b := a.redraw(t)
		ha, hb := hashOf(t, ix, a.doc(t, 1, "x").Row), hashOf(t, ix, b.doc(t, 1, "x").Row)
		if sa, sb := a.searchable(), b.searchable(); (ha == hb) != (sa == sb) {
			t.Fatalf("hashes %x and %x of\n%s\n%s", ha, hb, sa, sb)
		}
		body, err := a.doc(t, 1, "x").Row.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		page, err := doc.ParseRow(body)
		if err != nil {
			t.Fatal(err)
		}
		if got := hashOf(t, ix, page); got != ha {
			t.Fatalf("the page's hash: got %x, want %x", got, ha)
		}
	})
}

func hashOf(t *rapid.T, ix *Index, row doc.Row) doc.DocHash {
	t.Helper()
	h, _, err := ix.Hash(row)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func drawKin(t *rapid.T) (k kin) {
	for range 4 {
		k = k.redraw(t)
	}
	return k
}

// redraw replaces one child with random values, so few that they are often equal.
func (k kin) redraw(t *rapid.T) kin {
	draw := func(values ...any) []any {
		return rapid.SliceOfN(rapid.SampledFrom(values), 0, 2).Draw(t, "values")
	}
	switch rapid.IntRange(0, 3).Draw(t, "child") {
	case 0:
		k.actors = nil
		for _, v := range draw([2]any{"a", "b"}, [2]any{"a b", nil}, [2]any{nil, nil}, [2]any{"b", "a"}) {
			k.actors = append(k.actors, v.([2]any))
		}
	case 1:
		k.reviews = draw(nil, "a", "b", "a b")
	case 2:
		k.prices = draw(nil, int64(1), 1.0, int64(2))
	case 3:
		k.acl = draw(nil, "", "a", []any{"b", "a"}, []any{"a", "a"})
	}
	return k
}

// searchable returns the parts of children that a search uses: the texts of
// searched children, and the set of values of children with a type.
func (k kin) searchable() string {
	texts := func(values []any) (all []string) {
		for _, v := range values {
			if text := strings.TrimSpace(doc.FormatText(v)); text != "" {
				all = append(all, text)
			}
		}
		slices.Sort(all)
		return all
	}
	var names, groups []any
	for _, a := range k.actors {
		names = append(names, doc.FormatText(a[0])+" "+doc.FormatText(a[1]))
	}
	for _, v := range k.acl {
		if list, ok := v.([]any); ok {
			groups = append(groups, list...)
		} else {
			groups = append(groups, v)
		}
	}
	return fmt.Sprintf("%q %q %q %q", texts(names), texts(k.reviews), slices.Compact(texts(k.prices)), slices.Compact(texts(groups)))
}

// The hash changes if a row moves to another child or is joined with the next
// row.
func TestHashSeparatesRows(t *testing.T) {
	ix := newIndex(t, family)
	seen := map[doc.DocHash]int{}
	for i, k := range []kin{
		{reviews: []any{"x", "y"}}, {actors: [][2]any{{"x", nil}, {"y", nil}}}, {actors: [][2]any{{"x", nil}}, reviews: []any{"y"}},
		{reviews: []any{"x y"}}, {reviews: []any{"xy"}}, {reviews: []any{"x", "y", "y"}},
	} {
		h, _, err := ix.Hash(k.doc(t, 1, "").Row)
		if other, taken := seen[h]; taken || err != nil {
			t.Errorf("case %d: %v, hash of case %d", i, err, other)
		}
		seen[h] = i
	}
}
