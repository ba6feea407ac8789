// Mutants breaks the rules of CORRECTNESS.md, one at a time, and reports whether
// a test fails. Each mutant is an edit of one function of production code, which
// is compiled with go test -overlay. No file in the tree changes.
//
//	make mutants                  all mutants, about 10 minutes of CPU, with the servers of their tests
//	make mutants RULES="R3 R17"   the mutants of some rules
//
// A mutant is killed if the simulation fails within 60 seeds, or one of the tests
// that it names. As many are tested at a time as there are processors. A mutant that does not compile, does not end within 3 minutes, or
// whose pattern is not in its function exactly once, is reported as BROKEN. One
// whose tests were skipped, since a server is missing, is NOT RUN. The last line
// is the verdict. Exit code: 0 all are killed, 1 some survived or are broken, 2 all
// that ran are killed, and some did not run.
//
// To add a mutant, add an entry to table.go, with one of the edits of edit.go. go test
// checks in seconds that each compiles, and that its tests exist.
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
	"runtime"
	"slices"
	"strconv"
	"time"
)

const (
	seeds    = "60" // that the simulation may run
	timeout  = 3 * time.Minute
	building = 12 * time.Minute // at most, on a busy machine, in addition
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		if errors.Is(err, errNotRun) {
			os.Exit(2)
		}
		os.Exit(1)
	}
}

// errNotRun: the tests of a mutant were skipped.
var errNotRun = errors.New("some mutants did not run: make mutants starts the servers of their tests")

// run tests the mutants of some rules, or all, and prints the results in their order.
func run(rules []string) error {
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var results []<-chan result
	free := make(chan struct{}, runtime.NumCPU())
	for i, m := range mutants {
		if len(rules) > 0 && !slices.Contains(rules, m.rule) {
			continue
		}
		done := make(chan result, 1)
		results = append(results, done)
		go func() {
			free <- struct{}{}
			defer func() { <-free }()
			done <- m.result(filepath.Join(dir, strconv.Itoa(i)))
		}()
	}
	n, killed, notRun := len(results), 0, 0
	for _, done := range results {
		r := <-done
		switch {
		case errors.Is(r.err, errNotRun):
			notRun++
			r.text = "NOT RUN: " + r.text
		case r.err != nil:
			r.text = "BROKEN: " + r.err.Error()
		case r.killed:
			killed++
		}
		fmt.Printf("%-5s %-55s %s\n", r.rule, r.name, r.text)
	}
	switch {
	case n == 0 || killed+notRun < n:
		fmt.Printf("mutants: n=%d killed=%d not_run=%d FAILED\n", n, killed, notRun)
		return errors.New("some mutants survived or are broken")
	case notRun > 0:
		fmt.Printf("mutants: n=%d killed=%d not_run=%d NOT RUN\n", n, killed, notRun)
		return errNotRun
	}
	fmt.Printf("mutants: n=%d killed=%d ok\n", n, killed)
	return nil
}

// A result is what became of a mutant.
type result struct {
	mutant
	text   string
	killed bool
	err    error
}

// result tests the mutant, with its files in a new directory.
func (m mutant) result(dir string) result {
	r := result{mutant: m}
	if r.err = os.Mkdir(dir, 0o700); r.err == nil {
		r.text, r.killed, r.err = m.test(dir)
	}
	return r
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
	ctx, cancel := context.WithTimeout(context.Background(), timeout+building)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-v", "-count=1", "-failfast", "-timeout=" + timeout.String(), "-overlay=" + overlay}, args...)...)
	cmd.Env = append(os.Environ(), "SIM_N="+seeds, "SIM_FROM=", "SIM_SEED=")
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return "", false, fmt.Errorf("%s did not end within %v", by, timeout+building)
	}
	return judge(by, out, err)
}

// judge returns what the output and the error of go test -v say of a mutant.
func judge(by string, out []byte, err error) (result string, killed bool, _ error) {
	switch skipped := skip.FindSubmatch(out); {
	case err == nil && skipped != nil:
		return fmt.Sprintf("%s skipped %s", by, skipped[1]), false, errNotRun
	case err == nil:
		return "SURVIVED " + by, false, nil
	case timedOut.Match(out):
		return "", false, fmt.Errorf("%s did not end within %v", by, timeout)
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
	skip        = regexp.MustCompile(`--- SKIP: (\S+)`)
	timedOut    = regexp.MustCompile(`(?m)^panic: test timed out after `)
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
