package fulltext

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/blevesearch/bleve/v2/index/scorch"

	"indexerd/internal/index/query"
)

// All searches of the tests leave out documents, however few there are.
func init() { boundedLeast = 0 }

// searchBounded is Search that scores all matches of parts with fewer.
func searchBounded(t *testing.T, ix *Index, req query.Request, least int) (res query.Result) {
	t.Helper()
	p, c, err := ix.prepare(req)
	if err != nil {
		t.Fatal(err)
	}
	c.boundedLeast = least
	err = ix.read(func(r *scorch.IndexSnapshot) error {
		s, err := ix.newSession(t.Context(), r, rank{BM25: query.DefaultBM25, boost: 1})
		if err != nil {
			return err
		}
		if err := c.run(s, p); err != nil {
			return err
		}
		res, err = c.result(s, 0)
		return err
	})
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
			{Tuned: true}, {}, {Tuned: true, Visible: &query.Filter{Field: "grp", Values: []string{"red"}}},
			{Tuned: true, Filters: []query.Filter{{Field: "grp", Values: []string{"blue"}}}},
		} {
			req.Query, req.Size = parse(t, text), 7
			for page := range 6 {
				got, want := searchBounded(t, ix, req, 0), searchBounded(t, ix, req, math.MaxInt)
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

// Most documents need no score: those that have one word of two, and those to which the
// endings of a prefix add little.
func TestBoundsLeaveOut(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	c := randomCorpus(r, 3000)
	for k, row := range c {
		if k%10 == 0 {
			row.body += " rare"
		}
		if k%70 == 0 {
			row.body += " seldom"
		}
		c[k] = row
	}
	ix := newIndex(t, corpusMapping)
	var keys []int64
	for k := range c {
		keys = append(keys, k)
	}
	apply(t, ix, c.docs(t, keys...))
	for text, most := range map[string]int{"rare OR seldom": 100, "rare a*": 150} {
		req := query.Request{Query: parse(t, text), Size: 5, Tuned: true}
		p, collect, err := ix.prepare(req)
		if err != nil {
			t.Fatal(err)
		}
		err = ix.read(func(r *scorch.IndexSnapshot) error {
			s, err := ix.newSession(t.Context(), r, rank{BM25: query.DefaultBM25, boost: 1})
			if err != nil {
				return err
			}
			m, err := p.open(s)
			if err != nil {
				return err
			}
			words := collect.boundable(s, m)
			all, err := collect.match(s, m)
			if err != nil {
				return err
			}
			if err := collect.compute(s, m, words, all); err != nil {
				return err
			}
			left := 0
			for _, f := range all {
				left += f.count
			}
			if left < 6 || left > most {
				t.Errorf("%s: %d documents are left, want at most %d", text, left, most)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}
