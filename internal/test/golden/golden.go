// Package golden compares what a test generates with a file of the tree. With the flag
// -update the test writes the file.
package golden

import (
	"flag"
	"os"
	"strings"
	"testing"
)

// Update is the flag -update of the test.
var Update = flag.Bool("update", false, "write the files that tests generate, instead of comparing them")

// Check compares a text with a file.
func Check(t testing.TB, file, got string) {
	t.Helper()
	if *Update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want := read(t, file); got != want {
		t.Errorf("%s: got\n%swant\n%sif this is right: run the test with -update", file, got, want)
	}
}

// CheckAfter compares a text with what a file has after a line, which it keeps.
func CheckAfter(t testing.TB, file, line, got string) {
	t.Helper()
	introduction, _, found := strings.Cut(read(t, file), line)
	if !found {
		t.Fatalf("%s: missing line %q", file, line)
	}
	Check(t, file, introduction+line+got)
}

func read(t testing.TB, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
