package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"

	"indexerd/internal/base/release"
	"indexerd/internal/test/pgtest/films"
)

// analyze runs systemd-analyze on the unit, with this binary for the installed
// one, which verify looks for.
func analyze(t *testing.T, args ...string) (output string, err error) {
	t.Helper()
	tool, err := exec.LookPath("systemd-analyze")
	if err != nil {
		const missing = "systemd-analyze is missing: apt-get install systemd"
		if os.Getenv("CI") != "" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	unit := filepath.Join(t.TempDir(), "indexerd.service")
	own := strings.ReplaceAll(readFile(t, configFile("service/indexerd.service")), "/usr/bin/indexerd", binary(t))
	if err := os.WriteFile(unit, []byte(own), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(tool, append(args, unit)...).CombinedOutput()
	return string(out), err
}

func TestUnitIsWellFormed(t *testing.T) {
	// What is not understood is only a line of output, and would be ignored.
	if out, err := analyze(t, "verify", "--man=no"); err != nil || out != "" {
		t.Errorf("systemd-analyze verify: %v: %s", err, out)
	}
}

func TestUnitIsHardened(t *testing.T) {
	const most = 15 // tenths: 1.5 of 10, where a unit without any hardening has 9.2
	if out, err := analyze(t, "security", "--no-pager", "--offline=true", fmt.Sprint("--threshold=", most)); err != nil {
		t.Errorf("systemd-analyze security: %v: %s", err, out)
	}
}

// The packaged configuration runs as it is, with the database's address where
// systemd puts a credential, and with the mode that systemd gives it.
func TestServiceFindsItsCredential(t *testing.T) {
	dsn := films.DB(t)
	credentials := t.TempDir()
	if err := os.WriteFile(filepath.Join(credentials, "main.dsn"), []byte(dsn+"\n"), 0o440); err != nil {
		t.Fatal(err)
	}
	file := serviceConfig(t)
	t.Setenv("CREDENTIALS_DIRECTORY", credentials)
	p := follow(t, file)
	if got := p.status(t).Tables[0].Documents; got != 1000 {
		t.Errorf("documents: got %d, want 1000", got)
	}
	t.Run("alerts know the metrics", func(t *testing.T) { alerts(t, p) })
	t.Run("a client needs no credential", func(t *testing.T) {
		os.Unsetenv("CREDENTIALS_DIRECTORY") // put back by the Setenv above
		for _, command := range [][]string{{"status"}, {"search", "film", "shark"}, {"verify"}, {"sweep", "film"}, {"history", "film"}} {
			args := append([]string{command[0], "-c", file}, command[1:]...)
			commands(t, 0, args...)
		}
	})
}

// A service whose credential is missing must not be started again and again:
// the unit takes exit code 2 for the end.
func TestServiceWithoutItsCredential(t *testing.T) {
	file := serviceConfig(t)
	for _, c := range []struct{ name, dir, want string }{
		{"no directory", "", "environment variable CREDENTIALS_DIRECTORY is not set"},
		{"no file", "CREDENTIALS_DIRECTORY=" + t.TempDir(), "can't be read"},
	} {
		_, stderr, code := ask(withEnv(t, c.dir), "run", "-c", file)
		if code != exitBad || !strings.Contains(stderr, "sources.main.dsn_file") || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit %d: %q, want 2 and a fault of the dsn_file: %s", c.name, code, stderr, c.want)
		}
	}
	if unit := readFile(t, configFile("service/indexerd.service")); !strings.Contains(unit, fmt.Sprint("\nRestartPreventExitStatus=", exitBad, "\n")) {
		t.Errorf("the unit starts again after exit code %d", exitBad)
	}
}

// serviceConfig is the packaged configuration, with a data directory and an
// address of the test's own.
func serviceConfig(t *testing.T) string {
	t.Helper()
	own := strings.NewReplacer("/var/lib/indexerd/data", filepath.Join(t.TempDir(), "data"), "127.0.0.1:7700", "127.0.0.1:0")
	return writeFile(t, own.Replace(readFile(t, configFile("service/indexerd.yaml"))))
}

// sharedMetrics are the metrics of the alert rules that only daemons that share
// marks have. (*pair).stepsDown scrapes them.
var sharedMetrics = []string{"indexerd_leader", "indexerd_standbys"}

// alerts holds the names in the alert rules against what is scraped: a rule on
// a metric that was renamed would never fire.
func alerts(t *testing.T, p *proc) {
	text := readFile(t, configFile("monitoring/prometheus-alerts.yaml"))
	var file struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr string
				Annotations struct{ Summary, Description string }
			}
		}
	}
	if err := yaml.Unmarshal([]byte(text), &file); err != nil {
		t.Fatal(err)
	}
	rules := file.Groups[0].Rules
	names := regexp.MustCompile(`indexerd_\w+`)
	for _, r := range rules {
		if r.Annotations.Summary == "" || r.Annotations.Description == "" {
			t.Errorf("%s does not say what it is and what to do", r.Alert)
		}
		metric := names.FindString(r.Expr)
		if metric == "" && r.Alert != "IndexerdDown" {
			t.Errorf("%s asks for no metric of indexerd: %s", r.Alert, r.Expr)
		}
		if slices.Contains(sharedMetrics, metric) {
			continue
		}
		eventually(t, soon, r.Alert+" has its metric", func() error { // lag and settled come with the first passes
			scraped, err := get(p.base + "/metrics")
			if err == nil && !strings.Contains(string(scraped), metric) {
				err = fmt.Errorf("/metrics has no %s", metric)
			}
			return err
		})
	}
	if len(rules) != strings.Count(text, "- alert:") || len(rules) == 0 {
		t.Errorf("got %d rules of the first group, want all %d", len(rules), strings.Count(text, "- alert:"))
	}
}

