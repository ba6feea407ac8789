package httpapi

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"indexerd/internal/index/query"
)

// The documents state the limits that the constants have.
func TestDocumentedLimits(t *testing.T) {
	seconds := func(d time.Duration) int { return int(d / time.Second) }
	for name, limits := range map[string][]string{
		"search.md": {
			fmt.Sprintf("| %d KiB, or 413 `too_large`; in the OpenSearch API %d MiB |", maxBody>>10, maxLarge>>20),
			fmt.Sprintf("| %d seconds, or 504 `deadline` |", seconds(SearchWithin)),
			fmt.Sprintf("| %d for each core; further ones wait half a second,", searchesPerCore),
		},
		"api.md": {
			fmt.Sprintf("at most %d, and the number of hits to skip; together at most 10,000", query.MaxSize),
			fmt.Sprintf("The hits of an answer are at most %d MiB of JSON.", maxHits>>20),
			fmt.Sprintf("sorts that need more than %d MiB for different values", query.MaxValueBytes>>20),
			fmt.Sprintf("An answer must be read within %d s.", seconds(readWithin)),
			fmt.Sprintf("it is not read for %d ms", stalledAfter/time.Millisecond),
			fmt.Sprintf("fails after its first %d KiB", maxBuffered>>10),
		},
		"operations.md": {
			fmt.Sprintf("| %d for each core, and %d that take over %d ms;", searchesPerCore, searchesPerCore, longAfter/time.Millisecond),
			fmt.Sprintf("must be read within %d s; if a search's answer is not read for %d ms", seconds(readWithin), stalledAfter/time.Millisecond),
			fmt.Sprintf("closed if nothing of it is read for %d s", seconds(progressWithin)),
			fmt.Sprintf("%d KiB of the answer, and at most %d MiB of values", maxBuffered>>10, query.MaxValueBytes>>20),
		},
		"install.md": {fmt.Sprintf("for one address and %d for all.", maxDelayed)},
	} {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range limits {
			if !strings.Contains(strings.Join(strings.Fields(string(text)), " "), want) {
				t.Errorf("docs/%s does not contain %q", name, want)
			}
		}
	}
	if waitForSlot != time.Second/2 || query.MaxWindow != 10_000 {
		t.Errorf("got %v and %d, want half a second and 10,000, as documented", waitForSlot, query.MaxWindow)
	}
}
