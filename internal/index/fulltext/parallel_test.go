package fulltext

import (
	"fmt"
	"reflect"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext/hits"
	"indexerd/internal/index/query"
)

// Several goroutines sort matches as one does: by values, by the score and a value, and
// behind a place, with the same cursors.
func TestSortingInParallel(t *testing.T) {
	ix := newIndex(t, films)
	var docs []doc.Doc
	for i := range int64(3000) {
		docs = append(docs, film(t, i, 1, map[string]any{"title": "drama " + fmt.Sprint(i%7), "year": (i * 7919) % 100, "rating": []string{"G", "PG"}[i%2]}))
		if i%5 == 0 {
			docs[i].Row.Values[3] = nil // the year
		}
		if len(docs)%1000 == 0 {
			apply(t, ix, docs[i-999:])
		}
	}
	sorts := [][]query.Sort{
		{{Field: "year"}}, {{Field: "rating", Descending: true}, {Field: "year", Descending: true}},
		{{Field: query.ByScore}}, {{Field: "rating"}, {Field: query.ByScore, Descending: true}},
	}
	for _, by := range sorts {
		req := query.Request{Query: parse(t, "drama OR 3"), Sort: by, Size: 40}
		for page := range 3 {
			want, err := ix.Search(t.Context(), req)
			if err != nil || len(want.Hits) != 40 {
				t.Fatalf("%v: got %d hits, %v", by, len(want.Hits), err)
			}
			got, err := searchBy(t, ix, req, 3)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("%v, page %d: got\n%+v, %v, want\n%+v", by, page, got.Hits[:2], err, want.Hits[:2])
			}
			req.After = want.Next
		}
	}
}

// searchBy is Search with so many other goroutines that sort a few documents at a time.
func searchBy(t *testing.T, ix *Index, req query.Request, others int) (query.Result, error) {
	t.Helper()
	return ix.search(t.Context(), req, hits.Limits{Bytes: query.MaxValueBytes, Stretch: 3, Processors: hits.NewProcessors(others + 1)})
}
