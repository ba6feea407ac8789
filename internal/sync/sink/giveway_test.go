package sink

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/giveway"
	"indexerd/internal/test/fakeworld"
)

// A slowIndex takes a millisecond for each document.
type slowIndex struct{ *fakeworld.Index }

func (x slowIndex) Prepare(d *doc.Doc) ([]doc.Flaw, error) {
	time.Sleep(time.Millisecond)
	return x.Index.Prepare(d)
}

// Put gives way to searches between the documents that it builds.
func TestPutGivesWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		defer giveway.Search().End()
		for range runtime.GOMAXPROCS(0) {
			work := giveway.Background()
			work.Step()
			defer work.End()
		}
		w := newWorld()
		s := New(slowIndex{w.index}, w.pages, w.tree, w.quarantine, w.guard(), w.reserve)
		titles := map[doc.OID]string{}
		for i := range 10 {
			titles[fakeworld.Key(i)] = "a title"
		}
		seq := begin(t, s)
		began := time.Now()
		put(t, s, seq, titles)
		if took, most := time.Since(began), time.Duration(len(titles))*time.Millisecond; took <= most {
			t.Errorf("%d documents of 1ms beside a search: got %v, want more", len(titles), took)
		}
	})
}
