package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"indexerd/configs"
	"indexerd/internal/base/release"
	"indexerd/internal/test/badconfigs"
	"indexerd/internal/test/pgtest"
)

// canary is a password that must never be seen.
const canary = "c4narySecret"

// runHere runs the command in this process, a daemon for a minute at most.
func runHere(t *testing.T, env map[string]string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	defer cancel()
	var out, errs bytes.Buffer
	code = run(ctx, args, world{stdout: &out, stderr: &errs, getenv: func(name string) (string, bool) {
		v, ok := env[name]
		return v, ok
	}})
	if seen := out.String() + errs.String(); strings.Contains(seen, canary) {
		t.Errorf("%v: the password is in the output:\n%s", args, seen)
	} else if strings.Contains(seen, "goroutine ") || strings.Contains(seen, "panic") {
		t.Errorf("%v: a stack trace is in the output:\n%s", args, seen)
	}
	return out.String(), errs.String(), code
}

// oneLineOf fails unless text is one line.
func oneLineOf(t *testing.T, text string) string {
	t.Helper()
	if strings.Count(text, "\n") != 1 || !strings.HasSuffix(text, "\n") {
		t.Errorf("want one line, got:\n%s", text)
	}
	return strings.TrimSuffix(text, "\n")
}

func TestBadUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "expected one of"},
		{[]string{"frob"}, "unexpected argument frob: see indexerd --help"},
		{[]string{"serch"}, "did you mean"},
		{[]string{"--frob"}, "unknown flag --frob"},
		{[]string{"run"}, "missing flags: --config=FILE: see indexerd run --help"},
		{[]string{"run", "-c"}, "expected string value"},
		{[]string{"run", "--config"}, "expected string value"},
		{[]string{"run", "-c", "x.yaml", "more"}, "unexpected argument more"},
		{[]string{"run", "--port", "1"}, "unknown flag --port"},
		{[]string{"status"}, "missing flags: --config"},
		{[]string{"status", "-c", "x.yaml", "--jason"}, "did you mean \"--json\""},
		{[]string{"check"}, "missing flags: --config"},
		{[]string{"search", "-c", "x.yaml"}, "<table>"},
		{[]string{"search", "film"}, "missing flags: --config"},
		{[]string{"search", "-c", "x.yaml", "film", "--size", "ten"}, "--size"},
		{[]string{"search", "-c", "x.yaml", "film", "--from", "1.5"}, "--from"},
		{[]string{"search", "-c", "x.yaml", "film", "--highlight=perhaps"}, "--highlight"},
		{[]string{"demo", "--rows", "many"}, "--rows"},
		{[]string{"demo", "--rows", "0"}, "rows"},
		{[]string{"demo", "--rows", "-5"}, "rows"},
		{[]string{"demo", "--seed", "-1"}, "--seed"},
		{[]string{"demo", "--listen", "nowhere"}, "nowhere"},
		{[]string{"demo", "--listen", "127.0.0.1:99999"}, "99999"},
		{[]string{"demo", "more"}, "unexpected argument more"},
		{[]string{"plan"}, "missing flags: --tiers"},
		{[]string{"plan", "--tiers", "1m"}, "--tiers"},
		{[]string{"plan", "--tiers", "1m:x"}, "--tiers"},
		{[]string{"plan", "--tiers", "1m:1m", "--span", "0s"}, "--span"},
		{[]string{"plan", "--tiers", "1m:1m", "--span", "long"}, "--span"},
		{[]string{"history", "-c", "x.yaml"}, "<table>"},
		{[]string{"versions", "-c", "x.yaml", "film"}, "<oid>"},
		{[]string{"version", "please"}, "unexpected argument please"},
		{[]string{"run", "-c", "/no/such/file.yaml"}, "no such file"},
		{[]string{"check", "-c", "/no/such/file.yaml"}, "no such file"},
		{[]string{"status", "-c", "/no/such/file.yaml"}, "no such file"},
		{[]string{"search", "-c", "/no/such/file.yaml", "film"}, "no such file"},
		{[]string{"run", "-c", "/"}, "directory"},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			stdout, stderr, code := runHere(t, nil, c.args...)
			if code != exitBad {
				t.Errorf("exit code: got %d, want %d", code, exitBad)
			}
			if !strings.Contains(stdout+stderr, c.want) {
				t.Errorf("got %q and %q, want %q in it", stdout, stderr, c.want)
			}
			oneLineOf(t, stderr)
		})
	}
}

