package search

import (
	"context"
	"fmt"
	"slices"

	"indexerd/internal/index/query"
)

// A fitted is the search in one of several tables, with those parts of the request
// that the table can answer. A word, phrase or range that it can't answer matches
// nothing there, and so does the table if it can't answer a filter. A sort, a facet
// and a field to return are left out.
type fitted struct {
	*tableSearch
	names   []string // of the fields that the caller may see
	sorts   []int    // for each sort of the request, its place in Params.Sort
	nothing bool     // the table has no hits
	best    float32  // score of the table's best hit
}

// fitAll fits a request to each table. A part that no table can answer is an
// *Error.
func fitAll(ctx context.Context, parts []Part, p Params, n query.Node) ([]*fitted, error) {
	f := fitting{fits: map[string]bool{}, faults: map[string]error{}}
	tables := make([]*fitted, len(parts))
	for i, part := range parts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p.Caller = part.Caller
		tables[i] = f.fit(part.prepare(p, n), p)
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	for _, t := range tables {
		if err := t.expand(p); err != nil {
			return nil, asBadQuery(err)
		}
	}
	return tables, nil
}

// A fitting is what the tables report about the parts of a request. The key of a
// part is its text.
type fitting struct {
	names  []string // fields of all tables
	parts  []requestPart
	fits   map[string]bool  // some table can answer the part
	faults map[string]error // why a table can't, at best one that has the part's field
}

type requestPart struct{ key, field string }

func (f *fitting) fit(t *tableSearch, p Params) *fitted {
	a := &fitted{tableSearch: t, names: t.Searcher.fields()}
	for _, name := range a.names {
		if !slices.Contains(f.names, name) {
			f.names = append(f.names, name)
		}
	}
	f.fitQuery(a, p.Filters)
	f.fitSorts(a, p.Sort)
	f.fitFacets(a, p.Facets)
	f.fitAggs(a, p.Aggs)
	f.fitFields(a, p.Fields)
	return a
}

func (f *fitting) fitQuery(a *fitted, filters []query.Filter) {
	a.request.Query = query.Map(a.request.Query, f.fitNode(a))
	if a.request.Post != nil {
		a.request.Post = query.Map(a.request.Post, f.fitNode(a))
	}
	for _, filter := range filters {
		if !f.check(a, filter, filter.Field, query.Request{Filters: []query.Filter{filter}}) {
			a.nothing = true
		}
	}
}

// fitNode returns a function that replaces a part of a query that the table can't answer.
func (f *fitting) fitNode(a *fitted) func(query.Node) query.Node {
	return func(n query.Node) query.Node {
		if f.check(a, n, query.FieldOf(n), query.Request{Query: n}) {
			return n
		}
		return query.None()
	}
}

// fitAggs replaces fields that the table does not have by one without values.
func (f *fitting) fitAggs(a *fitted, aggs []query.Agg) {
	a.request.Mergeable = true // the buckets of a table need not be those of all
	a.request.Aggs = query.MapAggs(aggs, func(field string) string {
		count := query.CountAgg{Field: field}
		if f.check(a, count, field, query.Request{Aggs: []query.Agg{{Of: count}}}) {
			return field
		}
		return ""
	}, f.fitNode(a))
}

func (f *fitting) fitSorts(a *fitted, sorts []query.Sort) {
	a.request.Sort = nil
	for i, by := range sorts {
		if f.check(a, by, by.Field, query.Request{Sort: []query.Sort{by}}) {
			a.request.Sort, a.sorts = append(a.request.Sort, by), append(a.sorts, i)
		}
	}
}

func (f *fitting) fitFacets(a *fitted, facets []query.Facet) {
	a.request.Facets = nil
	for _, facet := range facets {
		if f.check(a, facet, facet.Field, query.Request{Facets: []query.Facet{facet}}) {
			facet.All = true // the most frequent values of a table need not be those of all
			a.request.Facets = append(a.request.Facets, facet)
		}
	}
}

func (f *fitting) fitFields(a *fitted, names []string) {
	if len(names) == 0 {
		a.fields = a.names
	}
	for _, name := range names {
		var err error
		if !slices.Contains(a.names, name) {
			err = query.NoField(name, a.names)
		}
		if f.note(a, requestPart{"field " + name, name}, err) {
			a.fields = append(a.fields, name)
		}
	}
}

// check reports whether a table can answer a request for one part.
func (f *fitting) check(a *fitted, value any, field string, r query.Request) bool {
	r.Visible = a.request.Visible
	return f.note(a, requestPart{fmt.Sprintf("%T %v", value, value), field}, a.Index.Check(r))
}

// note notes whether a table can answer a part; err is why it can't.
func (f *fitting) note(a *fitted, p requestPart, err error) bool {
	fits, noted := f.fits[p.key]
	if !noted {
		f.parts = append(f.parts, p)
	}
	f.fits[p.key] = fits || err == nil
	if err != nil && (f.faults[p.key] == nil || slices.Contains(a.names, p.field)) {
		f.faults[p.key] = err
	}
	return err == nil
}

// err returns the fault of the first part that no table can answer.
func (f *fitting) err() error {
	for _, p := range f.parts {
		switch {
		case f.fits[p.key]:
		case p.field != "" && !slices.Contains(f.names, p.field):
			return asBadQuery(query.NoField(p.field, f.names))
		default:
			return asBadQuery(f.faults[p.key])
		}
	}
	return nil
}
