package fulltext

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2/index/scorch"

	"indexerd/internal/doc"
)

// What panics inside the index is a failure of the index, of which everybody is
// told, and not the end of the process.
func TestAPanicIsAFailure(t *testing.T) {
	ix, err := Create(filepath.Join(t.TempDir(), "index"), Mapping{Content: []string{"title"}, Analyzer: "standard"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	var segments map[string]int
	err = ix.read(func(*scorch.IndexSnapshot) error {
		segments["closed"]++ // what a segment that was closed does
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "nil map") || ix.Err() == nil {
		t.Errorf("got %v and %v, want the failure", err, ix.Err())
	}
	if err := ix.Apply(nil, []doc.OID{"k"}); err == nil {
		t.Error("an index that failed takes writes")
	}
}
