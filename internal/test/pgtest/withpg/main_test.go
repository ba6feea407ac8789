package main

import (
	"os"
	"testing"
)

func TestExitCode(t *testing.T) {
	if os.Getenv("INDEXERD_TEST_PG") == "" {
		t.Skip("no PostgreSQL to test with: go run ./internal/test/pgtest/withpg go test ./...")
	}
	for script, want := range map[string]int{
		"exit 7": 7,
		`case $INDEXERD_TEST_PG in postgres://postgres@127.0.0.1:*) exit 0;; esac; exit 1`: 0,
	} {
		code, err := run(options{}, []string{"sh", "-c", script})
		if err != nil || code != want {
			t.Errorf("%s: got exit code %d, %v, want %d", script, code, err, want)
		}
	}
}
