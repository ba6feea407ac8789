package cluster_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"indexerd/internal/test/pgtest"
	"indexerd/internal/test/pgtest/cluster"
)

func TestStopLeavesNothing(t *testing.T) {
	if os.Getenv("INDEXERD_TEST_PG") == "" {
		t.Skip("no PostgreSQL to test with: go run ./internal/test/pgtest/withpg go test ./...")
	}
	dir := t.TempDir()
	// The account postgres must be able to pass through the directories above.
	for d := dir; d != os.TempDir() && d != "/"; d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("TMPDIR", dir)
	c, err := cluster.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := pgtest.Value[string](t, c.DSN(), "SHOW max_prepared_transactions"), "20"; got != want {
		t.Errorf("got max_prepared_transactions %s, want %s", got, want)
	}
	if err := c.Stop(); err != nil {
		t.Errorf("got %v, want no error", err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 0 {
		t.Errorf("got %v, %v left behind, want nothing", left, err)
	}
}

func TestMissingTool(t *testing.T) {
	path, err := cluster.Tool("initdb-of-no-release")
	if err == nil || !strings.Contains(err.Error(), "apt-get install postgresql") {
		t.Errorf("got %q, %v, want an error with the command that installs it", path, err)
	}
}
