package fulltext

import (
	"errors"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
)

// Without a key, a place is behind all hits with its values.
func TestBehindValues(t *testing.T) {
	ix := newIndex(t, schema.Mapping{Content: []string{"title"}, Analyzer: "standard", Metadata: []schema.Field{{Name: "year", Type: schema.Number}}})
	var puts []doc.Doc
	for i, year := range []any{int64(2005), int64(2006), int64(2006), int64(2007), nil} {
		puts = append(puts, doc.Doc{Meta: doc.Meta{Stamp: doc.Stamp{OID: oid(t, int64(i))}, V: 1}, Row: doc.Row{Names: []string{"title", "year"}, Values: []any{"x", year}}})
	}
	apply(t, ix, puts)
	for _, c := range []struct {
		year query.Key
		hits int
	}{{query.Key{Type: "number", Text: "2006"}, 2}, {query.Key{Type: "number", Text: "2005.5"}, 4}, {query.Key{}, 0}} {
		res, err := ix.Search(t.Context(), query.Request{Size: 10, Sort: []query.Sort{{Field: "year"}}, Behind: &query.Place{Values: []query.Key{c.year}}})
		if err != nil || len(res.Hits) != c.hits {
			t.Errorf("behind %q: got %d hits (%v), want %d", c.year.Text, len(res.Hits), err, c.hits)
		}
	}
	for _, p := range []query.Place{{}, {Values: []query.Key{{Type: "number", Text: "soon"}}}} {
		if _, err := ix.Search(t.Context(), query.Request{Size: 10, Sort: []query.Sort{{Field: "year"}}, Behind: &p}); !errors.As(err, new(*query.Error)) {
			t.Errorf("behind %v: got %v, want a fault of the request", p, err)
		}
	}
}
