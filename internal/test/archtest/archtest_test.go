// Package archtest tests the structure of the module: which wing and package may
// import which, which package owns a third-party module, and how long files and
// packages are. It parses the files itself: the test cache would not notice a new
// import if it ran go list. It takes less than a second.
package archtest

import (
	"bytes"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "indexerd"

// Every package is in a wing, and imports only what the wing may import.
func TestWings(t *testing.T) {
	for _, f := range files(t) {
		from := wingOf(f.pkg)
		if from == "" {
			t.Errorf("%s: package %s is in no wing: move it into one of %s", f.name, f.pkg, strings.Join(slices.Sorted(maps.Keys(wings)), ", "))
			continue
		}
		for _, imported := range f.imports {
			to, ours := strings.CutPrefix(imported, module+"/")
			switch {
			case !ours || f.isTest() || from == "test":
			case wingOf(to) == "test":
				t.Errorf("%s imports %s, which is for tests", f.name, to)
			case !allowed(f.pkg, to):
				t.Errorf("%s: %s (wing %s) must not import %s (wing %s)", f.name, f.pkg, from, to, wingOf(to))
			}
		}
	}
}

// A wing imports only wings that do not import it, directly or through others.
func TestWingsHaveNoCircle(t *testing.T) {
	imports := map[string]map[string]bool{}
	for name := range wings {
		imports[name] = map[string]bool{}
	}
	for _, f := range files(t) {
		from := wingOf(f.pkg)
		for _, imported := range f.imports {
			if to, ours := strings.CutPrefix(imported, module+"/"); ours && !f.isTest() && from != "test" && from != "" && wingOf(to) != from {
				imports[from][wingOf(to)] = true
			}
		}
	}
	for range wings { // at each step those go that import none of the rest
		for name, to := range imports {
			if !slices.ContainsFunc(slices.Collect(maps.Keys(to)), func(t string) bool { return imports[t] != nil }) {
				delete(imports, name)
			}
		}
	}
	if len(imports) > 0 {
		t.Errorf("these wings import each other: %s", strings.Join(slices.Sorted(maps.Keys(imports)), ", "))
	}
}

// internal/ has the wings and nothing else, and each has a doc.go of at most ten lines.
func TestInternalHasWingsOnly(t *testing.T) {
	root := filepath.Join(moduleRoot(t), "internal")
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if wingOf("internal/"+e.Name()) == "" {
			t.Errorf("internal/%s is not a wing", e.Name())
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, e.Name(), "doc.go"))
		if lines := bytes.Count(text, []byte("\n")); err != nil || lines > 10 {
			t.Errorf("internal/%s/doc.go has %d lines, want 1 to 10: %v", e.Name(), lines, err)
		}
	}
}

func TestEachModuleHasOneOwner(t *testing.T) {
	for _, f := range files(t) {
		if f.isTest() || wingOf(f.pkg) == "test" {
			continue
		}
		for _, imported := range f.imports {
			if !strings.Contains(strings.SplitN(imported, "/", 2)[0], ".") || hasPrefix(shared, imported) {
				continue // the standard library, this module, or a shared module
			}
			if owner := ownerOf(imported); !within(f.pkg, owner) {
				t.Errorf("%s: %s imports %s, whose owner is %q", f.name, f.pkg, imported, owner)
			}
		}
	}
}

// Every package with property tests imports nofailfile, so that a failure leaves
// no file in the tree.
func TestPropertyTestsImportNofailfile(t *testing.T) {
	const nofailfile = module + "/internal/test/nofailfile"
	properties, safe := map[string]bool{}, map[string]bool{}
	for _, f := range files(t) {
		properties[f.pkg] = properties[f.pkg] || slices.Contains(f.imports, "pgregory.net/rapid")
		safe[f.pkg] = safe[f.pkg] || f.pkg == "internal/test/nofailfile" || slices.Contains(f.imports, nofailfile)
	}
	for pkg, ok := range properties {
		if ok && !safe[pkg] {
			t.Errorf("%s uses rapid: one of its test files must import _ %q", pkg, nofailfile)
		}
	}
	if !properties["store"] {
		t.Error("no test of store imports rapid: the test does not read imports")
	}
}

func TestEveryPackageHasAComment(t *testing.T) {
	commented := map[string]bool{}
	for _, f := range files(t) {
		commented[f.pkg] = commented[f.pkg] || f.commented
	}
	for pkg, ok := range commented {
		if !ok {
			t.Errorf("package %s has no package comment", pkg)
		}
	}
}

func TestFilesAreShort(t *testing.T) {
	const most = 400
	for _, f := range files(t) {
		if f.lines > most {
			t.Errorf("%s has %d lines, more than %d: split it", f.name, f.lines, most)
		}
	}
}

// A package is read as one: it has at most 25 files and 5,000 lines, tests apart.
func TestPackagesAreSmall(t *testing.T) {
	const mostFiles, mostLines = 25, 5000
	count, lines := map[string]int{}, map[string]int{}
	for _, f := range files(t) {
		if !f.isTest() {
			count[f.pkg]++
			lines[f.pkg] += f.lines
		}
	}
	for pkg, n := range count {
		if n > mostFiles || lines[pkg] > mostLines {
			t.Errorf("package %s has %d files and %d lines, more than %d or %d: split it", pkg, n, lines[pkg], mostFiles, mostLines)
		}
	}
}

// A file is a Go file of the module.
type file struct {
	pkg, name string // relative to the root
	imports   []string
	lines     int
	commented bool // has a package comment
}

func (f file) isTest() bool { return strings.HasSuffix(f.name, "_test.go") }

// files returns every Go file of the module.
func files(t *testing.T) (all []file) {
	t.Helper()
	root := moduleRoot(t)
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || isModule(name)):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		f := file{pkg: filepath.ToSlash(filepath.Dir(rel)), name: filepath.ToSlash(rel), lines: bytes.Count(text, []byte("\n")), commented: parsed.Doc.Text() != ""}
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			f.imports = append(f.imports, imported)
		}
		all = append(all, f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 50 {
		t.Fatalf("found only %d Go files below %s: the walk is broken", len(all), root)
	}
	return all
}

// isModule reports whether a directory has a go.mod.
func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

func moduleRoot(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for !isModule(dir) {
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
	return dir
}

// ownerOf returns the owner of the longest prefix.
func ownerOf(imported string) (owner string) {
	longest := ""
	for prefix, o := range owners {
		if hasPrefix([]string{prefix}, imported) && len(prefix) > len(longest) {
			longest, owner = prefix, o
		}
	}
	return owner
}

// within reports whether a package is its owner, or below it.
func within(pkg, owner string) bool { return owner != "" && hasPrefix([]string{owner}, pkg) }

func hasPrefix(prefixes []string, s string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return s == p || strings.HasPrefix(s, p+"/") })
}
