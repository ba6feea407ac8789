package main

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"indexerd/internal/test/pgtest"
	"indexerd/internal/test/pgtest/cluster"
	"indexerd/internal/test/pgtest/films"
)

// notRun are commands, as they stand in the documents, that no test of some
// seconds on a bare machine can run. Any other is run.
var notRun = map[string]string{
	"make demo":                         "runs until it is ended; TestDashboardOfDemo does the same",
	"make test":                         "this test is a part of it",
	"make package":                      "asks the module proxy for nfpm and cyclonedx-gomod",
	"sudo apt-get install ./dist/*.deb": "changes this machine",
	"systemctl status indexerd":         "there is no systemd",
	`curl -s -H "Authorization: Bearer $TOKEN" 'https://search.example:7700/api/v1/tables/film/search?q=shark'`: "no other machine",
	"journalctl -u indexerd -f": "there is no journal, and it does not end",
}

// A learner follows a document, line by line, in a separate directory
// and with a separate database of films. For the writer's place and this one are not
// the same, some words are read as others: see here.
type learner struct {
	testing.TB
	dir    string
	dsn    string // of the films, as their owner
	role   string // what documents call reader: roles are the whole server's
	set    string // the exports so far
	out    string // what the last commands printed
	daemon *proc
}

func newLearner(t testing.TB) *learner {
	t.Helper()
	r := &learner{TB: t, dir: t.TempDir(), role: "reader_" + strings.ToLower(rand.Text())}
	t.Cleanup(func() { // after the database, which has its rights
		if t.Skipped() {
			return
		}
		pgtest.Exec(t, os.Getenv("INDEXERD_TEST_PG"), "DROP ROLE IF EXISTS "+r.role)
	})
	r.dsn = films.DB(t)
	r.write(".curlrc", "fail\n") // an answer of 404 is a failure
	r.link(binary(t), "bin/indexerd")
	return r
}

func (r *learner) link(what, name string) {
	r.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.Fatal(err)
	}
	if err := os.Symlink(what, path); err != nil {
		r.Fatal(err)
	}
}

func (r *learner) write(name, text string) {
	r.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		r.Fatal(err)
	}
}

// here is a text of a document as it reads in this place.
func (r *learner) here(text string) string {
	r.Helper()
	u, err := url.Parse(r.dsn)
	if err != nil {
		r.Fatal(err)
	}
	text = regexp.MustCompile(`postgres://reader(:[^@/]*)?@127\.0\.0\.1:5432/\w+`).
		ReplaceAllString(text, "postgres://"+r.role+"$1@"+u.Host+u.Path)
	if r.daemon != nil {
		text = strings.ReplaceAll(text, "127.0.0.1:7700", strings.TrimPrefix(r.daemon.base, "http://"))
	}
	return strings.NewReplacer(
		"sudo -u indexerd ", "", "sudo ", "",
		"/etc/indexerd/", r.dir+"/etc/", "CREDENTIALS_DIRECTORY=/etc/indexerd", "CREDENTIALS_DIRECTORY="+r.dir+"/etc",
		"/var/lib/indexerd", r.dir+"/var",
	).Replace(text)
}

// lines cuts a block of a shell's into commands, which may go over lines.
func lines(text string) []string {
	var all []string
	end := "" // of a text that a command reads
	goesOn := regexp.MustCompile(`^(\s|done\b|fi\b)`)
	for line := range strings.Lines(text) {
		switch {
		case end != "":
			if strings.TrimSpace(line) == end {
				end = ""
			}
			all[len(all)-1] += line
			continue
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#"):
			continue
		case goesOn.MatchString(line) && len(all) > 0:
			all[len(all)-1] += line
		default:
			all = append(all, line)
		}
		if m := regexp.MustCompile(`<<'(\w+)'`).FindStringSubmatch(line); m != nil {
			end = m[1]
		}
	}
	return all
}

// uncommented returns a command without its comment.
func uncommented(command string) string {
	return strings.TrimSpace(regexp.MustCompile(`\s+# .*\n`).ReplaceAllString(command, "\n"))
}

// do does one command.
func (r *learner) do(command string) {
	r.Helper()
	command = uncommented(command)
	run := regexp.MustCompile(`^(\./)?indexerd run -c (\S+)$`).FindStringSubmatch(command)
	service := regexp.MustCompile(`^sudo systemctl (start|restart|enable --now|stop|reload) indexerd$`).FindStringSubmatch(command)
	switch {
	case notRun[command] != "":
	case command == "make build":
		r.link(binary(r), "indexerd")
	case strings.HasPrefix(command, "export "):
		r.set += r.here(command) + "\n"
	case run != nil:
		r.start(run[2])
	case service != nil && service[1] == "reload":
		if err := r.daemon.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			r.Fatal(err)
		}
	case service != nil:
		r.stop()
		if service[1] != "stop" {
			r.start(filepath.Join(r.dir, "etc", "indexerd.yaml"))
		}
	default:
		r.shell(command)
	}
}

// shell runs a command that must succeed, and find something if it searches.
func (r *learner) shell(command string) {
	r.Helper()
	cmd := r.command(r.here(command))
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		r.Fatalf("%s\n%v\n%s%s", command, err, &out, &errs)
	}
	r.out += out.String()
	if strings.HasPrefix(out.String(), "0 found") || strings.Contains(out.String(), `"total":0,`) {
		r.Errorf("%s\nfinds nothing", command)
	}
}

func (r *learner) command(script string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", r.set+script)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "HOME="+r.dir, "PATH="+filepath.Join(r.dir, "bin")+":"+os.Getenv("PATH"))
	return cmd
}

