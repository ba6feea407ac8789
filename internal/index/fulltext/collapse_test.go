package fulltext

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/query"
)

// The hits of a collapsed search are the first of each value among the hits of the
// same search, in their order, and its total is that of all.
func TestCollapse(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		ix := newIndex(t, films)
		values := map[string]map[string]any{}
		for i := range rapid.IntRange(0, 30).Draw(r, "documents") {
			key := fmt.Sprintf("k%02d", i)
			values[key] = map[string]any{"title": strings.Repeat("drama ", 1+rapid.IntRange(0, 3).Draw(r, "words"))}
			if rating := rapid.SampledFrom([]string{"", "PG", "G", "R", "NC"}).Draw(r, "rating"); rating != "" {
				values[key]["rating"] = rating
			}
			if year := rapid.Int64Range(2000, 2005).Draw(r, "year"); year > 2000 {
				values[key]["year"] = year
			}
			apply(t, ix, []doc.Doc{film(t, key, doc.Version(i+1), values[key])})
		}
		field := rapid.SampledFrom([]string{"rating", "year"}).Draw(r, "field")
		sorts := rapid.SampledFrom([][]query.Sort{nil, {{Field: "year"}}, {{Field: "rating", Descending: true}, {Field: query.ByScore}}, {{Field: query.ByScore}}}).Draw(r, "sort")
		req := query.Request{Query: query.Word{Text: "drama"}, Sort: sorts, Size: query.MaxSize}
		all := mustSearch(r, ix, req)
		var want []string
		seen := map[any]bool{}
		for _, h := range keys(all) {
			if value := values[h][field]; !seen[value] {
				seen[value], want = true, append(want, h)
			}
		}
		req.Collapse, req.Size = field, rapid.IntRange(0, 6).Draw(r, "size")
		req.From = rapid.IntRange(0, 3).Draw(r, "from")
		got := mustSearch(r, ix, req)
		end := min(len(want), req.From+req.Size)
		if want = want[min(req.From, end):end]; !slices.Equal(keys(got), want) || got.Total != all.Total {
			r.Fatalf("%+v: got %v of %d, want %v of %d", req, keys(got), got.Total, want, all.Total)
		}
	})
}

// The hits after others are those of further values.
func TestCollapsePages(t *testing.T) {
	ix := newIndex(t, films)
	for i, rating := range []string{"G", "PG", "G", "R", "PG"} {
		apply(t, ix, []doc.Doc{film(t, fmt.Sprint("k", i), doc.Version(i+1), map[string]any{"title": "drama", "rating": rating})})
	}
	req := query.Request{Collapse: "rating", Sort: []query.Sort{{Field: "rating", Descending: true}}, Size: 1}
	var got []string
	for range 4 {
		res, err := ix.Search(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, keys(res)...); len(res.Hits) == 0 {
			break
		}
		req.Behind = &query.Place{Values: res.Hits[0].Keys}
	}
	if want := []string{"k3", "k1", "k0"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestCollapseRefuses(t *testing.T) {
	ix := newIndex(t, films)
	apply(t, ix, []doc.Doc{film(t, "a", 1, map[string]any{"title": "drama", "rating": []any{"PG", "G"}})})
	for want, req := range map[string]query.Request{
		"no field nope":                {Collapse: "nope"},
		"it is a date":                 {Collapse: "updated"},
		"with relevance tuned":         {Collapse: "rating", Tuned: true},
		"several values in a document": {Collapse: "rating", Size: 1},
		"and sorted by something else": {Collapse: "rating", Behind: &query.Place{Values: []query.Key{{Type: "number", Text: "1"}}}, Sort: []query.Sort{{Field: "year"}}},
	} {
		if _, err := ix.Search(t.Context(), req); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: got error %v, want %s", req, err, want)
		}
	}
}