func TestHelpIsNoFault(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"run", "--help"}, {"search", "--help"}, {"demo", "--help"}, {"status", "--help"}, {"check", "--help"}, {"history", "--help"}, {"plan", "--help"}, {"versions", "--help"}} {
		stdout, stderr, code := runHere(t, nil, args...)
		if code != 0 || stderr != "" || !strings.Contains(stdout, "Usage: indexerd") {
			t.Errorf("%v: exit %d, stderr %q, stdout %q", args, code, stderr, stdout)
		}
		if len(args) > 1 && !strings.Contains(stdout, "Example") {
			t.Errorf("%v shows no example", args)
		}
	}
}

func TestVersion(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"--version"}} {
		stdout, stderr, code := runHere(t, nil, args...)
		if want := "indexerd " + release.Version + " (commit unknown)\n"; code != 0 || stderr != "" || stdout != want {
			t.Errorf("%v: exit %d, %q, %q; want 0 and %q", args, code, stdout, stderr, want)
		}
	}
}

// TestBadConfigsEndRun gives the command every bad configuration of the corpus.
func TestBadConfigsEndRun(t *testing.T) {
	cases := badconfigs.Read(t, filepath.Join("..", "..", "configs", "testdata"))
	if len(cases) < 200 {
		t.Errorf("got %d bad files, want at least 200", len(cases))
	}
	env := map[string]string{"PASSWORD": canary, "DSN": "postgres://u:" + canary + "@127.0.0.1/d", "SECRET": canary}
	for _, c := range cases {
		file := c.File(t)
		if _, err := configs.Load(file, func(name string) (string, bool) { v, ok := env[name]; return v, ok }); err == nil {
			continue // bad only in another environment
		}
		t.Run(c.Name, func(t *testing.T) {
			_, stderr, code := runHere(t, env, "run", "-c", file)
			if code != exitBad {
				t.Errorf("exit code: got %d, want %d", code, exitBad)
			}
			for line := range strings.Lines(stderr) {
				if !regexp.MustCompile(`^\S+\.yaml:\d+: \S+: .+: .+\n$`).MatchString(line) {
					t.Errorf("got %q, want file:line: path: what: what to do", line)
				}
			}
		})
	}
}

