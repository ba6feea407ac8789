package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// configFile returns the path of a configuration that is shipped.
func configFile(name string) string { return filepath.Join("..", "..", "configs", name) }

func readFile(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// writeFile writes a configuration into a directory of the test's own.
func writeFile(t testing.TB, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "c.yaml")
	replace(t, file, text)
	return file
}

// replace overwrites a file.
func replace(t testing.TB, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// rewrite changes a file.
func rewrite(t testing.TB, file string, oldNew ...string) {
	t.Helper()
	text := readFile(t, file)
	changed := strings.NewReplacer(oldNew...).Replace(text)
	if changed == text {
		t.Fatalf("nothing of %q is in %s", oldNew, text)
	}
	replace(t, file, changed)
}
