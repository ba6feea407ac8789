package search

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The documents state the limits that the constants have.
func TestDocumentedLimits(t *testing.T) {
	for name, limits := range map[string][]string{
		"search.md": {
			fmt.Sprintf("up to %d fragments of each field", maxFragments),
			fmt.Sprintf("sentences of at most %d characters", fragmentRunes),
			fmt.Sprintf("Only the first %d KiB of a field", highlightBytes>>10),
			fmt.Sprintf("does not answer within %d ms", freshWithin.Milliseconds()),
			fmt.Sprintf("more than %d KiB of text in one page", freshText>>10),
		},
		"api.md": {fmt.Sprintf("newest first, up to %d MiB of text", maxVersions>>20)},
	} {
		text, err := os.ReadFile("../../../docs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range limits {
			if !strings.Contains(strings.Join(strings.Fields(string(text)), " "), want) {
				t.Errorf("docs/%s does not contain %q", name, want)
			}
		}
	}
}
