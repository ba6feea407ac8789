package mariatest

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"indexerd/internal/test/pgtest"
)

// OnMySQL runs the tests of the package again, with MySQL as the server. It fails as they
// do, and logs how many passed, failed and were skipped.
func OnMySQL(t *testing.T) {
	t.Helper()
	pgtest.NeedsServers(t)
	if testing.Short() || os.Getenv("SERVER") != "" {
		t.Skip("only without -short and SERVER")
	}
	_, err := unpacked("mysql", "mysqld")
	need(t, err)
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.skip=^"+t.Name()+"$", "-test.count=1", "-test.parallel=6", "-test.timeout=20m")
	cmd.Env = append(os.Environ(), "SERVER=mysql")
	out, err := cmd.CombinedOutput()
	count := func(what string) int { return strings.Count(string(out), "--- "+what) }
	t.Logf("on MySQL: %d passed, %d failed, %d skipped", count("PASS"), count("FAIL"), count("SKIP"))
	for _, line := range regexp.MustCompile(`(?m)^ *--- SKIP: .*`).FindAll(out, -1) {
		t.Logf("%s", line)
	}
	if err != nil {
		t.Errorf("on MySQL: %v\n%s", err, regexp.MustCompile(`(?m)^=== .*\n|^ *--- PASS.*\n`).ReplaceAll(out, nil))
	}
}
