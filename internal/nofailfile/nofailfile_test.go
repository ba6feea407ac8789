package nofailfile

import (
	"os"
	"os/exec"
	"regexp"
	"testing"

	"pgregory.net/rapid"
)

// child makes TestFails fail. It is set in the process that the tests start.
const child = "NOFAILFILE_CHILD"

// TestFails is a property that does not hold, in a child process.
func TestFails(t *testing.T) {
	if os.Getenv(child) == "" {
		t.Skip("fails in the process that TestFailureLeavesNoFile starts")
	}
	rapid.Check(t, func(r *rapid.T) {
		if rapid.IntRange(0, 1000).Draw(r, "n") > 10 {
			r.Fatal("too large")
		}
	})
}

// A property that fails leaves no file, and prints a seed by which it fails
// again. With -rapid.nofailfile=false it leaves the file.
func TestFailureLeavesNoFile(t *testing.T) {
	out, left := fail(t)
	seed := regexp.MustCompile(`-rapid\.seed=\d+`).FindString(out)
	if len(left) != 0 || seed == "" {
		t.Errorf("got %d files and seed %q, want no file and a seed; the test printed\n%s", len(left), seed, out)
	}
	if again, _ := fail(t, seed); !regexp.MustCompile(`failed after \d+ tests: too large`).MatchString(again) {
		t.Errorf("with %s the test printed\n%s", seed, again)
	}
	if _, left := fail(t, "-rapid.nofailfile=false"); len(left) != 1 {
		t.Errorf("with -rapid.nofailfile=false: got %d entries, want testdata", len(left))
	}
}

// fail runs TestFails in an empty directory. It returns what the test printed,
// and what is left in the directory.
func fail(t *testing.T, flags ...string) (string, []os.DirEntry) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	test := exec.Command(program, append([]string{"-test.run=^TestFails$"}, flags...)...)
	test.Dir = t.TempDir()
	test.Env = append(os.Environ(), child+"=1")
	out, err := test.CombinedOutput()
	if err == nil {
		t.Fatalf("TestFails passed:\n%s", out)
	}
	left, err := os.ReadDir(test.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return string(out), left
}
