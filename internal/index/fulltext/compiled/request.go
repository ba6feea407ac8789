// Package compiled has the types of a checked request in the terms of an index, for an
// engine that stores documents elsewhere. Fields are named as in a schema.Document.
package compiled

import (
	"slices"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
)

// A Request is a request, checked, in the terms of an index.
type Request struct {
	Query  Clause
	Sorts  []Sort // at least one
	Facets []Facet
	Behind *Place // nil: from the beginning
	Aggs   []Agg
	Post   Clause // nil: none

	Collapse *Field // nil: every match may be a hit
}

// A Sort is an order of hits. Field is "" for the score. First, Missing and Pick
// are as in query.Sort; Missing is a term.
type Sort struct {
	Field      string
	Descending bool
	Type       schema.Type
	First      bool
	Missing    string
	Pick       query.Pick
}

// A Facet is a request for the most frequent values of a field.
type Facet struct {
	query.Facet
	Field string
}

// A Place is a place in the order of hits: for each sort the score or a term,
// nil for no value. Without an OID it is behind all hits with these.
type Place struct {
	Score float64
	Terms []*string
	OID   doc.OID
}

// An Agg is a checked aggregation, in the terms of an index.
type Agg struct {
	query.Agg
	Fields  []Field            // that it reads
	Missing *query.BucketValue // the value of documents without one; nil: none
	Include []query.BucketValue
	Exclude []query.BucketValue // values of a TermsAgg, if the sets have no pattern
	Filters []Clause            // of a FiltersAgg
	Sorts   []Sort              // of a TopAgg
	Subs    []Agg
}

// A Field is a field that an aggregation reads: of values, if it has keywords, and
// else of numbers. Without a name it is a field that no document has.
type Field struct {
	Name string
	Type schema.Type
}

// FieldOf returns a field for other engines.
func FieldOf(f schema.Field) Field { return Field{f.Exported(), f.Type} }

// Keys returns the values by which a hit is sorted from their terms, nil for none. The
// result is nil if hits are sorted by score only.
func (c Request) Keys(terms []*string) []query.Key {
	if !slices.ContainsFunc(c.Sorts, func(s Sort) bool { return s.Field != "" }) {
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
