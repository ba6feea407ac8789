package main

import (
	"errors"
	"testing"
)

// A test that was skipped has not noticed the mutant, and has not let it survive.
func TestJudge(t *testing.T) {
	failed := errors.New("exit status 1")
	for _, c := range []struct {
		name, out string
		err       error
		result    string
		killed    bool
		want      error
	}{
		{"killed", "=== RUN   TestPut\n--- FAIL: TestPut (0.00s)\nFAIL\n", failed, "killed by ./store: TestPut", true, nil},
		{"killed by a seed", "--- FAIL: TestSeeds (0.00s)\n    seed 17: lost\nFAIL\n", failed, "killed by ./store: seed 17", true, nil},
		{"survived", "--- PASS: TestPut (0.00s)\nok\n", nil, "SURVIVED ./store", false, nil},
		{"skipped", "--- SKIP: TestLease (0.00s)\n    no etcd\nok\n", nil, "./store skipped TestLease", false, errNotRun},
		{"one of two skipped", "--- PASS: TestPut (0.00s)\n--- SKIP: TestLease (0.00s)\nok\n", nil, "./store skipped TestLease", false, errNotRun},
		{"one skipped, the other failed", "--- SKIP: TestLease (0.00s)\n--- FAIL: TestPut (0.00s)\nFAIL\n", failed, "killed by ./store: TestPut", true, nil},
	} {
		result, killed, err := judge("./store", []byte(c.out), c.err)
		if result != c.result || killed != c.killed || !errors.Is(err, c.want) {
			t.Errorf("%s: got %q, %t, %v, want %q, %t, %v", c.name, result, killed, err, c.result, c.killed, c.want)
		}
	}
	for _, out := range []string{"FAIL indexerd/store [build failed]", "--- FAIL: TestPut/a (9.00s)\npanic: test timed out after 3m0s\n\trunning tests:\n"} {
		if _, _, err := judge("./store", []byte(out), failed); err == nil || errors.Is(err, errNotRun) {
			t.Errorf("%s: got %v, want an error that is not %v", out, err, errNotRun)
		}
	}
}
