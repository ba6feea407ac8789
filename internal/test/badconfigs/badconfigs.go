// Package badconfigs reads the invalid configuration files that several tests
// share, with the faults that each of them has.
//
// The files are in txtar archives, configs/testdata/bad/*.txtar, one archive
// for each part of a configuration. A case NAME is two entries:
//
//	NAME.diff  how the file differs from configs/testdata/good/minimal.yaml
//	NAME.want  the faults, one on each line, as Load returns them
//
// The name of the file is NAME.yaml, and line numbers in faults are lines of
// that file. A diff is in the unified format without its @@ lines:
//
//	-TEXT  removes a line
//	+TEXT  adds a line after the line before it in the diff; as the first
//	       line of the diff, at the end of the file
//	 TEXT  keeps a line; the next + line goes after it
//
// A file that has little in common with minimal.yaml is written as a whole, as
// NAME.yaml instead of NAME.diff. An entry whose name ends in .quoted holds Go
// string literals, one on each line, for bytes that a text editor hides or
// changes.
//
// To add a case, write its NAME.diff and run go test ./configs -update, which
// writes NAME.want.
package badconfigs

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// A Case is an invalid configuration file.
type Case struct {
	Name string // of the file, such as batch_zero.yaml
	YAML []byte
	Want string // the faults, one on each line; empty for a new case
}

// File writes the case to a temporary directory and returns the file's path.
func (c Case) File(t testing.TB) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), c.Name)
	if err := os.WriteFile(file, c.YAML, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// Read returns the cases of all archives in dir/bad, where dir is
// configs/testdata. Their names are unique.
func Read(t testing.TB, dir string) []Case {
	t.Helper()
	base, err := os.ReadFile(filepath.Join(dir, "good", "minimal.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var all []Case
	for file, archive := range archives(t, dir) {
		cases, err := casesOf(archive, base)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, cases...)
	}
	slices.SortFunc(all, func(a, b Case) int { return cmp.Compare(a.Name, b.Name) })
	for i := range all[1:] {
		if all[i].Name == all[i+1].Name {
			t.Fatalf("%s: two cases named %s: rename one of them", dir, all[i].Name)
		}
	}
	return all
}

// Update replaces the expected faults in the archives of dir/bad. The keys of
// want are names of cases. A case without a key keeps its faults.
func Update(t testing.TB, dir string, want map[string]string) {
	t.Helper()
	for file, archive := range archives(t, dir) {
		replaceWants(archive, want)
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// archives returns the archives in dir/bad by their paths. Another file in the
// directory is an error, so that no case is missed.
func archives(t testing.TB, dir string) map[string]*txtar.Archive {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "bad", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s/bad: %d archives, %v", dir, len(files), err)
	}
	all := map[string]*txtar.Archive{}
	for _, file := range files {
		if filepath.Ext(file) != ".txtar" {
			t.Fatalf("%s: not an archive: move the case into one of %s/bad/*.txtar", file, dir)
		}
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[file] = archive
	}
	return all
}

// casesOf returns the cases of an archive. base is the file that diffs apply to.
func casesOf(archive *txtar.Archive, base []byte) ([]Case, error) {
	var cases []Case
	for _, entry := range archive.Files {
		name, kind, data, err := read(entry)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", entry.Name, err)
		}
		switch kind {
		case ".diff":
			if data, err = apply(base, data); err != nil {
				return nil, fmt.Errorf("%s: %w", entry.Name, err)
			}
			fallthrough
		case ".yaml":
			cases = append(cases, Case{Name: name, YAML: data})
		case ".want":
			last := len(cases) - 1
			if last < 0 || cases[last].Name != name || cases[last].Want != "" {
				return nil, fmt.Errorf("%s: does not follow its .diff or .yaml", entry.Name)
			}
			cases[last].Want = string(data)
		default:
			return nil, fmt.Errorf("%s: unknown kind of entry: end the name in .diff, .yaml or .want", entry.Name)
		}
	}
	return cases, nil
}

// read returns the name of an entry's case, the kind of the entry and its data,
// unquoted.
func read(entry txtar.File) (name, kind string, data []byte, err error) {
	full, quoted := strings.CutSuffix(entry.Name, ".quoted")
	kind = filepath.Ext(full)
	name = strings.TrimSuffix(full, kind) + ".yaml"
	if !quoted {
		return name, kind, entry.Data, nil
	}
	for line := range strings.Lines(string(entry.Data)) {
		text, err := strconv.Unquote(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return "", "", nil, fmt.Errorf("%q is not a Go string literal", line)
		}
		data = append(data, text...)
	}
	return name, kind, data, nil
}

// apply returns base with the changes of diff.
func apply(base, diff []byte) ([]byte, error) {
	if len(diff) == 0 {
		return nil, errors.New("no change")
	}
	var out []string
	rest := slices.Collect(strings.Lines(string(base)))
	if diff[0] == '+' {
		out, rest = rest, nil
	}
	for line := range strings.Lines(string(diff)) {
		mark, text := line[0], line[1:]
		switch mark {
		case '+':
			out = append(out, text)
		case '-', ' ':
			i := slices.Index(rest, text)
			if i < 0 {
				return nil, fmt.Errorf("%q is not in what is left of minimal.yaml", text)
			}
			out = append(out, rest[:i]...)
			if mark == ' ' {
				out = append(out, text)
			}
			rest = rest[i+1:]
		default:
			return nil, fmt.Errorf("%q begins with neither +, - nor a space", line)
		}
	}
	return []byte(strings.Join(append(out, rest...), "")), nil
}

// replaceWants puts the faults of want into an archive, behind their cases.
func replaceWants(archive *txtar.Archive, want map[string]string) {
	var files []txtar.File
	for _, entry := range archive.Files {
		name, kind, _, _ := read(entry)
		faults, ok := want[name]
		if ok && kind == ".want" {
			continue
		}
		files = append(files, entry)
		if ok {
			files = append(files, txtar.File{Name: strings.TrimSuffix(name, ".yaml") + ".want", Data: []byte(faults)})
		}
	}
	archive.Files = files
}
