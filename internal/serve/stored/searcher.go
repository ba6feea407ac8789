package daemon

import (
	"indexerd/internal/index/fulltext"
	"indexerd/internal/index/query"
	"indexerd/internal/index/search"
	"slices"
)

// newSearcher returns a searcher with the mapping of the index. The caller holds mu.
func (s *storage) newSearcher() *search.Searcher {
	searcher := &search.Searcher{Index: s.index, Pages: s.pages, Table: s.conf.Name, Content: s.built.Content, ACL: s.conf.ACL, Boosts: map[string]float64{}, BM25: &s.conf.Content.BM25, Relevance: query.Relevance(s.conf.Relevance), Fresh: s.conf.Fresh, Rows: s.look}
	if s.conf.RowKey {
		searcher.Rows = nil // reading some rows by key reads the whole table
	}
	for _, m := range s.built.Metadata {
		searcher.Metadata = append(searcher.Metadata, m.Name)
	}
	for _, c := range s.built.Children {
		searcher.Children = append(searcher.Children, search.Child{Name: c.Name, Columns: c.Columns, Skip: c.Skip, Searched: c.Searched})
	}
	for _, b := range s.conf.Content.Boosts {
		searcher.Boosts[b.Field] = b.Factor
	}
	if len(s.conf.SynonymRules) == 0 {
		return searcher
	}
	if synonyms := s.index.Synonyms(s.conf.SynonymRules); synonyms != nil {
		searcher.Expand = synonyms.Expand
	}
	return searcher
}

// knowsGroups reports whether the index in use has the groups of documents, if
// they have any: it may have been built before the table had an acl.
func (s *storage) knowsGroups() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := s.conf.ACL
	return name == "" ||
		slices.Contains(s.built.Metadata, fulltext.Field{Name: name, Type: fulltext.Keyword}) ||
		slices.ContainsFunc(s.built.Children, func(c fulltext.Child) bool { return c.Name == name && c.Type == fulltext.Keyword })
}

// search is the searcher of the index that is in use.
func (s *storage) search() *search.Searcher {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.searcher
}

// mapping returns what the index in use was built with.
func (s *storage) mapping() fulltext.Mapping {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.built
}
