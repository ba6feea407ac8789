package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const root = "../../../.."

// Each pattern matches once and each mutant compiles, also after all local
// variables of the function are renamed and the comments removed. So a refactor
// that keeps the rule need not change the mutant.
func TestMutantsCompile(t *testing.T) {
	c := newCompiler(t)
	for _, m := range mutants {
		t.Run(m.rule+" "+m.name, func(t *testing.T) {
			f, err := m.apply(root)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.check(f); err != nil {
				t.Errorf("the mutant does not compile: %v", err)
			}
			refactored := c.refactored(t, m)
			if err := m.edit(refactored); err != nil {
				t.Fatalf("after a refactor: %v\n%s", err, refactored.source(refactored.decl))
			}
			if _, err := c.check(refactored); err != nil {
				t.Errorf("the mutant does not compile after a refactor: %v\n%s", err, refactored.source(refactored.decl))
			}
		})
	}
}

// Each test that has to kill a mutant exists: go test -run passes if no test
// matches.
func TestTestsOfMutantsExist(t *testing.T) {
	for _, m := range mutants {
		if m.tests == "" {
			continue
		}
		all, err := testsOf(m.testsIn())
		if err != nil {
			t.Fatal(err)
		}
		for name := range strings.SplitSeq(m.tests, "|") {
			if !slices.Contains(all, name) {
				t.Errorf("%s, %s: %s has no test %s", m.rule, m.name, m.testsIn(), name)
			}
		}
	}
}

// testsOf returns the names of the functions in the test files of a package.
func testsOf(pkg string) (names []string, err error) {
	files, err := filepath.Glob(filepath.Join(root, pkg, "*_test.go"))
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range parsed.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				names = append(names, nameOf(d))
			}
		}
	}
	return names, err
}

// Each rule from R1 to R31 has a mutant, or a reason why it has none.
func TestEveryRuleHasAMutant(t *testing.T) {
	broken := map[string]bool{}
	for _, m := range mutants {
		if m.name == "" {
			t.Errorf("%s, %s: %s: the mutant has no name", m.rule, m.pkg, m.function)
		}
		broken[m.rule] = true
	}
	for rule, reason := range rulesWithoutMutant {
		if broken[rule] || reason == "" {
			t.Errorf("%s: it has a mutant, or no reason why it has none", rule)
		}
	}
	for n := 1; n <= 31; n++ {
		if rule := fmt.Sprintf("R%d", n); !broken[rule] && rulesWithoutMutant[rule] == "" {
			t.Errorf("%s: no mutant breaks the rule, and rulesWithoutMutant has no reason", rule)
		}
	}
	if len(mutants) < 38 || len(broken) != 30 {
		t.Errorf("got %d mutants of %d rules, want 38 and more of 30", len(mutants), len(broken))
	}
}

// A compiler checks the types of packages with an edited file, in memory. It
// imports the export files that go list reports.
type compiler struct {
	files *token.FileSet
	types.Importer
}

func newCompiler(t *testing.T) compiler {
	t.Helper()
	args := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}
	for _, m := range mutants {
		args = append(args, "./"+m.pkg)
	}
	list := exec.Command("go", args...)
	list.Dir, list.Stderr = root, os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Fatalf("%v: %v", list, err)
	}
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		exports[path] = file
	}
	files := token.NewFileSet()
	return compiler{files, importer.ForCompiler(files, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})}
}

// A checked file has type information for its names.
type checked struct {
	*ast.File
	types.Info
}

// check checks the types of a function's package, with the function's text in
// place of its file.
func (c compiler) check(f *function) (checked, error) {
	var edited checked
	edited.Defs, edited.Uses = map[*ast.Ident]types.Object{}, map[*ast.Ident]types.Object{}
	pkg, err := build.ImportDir(filepath.Dir(f.file), 0)
	if err != nil {
		return edited, err
	}
	var parsed []*ast.File
	for _, name := range pkg.GoFiles {
		var text any
		name = filepath.Join(pkg.Dir, name)
		if name == f.file {
			text = f.text
		}
		file, err := parser.ParseFile(c.files, name, text, parser.SkipObjectResolution)
		if err != nil {
			return edited, err
		}
		if name == f.file {
			edited.File = file
		}
		parsed = append(parsed, file)
	}
	config := types.Config{Importer: c}
	_, err = config.Check("indexerd/"+f.pkg, c.files, parsed, &edited.Info)
	return edited, err
}

// refactored returns a mutant's function before the edit, with all local variables
// renamed and without comments.
func (c compiler) refactored(t *testing.T, m mutant) *function {
	t.Helper()
	f, err := findFunction(root, m.pkg, m.function)
	if err != nil {
		t.Fatal(err)
	}
	file, err := c.check(f)
	if err != nil {
		t.Fatal(err)
	}
	var decl *ast.FuncDecl
	for _, d := range file.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && nameOf(d) == m.function {
			decl = d
		}
	}
	renamed := 0
	ast.Inspect(decl, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || id.Name == "_" {
			return true
		}
		v, ok := file.ObjectOf(id).(*types.Var)
		if ok && !v.IsField() && decl.Pos() <= v.Pos() && v.Pos() < decl.End() {
			id.Name += "Renamed"
			renamed++
		}
		return true
	})
	if renamed == 0 {
		t.Fatalf("%s: %s has no local variable", m.pkg, m.function)
	}
	var text bytes.Buffer
	if err := format.Node(&text, c.files, file.File); err != nil {
		t.Fatal(err)
	}
	f.text = text.Bytes()
	if err := f.parse(); err != nil {
		t.Fatal(err)
	}
	return f
}
