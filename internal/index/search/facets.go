package search

import (
	"slices"

	"indexerd/internal/index/query"
)

// A sharedFacet counts the values of a field in several tables.
type sharedFacet struct {
	query.Facet
	counts map[string]int
}

// addFacets adds the counts of one table.
func (m *merge) addFacets(counted map[string][]query.Count) error {
	for _, f := range m.facets {
		for _, c := range counted[f.Field] {
			if _, known := f.counts[c.Value]; !known {
				m.bytes += len(c.Value) + countOverhead
			}
			f.counts[c.Value] += c.Count
		}
		if m.bytes > query.MaxValueBytes {
			return badQuery("narrow the search, or count a field with fewer values", "facet %s: the matches have too many different values to count", f.Field)
		}
	}
	return nil
}

// countOverhead is the memory of a value besides its bytes: an entry of a map.
const countOverhead = 64

// topFacets returns the most frequent values of each field.
func (m *merge) topFacets() map[string][]query.Count {
	top := map[string][]query.Count{}
	for _, f := range m.facets {
		all := make([]query.Count, 0, len(f.counts))
		for value, n := range f.counts {
			all = append(all, query.Count{Value: value, Count: n})
		}
		slices.SortFunc(all, query.Count.Compare)
		top[f.Field] = all[:min(f.Size, len(all))]
	}
	return top
}
