package release

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestUnknownRelease(t *testing.T) {
	dir, err := Programs(t.Context(), "9.4")
	if err == nil || !strings.Contains(err.Error(), "name one of 14.19, 18.6") {
		t.Errorf("got %q, %v, want an error with the known releases", dir, err)
	}
}

func TestVerify(t *testing.T) {
	const sumOfAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	path := filepath.Join(t.TempDir(), "archive.jar")
	for text, ok := range map[string]bool{"abc": true, "abd": false} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		err := verify(path, sumOfAbc)
		if ok && err != nil {
			t.Errorf("%s: got %v, want no error", text, err)
		}
		if !ok && (err == nil || !strings.Contains(err.Error(), "archive.jar has SHA-256 a52d159f")) {
			t.Errorf("%s: got %v, want an error with the file's SHA-256", text, err)
		}
	}
}
