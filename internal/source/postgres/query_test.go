package postgres

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every name of a stored statement is in queries.sql, every statement there is
// used, and no name in braces is left in one.
func TestStoredQueries(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	name := regexp.MustCompile(`(?:stored|repeated|\.query)\("(\w+)"\)|queries\["(\w+)"\]|\{(\w+)\}`)
	used := map[string]bool{}
	for _, file := range append(files, "queries.sql") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range name.FindAllStringSubmatch(string(text), -1) {
			if m[3] == "" {
				used[m[1]+m[2]] = true
			} else if file == "queries.sql" {
				used[m[3]] = true
			}
		}
	}
	for name := range used {
		if queries[name] == "" {
			t.Errorf("queries.sql has no statement %s", name)
		}
	}
	for name, sql := range queries {
		if !used[name] || sql == "" || strings.ContainsAny(sql, "{}") {
			t.Errorf("statement %s: got used %t and %q, want it used, and no braces left", name, used[name], sql)
		}
	}
}
