package clienttest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"indexerd/internal/test/pgtest"
)

// run runs a program of a client, and returns what it prints.
func (c Client) run(t *testing.T, file string) (string, error) {
	t.Helper()
	dir := c.dir(t)
	s, err := films()
	if err != nil {
		t.Fatal(err)
	}
	args := make([]string, len(c.Run))
	for i, a := range c.Run {
		args[i] = strings.NewReplacer("DIR", dir, "FILE", file).Replace(a)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "OPENSEARCH_URL="+s.url, "TOKEN="+token, "DATABASE="+s.database, "CLIENTS_DIR="+dir)
	var errors strings.Builder
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, errors.String())
	}
	return string(out), err
}

func (c Client) dir(t *testing.T) string {
	t.Helper()
	dir, err := Dir()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// installed skips a test whose client is not installed, unless all have to be.
func (c Client) installed(t *testing.T) {
	t.Helper()
	pgtest.NeedsServers(t)
	everything := os.Getenv("CLIENTS") == "all"
	_, err := os.Stat(filepath.Join(c.dir(t), c.Installed))
	switch {
	case err != nil && everything:
		t.Fatalf("%s is not installed", c.Name)
	case err != nil:
		t.Skipf("%s is not installed: run make clients", c.Name)
	case c.Slow && !everything:
		t.Skipf("%s starts slowly: run make clients", c.Name)
	}
}

// TestClients runs the program of each client. The last line of make clients is what it
// writes to the file CLIENTS_RESULT.
func TestClients(t *testing.T) {
	var parts []string
	for _, c := range Clients() {
		tests, passed, skipped := 0, 0, true
		t.Run(c.Name, func(t *testing.T) {
			c.installed(t)
			skipped = false
			file, err := filepath.Abs(c.Program)
			if err != nil {
				t.Fatal(err)
			}
			out, err := c.run(t, file)
			if err != nil {
				t.Errorf("%s: %v", c.Name, err)
			}
			for line := range strings.Lines(out) {
				switch {
				case strings.HasPrefix(line, "ok "):
					tests, passed = tests+1, passed+1
				case strings.HasPrefix(line, "not ok "):
					tests++
					t.Error(strings.TrimSpace(line))
				}
			}
			if passed < c.Tests {
				t.Errorf("%s: %d tests passed, want at least %d: %s", c.Name, passed, c.Tests, out)
			}
		})
		if skipped {
			parts = append(parts, c.Name+" skipped")
			continue
		}
		parts = append(parts, fmt.Sprintf("%s %d of %d", c.Name, passed, max(tests, c.Tests)))
	}
	report(t, strings.Join(parts, ", "))
}

func report(t *testing.T, figures string) {
	t.Helper()
	verdict := "PASS"
	if t.Failed() {
		verdict = "FAIL"
	}
	line := fmt.Sprintf("clients: %s: %s\n", figures, verdict)
	t.Log(line)
	name := os.Getenv("CLIENTS_RESULT")
	if name == "" {
		return
	}
	if err := os.WriteFile(name, []byte(line), 0o600); err != nil {
		t.Error(err)
	}
}