// start runs the daemon, on a free port, until the document has another run.
func (r *learner) start(file string) {
	r.Helper()
	r.stop()
	if !filepath.IsAbs(file) {
		file = filepath.Join(r.dir, file)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		r.Fatal(err)
	}
	own := strings.ReplaceAll(string(text), "127.0.0.1:7700", "127.0.0.1:0")
	if !strings.Contains(own, "\nhttp:") {
		own += "\nhttp: {listen: 127.0.0.1:0}\n"
	}
	if err := os.WriteFile(file, []byte(own), 0o600); err != nil {
		r.Fatal(err)
	}
	r.daemon = startCmd(r, r.command("CREDENTIALS_DIRECTORY="+r.dir+"/etc exec indexerd run -c "+file))
	r.daemon.ready(r)
}

func (r *learner) stop() {
	r.Helper()
	if r.daemon != nil {
		r.daemon.stop(r)
		r.daemon = nil
	}
}

// read follows one block.
func (r *learner) read(b block) {
	r.Helper()
	switch b.lang {
	case "sh":
		r.out = ""
		for _, command := range lines(b.text) {
			r.do(command)
		}
	case "sql":
		r.psql(strings.ReplaceAll(b.text, "reader", r.role))
	case "yaml":
		if name := regexp.MustCompile(`^# (\w+\.yaml)\n`).FindStringSubmatch(b.text); name != nil {
			r.write(name[1], b.text)
		}
	case "text":
		figures := regexp.MustCompile(`[0-9]+(\.[0-9]+)?`)
		if got, want := figures.ReplaceAllString(r.out, "0"), figures.ReplaceAllString(b.text, "0"); got != want {
			r.Errorf("%s: got\n%swant, but for figures,\n%s", b.at, r.out, b.text)
		}
	}
}

func (r *learner) psql(statements string) {
	r.Helper()
	psql, err := cluster.Tool("psql")
	if err != nil {
		r.Fatal(err)
	}
	cmd := exec.Command(psql, "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", "-", r.dsn)
	cmd.Stdin = strings.NewReader(statements)
	if out, err := cmd.CombinedOutput(); err != nil {
		r.Fatalf("%s\n%v: %s", statements, err, out)
	}
}

// mayRead makes the role of the documents that don't make it themselves.
func (r *learner) mayRead() {
	r.Helper()
	r.psql(fmt.Sprintf("CREATE ROLE %s LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO %[1]s", r.role))
}

// TestDocs follows each document from top to bottom.
func TestDocs(t *testing.T) {
	t.Parallel()
	for _, name := range documents(t) {
		all := blocks(t, name, "")
		if !slices.ContainsFunc(all, runnable) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newLearner(t)
			var first []block // of the document that was read before
			switch name {
			case "README.md":
				r.mayRead()
			case "docs/install.md":
			case "docs/operations.md":
				first = blocks(t, "docs/install.md", "")
			default:
				r.mayRead()
				first = blocks(t, "README.md", "Your own table")[:2]
			}
			// The package has installed this.
			r.write("etc/indexerd.yaml", r.here(document(t, "configs/service/indexerd.yaml")))
			for _, b := range first {
				r.read(b)
			}
			for _, b := range all {
				r.read(b)
			}
			for _, q := range queries(document(t, name)) {
				if a := r.daemon.search(t, "film", q); a.Total == 0 {
					t.Errorf("%s: the example %s finds nothing", name, q)
				}
			}
		})
	}
}

// queries are the examples in tables of what can be asked.
func queries(text string) []string {
	var all []string
	for _, table := range regexp.MustCompile(`(?m)^\| you write \|.*\n((?:\|.*\n)*)`).FindAllStringSubmatch(text, -1) {
		for row := range strings.Lines(table[1]) {
			for _, code := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(strings.Split(row, "|")[1], -1) {
				all = append(all, code[1])
			}
		}
	}
	return all
}

// runnable reports whether a block has a command that a test can run.
func runnable(b block) bool {
	return b.lang == "sql" || b.lang == "sh" && slices.ContainsFunc(lines(b.text), func(c string) bool {
		return notRun[uncommented(c)] == ""
	})
}

// TestNotRun: what is excused must be there to be excused.
func TestNotRun(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range documents(t) {
		for _, b := range blocks(t, name, "") {
			for _, c := range lines(b.text) {
				seen[uncommented(c)] = true
			}
		}
	}
	for c, reason := range notRun {
		if !seen[c] || reason == "" {
			t.Errorf("%s: no document has it, or no reason is given: take it from the list", c)
		}
	}
}

// TestNewcomer comes with a running database and no knowledge: the commands of
// the README's first section, and then a search in a browser.
func TestNewcomer(t *testing.T) {
	t.Parallel()
	first := blocks(t, "README.md", "Five minutes: your own database")
	if len(first) != 1 || len(lines(first[0].text)) > 3 {
		t.Fatalf("got %v, want one block of at most three commands", first)
	}
	began := time.Now()
	r := newLearner(t)
	r.mayRead()
	r.read(first[0])
	b := browse(t, r.daemon.base)
	b.sees("#ready", "ready")
	b.views("operations")
	b.sees("#tables", "film", "following", "1,000")
	b.views("search")
	b.search("astrona")
	b.sees("#hits mark", "Astronaut")
	b.search("penelope guiness dinosaur")
	b.sees("#hits mark", "PENELOPE", "GUINESS", "DINOSAUR")
	b.sees("#hits .key", "ACADEMY DINOSAUR")
	if took := time.Since(began); took > 5*time.Minute {
		t.Errorf("a search was answered after %v, want within five minutes", took)
	}
}
