package fulltext

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/giveway"
	"indexerd/internal/index/fulltext/schema"
)

// A slowText takes a millisecond to become a text.
type slowText struct{}

func (slowText) String() string {
	time.Sleep(time.Millisecond)
	return "a text"
}

// A batch gives way to searches between the documents that it builds.
func TestBatchGivesWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		defer giveway.Search().End()
		for range runtime.GOMAXPROCS(0) {
			work := giveway.Background()
			work.Step()
			defer work.End()
		}
		docs := make([]doc.Doc, 10)
		for i := range docs {
			docs[i].Row = doc.Row{Names: []string{"body"}, Values: []any{slowText{}}}
		}
		began := time.Now()
		if _, err := new(part).fill(&schema.Schema{Mapping: schema.Mapping{Content: []string{"body"}}}, docs, 1, partCost); err != nil {
			t.Fatal(err)
		}
		if took, most := time.Since(began), time.Duration(len(docs))*time.Millisecond; took <= most {
			t.Errorf("%d documents of 1ms beside a search: got %v, want more", len(docs), took)
		}
	})
}
