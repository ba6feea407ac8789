package fulltext

import (
	"errors"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/query"
)

// The text of a term is read as the same term.
func TestTextOfTerm(t *testing.T) {
	for _, c := range []struct {
		kind  Type
		value any
		want  string
	}{
		{Number, 2006.0, "2006"},
		{Number, -0.1, "-0.1"},
		{Number, 1e300, "1e+300"},
		{Date, "2006-02-15T04:46:27.12", "2006-02-15T04:46:27.12Z"},
		{Date, "1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z"},
		{Boolean, true, "true"},
		{Keyword, "PG-13", "PG-13"},
	} {
		f := Field{"f", c.kind}
		term, ok := f.term(c.value)
		got := c.kind.Text([]byte(term))
		if again, err := f.value(got); !ok || got != c.want || err != nil || again.min != term {
			t.Errorf("%s %v: got %s (%v), want %s", c.kind, c.value, got, err, c.want)
		}
	}
}

// Without a key, a place is behind all hits with its values.
func TestBehindValues(t *testing.T) {
	ix := newIndex(t, Mapping{Content: []string{"title"}, Analyzer: "standard", Metadata: []Field{{"year", Number}}})
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
