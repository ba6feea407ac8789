package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// A caller is a test whose commands have more in their environment.
type caller struct {
	testing.TB
	env []string
}

// withEnv returns a test whose commands have variables.
func withEnv(t testing.TB, env ...string) testing.TB { return caller{t, env} }

// withToken returns a test whose commands have a token.
func withToken(t testing.TB, token string) testing.TB { return withEnv(t, "INDEXERD_TOKEN="+token) }

// command returns a command of the binary.
func command(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(binary(t), args...)
	if c, ok := t.(caller); ok {
		cmd.Env = append(cmd.Environ(), c.env...)
	}
	return cmd
}

// ask runs a command to its end.
func ask(t testing.TB, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := command(t, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// commands runs a command that has to end with a code and, where it refuses, with one line.
func commands(t testing.TB, want int, args ...string) string {
	t.Helper()
	stdout, stderr, code := ask(t, args...)
	if code != want {
		t.Fatalf("%v: exit %d, want %d: %s%s", args, code, want, stdout, stderr)
	}
	if want != 0 && (strings.Count(stderr, "\n") != 1 || stdout != "") {
		t.Errorf("%v: got %q and %q, want one line", args, stderr, stdout)
	}
	return stderr
}

// says runs a command that has to end with a code and print a text.
func says(t testing.TB, want int, text string, args ...string) {
	t.Helper()
	stdout, stderr, code := ask(t, args...)
	if code != want || !strings.Contains(stdout+stderr, text) {
		t.Errorf("%v: exit %d: %s%s, want %d and %q", args, code, stdout, stderr, want, text)
	}
}

// isEqual waits until verify finds no difference to the last byte.
func isEqual(t testing.TB, file string, more ...string) {
	t.Helper()
	eventually(t, soon, "verify", func() error {
		if stdout, stderr, code := ask(t, append([]string{"verify", "--content", "-c", file}, more...)...); code != 0 {
			return fmt.Errorf("exit %d: %s%s", code, stdout, stderr)
		}
		return nil
	})
}
