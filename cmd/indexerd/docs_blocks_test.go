package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"indexerd/configs"
)

// A block is what stands between two fences of a document. The word behind the
// opening fence determines what is done with it:
//
//	sh     commands, run in the document's order: docs_test.go
//	sql    statements, run as the database's owner
//	yaml   a configuration, which has to load: see whole
//	text   what the commands before it print, whatever the figures
//	mysql  statements for MariaDB, which are shown only
//	json   an answer, which has to be one
//	ini    lines for systemd, which nothing here can run
//	python, javascript, jsx, go, java
//	       programs, which the tests of internal/test/clienttest run
type block struct {
	at   string // file:line
	lang string
	text string
}

var languages = []string{"sh", "sql", "mysql", "yaml", "text", "json", "ini", "python", "javascript", "jsx", "go", "java"}

const root = "../.."

// documents are the files that a user reads, below the root.
func documents(t testing.TB) []string {
	t.Helper()
	all, err := fs.Glob(os.DirFS(root), "docs/*.md")
	if err != nil || len(all) < 5 {
		t.Fatalf("got the documents %v, %v", all, err)
	}
	return append([]string{"README.md", "ARCHITECTURE.md"}, all...)
}

func document(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// blocks cuts a document. Below its heading, if one is named.
func blocks(t testing.TB, name, heading string) []block {
	t.Helper()
	var all []block
	var open *block
	inside := heading == ""
	for i, line := range strings.Split(document(t, name), "\n") {
		fence, isFence := strings.CutPrefix(line, "```")
		switch {
		case isFence && open == nil:
			open = &block{at: fmt.Sprintf("%s:%d", name, i+1), lang: fence}
			if !slices.Contains(languages, fence) {
				t.Errorf("%s: a block of %q: name it one of %v", open.at, fence, languages)
			}
		case isFence:
			if open.lang == "json" && !json.Valid([]byte(open.text)) {
				t.Errorf("%s: this is no JSON", open.at)
			}
			if inside {
				all = append(all, *open)
			}
			open = nil
		case open != nil:
			open.text += line + "\n"
		case strings.HasPrefix(line, "## ") && heading != "":
			inside = line == "## "+heading
		case regexp.MustCompile(`^( {4}|\t)(\./)?(indexerd|go|make|curl|sudo) `).MatchString(line):
			t.Errorf("%s:%d: a command without a fence is never run", name, i+1)
		}
	}
	if open != nil {
		t.Errorf("%s: the block has no end", open.at)
	}
	return all
}

// foreign begins a file of another program: it is not loaded.
const foreign = "# prometheus.yml\n"

// whole is the complete configuration that a block is, or is part of. Some
// show only what they speak of: keys of the file, or indented as they stand there,
// keys of a table. They take the place of the same keys in what the document,
// or the README, had before; its table is then of the first source shown.
func whole(b block, before string) string {
	if regexp.MustCompile(`(?m)^tables:`).MatchString(b.text) {
		return b.text
	}
	indent := regexp.MustCompile(`(?m)^( *)\w+:`).FindStringSubmatch(b.text)[1]
	section := func(key string) *regexp.Regexp {
		return regexp.MustCompile(`(?m)^` + indent + key + `:.*\n((?:` + indent + ` .*)?\n)*`)
	}
	for _, shown := range section(`\w+`).FindAllString(b.text, -1) {
		key, _, _ := strings.Cut(strings.TrimSpace(shown), ":")
		before = section(key).ReplaceAllLiteralString(before, "")
	}
	if source := regexp.MustCompile(`(?m)^sources:\n  (\w+):`).FindStringSubmatch(b.text); source != nil {
		before = regexp.MustCompile(`source: \w+`).ReplaceAllString(before, "source: "+source[1])
	}
	if indent == "" {
		return b.text + before
	}
	return before + b.text // below the last table
}

func TestDocsConfigurations(t *testing.T) {
	example := ""
	loaded := 0
	inShop := inShop(t)
	for _, name := range documents(t) {
		before := example
		for _, b := range blocks(t, name, "") {
			if b.lang != "yaml" || strings.HasPrefix(b.text, foreign) {
				continue
			}
			text := whole(b, before)
			if text == b.text {
				before = text
			}
			if _, err := configs.Parse(b.at, []byte(text), inShop); err != nil {
				t.Errorf("%s: %v\n%s", b.at, err, text)
			}
			loaded++
		}
		if example == "" {
			example = before // the README's
		}
	}
	if loaded < 12 {
		t.Errorf("only %d configurations were found: the search is broken", loaded)
	}
}

// inShop has every variable, as long as a token must be, and what the manual
// has systemd keep.
func inShop(t *testing.T) func(name string) (string, bool) {
	cert, _, _ := certificate(t, "search.example")
	credentials := filepath.Dir(cert)
	for name, token := range map[string]string{"ops.token": opsToken, "shop.token": salesToken} {
		if err := os.WriteFile(filepath.Join(credentials, name), []byte(token), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return func(name string) (string, bool) {
		if name == "CREDENTIALS_DIRECTORY" {
			return credentials, true
		}
		if name == "ORACLE_DSN" {
			return "oracle://indexer@db.example.com:1521/shop", true
		}
		if name == "SQLSERVER_DSN" {
			return "sqlserver://indexer@db.example.com?database=shop", true
		}
		if name == "MYSQL_DSN" {
			return "mysql://reader@127.0.0.1:3306/shop", true
		}
		return "postgres://reader@127.0.0.1:5432/" + strings.ToLower(name), true
	}
}

// TestDocsNames compares what documents name in passing with what there is.
func TestDocsNames(t *testing.T) {
	makefile := document(t, "Makefile")
	parser, err := kong.New(&cli{})
	if err != nil {
		t.Fatal(err)
	}
	var commands []string
	for _, c := range parser.Model.Children {
		commands = append(commands, c.Name)
	}
	for _, name := range documents(t) {
		text := document(t, name)
		for _, m := range regexp.MustCompile("`make ([a-z0-9-]+)").FindAllStringSubmatch(text, -1) {
			if !strings.Contains(makefile, "\n"+m[1]+":") {
				t.Errorf("%s: the Makefile has no target %s", name, m[1])
			}
		}
		for _, m := range regexp.MustCompile("`(?:\\./)?indexerd ([a-z]+)(?:`| -| [A-Z])").FindAllStringSubmatch(text, -1) {
			if !slices.Contains(commands, m[1]) {
				t.Errorf("%s: there is no command %s", name, m[1])
			}
		}
	}
}

// TestDocsLinks: each link leads to a file, and to a section that the document has.
func TestDocsLinks(t *testing.T) {
	sections := 0
	for _, name := range documents(t) {
		for _, m := range regexp.MustCompile(`\]\(([^):#]*)#?([^):]*)\)`).FindAllStringSubmatch(document(t, name), -1) {
			target := name
			if m[1] != "" {
				target = filepath.Join(filepath.Dir(name), m[1])
			}
			if _, err := os.Stat(filepath.Join(root, target)); err != nil {
				t.Errorf("%s: a link leads nowhere: %v", name, err)
				continue
			}
			if m[2] == "" {
				continue
			}
			sections++
			if !slices.Contains(headings(t, target), m[2]) {
				t.Errorf("%s: %s has no section %s", name, target, m[2])
			}
		}
	}
	if sections < 20 {
		t.Errorf("only %d links to sections were found", sections)
	}
}

// headings returns the anchors of a document's headings, as GitHub makes them.
func headings(t testing.TB, name string) []string {
	t.Helper()
	var all []string
	for _, m := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(document(t, name), -1) {
		plain := regexp.MustCompile(`[^\p{L}\p{N}_ -]`).ReplaceAllString(strings.ToLower(m[1]), "")
		all = append(all, strings.ReplaceAll(plain, " ", "-"))
	}
	return all
}

func TestDocsAreListed(t *testing.T) {
	index := document(t, "docs/README.md")
	for _, name := range documents(t) {
		if name := filepath.Base(name); !strings.Contains(index, "/"+name+")") && !strings.Contains(index, "("+name+")") && name != "README.md" {
			t.Errorf("docs/README.md does not list %s", name)
		}
	}
}

// TestArchitectureHasEveryWing: ARCHITECTURE.md names each wing and each top-level
// package.
func TestArchitectureHasEveryWing(t *testing.T) {
	plan := document(t, "ARCHITECTURE.md")
	wings, err := filepath.Glob(filepath.Join(root, "internal", "*"))
	if err != nil || len(wings) < 9 {
		t.Fatalf("got the wings %v, %v", wings, err)
	}
	names := []string{"cmd/indexerd", "configs", "store", "timetrace", "initial", "incremental", "compensate", "deletecheck"}
	for _, wing := range wings {
		names = append(names, "internal/"+filepath.Base(wing))
	}
	for _, name := range names {
		if !strings.Contains(plan, "`"+name+"`") && !strings.Contains(plan, " "+name+"\n") {
			t.Errorf("ARCHITECTURE.md does not say what %s is for", name)
		}
	}
}

// TestAPIHasEveryRoute: a route that no document has is found by accident.
func TestAPIHasEveryRoute(t *testing.T) {
	api := document(t, "docs/api.md")
	routes := 0
	for _, file := range []string{"httpapi.go", "runs.go"} {
		for _, m := range regexp.MustCompile(`"(GET|POST|DELETE) (/[^"]*)"`).FindAllStringSubmatch(document(t, "internal/serve/httpapi/"+file), -1) {
			if !regexp.MustCompile("\\| `[^|]*" + regexp.QuoteMeta(m[2]) + "`[^|]*\\|").MatchString(api) {
				t.Errorf("docs/api.md has no %s %s", m[1], m[2])
			}
			routes++
		}
	}
	if routes < 15 {
		t.Errorf("only %d routes were found", routes)
	}
}

// TestHarnessesAreListed: docs/correctness.md lists every target that tests or measures.
func TestHarnessesAreListed(t *testing.T) {
	list := document(t, "docs/correctness.md")
	others := []string{"demo", "demo-cluster", "build", "extras", "lint", "race-packages", "race-binary", "package", "image", "servers", "java"}
	targets := regexp.MustCompile(`(?m)^([a-z-]+):(?:[^=]|$)`).FindAllStringSubmatch(document(t, "Makefile"), -1)
	if len(targets) < 15 {
		t.Fatalf("got only the targets %v", targets)
	}
	for _, m := range targets {
		if !slices.Contains(others, m[1]) && !strings.Contains(list, "`make "+m[1]) {
			t.Errorf("docs/correctness.md does not list make %s", m[1])
		}
	}
}
