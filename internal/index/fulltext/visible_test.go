package fulltext

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
)

// guardedMapping is the mapping of the model with a child of groups.
func guardedMapping(analyzer string) schema.Mapping {
	m := modelMapping(analyzer)
	m.Children = append(m.Children, schema.Child{Name: "acl", Skip: []string{"id"}, Type: schema.Keyword})
	return m
}

var modelGroups = []string{"sales", "staff", "boss", "sales-emea"}

// callers are the groups of callers: none, one, several and unknown ones.
var callers = [][]string{{}, {"sales"}, {"staff", "boss"}, {"sales-emea"}, {"sal", "STAFF", "*"}, modelGroups, modelGroups, {"sales"}}

// forced are the tags of which the documents of the last callers have one.
var forced = map[int][]string{6: modelTags[:1], 7: modelTags[1:3]}

// visibility returns what decides which documents a caller may see.
func visibility(who int) *query.Visible {
	v := &query.Visible{Hidden: "acl", Filters: []query.Filter{{Field: "acl", Values: callers[who]}}}
	if tags := forced[who]; tags != nil {
		v.Filters = append(v.Filters, query.Filter{Field: "tags", Values: tags})
	}
	return v
}

// A guarded is a model with the groups of each document.
type guarded struct {
	*model
	groups map[doc.OID][]string
	index  *Index
	twins  []*Index // for each caller, an index of the visible documents only
}

// seenBy returns the model of the documents that a caller may see.
func (g guarded) seenBy(who int) *model {
	m := g.visibleTo(callers[who])
	maps.DeleteFunc(m.docs, func(_ doc.OID, d modelDoc) bool { return forced[who] != nil && !overlap(d.tags, forced[who]) })
	return m
}

// visibleTo returns the model of the documents of some groups.
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

// newGuarded fills an index in several batches, which replace and delete documents,
// and one index for each caller.
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
		for oid := range g.seenBy(i).docs {
			puts = append(puts, g.doc(oid))
		}
		apply(t, twin, puts)
		g.twins = append(g.twins, twin)
	}
	return g
}

// The hits and facets of a caller are those of the model, and the whole answer,
// scores included, is that of an index without the hidden documents. The test
// makes 3,000 searches, and `make visible` 10,000.
func TestVisible(t *testing.T) {
	t.Parallel()
	for _, analyzer := range []string{"standard", "cjk", "ngram"} {
		t.Run(analyzer, func(t *testing.T) {
			t.Parallel()
			g := newGuarded(t, analyzer)
			rapid.Check(t, func(t *rapid.T) {
				for range 10 {
					g.check(t)
				}
			})
		})
	}
}

