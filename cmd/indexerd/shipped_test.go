package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"indexerd/internal/base/terminal"
)

// commandLine returns the model of the command line.
func commandLine(t *testing.T) *kong.Node {
	t.Helper()
	parser, err := kong.New(&cli{}, kong.Name("indexerd"))
	if err != nil {
		t.Fatal(err)
	}
	return parser.Model.Node
}

// shipped are the files in the packages that are generated from the command line.
var shipped = map[string]func(io.Writer, *kong.Node){
	"completions/indexerd.bash": completeBash,
	"completions/_indexerd":     completeZsh,
	"completions/indexerd.fish": completeFish,
	"indexerd.1":                writeManual,
}

// TestShipped compares the generated files in packaging with the command line. It
// writes them with -update.
func TestShipped(t *testing.T) {
	app := commandLine(t)
	for name, write := range shipped {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join("..", "..", "packaging", name)
			var want bytes.Buffer
			write(&want, app)
			if *retake {
				if err := os.WriteFile(file, want.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if got := readFile(t, file); got != want.String() {
				t.Errorf("%s is outdated: run go generate ./cmd/indexerd", file)
			}
		})
	}
}

func TestShippedFilesHaveEveryCommandAndFlag(t *testing.T) {
	app := commandLine(t)
	commands := visible(app)
	if len(commands) < 18 {
		t.Fatalf("got %d commands, want all", len(commands))
	}
	for name, write := range shipped {
		var b bytes.Buffer
		write(&b, app)
		for _, c := range commands {
			part := partOf(t, name, b.String(), c.Name)
			for _, f := range flags(c) {
				for _, s := range spellings(f) {
					if !slices.ContainsFunc(flagForms(s), func(form string) bool { return strings.Contains(part, form) }) {
						t.Errorf("%s: %s of %s is missing", name, s, c.Name)
					}
				}
			}
		}
	}
}

// partOf returns the part of a file about a command.
func partOf(t *testing.T, file, text, command string) string {
	t.Helper()
	begin, end := "", ""
	switch filepath.Ext(file) {
	case ".bash":
		begin, end = "\t\t"+command+") ", "\n"
	case ".fish":
		var lines []string
		for line := range strings.Lines(text) {
			if strings.Contains(line, "_from "+command+"'") {
				lines = append(lines, line)
			}
		}
		return strings.Join(lines, "")
	case ".1":
		begin, end = "\n.SS "+command+"\n", "\n.S"
	default:
		begin, end = "\n  "+command+")\n", ";;"
	}
	_, after, found := strings.Cut(text, begin)
	if !found {
		t.Errorf("%s: %s is missing", file, command)
	}
	part, _, _ := strings.Cut(after, end)
	return part
}

// flagForms returns the forms of a flag in the scripts and in the manual.
func flagForms(spelling string) []string {
	name := strings.TrimLeft(spelling, "-")
	roff := strings.ReplaceAll(spelling, "-", `\-`)
	forms := []string{spelling + " ", spelling + "'", spelling + "[", roff + `\fR`}
	if strings.HasPrefix(spelling, "--") {
		return append(forms, " -l "+name+" ")
	}
	return append(forms, " -s "+name+" ")
}

// TestBashCompletion runs the script in bash.
func TestBashCompletion(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "my film.yaml"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var script bytes.Buffer
	completeBash(&script, commandLine(t))
	for _, c := range []struct {
		words []string // the last one is incomplete
		want  string
	}{
		{[]string{"ver"}, "verify|versions|version|"},
		{[]string{"sweep", "--al"}, "--allow|"},
		{[]string{"search", "-c", "my.yaml", "film", "--no-h"}, "--no-highlight|"},
		{[]string{"run", "--config", "my"}, "my film.yaml|"},
		{[]string{"restore", "-c", "x.yaml", "my"}, "my film.yaml|"},
		{[]string{"search", "--size", ""}, ""},
		{[]string{"completion", ""}, "bash|zsh|fish|"},
	} {
		ask := fmt.Sprintf("%s\nCOMP_WORDS=(indexerd", script.String())
		for _, w := range c.words {
			ask += " " + terminal.Quote(w)
		}
		ask += fmt.Sprintf(")\nCOMP_CWORD=%d\n_indexerd\nfor word in \"${COMPREPLY[@]}\"; do printf '%%s|' \"$word\"; done\n", len(c.words))
		bash := exec.Command("bash", "--norc", "-c", ask)
		bash.Dir = dir
		out, err := bash.CombinedOutput()
		if err != nil || string(out) != c.want {
			t.Errorf("%q: got %q, %v, want %q", c.words, out, err, c.want)
		}
	}
}
