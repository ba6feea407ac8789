package main

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestMain is in the root of the module, as the command is.
func TestMain(m *testing.M) {
	if err := os.Chdir("../../.."); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func TestTargetsAreThoseOfTheMakefile(t *testing.T) {
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	if faults := unlisted(string(makefile)); faults != nil {
		t.Error(strings.Join(faults, "; "))
	}
	changed := strings.Replace(string(makefile), "\ncrash:", "\nslay:", 1)
	if got, want := unlisted(changed), []string{"make slay is not in internal/test/smoke", "the Makefile has no target crash"}; !slices.Equal(got, want) {
		t.Errorf("with crash renamed: got %q, want %q", got, want)
	}
}

// What a recipe names exists, also that of a target which is not run.
func TestRecipes(t *testing.T) {
	for _, target := range targets {
		if err := checkRecipe(target); err != nil {
			t.Errorf("make %s: %v", target.name, err)
		}
	}
	for command, want := range map[string]string{
		"go test -run '^TestGone$' ./internal/test/smoke":                      "no package has TestGone",
		"go test -run '^(TestRecipes|TestGone)$' ./cmd ./store":                "no package has TestRecipes",
		"go test ./internal/test/gone":                                         "internal/test/gone does not exist",
		"go -C internal/gone test -run TestRecipes":                            "internal/gone does not exist",
		"go test -bench 'Gone' -run TestRecipes ./internal/test/smoke ./store": "",
	} {
		if err := checkCommand(command); want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%s: got error %v, want %q", command, err, want)
		}
	}
}

func TestTestFlags(t *testing.T) {
	got := testFlags([]string{"-run", "^TestA$", "-count=1", "-v"})
	if want := []string{"-test.run", "^TestA$", "-test.count=1", "-test.v"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestJudge(t *testing.T) {
	exit := errors.New("exit status 2")
	for name, c := range map[string]struct {
		target  target
		output  string
		err     error
		run, ok bool
		notRun  string
	}{
		"passed":         {target{}, "--- PASS: TestA (0.1s)\nPASS\n", nil, true, true, ""},
		"prints":         {target{}, "relevance: ok\n", nil, true, true, ""},
		"failed":         {target{}, "kill: MISS\n--- FAIL: TestA (0.1s)\nFAIL\n", exit, true, false, ""},
		"missed":         {target{judges: true}, "sweep: MISS\n--- FAIL: BenchmarkA\nFAIL\n", exit, true, true, ""},
		"does not build": {target{judges: true}, "a.go:1:1: syntax error\n", exit, true, false, ""},
		"no test":        {target{}, "testing: warning: no tests to run\nPASS\n", nil, true, false, ""},
		"skipped":        {target{}, "    a_test.go:3: run as root\n--- SKIP: TestA (0.0s)\nPASS\n", nil, false, true, "TestA: run as root"},
		"partly":         {target{}, "--- PASS: TestB (0.1s)\n    a_test.go:3: run as root\n--- SKIP: TestA (0.0s)\nPASS\n", nil, true, true, "TestA: run as root"},
		"refused":        {target{refuse: "write DSN"}, "write DSN=\n", exit, false, true, ""},
		"not refused":    {target{refuse: "write DSN"}, "", nil, false, false, ""},
	} {
		r := result{output: c.output}
		r.judge(c.target, c.err)
		if r.run != c.run || (r.err == nil) != c.ok || strings.Join(r.notRun, "; ") != c.notRun {
			t.Errorf("%s: got run %t, error %v, not run %q, want %t, %t, %q", name, r.run, r.err, r.notRun, c.run, c.ok, c.notRun)
		}
	}
}
