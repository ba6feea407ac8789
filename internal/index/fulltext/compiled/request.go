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

// A CompiledAgg is a checked aggregation, in the terms of an index.
type CompiledAgg struct {
	query.Agg
	Fields  []CompiledField    // that it reads
	Missing *query.BucketValue // the value of documents without one; nil: none
	Include []query.BucketValue
	Exclude []query.BucketValue // values of a TermsAgg, if the sets have no pattern
	Filters []Clause            // of a FiltersAgg
	Sorts   []CompiledSort      // of a TopAgg
	Subs    []CompiledAgg
}

// A CompiledField is a field that an aggregation reads: of values, if it has keywords, and
// else of numbers. Without a name it is a field that no document has.
type CompiledField struct {
	Name string
	Type Type
}

// fieldOf returns a field for other engines.
func fieldOf(f Field) CompiledField { return CompiledField{f.Exported(), f.Type} }

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
