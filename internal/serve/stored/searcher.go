package stored

import (
	"slices"

	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
	"indexerd/internal/index/search"
)

// newSearcher returns a searcher with the mapping of the index. The caller holds mu.
func (s *Table) newSearcher() *search.Searcher {
	searcher := &search.Searcher{Index: s.Index, Pages: s.Pages, Table: s.Conf.Name, Damaged: s.suspectPage, Content: s.built.Content, Title: s.Conf.Title, ACL: s.Conf.ACL, Types: map[string]string{}, Boosts: map[string]float64{}, BM25: &s.Conf.Content.BM25, Relevance: query.Relevance(s.Conf.Relevance), Fresh: s.Conf.Fresh, Rows: s.Look}
	if s.Conf.RowKey {
		searcher.Rows = nil // reading some rows by key reads the whole table
	}
	for _, m := range s.built.Metadata {
		searcher.Metadata = append(searcher.Metadata, m.Name)
		searcher.Types[m.Name] = string(m.Type)
	}
	for _, c := range s.built.Children {
		searcher.Children = append(searcher.Children, search.Child{Name: c.Name, Columns: c.Columns, Skip: c.Skip, Searched: c.Searched})
		if c.Type != "" {
			searcher.Types[c.Name] = string(c.Type)
		}
	}
	for _, b := range s.Conf.Content.Boosts {
		searcher.Boosts[b.Field] = b.Factor
	}
	if len(s.Conf.SynonymRules) == 0 {
		return searcher
	}
	if synonyms := s.Index.Synonyms(s.Conf.SynonymRules); synonyms != nil {
		searcher.Expand = synonyms.Expand
	}
	return searcher
}

// KnowsGroups reports whether the index in use has the groups of documents, if
// they have any: it may have been built before the table had an acl.
func (s *Table) KnowsGroups() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := s.Conf.ACL
	return name == "" ||
		slices.Contains(s.built.Metadata, schema.Field{Name: name, Type: schema.Keyword}) ||
		slices.ContainsFunc(s.built.Children, func(c schema.Child) bool { return c.Name == name && c.Type == schema.Keyword })
}

// Searcher is the searcher of the index that is in use.
func (s *Table) Searcher() *search.Searcher {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.searcher
}

// Mapping returns what the index in use was built with.
func (s *Table) Mapping() schema.Mapping {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.built
}
