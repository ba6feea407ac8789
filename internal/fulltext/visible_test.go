package fulltext

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"indexerd/internal/doc"
	"indexerd/internal/query"
)

// guardedMapping is the model's, and who may see a document.
func guardedMapping(analyzer string) Mapping {
	m := modelMapping(analyzer)
	m.Children = append(m.Children, Child{Name: "acl", Skip: []string{"id"}, Type: Keyword})
	return m
}

var modelGroups = []string{"sales", "staff", "boss", "sales-emea"}

// callers are the groups of those who ask: none, one, several, and unknown ones.
var callers = [][]string{{}, {"sales"}, {"staff", "boss"}, {"sales-emea"}, {"sal", "STAFF", "*"}, modelGroups}

// A guarded is a model of which callers see a part.
type guarded struct {
	*model
	groups map[doc.OID][]string
	index  *Index
	twins  []*Index // of each caller: what an index of their documents alone holds
}

// visibleTo is the model of what a caller may see.
func (g guarded) visibleTo(groups []string) *model {
	m := *g.model
	m.docs = map[doc.OID]modelDoc{}
	for oid, d := range g.docs {
		if slices.ContainsFunc(g.groups[oid], func(s string) bool { return slices.Contains(groups, s) }) {
			m.docs[oid] = d
		}
	}
	return &m
}

func (g guarded) doc(oid doc.OID) doc.Doc {
	d := g.docs[oid]
	row := d.row()
	acl := doc.Child{Name: "acl"}
	for _, group := range g.groups[oid] {
		acl.Rows = append(acl.Rows, doc.Row{Names: []string{"id", "grp"}, Values: []any{int64(1), group}})
	}
	row.Children = append(row.Children, acl)
	return doc.Doc{Meta: doc.Meta{Stamp: doc.Stamp{OID: oid}, V: d.v}, Row: row}
}

const guardedDocs = 300

// newGuarded fills an index in several batches that write documents again and
// remove some, and one index of what each caller may see.
func newGuarded(t *testing.T, analyzer string) guarded {
	t.Helper()
	g := guarded{model: newModel(analyzer), groups: map[doc.OID][]string{}, index: newIndex(t, guardedMapping(analyzer))}
	drawn := rapid.Custom(drawDoc)
	groups := rapid.SliceOfNDistinct(rapid.SampledFrom(modelGroups), 0, 2, rapid.ID[string])
	for batch := range 4 {
		var puts []doc.Doc
		var deletes []doc.OID
		for i := batch; i < guardedDocs; i += 1 + batch {
			oid := oid(t, int64(i))
			if batch == 3 && i%5 == 0 {
				deletes = append(deletes, oid)
				delete(g.docs, oid)
				continue
			}
			d := drawn.Example(batch*guardedDocs + i)
			d.v = doc.Version(batch*guardedDocs + i + 1)
			g.docs[oid], g.groups[oid] = d, groups.Example(batch*guardedDocs+i)
			puts = append(puts, g.doc(oid))
		}
		apply(t, g.index, puts, deletes...)
	}
	for i := range callers {
		twin, err := Create(filepath.Join(t.TempDir(), fmt.Sprint(i)), guardedMapping(analyzer), 1)
		if err != nil {
			t.Fatal(err)
		}
		closeAtEnd(t, twin)
		var puts []doc.Doc
		for oid := range g.visibleTo(callers[i]).docs {
			puts = append(puts, g.doc(oid))
		}
		apply(t, twin, puts)
		g.twins = append(g.twins, twin)
	}
	return g
}

// TestVisible asks 3,000 questions of random callers, and make visible 10,000.
// The model knows what is found; in all of it, scores too, the answer is that of
// an index without the hidden documents.
func TestVisible(t *testing.T) {
	for _, analyzer := range []string{"standard", "cjk", "ngram"} {
		t.Run(analyzer, func(t *testing.T) {
			g := newGuarded(t, analyzer)
			rapid.Check(t, func(t *rapid.T) {
				for range 10 {
					g.check(t)
				}
			})
		})
	}
}

