package clienttest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"indexerd/internal/source/sqlite"
	"indexerd/internal/test/pgtest"
	"indexerd/internal/test/process"
)

// The token of the clients. It sees the films with even keys, which are of the group
// sales.
const token = "sales-of-client-test"

// statements make 250 films. Every fifth is about a shark.
var statements = []string{
	"CREATE TABLE film (id INTEGER PRIMARY KEY, id_text TEXT, title TEXT, plot TEXT, rating TEXT, year INTEGER, released TEXT, grp TEXT, u TEXT DEFAULT CURRENT_TIMESTAMP)",
	`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 250)
	INSERT INTO film (id, id_text, title, plot, rating, year, released, grp)
	SELECT i, 'film-' || i, CASE WHEN i % 2 = 1 THEN 'Secret ' WHEN i % 5 = 0 THEN 'Shark ' ELSE 'Drama ' END || i, 'Film number ' || i || '. A story of a submarine, and of ' || i || ' sailors.',
	substr('G PGR ', 1 + i % 3 * 2, 2), 2000 + i % 10, date('2020-01-01', '+' || i || ' days'), CASE i % 2 WHEN 0 THEN 'sales' ELSE 'boss' END FROM n`,
	"UPDATE film SET rating = trim(rating)",
	"CREATE INDEX film_u ON film (u)",
}

// server starts a daemon once, and returns the URL of its OpenSearch API, and its
// database.
var server = sync.OnceValues(start)

var stop = func() {}

func TestMain(m *testing.M) {
	code := m.Run()
	stop()
	os.Exit(code)
}

type running struct{ url, database string }

func start() (r running, err error) {
	dir, err := os.MkdirTemp("", "indexerd-clients")
	if err != nil {
		return r, err
	}
	stop = func() { _ = os.RemoveAll(dir) }
	r.database = filepath.Join(dir, "films.db")
	if err := fill(r.database); err != nil {
		return r, err
	}
	binary := filepath.Join(dir, "indexerd")
	if text, err := exec.Command("go", "build", "-ldflags", "-s -w", "-o", binary, "indexerd/cmd/indexerd").CombinedOutput(); err != nil {
		return r, fmt.Errorf("build: %w: %s", err, text)
	}
	ports, err := process.FreePorts(2)
	if err != nil {
		return r, err
	}
	own, api := "127.0.0.1:"+ports[0], "127.0.0.1:"+ports[1]
	config := filepath.Join(dir, "indexerd.yaml")
	err = os.WriteFile(config, fmt.Appendf(nil, `data: %s/data
http:
  listen: %s
  tokens: {ops: {token: ops-of-client-test, admin: true}, sales: {token: %s, groups: [sales]}}
opensearch_api: {listen: %s}
sources:
  db: {driver: sqlite, dsn: %s}
tables:
  film: {source: db, sql: SELECT * FROM film, key: id, updated: u, content: {fields: [title, plot]}, metadata: {title: keyword, id_text: keyword, rating: keyword, year: number, released: date, grp: keyword}, acl: grp}
`, dir, own, token, api, r.database), 0o600)
	if err != nil {
		return r, err
	}
	daemon := exec.Command(binary, "run", "-c", config)
	var log strings.Builder
	daemon.Stdout, daemon.Stderr = &log, &log
	if err := daemon.Start(); err != nil {
		return r, err
	}
	ended := make(chan error, 1)
	go func() { ended <- daemon.Wait() }()
	stop = func() {
		_ = daemon.Process.Signal(os.Interrupt)
		select {
		case <-ended:
		case <-time.After(time.Minute):
			_ = daemon.Process.Kill()
		}
		_ = os.RemoveAll(dir)
	}
	r.url = "http://" + api
	return r, loaded(r.url, ended, &log)
}

func fill(path string) error {
	db, err := sqlite.OpenWritable(path)
	if err != nil {
		return err
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	return nil
}

// loaded waits until the films are loaded, with their pages.
func loaded(url string, ended <-chan error, log fmt.Stringer) error {
	late := time.After(2 * time.Minute)
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	got := ""
	for {
		select {
		case err := <-ended:
			return fmt.Errorf("the daemon ended: %w: %s", err, log)
		case <-late:
			return fmt.Errorf("the films are not loaded: got %s", got)
		case <-look.C:
		}
		r, err := http.NewRequest("GET", url+"/film/_search?size=1000&_source=id_text&filter_path=hits.hits._source", nil)
		if err != nil {
			return err
		}
		r.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			got = err.Error()
			continue
		}
		text, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if got = string(text); err == nil && strings.Count(got, `"film-`) == 125 {
			return nil
		}
	}
}

// run runs a program of a client, and returns what it prints.
func (c Client) run(t *testing.T, file string) (string, error) {
	t.Helper()
	dir := c.dir(t)
	s, err := server()
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