// An operator copies commands: each one of the manual has a name and flags that
// are.
func TestOperationsCommands(t *testing.T) {
	var commands [][]string
	for _, name := range manuals {
		commands = append(commands, regexp.MustCompile("indexerd ([a-z]+ -c /etc/[^\n`]*)").FindAllStringSubmatch(readFile(t, name), -1)...)
	}
	if len(commands) < 8 {
		t.Fatalf("only %d commands found in %v", len(commands), manuals)
	}
	for _, c := range commands {
		parser, err := kong.New(&cli{}, kong.Exit(func(int) { t.Errorf("%s: leaves", c[0]) }))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.Parse(strings.Fields(c[1])); err != nil {
			t.Errorf("%s: %v", c[0], err)
		}
	}
}

// manuals describe the service.
var manuals = []string{filepath.Join("..", "..", "docs", "install.md"), filepath.Join("..", "..", "docs", "operations.md")}

// What unit, configuration and manual speak of is in the package, and what the
// package takes is in the tree.
func TestPackageIsComplete(t *testing.T) {
	type content struct{ Src, Dst string }
	var nfpm struct{ Contents []content }
	if err := yaml.Unmarshal([]byte(readFile(t, filepath.Join("..", "..", "packaging", "nfpm.yaml"))), &nfpm); err != nil {
		t.Fatal(err)
	}
	installed := map[string]bool{"/etc/indexerd": true}
	for _, own := range []string{"main.dsn", "stock.dsn", "cert.pem", "key.pem", "ops.token", "shop.token"} { // the operator's
		installed["/etc/indexerd/"+own] = true
	}
	for name := range shipped {
		if !slices.ContainsFunc(nfpm.Contents, func(c content) bool { return c.Src == "packaging/"+name }) {
			t.Errorf("the packages lack packaging/%s", name)
		}
	}
	for _, c := range nfpm.Contents {
		installed[c.Dst] = true
		if _, err := os.Stat(filepath.Join("..", "..", c.Src)); err != nil && c.Src != "dist/indexerd" {
			t.Error(err)
		}
	}
	paths := regexp.MustCompile(`/(usr|etc)(/[a-z-]+)*/[a-z-]+(\.[a-z]+)?`)
	for _, name := range append([]string{configFile("service/indexerd.service"), configFile("service/indexerd.yaml")}, manuals...) {
		named := paths.FindAllString(readFile(t, name), -1)
		if len(named) == 0 {
			t.Errorf("%s names no file: the expression is broken", name)
		}
		for _, path := range named {
			if !installed[path] {
				t.Errorf("%s names %s, which the package does not have", name, path)
			}
		}
	}
}

// What the .tar.gz takes is in the tree, it has what the other packages have of it, and each
// link in its README and its changes leads to a file of it.
func TestArchiveIsComplete(t *testing.T) {
	script := document(t, "packaging/build.sh")
	var taken []string
	for _, c := range regexp.MustCompile(`(?m)^cp (?:-R )?(.*) "dist/\$name(?:/configs)?"$`).FindAllStringSubmatch(script, -1) {
		taken = append(taken, strings.Fields(c[1])...)
	}
	has := func(name string) bool {
		return slices.ContainsFunc(taken, func(of string) bool { return name == of || strings.HasPrefix(name, of+"/") })
	}
	for _, name := range taken {
		if _, err := os.Stat(filepath.Join("..", "..", name)); err != nil && name != "dist/indexerd" {
			t.Error(err)
		}
	}
	wanted := []string{"dist/indexerd", "LICENSE", "configs/service/indexerd.service", "configs/pagila.yaml", "packaging/sysusers.conf", "packaging/tmpfiles.conf"}
	for name := range shipped {
		wanted = append(wanted, "packaging/"+name)
	}
	for _, page := range []string{"README.md", "CHANGELOG.md"} {
		wanted = append(wanted, page)
		for _, link := range regexp.MustCompile(`\]\(([^)#:]+)[)#]`).FindAllStringSubmatch(document(t, page), -1) {
			wanted = append(wanted, strings.TrimSuffix(link[1], "/"))
		}
	}
	if len(wanted) < 20 {
		t.Errorf("got %q, want the links too: the expression is broken", wanted)
	}
	for _, name := range wanted {
		if !has(name) {
			t.Errorf("the .tar.gz lacks %s", name)
		}
	}
}

// The packages have the version of the source, unless VERSION names another, and its commit.
func TestPackagesHaveTheVersion(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"packaging/build.sh", "packaging/ldflags.sh", "internal/base/release/release.go"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(document(t, name)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	goCommand := filepath.Join(dir, "go") // prints its arguments
	if err := os.WriteFile(goCommand, []byte("#!/bin/sh\necho \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for env, want := range map[string]string{"VERSION=": release.Version, "VERSION=9.9": "9.9"} {
		build := exec.Command(filepath.Join(dir, "packaging/build.sh"))
		build.Env = append(os.Environ(), "GO="+goCommand, "COMMIT=abc", "DATE=2026", env)
		out, err := build.CombinedOutput() // it ends where it packs what is not here
		if !strings.Contains(string(out), "-X main.commitHash=abc -X main.commitDate=2026 -X indexerd/internal/base/release.Version="+want+" ") {
			t.Errorf("%s: got %v, %s, want version %s and its commit", env, err, out, want)
		}
	}
}
