package inspect

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// reference is the file that users read. From the mark on TestReference writes
// it: go test ./internal/inspect -run TestReference -update
const (
	reference     = "../../docs/check.md"
	referenceMark = "<!-- From here on `go test ./internal/inspect -run TestReference -update` writes this file. -->\n"
)

func TestReference(t *testing.T) {
	text, err := os.ReadFile(reference)
	if err != nil {
		t.Fatal(err)
	}
	introduction, _, found := strings.Cut(string(text), referenceMark)
	if !found {
		t.Fatalf("%s has not the line %q", reference, referenceMark)
	}
	var b strings.Builder
	b.WriteString(introduction + referenceMark + "\n| code | level | meaning | remedy |\n|---|---|---|---|\n")
	for _, k := range kinds {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", k.name, k.level, k.means, k.remedy)
	}
	if *update {
		if err := os.WriteFile(reference, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if b.String() != string(text) {
		t.Errorf("%s is not what the codes say: go test ./internal/inspect -run TestReference -update", reference)
	}
}

// Every code has its words, and a test that provokes it.
func TestCodes(t *testing.T) {
	files, err := filepath.Glob("../../cmd/indexerd/check*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var tests strings.Builder
	for _, file := range append(files, "check_test.go") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		tests.Write(text)
	}
	names := map[string]bool{}
	for _, k := range kinds {
		if k.name == "" || names[k.name] || k.means == "" || k.level == "" || k.level != Info && k.remedy == "" {
			t.Errorf("got %+v, want a name of its own, a level, a meaning, and a remedy unless it is a note", k)
		}
		names[k.name] = true
		if !strings.Contains(tests.String(), `"`+k.name+`"`) {
			t.Errorf("no test of check provokes %s", k.name)
		}
	}
}
