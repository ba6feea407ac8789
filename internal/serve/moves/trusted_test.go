package moves

import (
	"os"
	"path/filepath"
	"testing"
)

// A caller can't have the daemon read a file that others can write.
func TestMoveReadsTrustedFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(file, []byte("data: /tmp\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := checkTrusted(file); err != nil {
		t.Errorf("got error %v of a private file", err)
	}
	if err := os.Chmod(file, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := checkTrusted(file); err == nil {
		t.Error("got no error of a file that others can write")
	}
}
