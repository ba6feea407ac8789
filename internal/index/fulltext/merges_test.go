package fulltext

import (
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

// The first updates after a load have its segments left alone, though some of their documents
// are deleted: only the segments of the updates are merged.
func TestUpdatesMergeSmallSegments(t *testing.T) {
	newIndex(t, films) // sets the score
	o := mergeplan.DefaultMergePlanOptions
	o.MaxSegmentsPerTier, o.SegmentsPerMergeTask = perTier, perTier
	var segments []mergeplan.Segment
	for i := range uint64(10) {
		segments = append(segments, planned{i, 10_000, 9_200})
	}
	for i := range uint64(11) {
		segments = append(segments, planned{100 + i, 500, 495})
	}
	plan, err := mergeplan.Plan(segments, &o)
	if err != nil || plan == nil || len(plan.Tasks) == 0 {
		t.Fatalf("got %v, %v, want a merge", plan, err)
	}
	for _, task := range plan.Tasks {
		for _, s := range task.Segments {
			if s.FullSize() > 500 {
				t.Errorf("a segment of %d documents is merged with those of updates", s.FullSize())
			}
		}
	}
	o.ScoreSegments = nil
	if plan, _ = mergeplan.Plan(segments, &o); plan.Tasks[0].Segments[0].FullSize() == 500 {
		t.Error("scorch's own score does so too: the other one is not needed")
	}
}
