package osapi

import (
	"slices"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/query"
)

// A scope is what a query needs to know of the indices that it searches. It serves one
// search.
type scope struct {
	Index           // all fields
	tables []string // the names of the indices
	oid    func(table, key string) (doc.OID, error)
	alikes int // more_like_this queries
}

// keys returns the query for the documents with these keys. A text that is no key of
// a table is the key of no document there.
func (s *scope) keys(texts []string) query.Node {
	var n query.Keys
	for _, table := range s.tables {
		for _, text := range texts {
			if oid, err := s.oid(table, text); err == nil && !slices.Contains(n.OIDs, oid) {
				n.OIDs = append(n.OIDs, oid)
			}
		}
	}
	return n
}
