package configs

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"indexerd/internal/test/badconfigs"
	"indexerd/internal/test/golden"
)

// canary is part of every secret in the tests. No fault may show it.
const canary = "c4n4ry"

// environment holds the environment variables of the tests.
func environment(name string) (string, bool) {
	value, ok := map[string]string{
		"DSN":    "postgres://app:" + canary + "@db.example/app",
		"SECRET": canary,
		"TOKEN":  canary + "-of-an-admin",

		"OPS_TOKEN":   canary + "-of-operations", // in docs/recipes.md
		"SALES_TOKEN": canary + "-of-the-sales-team",
		"ROWS":        "500",
		"EMPTY":       "",
		"YES":         "true",
	}[name]
	return value, ok
}

var faultLine = regexp.MustCompile(`^[^:]+:[1-9][0-9]*: [^: ]+: ([^:]|:[^ ])+: .+$`)

// checkFaults checks that every line of the error has the form of a fault, and
// that none shows a secret.
func checkFaults(t *testing.T, err error) {
	t.Helper()
	for line := range strings.Lines(err.Error() + "\n") {
		if line = strings.TrimSuffix(line, "\n"); !faultLine.MatchString(line) {
			t.Errorf("got %q, want file:line: path: what: what to do", line)
		}
	}
	if strings.Contains(err.Error(), canary) {
		t.Errorf("got a fault that shows the secret: %v", err)
	}
}

func TestBadFiles(t *testing.T) {
	cases := badconfigs.Read(t, "testdata")
	if len(cases) < 200 {
		t.Errorf("got %d bad files, want at least 200", len(cases))
	}
	faults := map[string]string{}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			file := c.File(t)
			_, err := Load(file, environment)
			if err == nil {
				t.Fatal("got no fault")
			}
			checkFaults(t, err)
			got := strings.ReplaceAll(err.Error(), filepath.Dir(file)+string(filepath.Separator), "") + "\n"
			faults[c.Name] = got
			if got != c.Want && !*golden.Update {
				t.Errorf("got\n%swant\n%sfor the file\n%sif this is right: go test ./configs -update", got, c.Want, c.YAML)
			}
		})
	}
	if *golden.Update {
		badconfigs.Update(t, "testdata", faults)
	}
}

func TestGoodFiles(t *testing.T) {
	for _, file := range append(mustGlob(t, "testdata/good/*.yaml"), mustGlob(t, "*.yaml")...) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			c, err := Load(file, func(name string) (string, bool) {
				if name == "PAGILA_DSN" {
					name = "DSN"
				}
				return environment(name)
			})
			if err != nil {
				t.Fatal(err)
			}
			checkComplete(t, c)
		})
	}
}

// checkComplete checks what callers rely on.
func checkComplete(t *testing.T, c *Config) {
	t.Helper()
	if c.Data == "" || c.HTTP.Listen == "" || len(c.Sources) == 0 || len(c.Tables) == 0 {
		t.Errorf("got an incomplete config: %+v", c)
	}
	drivers := map[string]string{}
	for _, s := range c.Sources {
		drivers[s.Name] = s.Driver
		if s.DSN == "" || s.Driver == "" {
			t.Errorf("source %s: got driver %q and a DSN of %d bytes", s.Name, s.Driver, len(s.DSN))
		}
	}
	for _, table := range c.Tables {
		if drivers[table.Source] == "" {
			t.Errorf("table %s: got unknown source %q", table.Name, table.Source)
		}
		if table.SQL == "" || (len(table.Key) == 0) != table.RowKey || len(table.Content.Fields) == 0 {
			t.Errorf("got an incomplete table: %+v", table)
		}
		for _, child := range table.Children {
			if child.Name == "" || child.SQL == "" || len(child.Key) != len(table.Key) || len(child.Content) == 0 {
				t.Errorf("table %s: got child %+v", table.Name, child)
			}
		}
		for _, extra := range table.Extra {
			if extra.Name == "" || extra.SQL == "" || len(extra.Key) != len(table.Key) || extra.Type == "" {
				t.Errorf("table %s: got extra %+v", table.Name, extra)
			}
		}
		if d := table.Deleted; d.Column != "" && d.SQL != "" || (d.Column == "") != (len(d.Values) == 0) {
			t.Errorf("table %s: got deleted %+v", table.Name, d)
		}
		if s := table.DeleteCheck.Share; !(s > 0 && s <= 1) {
			t.Errorf("table %s: got share %v", table.Name, s)
		}
		if table.Batch < 1 || table.Workers < 1 || table.Incremental.Every <= 0 || table.TransactionTimeout <= 0 {
			t.Errorf("got a table without its defaults: %+v", table)
		}
		for _, tier := range table.Compensate.Tiers {
			if tier.Name == "" || tier.Every <= 0 || tier.Start <= 0 || tier.End < 0 || tier.End > tier.Timeout {
				t.Errorf("table %s: got tier %+v", table.Name, tier)
			}
		}
	}
}

// glob returns the files that match a pattern, at least one.
func glob(pattern string) ([]string, error) {
	files, err := filepath.Glob(pattern)
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("no file matches %s", pattern)
	}
	return files, err
}

func mustGlob(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return files
}
