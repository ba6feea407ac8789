// Mutants breaks the rules of CORRECTNESS.md, one at a time, and reports whether
// a test fails. Each mutant is an edit of one function of production code, which
// is compiled with go test -overlay. No file in the tree changes.
//
//	go run ./internal/test/simtest/mutants            all mutants, about 3 minutes
//	go run ./internal/test/simtest/mutants R3 R17     the mutants of some rules
//
// A mutant is killed if the simulation fails within 60 seeds, or one of the tests
// that it names. A mutant that does not compile, does not end within 3 minutes, or
// whose pattern is not in its function exactly once, is reported as BROKEN. The
// last line is the verdict, and the exit code is 1 unless all are killed.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"time"
)

const (
	seeds   = "60" // that the simulation may run
	timeout = 3 * time.Minute
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// run tests the mutants of some rules, or all.
func run(rules []string) error {
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	n, killed := 0, 0
	for _, m := range mutants {
		if len(rules) > 0 && !slices.Contains(rules, m.rule) {
			continue
		}
		n++
		result, ok, err := m.test(dir)
		if err != nil {
			result = "BROKEN: " + err.Error()
		}
		if ok {
			killed++
		}
		fmt.Printf("%-5s %-55s %s\n", m.rule, m.name, result)
	}
	if n == 0 || killed < n {
		fmt.Printf("mutants: n=%d killed=%d FAILED\n", n, killed)
		return errors.New("some mutants survived or are broken")
	}
	fmt.Printf("mutants: n=%d killed=%d ok\n", n, killed)
	return nil
}

// test runs the tests that have to kill the mutant. It returns what happened.
func (m mutant) test(dir string) (result string, killed bool, err error) {
	overlay, err := m.overlay(dir)
	if err != nil {
		return "", false, err
	}
	args, by := []string{"./internal/test/simtest", "-run", "^TestSeeds$"}, "the simulation"
	if m.tests != "" {
		by = "./" + m.testsIn()
		args = []string{by, "-short", "-run", "^(" + m.tests + ")$"}
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-count=1", "-failfast", "-overlay=" + overlay}, args...)...)
	cmd.Env = append(os.Environ(), "SIM_N="+seeds, "SIM_FROM=", "SIM_SEED=")
	out, err := cmd.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return "", false, fmt.Errorf("%s did not end within %v", by, timeout)
	case err == nil:
		return "SURVIVED " + by, false, nil
	case !failure.Match(out):
		return "", false, fmt.Errorf("%.300s", out)
	}
	return fmt.Sprintf("killed by %s: %s", by, failed(out)), true, nil
}

// failed returns the seed that failed, or else the first test that did.
func failed(out []byte) string {
	if seed := failingSeed.Find(out); seed != nil {
		return string(seed)
	}
	return string(failure.FindSubmatch(out)[1])
}

var (
	failure     = regexp.MustCompile(`--- FAIL: (\S+)`)
	failingSeed = regexp.MustCompile(`seed \d+`)
)

// overlay writes the mutant's file, and the overlay file that go test reads.
func (m mutant) overlay(dir string) (string, error) {
	f, err := m.apply(".")
	if err != nil {
		return "", err
	}
	edited, overlay := filepath.Join(dir, "mutant.go"), filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(edited, f.text, 0o600); err != nil {
		return "", err
	}
	original, err := filepath.Abs(f.file)
	if err != nil {
		return "", err
	}
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {original: edited}})
	if err != nil {
		return "", err
	}
	return overlay, os.WriteFile(overlay, replace, 0o600)
}

// apply returns the mutant's function after the edit.
func (m mutant) apply(root string) (*function, error) {
	f, err := findFunction(root, m.pkg, m.function)
	if err != nil {
		return nil, err
	}
	return f, m.edit(f)
}
