package fulltext

import (
	"slices"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/query"
)

// A Compiled is a request, checked, in the terms of an index.
type Compiled struct {
	Query  Clause
	Sorts  []CompiledSort // at least one
	Facets []CompiledFacet
	Behind *CompiledPlace // nil: from the beginning
	Aggs   []CompiledAgg
	Post   Clause // nil: none

	Collapse *CompiledField // nil: every match may be a hit
}

// A CompiledSort is an order of hits. Field is "" for the score. First, Missing and Pick
// are as in query.Sort; Missing is a term.
type CompiledSort struct {
	Field      string
	Descending bool
	Type       Type
	First      bool
	Missing    string
	Pick       query.Pick
}

// A CompiledFacet is a request for the most frequent values of a field.
type CompiledFacet struct {
	query.Facet
	Field string
}

// A CompiledPlace is a place in the order of hits: for each sort the score or a term,
// nil for no value. Without an OID it is behind all hits with these.
type CompiledPlace struct {
	Score float64
	Terms []*string
	OID   doc.OID
}

// compileHits checks a request, and returns it for an engine that stores documents
// elsewhere. A fault of the request is a *query.Error. From, Size and After of the
// request are checked only: cursors are the engine's own.
func compileHits(s *Schema, req query.Request) (Compiled, error) {
	if err := checkLimits(req); err != nil {
		return Compiled{}, err
	}
	req.Tuned, req.After = false, ""
	p, visible, err := compileRequest(s, req)
	if err != nil {
		return Compiled{}, err
	}
	c, err := newCollector(visible, req, limits{})
	if err != nil {
		return Compiled{}, err
	}
	compiled := Compiled{Sorts: c.order.compiled(), Collapse: c.collapse.compiled()}
	if compiled.Query, err = clauseOf(p); err != nil {
		return Compiled{}, err
	}
	for _, f := range req.Facets {
		compiled.Facets = append(compiled.Facets, CompiledFacet{f, valuesField(f.Field)})
	}
	if c.aggs != nil {
		if compiled.Aggs, err = compiledAggs(c.aggs.planned); err != nil {
			return Compiled{}, err
		}
	}
	if c.post != nil {
		if compiled.Post, err = clauseOf(c.post); err != nil {
			return Compiled{}, err
		}
	}
	if c.after != nil {
		compiled.Behind = c.after.compiled(*req.Behind)
	}
	return compiled, nil
}

func (o *order) compiled() (sorts []CompiledSort) {
	for i, by := range o.sorts {
		sort := CompiledSort{Descending: by.Descending, Type: Type(o.types[i]), First: by.First, Missing: string(o.absent[i].term), Pick: by.Pick}
		if o.fields[i] != "" {
			sort.Field = exported(o.fields[i])
		}
		sorts = append(sorts, sort)
	}
	return sorts
}

func (c *candidate) compiled(p query.Place) *CompiledPlace {
	place := &CompiledPlace{Score: c.score, Terms: make([]*string, len(c.keys)), OID: p.OID}
	for i, k := range c.keys {
		if term := string(k.term); k.present {
			place.Terms[i] = &term
		}
	}
	return place
}

// Keys returns the values by which a hit is sorted from their terms, nil for none. The
// result is nil if hits are sorted by score only.
func (c Compiled) Keys(terms []*string) []query.Key {
	if !slices.ContainsFunc(c.Sorts, func(s CompiledSort) bool { return s.Field != "" }) {
		return nil
	}
	keys := make([]query.Key, len(c.Sorts))
	for i, s := range c.Sorts {
		if s.Field != "" && terms[i] != nil {
			term := []byte(*terms[i])
			keys[i] = query.Key{Type: string(s.Type), Term: term, Text: s.Type.Text(term)}
		}
	}
	return keys
}