// check asks one question.
func (g guarded) check(t *rapid.T) {
	who := rapid.IntRange(0, len(callers)-1).Draw(t, "caller")
	req := query.Request{
		Query: drawNode(t, 2, g.model.cut), Size: query.MaxSize, Facets: []query.Facet{{Field: "tags", Size: 10}},
		Visible: &query.Filter{Field: "acl", Values: callers[who]},
	}
	if rapid.Bool().Draw(t, "filtered") {
		req.Filters = []query.Filter{{Field: "tags", Values: rapid.SliceOfN(rapid.SampledFrom(modelTags), 1, 2).Draw(t, "filter")}}
	}
	if field := rapid.SampledFrom([]string{"", "year", "tags", query.ByScore}).Draw(t, "sort"); field != "" {
		req.Sort = []query.Sort{{Field: field, Descending: rapid.Bool().Draw(t, "descending")}}
	}
	res := mustSearch(t, g.index, req)

	seen := g.visibleTo(callers[who])
	for oid, d := range seen.docs {
		if req.Filters != nil && !overlap(d.tags, req.Filters[0].Values) {
			delete(seen.docs, oid)
		}
	}
	got, want := oids(res), seen.find(req.Query, req.Sort)
	if req.Sort == nil || req.Sort[0].Field == query.ByScore {
		slices.Sort(got)
		slices.Sort(want)
	}
	if !slices.Equal(got, want) || res.Total != uint64(len(want)) {
		t.Fatalf("%v asks %v: got %v (total %d), want %v", callers[who], req.Query, got, res.Total, want)
	}
	if counts := seen.count(want); !reflect.DeepEqual(res.Facets["tags"], counts) {
		t.Fatalf("%v asks %v: got facets %v, want %v", callers[who], req.Query, res.Facets, counts)
	}
	req.Size = rapid.SampledFrom([]int{query.MaxSize, 20, 3}).Draw(t, "size")
	for range 3 {
		got, want := mustSearch(t, g.index, req), mustSearch(t, g.twins[who], req)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%v asks %v sorted by %v: got %+v, without the hidden documents %+v", callers[who], req.Query, req.Sort, got, want)
		}
		if req.After = got.Next; got.Next == "" {
			break
		}
	}
}

func overlap(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

// count counts the tags of documents.
func (m *model) count(oids []doc.OID) []query.Count {
	n := map[string]int{}
	for _, oid := range oids {
		for _, tag := range m.docs[oid].tags {
			n[tag]++
		}
	}
	counts := []query.Count{}
	for tag, n := range n {
		counts = append(counts, query.Count{Value: tag, Count: n})
	}
	slices.SortFunc(counts, func(a, b query.Count) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Value, b.Value))
	})
	return counts
}

// To whom documents are hidden, the field that hides them does not exist: not
// in a query, a filter, an order or facets, and not among the fields there are.
func TestFieldOfGroupsIsHidden(t *testing.T) {
	m := family
	m.Children = slices.Clone(family.Children)
	m.Content, m.Metadata = []string{"title", "owners"}, []Field{{"rating", Keyword}, {"owners", Keyword}}
	ix := newIndex(t, m)
	d := kin{actors: [][2]any{{"sales", "secretgroup"}}, acl: []any{"sales", "secretgroup"}}.doc(t, 1, "Academy")
	d.Row.Names, d.Row.Values = append(d.Row.Names, "owners"), append(d.Row.Values, []any{"sales", "secretgroup"})
	d.Row.Values[2] = []any{"sales", "sales secretgroup", "secretgroup"}
	apply(t, ix, []doc.Doc{d})
	for field, own := range map[string]string{"acl": "sales", "actors": "sales secretgroup", "owners": "sales"} {
		visible := &query.Filter{Field: field, Values: []string{own}}
		if res := ask(t, ix, "academy", func(r *query.Request) { r.Visible = visible }); res.Total != 1 {
			t.Errorf("%s: got %d documents, want the one that is visible", field, res.Total)
		}
		for name, req := range map[string]query.Request{
			"word":   {Query: query.Word{Field: field, Text: "secretgroup"}},
			"phrase": {Query: query.Phrase{Field: field, Text: "secretgroup"}},
			"prefix": {Query: query.Prefix{Field: field, Text: "secret"}},
			"range":  {Query: query.Range{Field: field}},
			"inside": {Query: query.Not{Node: query.Or{Nodes: []query.Node{query.All{}, query.Word{Field: field, Text: "x"}}}}},
			"filter": {Filters: []query.Filter{{Field: field, Values: []string{"secretgroup"}}}},
			"sort":   {Sort: []query.Sort{{Field: field}}},
			"facets": {Facets: []query.Facet{{Field: field, Size: 1}}},
		} {
			req.Visible, req.Size = visible, 10
			_, err := ix.Search(context.Background(), req)
			var bad *query.Error
			if !errors.As(err, &bad) || bad.Message != "no field "+field || strings.Contains(bad.Hint, field) {
				t.Errorf("%s by %s: got %v, want no field", field, name, err)
			}
		}
	}
	// What is searched in all fields is not searched in this one.
	for _, text := range []string{"secretgroup", "secret*", `"sales secretgroup"`} {
		req := func(r *query.Request) {
			r.Visible = &query.Filter{Field: "actors", Values: []string{"sales secretgroup"}}
		}
		hide := m.Content[1] // which holds the same words
		if res := ask(t, ix, text+" -"+hide+":secretgroup", req); res.Total != 0 {
			t.Errorf("%s: got %d documents, want none", text, res.Total)
		}
	}
}
