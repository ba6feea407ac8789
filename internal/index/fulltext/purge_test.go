package fulltext

import (
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/blevesearch/bleve/v2/index/scorch"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/sampletext"
)

// Files that merges made superfluous go, while batches come.
func TestOldFilesAreRemoved(t *testing.T) {
	ix := newIndex(t, textMapping)
	docs := textDocs(t, sampletext.English(60))
	files := func() int {
		t.Helper()
		names, err := filepath.Glob(filepath.Join(ix.dir, "*.zap"))
		if err != nil {
			t.Fatal(err)
		}
		return len(names)
	}
	const most = 30 // fewer than batches
	for began, i := time.Now(), 0; i < len(docs) || files() > most; i++ {
		if time.Since(began) > time.Minute {
			t.Fatalf("after %d batches: got %d files of segments, want at most %d", i, files(), most)
		}
		if err := ix.Apply([]doc.Doc{docs[i%len(docs)]}, nil); err != nil {
			t.Fatalf("batch %d: %v", i, err)
		}
	}
}

// The checks that follow a merge remove files at once.
func TestPurger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p purger
		got := ""
		check := func() { got += fmt.Sprint(p.event(scorch.Event{Kind: scorch.EventKindPurgerCheck}))[:1] }
		check()
		check()
		time.Sleep(purgeEvery)
		check()
		check()
		if !p.event(scorch.Event{Kind: scorch.EventKindMergeTaskIntroduction}) || !p.event(scorch.Event{Kind: scorch.EventKindPreMergeCheck}) {
			t.Error("merges are stopped")
		}
		for range purgeAfterMerge + 1 {
			check()
		}
		if want := "tftftttf"; got != want {
			t.Errorf("got checks %s, want %s", got, want)
		}
	})
}
