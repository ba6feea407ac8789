package nofailfile

import (
	"os"
	"os/exec"
	"regexp"
	"testing"

	"pgregory.net/rapid"
)

// child is the environment variable that makes TestFails fail.
const child = "NOFAILFILE_CHILD"

// TestFails is a property that does not hold. It runs only in a child process.
func TestFails(t *testing.T) {
	if os.Getenv(child) == "" {
		t.Skip("fails; runs only in the child process of TestFailureLeavesNoFile")
	}
	rapid.Check(t, func(r *rapid.T) {
		if rapid.IntRange(0, 1000).Draw(r, "n") > 10 {
			r.Fatal("too large")
		}
	})
}

// A property that fails leaves no file and prints a seed that repeats the failure.
// With -rapid.nofailfile=false it leaves a file.
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

// fail runs TestFails in an empty directory. It returns the output and the files
// that are left.
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
