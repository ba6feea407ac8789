package fulltext

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/blevesearch/bleve/v2/index/scorch"

	"indexerd/internal/base/doc"
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
func searchBy(t *testing.T, ix *Index, req query.Request, others int) (res query.Result, err error) {
	t.Helper()
	p, c, err := ix.prepare(req)
	if err != nil {
		t.Fatal(err)
	}
	err = ix.read(func(r *scorch.IndexSnapshot) error {
		s, err := ix.newSession(t.Context(), r, rank{BM25: query.DefaultBM25, boost: 1})
		if err != nil {
			return err
		}
		c.order.reader, c.current.keys, s.scored = r, make([]key, len(req.Sort)), c.order.scored()
		if c.after != nil && c.after.stats != nil {
			s.stats = c.after.stats
		}
		if fields := c.fields(); len(fields) > 0 {
			if c.values, err = r.DocValueReader(fields); err != nil {
				return err
			}
		}
		m, openErr := p.open(s)
		var all []*found
		for _, v := range s.views {
			docs, err := m.match(v, v.live)
			f := &found{part: v, docs: docs, count: docs.Count()}
			openErr = errors.Join(openErr, err, f.compute(s, m))
			all, c.total = append(all, f), c.total+uint64(f.count)
			c.best = max(c.best, float64(f.best()))
		}
		c.order.stats = nil
		if s.scored {
			c.order.stats = s.stats
		}
		if err := errors.Join(openErr, c.addBy(s, stretches(all, 3), others)); err != nil {
			return err
		}
		res, err = c.result(s, 0)
		return err
	})
	return res, err
}