// TestBadSQLs are faults that only the database can tell.
func TestBadSQLs(t *testing.T) {
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, `CREATE TABLE film (
		film_id int PRIMARY KEY, last_update timestamptz, local timestamp, title text, rating text,
		tags text[], doc json, span interval)`)
	const good = "SELECT film_id, last_update, title, rating FROM film"
	for _, c := range []struct {
		name, sql, key, updated, fields, metadata string
		path, want                                string
	}{
		{"syntax", "SELECT film_id last_update, FROM film", "film_id", "last_update", "title", "", "sql", "syntax"},
		{"no such table", "SELECT film_id, last_update, title FROM flim", "film_id", "last_update", "title", "", "sql", "flim"},
		{"parameter", "SELECT film_id, last_update, title FROM film WHERE film_id > $1", "film_id", "last_update", "title", "", "sql", ""},
		{"writes", "WITH gone AS (DELETE FROM film RETURNING *) SELECT film_id, last_update, title FROM gone", "film_id", "last_update", "title", "", "sql", ""},
		{"key not there", good, "filmid", "last_update", "title", "", "key", "did you mean film_id"},
		{"key a document", "SELECT doc AS film_id, last_update, title FROM film", "film_id", "last_update", "title", "", "key", "film_id"},
		{"key an array", "SELECT tags AS film_id, last_update, title FROM film", "film_id", "last_update", "title", "", "key", "film_id"},
		{"updated json", "SELECT film_id, doc AS last_update, title FROM film", "film_id", "last_update", "title", "", "updated", "last_update"},
		{"updated interval", "SELECT film_id, span AS last_update, title FROM film", "film_id", "last_update", "title", "", "updated", "last_update"},
		{"updated not there", good, "film_id", "last_updat", "title", "", "updated", "did you mean last_update"},
		{"updated without zone", "SELECT film_id, local AS last_update, title FROM film", "film_id", "last_update", "title", "", "timezone", ""},
		{"content not there", good, "film_id", "last_update", "titel", "", "content.fields", "did you mean title"},
		{"metadata not there", good, "film_id", "last_update", "title", "ratng: keyword", "metadata.ratng", "did you mean rating"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := writeFile(t, fmt.Sprintf("data: %s\nhttp: {listen: 127.0.0.1:0}\nsources:\n  db: {driver: postgres, dsn: %q}\n"+
				"tables:\n  film:\n    source: db\n    sql: |\n      %s\n    key: %s\n    updated: %s\n    content: {fields: [%s]}\n    metadata: {%s}\n",
				filepath.Join(t.TempDir(), "data"), dsn, c.sql, c.key, c.updated, c.fields, c.metadata))
			_, stderr, code := runHere(t, nil, "run", "-c", file)
			line := oneLineOf(t, stderr)
			if code != exitBad {
				t.Errorf("exit code: got %d, want %d", code, exitBad)
			}
			if path := "tables.film." + c.path; !strings.Contains(line, ": "+path) || !strings.Contains(line, c.want) {
				t.Errorf("got %q, want %s and %q in it", line, path, c.want)
			}
			if stdout, _, code := runHere(t, nil, "check", "-c", file); code != exitBad || !strings.Contains(stdout, c.path) {
				t.Errorf("check: exit %d, %q: want exit %d and %s in it", code, stdout, exitBad, c.path)
			}
		})
	}
}

func TestBadAddresses(t *testing.T) {
	const rest = "tables:\n  film: {source: db, sql: SELECT 1 AS id, key: id, updated: id, content: {fields: [id]}}\n"
	for _, c := range []struct{ name, driver, dsn, want string }{
		{"no server", "postgres", "postgres://u:" + canary + "@127.0.0.1:1/d", "127.0.0.1:1"},
		{"no such host", "postgres", "postgres://u:" + canary + "@no-such-host.invalid/d", "no-such-host.invalid"},
		{"keywords, no server", "postgres", "host=127.0.0.1 port=1 user=u password=" + canary + " dbname=d", "127.0.0.1:1"},
		{"bad port", "postgres", "postgres://u:" + canary + "@127.0.0.1:port/d", "dsn"},
		{"bad sslmode", "postgres", "postgres://u:" + canary + "@127.0.0.1:1/d?sslmode=perhaps", "dsn"},
		{"no scheme", "postgres", canary + "@127.0.0.1", "dsn"},
		{"no such file", "sqlite", "/no/such/dir/db.sqlite", ""},
		{"a directory", "sqlite", os.TempDir(), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := writeFile(t, fmt.Sprintf("data: %s\nsources:\n  db: {driver: %s, dsn: %q}\n%s", filepath.Join(t.TempDir(), "data"), c.driver, c.dsn, rest))
			stdout, stderr, code := runHere(t, nil, "check", "-c", file)
			if code != exitBad || !strings.Contains(stdout, c.want) {
				t.Errorf("check: exit %d, stdout %q, stderr %q; want exit %d and %q", code, stdout, stderr, exitBad, c.want)
			}
		})
	}
}
