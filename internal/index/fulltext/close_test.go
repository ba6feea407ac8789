package fulltext

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext/schema"
)

// A panic inside the index becomes an error of the call, of Err and of all later
// writes. The process goes on.
func TestAPanicIsAFailure(t *testing.T) {
	ix, err := Create(filepath.Join(t.TempDir(), "index"), schema.Mapping{Content: []string{"title"}, Analyzer: "standard"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	var segments map[string]int
	err = ix.read(func(*scorch.IndexSnapshot) error {
		segments["closed"]++ // panics, as a closed segment does
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "nil map") || ix.Err() == nil {
		t.Errorf("got %v and %v, want the failure", err, ix.Err())
	}
	if err := ix.Apply(nil, doc.Removals(1<<62, "k")); err == nil {
		t.Error("apply after a panic: got no error")
	}
}

// Close of an index that failed and does not close reports ErrStuck.
func TestStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := stuck{released: make(chan struct{})}
		analysts.take()
		ix := &Index{store: s, persist: newPersistState(), filters: filters.OfIndex()}
		ix.persist.fail(errors.New("input/output error"))
		if err := ix.Close(); !errors.Is(err, ErrStuck) {
			t.Errorf("got %v, want ErrStuck", err)
		}
		close(s.released)
	})
}

// A stuck store waits for a lock that is never released.
type stuck struct {
	index.Index
	released chan struct{}
}

func (s stuck) Close() error {
	<-s.released
	return nil
}
