package nodetest

import (
	"os"
	"testing"
)

// make servers runs this test, which fetches the jars of a release. Without
// OPENSEARCH nothing is fetched.
func TestInstall(t *testing.T) {
	release := os.Getenv("OPENSEARCH")
	if release == "" {
		t.Skip("OPENSEARCH names no release")
	}
	if _, err := fetched(release); err != nil {
		t.Fatal(err)
	}
}
