package daemon

import (
	"fmt"
	"indexerd/internal/base/doc"
	"indexerd/internal/index/reindex"
	"indexerd/internal/serve/database"
)

// newReindex returns a reindex of the table, from pages or from rows.
func (s *storage) newReindex() reindex.Reindex {
	p := &adoption{place: s.place}
	return reindex.Reindex{
		Table: s.conf.Name, Place: p, Live: s.writes, Old: s.current(), Pages: recordedPages{s.pages, s.recorder}, Trace: s.trace,
		Adopt: func() error { return s.adopt(p.made) },
	}
}

// An adoption is a place that remembers the new index.
type adoption struct {
	place
	made index
}

// Create implements reindex.Place.
func (a *adoption) Create(generation doc.Generation) (reindex.New, error) {
	made, err := a.place.Create(generation)
	if err != nil {
		return nil, err
	}
	var ok bool
	if a.made, ok = made.(index); !ok {
		return nil, fmt.Errorf("a %T is no index", made)
	}
	return made, nil
}

// adopt makes searches use a new index, and closes the old one once the searches
// in it have ended.
func (s *storage) adopt(ix index) error {
	s.mu.Lock()
	old := s.index
	s.opened = opened{ix, database.Mapping(s.conf), true}
	s.searcher = s.newSearcher()
	s.mu.Unlock()
	s.stored.Forget()
	return old.Close()
}

// roomForIndex reports an error if there is no room for a second index as large as the
// first.
func (s *storage) roomForIndex() error {
	size, err := s.current().Bytes()
	if err != nil {
		return err
	}
	return s.place.room(size)
}

// madeBy returns the new index of a reindex that newReindex has returned, once it is made.
func madeBy(r reindex.Reindex) index { return r.Place.(*adoption).made }
