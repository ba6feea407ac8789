package fulltext

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"indexerd/internal/index/fulltext/hits"
	"indexerd/internal/index/query"
)

// All searches of the tests leave out documents, and use idle processors, however few
// documents there are.
func init() {
	searchLimits.Window, searchLimits.Few, searchLimits.Alone, searchLimits.Stretch = 64, 0, 0, 3
}

// searchBounded is Search that scores so many documents together, in several goroutines.
func searchBounded(t *testing.T, ix *Index, req query.Request, window int) query.Result {
	t.Helper()
	l := hits.NewLimits(4)
	l.Window, l.Alone, l.Stretch = window, 0, 3
	res, err := ix.search(t.Context(), req, l)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// Hits, scores, the total and the best score are those of a search that scores all
// matches, on each page.
func TestBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	c := randomCorpus(r, 1500)
	ix := c.index(t, r)
	queries := []string{
		"a b", "a OR f", "a OR b OR c", "f OR e OR d OR c OR b OR a", "a (f OR f*)", "f* OR e* a", "a f~ OR b", "a OR f OR none",
		"title:a OR body:f", "a -f b*", "(a b) OR c", "a OR a OR f", `a OR "b c" OR d`,
	}
	for _, text := range queries {
		for _, req := range []query.Request{
			{Tuned: true}, {}, {Tuned: true, Visible: &query.Visible{Hidden: "grp", Filters: []query.Filter{{Field: "grp", Values: []string{"red"}}}}},
			{Tuned: true, Filters: []query.Filter{{Field: "grp", Values: []string{"blue"}}}},
		} {
			req.Query, req.Size = parse(t, text), 7
			for page := range 6 {
				got, want := searchBounded(t, ix, req, 64), searchBounded(t, ix, req, 0)
				if !reflect.DeepEqual(got, want) {
					t.Fatalf("%s, tuned %v, page %d: got\n%+v, want\n%+v", text, req.Tuned, page, got, want)
				}
				if req.After = want.Next; req.After == "" {
					break
				}
			}
		}
	}
}
