package fulltext

import (
	"sync"

	"github.com/blevesearch/bleve/v2/index/scorch/mergeplan"
)

// An index may have perTier segments of about one size. When it has more, up to perMerge of
// them are merged into one, so that what has come while others were merged is merged at once.
// TestRowsMerged simulates it: a load of 10,000,000 rows merges each row once, and 500 updates
// a second merge 1.7 to 2.1 rows for each. With 10 and 10, as scorch has it, these are 1.9 and
// 2.6 to 3.8. An index of 10,000,000 rows has 45 segments after its load, with those 27.
const (
	perTier  = 24
	perMerge = 64
)

// setMerges sets which segments scorch merges in all indexes of the process.
var setMerges = sync.OnceFunc(func() {
	o := &mergeplan.DefaultMergePlanOptions
	o.MaxSegmentsPerTier, o.SegmentsPerMergeTask = perTier, perMerge
})
