package fulltext

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
)

// Matching finds what the model finds, whatever the index itself has.
func TestMatching(t *testing.T) {
	g := guarded{model: newModel("standard"), groups: map[doc.OID][]string{}, index: newIndex(t, guardedMapping("standard"))}
	oids := []doc.OID{oid(t, int64(1)), oid(t, int64(2)), oid(t, int64(3)), oid(t, int64(4))}
	rapid.Check(t, func(r *rapid.T) {
		var docs []doc.Doc
		for _, oid := range oids {
			g.docs[oid] = drawDoc(r)
			g.groups[oid] = rapid.SliceOfNDistinct(rapid.SampledFrom(modelGroups), 0, 2, rapid.ID[string]).Draw(r, "groups")
			docs = append(docs, g.doc(oid))
		}
		for range 5 {
			groups := rapid.SampledFrom(callers).Draw(r, "caller")
			req := query.Request{
				Query:   drawNode(r, 2, true),
				Filters: []query.Filter{{Field: "tags", Values: rapid.SliceOfN(rapid.SampledFrom(modelTags), 1, 2).Draw(r, "filter")}},
				Visible: &query.Visible{Hidden: "acl", Filters: []query.Filter{{Field: "acl", Values: groups}}},
			}
			got, err := g.index.Matching(t.Context(), docs, req)
			if err != nil {
				r.Fatal(err)
			}
			want := slices.DeleteFunc(g.visibleTo(groups).find(req.Query, nil), func(oid doc.OID) bool { return !overlap(g.docs[oid].tags, req.Filters[0].Values) })
			if !slices.Equal(slices.Sorted(maps.Keys(got)), want) {
				r.Fatalf("%s for %v: got %v, want %v", req.Query, groups, got, want)
			}
		}
	})
}

// A document of another mapping is not found, and others are. One with a value that does
// not fit is found without the value, unless groups are the value.
func TestMatchingOfMisfits(t *testing.T) {
	ix := newIndex(t, schema.Mapping{Content: []string{"title"}, Analyzer: "en", Metadata: []schema.Field{{Name: "year", Type: schema.Number}}})
	good := doc.Doc{Meta: doc.Meta{Stamp: doc.Stamp{OID: oid(t, int64(1))}}, Row: doc.Row{Names: []string{"title", "year"}, Values: []any{"shark", int64(1)}}}
	bad := doc.Doc{Meta: doc.Meta{Stamp: doc.Stamp{OID: oid(t, int64(2))}}, Row: doc.Row{Names: []string{"title", "year"}, Values: []any{"shark", "next"}}}
	short := doc.Doc{Meta: doc.Meta{Stamp: doc.Stamp{OID: oid(t, int64(3))}}, Row: doc.Row{Names: []string{"title"}, Values: []any{"shark"}}}
	word := query.Word{Text: "shark"}
	one := []query.Filter{{Field: "year", Values: []string{"1"}}}
	mixed := doc.Doc{Meta: doc.Meta{Stamp: doc.Stamp{OID: oid(t, int64(4))}}, Row: doc.Row{Names: good.Row.Names, Values: []any{"shark", []any{int64(1), "next"}}}}
	for _, test := range []struct {
		request query.Request
		want    []doc.OID
	}{
		{query.Request{Query: word}, []doc.OID{good.OID, bad.OID, mixed.OID}},
		{query.Request{Query: word, Filters: one}, []doc.OID{good.OID, mixed.OID}},
		{query.Request{Query: word, Visible: &query.Visible{Hidden: one[0].Field, Filters: one[:1]}}, []doc.OID{good.OID}},
	} {
		got, err := ix.Matching(t.Context(), []doc.Doc{good, bad, short, mixed}, test.request)
		if err != nil || !slices.Equal(slices.Sorted(maps.Keys(got)), test.want) {
			t.Errorf("%+v: got %v, %v, want %v", test.request, got, err, test.want)
		}
	}
	if n, err := ix.Count(); err != nil || n != 0 {
		t.Errorf("got %d documents in the index, %v, want none", n, err)
	}
	if _, err := ix.Matching(t.Context(), []doc.Doc{good}, query.Request{Query: query.Word{Field: "tilte", Text: "shark"}}); err == nil {
		t.Error("an unknown field: got no error")
	}
}

func BenchmarkMatching(b *testing.B) {
	m := schema.Mapping{Content: []string{"title"}, Analyzer: "en", Positions: true}
	s, err := schema.New(m)
	if err != nil {
		b.Fatal(err)
	}
	oid, err := doc.NewOID(int64(1))
	if err != nil {
		b.Fatal(err)
	}
	d := doc.Doc{Meta: doc.Meta{Stamp: doc.Stamp{OID: oid}}, Row: doc.Row{Names: []string{"title"}, Values: []any{"a drama of a shark and a mad scientist"}}}
	for b.Loop() {
		found, err := (Requests{s}).Matching(b.Context(), []doc.Doc{d}, query.Request{Query: query.Word{Text: "shark"}})
		if err != nil || len(found) != 1 {
			b.Fatal(found, err)
		}
	}
}