// check makes one search.
func (g guarded) check(t *rapid.T) {
	who := rapid.IntRange(0, len(callers)-1).Draw(t, "caller")
	req := query.Request{
		Query: drawNode(t, 2, g.model.cut), Size: query.MaxSize, Facets: []query.Facet{{Field: "tags", Size: 10}},
		Visible: visibility(who), Lucene: rapid.Bool().Draw(t, "lucene"),
	}
	if rapid.Bool().Draw(t, "filtered") {
		req.Filters = []query.Filter{{Field: "tags", Values: rapid.SliceOfN(rapid.SampledFrom(modelTags), 1, 2).Draw(t, "filter")}}
	}
	if field := rapid.SampledFrom([]string{"", "year", "tags", query.ByScore}).Draw(t, "sort"); field != "" {
		req.Sort = []query.Sort{{Field: field, Descending: rapid.Bool().Draw(t, "descending")}}
	}
	req.Aggs = drawVisibleAggs(t, g.model.cut)
	seen := g.seenBy(who)
	if rapid.IntRange(0, 3).Draw(t, "by key") == 0 {
		var keys query.Keys
		for _, n := range rapid.SliceOfN(rapid.Int64Range(0, guardedDocs), 0, 20).Draw(t, "keys") {
			id, _ := doc.NewOID(n)
			keys.OIDs = append(keys.OIDs, id)
		}
		req.Query = query.And{Nodes: []query.Node{req.Query, keys}}
		maps.DeleteFunc(seen.docs, func(oid doc.OID, _ modelDoc) bool { return !slices.Contains(keys.OIDs, oid) })
	}
	res := mustSearch(t, g.index, req)

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
		t.Fatalf("caller %v, query %v: got %v (total %d), want %v", callers[who], req.Query, got, res.Total, want)
	}
	if counts := seen.count(want); !reflect.DeepEqual(res.Facets["tags"], counts) {
		t.Fatalf("caller %v, query %v: got facets %v, want %v", callers[who], req.Query, res.Facets, counts)
	}
	req.Size = rapid.SampledFrom([]int{query.MaxSize, 20, 3}).Draw(t, "size")
	for range 3 {
		got, want := mustSearch(t, g.index, req), mustSearch(t, g.twins[who], req)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("caller %v, query %v sorted by %v: got %+v, want %+v", callers[who], req.Query, req.Sort, got, want)
		}
		if req.After, req.Behind = got.Next, nil; got.Next == "" {
			break
		}
		if rapid.Bool().Draw(t, "by values") {
			after := mustSearch(t, g.index, req)
			req.After, req.Behind = "", placeOf(req.Sort, got.Hits[len(got.Hits)-1])
			if behind := mustSearch(t, g.index, req); !reflect.DeepEqual(behind, after) {
				t.Fatalf("behind %+v: got %+v, want %+v", req.Behind, behind, after)
			}
		}
	}
}

// drawVisibleAggs draws aggregations whose answer would change with a hidden document.
func drawVisibleAggs(t *rapid.T, slop bool) []query.Agg {
	year := query.Agg{Of: query.StatsAgg{Field: "year"}}
	top := query.Agg{Of: query.TopAgg{Size: 2}}
	return rapid.SampledFrom([][]query.Agg{
		nil,
		{{Of: query.TermsAgg{Field: "tags", Size: 2, MinCount: 1}, Subs: []query.Agg{year, top}}, year},
		{{Of: query.FiltersAgg{Queries: []query.Node{drawNode(t, 1, slop)}, Others: true}, Subs: []query.Agg{{Of: query.DistinctAgg{Field: "tags"}}, top}}},
		{{Of: query.HistogramAgg{Field: "year", Interval: 2}, Subs: []query.Agg{year}}, {Of: query.CompositeAgg{Sources: []query.Source{{Field: "tags", Missing: true}, {Field: "year"}}, Size: 4}}},
	}).Draw(t, "aggs")
}

