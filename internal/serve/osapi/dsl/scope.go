package dsl

import (
	"slices"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/query"
	"indexerd/internal/serve/osapi/mapping"
)

// A Scope is what a query needs to know of the indices that it searches. It serves one
// search.
type Scope struct {
	mapping.Index          // all fields
	Tables        []string // the names of the indices
	OID           func(table, key string) (doc.OID, error)
	alikes        int // more_like_this queries
}

// Keys returns the query for the documents with these keys. A text that is no key of
// a table is the key of no document there.
func (s *Scope) Keys(texts []string) query.Node {
	var n query.Keys
	for _, table := range s.Tables {
		for _, text := range texts {
			if oid, err := s.OID(table, text); err == nil && !slices.Contains(n.OIDs, oid) {
				n.OIDs = append(n.OIDs, oid)
			}
		}
	}
	return n
}
