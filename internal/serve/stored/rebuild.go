package stored

import (
	"fmt"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/reindex"
	"indexerd/internal/serve/database"
)

// NewReindex returns a reindex of the table, from pages or from rows.
func (s *Table) NewReindex() reindex.Reindex {
	p := &adoption{place: s.place}
	return reindex.Reindex{
		Table: s.Conf.Name, Place: p, Live: s.writes, Old: s.Current(), Pages: recordedPages{s.Pages, s.Recorder}, Trace: s.Trace,
		Adopt: func() error {
			s.Quarantine.DoubtAll() // another mapping may lack other values
			return s.adopt(p.made)
		},
		Partial: func(docs []doc.Partial) error { return s.Quarantine.Note(docs, nil, time.Now()) },
	}
}

// An adoption is a place that remembers the new index.
type adoption struct {
	place
	made Index
}

// Create implements reindex.Place.
func (a *adoption) Create(generation doc.Generation) (reindex.New, error) {
	made, err := a.place.Create(generation)
	if err != nil {
		return nil, err
	}
	var ok bool
	if a.made, ok = made.(Index); !ok {
		return nil, fmt.Errorf("a %T is no index", made)
	}
	return made, nil
}

// adopt makes searches use a new index, and closes the old one once the searches
// in it have ended.
func (s *Table) adopt(ix Index) error {
	s.mu.Lock()
	old := s.Index
	s.opened = opened{ix, database.Mapping(s.Conf), true}
	s.searcher = s.newSearcher()
	s.mu.Unlock()
	s.Stored.Forget()
	return old.Close()
}

// IsOutdated reports whether the index was built with what is configured but an earlier
// analysis: see analysis.Spec. It is rebuilt from the pages at a start.
func (s *Table) IsOutdated() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Index == nil || s.mapped {
		return false
	}
	configured, built := database.Mapping(s.Conf), s.built
	if built.AnalysisVersion >= configured.AnalysisVersion {
		return false
	}
	built.AnalysisVersion, built.Unmeasured = configured.AnalysisVersion, false
	return built.Fingerprint() == configured.Fingerprint()
}

// RoomForIndex reports an error if there is no room for a second index as large as the
// first.
func (s *Table) RoomForIndex() error {
	size, err := s.Current().Bytes()
	if err != nil {
		return err
	}
	return s.place.room(size)
}

// MadeBy returns the new index of a reindex that newReindex has returned, once it is made.
func MadeBy(r reindex.Reindex) Index { return r.Place.(*adoption).made }