// placeOf returns the place of a hit.
func placeOf(sorts []query.Sort, h query.Hit) *query.Place {
	if len(sorts) == 0 || sorts[0].Field == query.ByScore {
		return &query.Place{Values: []query.Key{{Text: strconv.FormatFloat(h.Score, 'g', -1, 64)}}, OID: h.OID}
	}
	return &query.Place{Values: h.Keys, OID: h.OID}
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

// For a caller with restricted access, the field of the groups does not exist: not
// in queries, filters, sorts, facets, or the list of fields in an error.
func TestFieldOfGroupsIsHidden(t *testing.T) {
	m := family
	m.Children = slices.Clone(family.Children)
	m.Content, m.Metadata = []string{"title", "owners"}, []schema.Field{{Name: "rating", Type: schema.Keyword}, {Name: "owners", Type: schema.Keyword}}
	ix := newIndex(t, m)
	d := kin{actors: [][2]any{{"sales", "secretgroup"}}, acl: []any{"sales", "secretgroup"}}.doc(t, 1, "Academy")
	d.Row.Names, d.Row.Values = append(d.Row.Names, "owners"), append(d.Row.Values, []any{"sales", "secretgroup"})
	d.Row.Values[2] = []any{"sales", "sales secretgroup", "secretgroup"}
	apply(t, ix, []doc.Doc{d})
	for field, own := range map[string]string{"acl": "sales", "actors": "sales secretgroup", "owners": "sales"} {
		visible := &query.Visible{Hidden: field, Filters: []query.Filter{{Field: field, Values: []string{own}}}}
		if res := ask(t, ix, "academy", func(r *query.Request) { r.Visible = visible }); res.Total != 1 {
			t.Errorf("%s: got %d documents, want the visible one", field, res.Total)
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
			"aggs":   {Aggs: []query.Agg{{Of: query.TermsAgg{Field: field, Size: 1, MinCount: 1}}}},
			"counts": {Aggs: []query.Agg{{Of: query.TermsAgg{Field: "rating", Size: 1, MinCount: 1}, Subs: []query.Agg{{Of: query.DistinctAgg{Field: field}}}}}},
			"sorted": {Aggs: []query.Agg{{Of: query.TopAgg{Size: 1, Sort: []query.Sort{{Field: field}}}}}},
			"keys":   {Aggs: []query.Agg{{Of: query.CompositeAgg{Size: 1, Sources: []query.Source{{Field: field}}}}}},
			"picked": {Aggs: []query.Agg{{Of: query.FiltersAgg{Queries: []query.Node{query.Word{Field: field, Text: "secretgroup"}}}}}},
			"heads":  {Collapse: field},
			"share":  {Aggs: []query.Agg{{Of: query.PercentilesAgg{Field: field, Percents: []float64{50}}}}},
			"post":   {Post: query.Word{Field: field, Text: "secretgroup"}},
		} {
			req.Visible, req.Size = visible, 10
			_, err := ix.Search(context.Background(), req)
			var bad *query.Error
			if !errors.As(err, &bad) || bad.Message != "no field "+field || strings.Contains(bad.Hint, field) {
				t.Errorf("%s by %s: got %v, want no field", field, name, err)
			}
		}
	}
	// A query without a field does not search the field.
	for _, text := range []string{"secretgroup", "secret*", `"sales secretgroup"`} {
		req := func(r *query.Request) {
			r.Visible = &query.Visible{Hidden: "actors", Filters: []query.Filter{{Field: "actors", Values: []string{"sales secretgroup"}}}}
		}
		other := m.Content[1] // has the same words
		if res := ask(t, ix, text+" -"+other+":secretgroup", req); res.Total != 0 {
			t.Errorf("%s: got %d documents, want none", text, res.Total)
		}
	}
}

// A word that only hidden documents have in a field is not in the numbers of a cursor.
func TestCursorShowsNoHiddenWord(t *testing.T) {
	row := func(n int64, title, body, group string) doc.Doc {
		acl := doc.Child{Name: "acl", Rows: []doc.Row{{Names: []string{"id", "grp"}, Values: []any{int64(1), group}}}}
		return doc.Doc{Meta: doc.Meta{Stamp: doc.Stamp{OID: oid(t, n)}, V: doc.Version(n)}, Row: doc.Row{Names: []string{"title", "body"}, Values: []any{title, body}, Children: []doc.Child{acl}}}
	}
	m := schema.Mapping{Content: []string{"title", "body"}, Analyzer: "standard", Positions: true, Children: []schema.Child{{Name: "acl", Skip: []string{"id"}, Type: schema.Keyword}}}
	own := []doc.Doc{row(1, "tea", "milk", "sales"), row(2, "tea", "sugar", "sales")}
	var cursors []string
	for _, docs := range [][]doc.Doc{own, append(own, row(3, "milk", "tea", "boss"))} {
		ix := newIndex(t, m)
		apply(t, ix, docs)
		res, err := ix.Search(t.Context(), query.Request{Query: query.Word{Text: "tea"}, Size: 1, Visible: &query.Visible{Hidden: "acl", Filters: []query.Filter{{Field: "acl", Values: []string{"sales"}}}}})
		if err != nil {
			t.Fatal(err)
		}
		cursors = append(cursors, res.Next)
	}
	if cursors[0] != cursors[1] || cursors[0] == "" {
		t.Errorf("got the cursors %q, want the same with the hidden document and without", cursors)
	}
}
