package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// targetLine matches the line of a rule.
var targetLine = regexp.MustCompile(`(?m)^([a-z-]+):(?:[^=]|$)`)

// unlisted returns the targets of a Makefile that smoke does not know, and those that it
// knows and the Makefile lacks.
func unlisted(makefile string) (faults []string) {
	known := slices.Clone(others)
	for _, t := range targets {
		known = append(known, t.name)
	}
	var there []string
	for _, m := range targetLine.FindAllStringSubmatch(makefile, -1) {
		there = append(there, m[1])
		if !slices.Contains(known, m[1]) {
			faults = append(faults, "make "+m[1]+" is not in internal/test/smoke")
		}
	}
	for _, name := range known {
		if !slices.Contains(there, name) {
			faults = append(faults, "the Makefile has no target "+name)
		}
	}
	return faults
}

var (
	packageNames = regexp.MustCompile(`(?: \./| -C )([a-z][a-z/0-9]*)`)
	testNames    = regexp.MustCompile(`\b(?:Test|Benchmark)[A-Z]\w*`)
)

// checkRecipe returns an error if a recipe names a package or a test that does not exist.
func checkRecipe(t target) error {
	recipe, err := exec.Command("make", append(t.args(), "-n")...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("make -n: %w: %s", err, recipe)
	}
	for line := range strings.Lines(strings.ReplaceAll(string(recipe), "\\\n", " ")) {
		if err := checkCommand(line); err != nil {
			return err
		}
	}
	return nil
}

// checkCommand is checkRecipe for one command.
func checkCommand(line string) error {
	var sources strings.Builder
	for _, m := range packageNames.FindAllStringSubmatch(line, -1) {
		if m[1] == "indexerd" {
			continue // the binary
		}
		files, err := filepath.Glob(filepath.Join(m[1], "*"))
		if err != nil || len(files) == 0 {
			return fmt.Errorf("%s does not exist", m[1])
		}
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			sources.Write(text)
		}
	}
	for _, test := range testNames.FindAllString(line, -1) {
		if !strings.Contains(sources.String(), "func "+test+"(") {
			return fmt.Errorf("no package has %s", test)
		}
	}
	return nil
}
