package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

// A function is a function of production code with the text of its file. Edits
// change the text.
type function struct {
	pkg, name string // "internal/sync/sink", "Sink.Put"
	file      string // path of the original
	text      []byte

	start token.Pos // of the file; start and decl belong to the current text
	decl  *ast.FuncDecl
}

// findFunction finds a function, or a method given as Type.Method, in a package.
// root is the directory of the module.
func findFunction(root, pkg, name string) (*function, error) {
	p, err := build.ImportDir(filepath.Join(root, pkg), 0)
	if err != nil {
		return nil, err
	}
	for _, file := range p.GoFiles {
		f := &function{pkg: pkg, name: name, file: filepath.Join(p.Dir, file)}
		if f.text, err = os.ReadFile(f.file); err != nil {
			return nil, err
		}
		if err := f.parse(); err != nil || f.decl != nil {
			return f, err
		}
	}
	return nil, fmt.Errorf("%s has no function %s: table.go has to name the function that keeps the rule", pkg, name)
}

// parse parses the text.
func (f *function) parse() error {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, f.file, f.text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	f.start, f.decl = file.FileStart, nil
	for _, d := range file.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && nameOf(d) == f.name {
			f.decl = d
		}
	}
	return nil
}

// nameOf returns the name of a function, or Type.Method of a method.
func nameOf(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	receiver := d.Recv.List[0].Type
	if pointer, ok := receiver.(*ast.StarExpr); ok {
		receiver = pointer.X
	}
	if generic, ok := receiver.(*ast.IndexExpr); ok {
		receiver = generic.X
	}
	name, _ := receiver.(*ast.Ident)
	return name.String() + "." + d.Name.Name
}

// find returns the node that matches the pattern, and binds the pattern's letters.
// A pattern that matches no node or several is an error.
func (f *function) find(code string, b bindings) (ast.Node, error) {
	pattern, err := parsePattern(code)
	if err != nil {
		return nil, err
	}
	var found []ast.Node
	var bound bindings
	ast.Inspect(f.decl.Body, func(n ast.Node) bool {
		trial := maps.Clone(b)
		if n != nil && f.match(reflect.ValueOf(pattern), reflect.ValueOf(n), trial) {
			found, bound = append(found, n), trial
		}
		return true
	})
	if len(found) != 1 {
		return nil, fmt.Errorf("%s: %s has %q %d times, want 1: change the pattern in table.go", f.pkg, f.name, code, len(found))
	}
	maps.Copy(b, bound)
	return found[0], nil
}

// enclosing returns the statements that contain a node, outermost first. It leaves
// out statements in the head of another one, such as the one before the condition
// of an if: they can't be moved alone.
func (f *function) enclosing(node ast.Node) (chain []ast.Stmt) {
	ast.Inspect(f.decl.Body, func(n ast.Node) bool {
		var list []ast.Stmt
		switch n := n.(type) {
		case *ast.BlockStmt:
			list = n.List
		case *ast.CaseClause:
			list = n.Body
		case *ast.CommClause:
			list = n.Body
		}
		for _, s := range list {
			if s.Pos() <= node.Pos() && node.End() <= s.End() {
				chain = append(chain, s)
			}
		}
		return true
	})
	return chain
}

// source returns the text of a node.
func (f *function) source(n ast.Node) string {
	return string(f.text[n.Pos()-f.start : n.End()-f.start])
}

// A change replaces the text between two positions.
type change struct {
	from, to token.Pos
	text     string
}

// apply makes changes, which must not overlap, and parses the new text.
func (f *function) apply(changes ...change) error {
	slices.SortFunc(changes, func(a, b change) int { return cmp.Compare(a.from, b.from) })
	var text strings.Builder
	done := f.start
	for _, c := range changes {
		text.Write(f.text[done-f.start : c.from-f.start])
		text.WriteString(c.text)
		done = c.to
	}
	text.Write(f.text[done-f.start:])
	f.text = []byte(text.String())
	return f.parse()
}
