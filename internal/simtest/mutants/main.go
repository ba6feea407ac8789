// Mutants takes the rules of CORRECTNESS away, one by one, and shows that a
// test notices. Each mutant is an edit of one function of production code, which
// go test -overlay takes: nothing in the product refers to it, and nothing is
// written into the tree.
//
//	go run ./internal/simtest/mutants            all of them
//	go run ./internal/simtest/mutants R3 R17     those of some rules
//
// A mutant is killed by the simulation, within 60 seeds, or by the tests of the
// package it is in. One that does not compile, or that hangs, or whose pattern is
// not in its function exactly once, is no mutant: it counts as BROKEN. The last
// line is the verdict.
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

// seeds is how many the simulation may take.
const seeds = "60"

// patience is how long a mutant may take.
const patience = 3 * time.Minute

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// run tries the mutants of some rules, or all.
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
		fate, ok, err := m.try(dir)
		if err != nil {
			fate = "BROKEN: " + err.Error()
		}
		if ok {
			killed++
		}
		fmt.Printf("%-5s %-50s %s\n", m.rule, m.name, fate)
	}
	if n == 0 || killed < n {
		fmt.Printf("mutants: n=%d killed=%d FAILED\n", n, killed)
		return errors.New("not all were killed")
	}
	fmt.Printf("mutants: n=%d killed=%d ok\n", n, killed)
	return nil
}

// try runs the tests on a mutant.
func (m mutant) try(dir string) (fate string, killed bool, err error) {
	overlay, err := m.overlay(dir)
	if err != nil {
		return "", false, err
	}
	args, by := []string{"./internal/simtest", "-run", "^TestSeeds$"}, "the simulation"
	if m.tests != "" {
		by = "./" + m.pkg
		args = []string{by, "-short", "-run", "^(" + m.tests + ")$"}
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-count=1", "-failfast", "-overlay=" + overlay}, args...)...)
	cmd.Env = append(os.Environ(), "SIM_N="+seeds, "SIM_FROM=", "SIM_SEED=")
	out, err := cmd.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return "", false, fmt.Errorf("%s did not end within %v", by, patience)
	case err == nil:
		return "SURVIVED " + by, false, nil
	case !failure.Match(out):
		return "", false, fmt.Errorf("%.300s", out)
	}
	return fmt.Sprintf("killed by %s at %s", by, noticed(out)), true, nil
}

// noticed is the seed that failed, or the first test.
func noticed(out []byte) string {
	if seed := failingSeed.Find(out); seed != nil {
		return string(seed)
	}
	return string(failure.FindSubmatch(out)[1])
}

var (
	failure     = regexp.MustCompile(`--- FAIL: (\S+)`)
	failingSeed = regexp.MustCompile(`seed \d+`)
)

// overlay writes the mutant's file, and where it stands in for which.
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

// apply returns the mutant's function, with the edit.
func (m mutant) apply(root string) (*function, error) {
	f, err := findFunction(root, m.pkg, m.function)
	if err != nil {
		return nil, err
	}
	return f, m.edit(f)
}
