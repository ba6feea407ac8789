package fulltext

import (
	"math"
	"slices"
	"testing"

	"github.com/blevesearch/bleve/v2/index/scorch/mergeplan"
)

// A planned is a segment of a merge plan.
type planned struct {
	id         uint64
	full, live int64
}

func (p planned) Id() uint64          { return p.id }
func (p planned) FullSize() int64     { return p.full }
func (p planned) LiveSize() int64     { return p.live }
func (p planned) HasVector() bool     { return false }
func (p planned) FileSize() int64     { return p.full }
func (p planned) LiveFileSize() int64 { return p.live }

// A simulated index has segments with live documents, and counts those that were merged.
type simulated struct {
	segments []mergeplan.Segment
	last     uint64 // id of a segment
	merged   int64
}

func (s *simulated) add(docs int64) {
	s.last++
	s.segments = append(s.segments, planned{s.last, docs, docs})
}

// tasks returns what scorch would merge now.
func (s *simulated) tasks(t *testing.T) []*mergeplan.MergeTask {
	t.Helper()
	plan, err := mergeplan.Plan(s.segments, &mergeplan.DefaultMergePlanOptions)
	switch {
	case err != nil:
		t.Fatal(err)
	case plan == nil:
		return nil
	}
	return plan.Tasks
}

// merge merges segments into one, and returns how many documents that has.
func (s *simulated) merge(task *mergeplan.MergeTask) int64 {
	docs := int64(0)
	for _, m := range task.Segments {
		docs += m.LiveSize()
		s.segments = slices.DeleteFunc(s.segments, func(o mergeplan.Segment) bool { return o.Id() == m.Id() })
	}
	s.add(docs)
	s.merged += docs
	return docs
}

// update writes documents again that are spread over all segments.
func (s *simulated) update(docs int64) {
	all := 0.0
	for _, m := range s.segments {
		all += float64(m.LiveSize())
	}
	for i, m := range s.segments {
		deleted := math.Round(float64(m.LiveSize()) * float64(docs) / all)
		s.segments[i] = planned{m.Id(), m.FullSize(), m.LiveSize() - int64(deleted)}
	}
	s.add(docs)
}

// mergedMeanwhile is how many documents are merged while one is loaded.
const mergedMeanwhile = 4

// load adds segments of a batch each. One merge runs at a time, and more segments come
// meanwhile.
func (s *simulated) load(t *testing.T, docs, batch int64) {
	t.Helper()
	for ends := docs; docs > 0; docs -= batch {
		s.add(batch)
		if docs > ends {
			continue
		}
		ends = docs
		if tasks := s.tasks(t); len(tasks) > 0 {
			ends -= s.merge(tasks[0]) / mergedMeanwhile
		}
	}
}

// A load merges a row about once, and an update two rows, whatever the index has; it has few
// segments all the while.
func TestRowsMerged(t *testing.T) {
	newIndex(t, films) // sets what is merged
	for _, rows := range []int64{100_000, 1_000_000, 3_000_000, 10_000_000} {
		var s simulated
		s.load(t, rows, 10_000)
		if each := float64(s.merged) / float64(rows); each > 1.05 {
			t.Errorf("a load of %d rows merges each %.2f times, want at most once", rows, each)
		}
		const seconds, rate = 1800, 500
		s.merged = 0
		most := 0
		for range seconds {
			s.update(rate)
			for _, task := range s.tasks(t) {
				s.merge(task)
			}
			most = max(most, len(s.segments))
		}
		if each := float64(s.merged) / (seconds * rate); each > 2.5 {
			t.Errorf("an update of an index of %d rows merges %.2f, want at most 2.5", rows, each)
		}
		if most > 80 {
			t.Errorf("an index of %d rows has %d segments, want at most 80", rows, most)
		}
	}
}
