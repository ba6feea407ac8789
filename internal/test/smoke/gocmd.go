package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// The go command of the recipes is this program, so that twenty targets do not link the
// same test binary: the tests of cmd/indexerd are run by one that is built before. All
// tests print which of them were skipped.
const (
	realGo   = "SMOKE_GO"        // the go command
	testsOf  = "./cmd/indexerd"  // the package
	testsIn  = "SMOKE_TESTS"     // its test binary
	binaryIn = "INDEXERD_BINARY" // that of the daemon, for these tests
	trimpath = "-trimpath"       // as CGO_ENABLED=0, it would compile all packages again
)

// asGo replaces this process by the go command, or by the test binary. It returns only on
// an error.
func asGo(args []string) error {
	if len(args) > 1 && args[0] == "test" && args[len(args)-1] == testsOf {
		if err := os.Chdir(testsOf); err != nil {
			return err
		}
		return syscall.Exec(os.Getenv(testsIn), append([]string{"indexerd.test", "-test.v"}, testFlags(args[1:len(args)-1])...), os.Environ())
	}
	if len(args) > 0 && args[0] == "test" {
		args = slices.Insert(slices.Clone(args), 1, "-v")
	}
	if len(args) > 0 && args[0] == "build" {
		if err := os.Unsetenv("CGO_ENABLED"); err != nil {
			return err
		}
		args = slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == trimpath })
	}
	return syscall.Exec(os.Getenv(realGo), append([]string{"go"}, args...), os.Environ())
}

// testFlags returns the flags of go test as those of a test binary.
func testFlags(args []string) []string {
	var flags []string
	for _, a := range args {
		if strings.HasPrefix(a, "-") && a != "-" {
			a = "-test." + a[1:]
		}
		flags = append(flags, a)
	}
	return flags
}

// builds builds what the targets share into a directory, and returns the environment and
// the variables of make that have them use it.
func builds(dir string) (env, vars []string, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	goCommand, err := exec.LookPath("go")
	if err != nil {
		return nil, nil, err
	}
	root, err := os.Getwd()
	if err != nil {
		return nil, nil, err
	}
	wrapper, tests := filepath.Join(dir, "go"), filepath.Join(dir, "indexerd.test")
	if err := os.Symlink(self, wrapper); err != nil {
		return nil, nil, err
	}
	env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "MAKE") || strings.HasPrefix(v, "MFLAGS=") }) // of make smoke
	env = append(env, realGo+"="+goCommand, testsIn+"="+tests, binaryIn+"="+filepath.Join(root, "indexerd"))
	for _, command := range [][]string{
		{"make", "-s", "build", "GO=" + wrapper},
		{goCommand, "test", "-c", "-o", tests, testsOf},
	} {
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Env = env
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, nil, fmt.Errorf("%s: %w: %s", strings.Join(command, " "), err, out)
		}
	}
	return env, []string{"GO=" + wrapper}, nil
}
