package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"indexerd/internal/index/search"
	"indexerd/internal/test/pgtest"
)

// TestVersions asks what a row said before, of the daemon and, when it has
// ended, of its directory.
func TestVersions(t *testing.T) {
	t.Parallel()
	dsn := lateTable(t)
	config := lateConfig(dsn, t.TempDir(), "{horizon: auto}") + "    pages: {versions: 3}\n"
	file := writeFile(t, config)
	p := follow(t, file)
	for _, word := range []string{"aardvark", "bonobo", "capybara", "dugong"} {
		pgtest.Exec(t, dsn, "UPDATE note SET body = $1, updated = clock_timestamp() WHERE id = 7", word)
		p.found(t, "note", word, 1)
	}
	const want = "dugong capybara bonobo"
	asked := func(when string) {
		t.Helper()
		// The index has a change a moment before the page, which has the versions.
		eventually(t, soon, when, func() error {
			stdout, stderr, code := ask(t, "versions", "-c", file, "note", "7", "--json")
			if code != 0 {
				t.Fatalf("%s: exit %d: %s", when, code, stderr)
			}
			var v search.Versions
			if err := json.Unmarshal([]byte(stdout), &v); err != nil {
				t.Fatal(err)
			}
			var said []string
			for _, version := range v.Versions {
				said = append(said, fmt.Sprint(version.Fields.Get("body")))
			}
			if got := strings.Join(said, " "); got != want {
				return fmt.Errorf("got %s, want %s", got, want)
			}
			return nil
		})
	}
	asked("while it runs")
	eventually(t, soon, "history has a head and a line for each update", func() error { // the last one when its pass has ended
		stdout, _, code := ask(t, "history", "-c", file, "note")
		if code != 0 || strings.Count(stdout, "\n") != 5 {
			return fmt.Errorf("exit %d:\n%s", code, stdout)
		}
		return nil
	})
	p.stop(t)
	asked("after it ended")
	if _, stderr, code := ask(t, "versions", "-c", file, "note", "7777"); code != exitNo || !strings.HasPrefix(stderr, "not_found: ") {
		t.Errorf("no such row: exit %d, %q; want exit %d and not_found", code, stderr, exitNo)
	}
}
