package archtest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every command in docs/bugs.md names a test that exists: go test -run passes if
// no test matches.
func TestCommandsOfBugsNameTests(t *testing.T) {
	root := moduleRoot(t)
	text, err := os.ReadFile(filepath.Join(root, "docs", "bugs.md"))
	if err != nil {
		t.Fatal(err)
	}
	commands := regexp.MustCompile("`[^`]*go test (\\./\\S+) -run '\\^\\(?([^`']*?)\\)?\\$'[^`]*`").FindAllStringSubmatch(string(text), -1)
	for _, c := range commands {
		for name := range strings.SplitSeq(strings.ReplaceAll(c[2], `\`, ""), "|") {
			if !hasTest(t, filepath.Join(root, c[1]), name) {
				t.Errorf("docs/bugs.md: %s has no test %s", c[1], name)
			}
		}
	}
	rows := strings.Count(string(text), "\n| ") - strings.Count(string(text), "| test |\n")
	if others := strings.Count(string(text), "| `go run ./internal/test/simtest/mutants` |"); len(commands) < rows-others || rows < 20 {
		t.Errorf("docs/bugs.md has %d commands for %d rows, want one per row", len(commands)+others, rows)
	}
}

func hasTest(t *testing.T, dir, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "func "+name+"(t *testing.T)") {
			return true
		}
	}
	return false
}
