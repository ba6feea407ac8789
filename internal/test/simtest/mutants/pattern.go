package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"reflect"
	"strings"
)

// A pattern is Go code, one expression or one statement, in which single letters
// match code that a refactor may rename:
//
//	x    any identifier, such as a local variable
//	X    any expression
//
// A letter that occurs twice matches the same code twice. Longer names, and names
// of fields and methods, match only themselves.

// bindings map the letters of patterns to the source text that they match.
type bindings map[string]string

// parsePattern parses a pattern.
func parsePattern(code string) (ast.Node, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+code+"\n}", parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("pattern %q: %w", code, err)
	}
	statements := file.Decls[0].(*ast.FuncDecl).Body.List
	if len(statements) != 1 {
		return nil, fmt.Errorf("pattern %q: %d statements, want 1", code, len(statements))
	}
	if e, ok := statements[0].(*ast.ExprStmt); ok {
		return e.X, nil
	}
	return statements[0], nil
}

// match reports whether a node of the function matches the pattern, and binds the
// pattern's letters. It ignores positions, comments and formatting.
func (f *function) match(pattern, node reflect.Value, b bindings) bool {
	switch p := pattern.Interface().(type) {
	case *ast.Ident:
		if p != nil && isLetter(p.Name) {
			return f.bind(p.Name, node.Interface(), b)
		}
	case *ast.SelectorExpr:
		n, ok := node.Interface().(*ast.SelectorExpr)
		return ok && p.Sel.Name == n.Sel.Name && f.match(reflect.ValueOf(p.X), reflect.ValueOf(n.X), b)
	case token.Pos: // the AST has the dots of f(a...) as a position
		n, ok := node.Interface().(token.Pos)
		return ok && p.IsValid() == n.IsValid()
	}
	if pattern.Type() != node.Type() {
		return false
	}
	switch pattern.Kind() {
	case reflect.Interface, reflect.Pointer:
		if pattern.IsNil() || node.IsNil() {
			return pattern.IsNil() == node.IsNil()
		}
		return f.match(pattern.Elem(), node.Elem(), b)
	case reflect.Slice:
		if pattern.Len() != node.Len() {
			return false
		}
		for i := range pattern.Len() {
			if !f.match(pattern.Index(i), node.Index(i), b) {
				return false
			}
		}
		return true
	case reflect.Struct:
		for i := range pattern.NumField() {
			if !f.match(pattern.Field(i), node.Field(i), b) {
				return false
			}
		}
		return true
	}
	return pattern.Equal(node)
}

// bind binds a letter to a node. It reports false if the letter can't match the
// node, or is bound to other code.
func (f *function) bind(letter string, node any, b bindings) bool {
	expr, ok := node.(ast.Expr)
	if !ok {
		return false
	}
	text := f.source(expr)
	if _, name := expr.(*ast.Ident); !name {
		if strings.ToLower(letter) == letter {
			return false
		}
		text = "(" + text + ")"
	}
	if bound, ok := b[letter]; ok {
		return bound == text
	}
	b[letter] = text
	return true
}

// fill replaces the letters of a replacement by the text that they are bound to.
func (b bindings) fill(code string) (string, error) {
	var (
		s    scanner.Scanner
		text strings.Builder
		done int // bytes of code
		last token.Token
	)
	file := token.NewFileSet().AddFile("", -1, len(code))
	s.Init(file, []byte(code), nil, 0)
	for {
		pos, tok, name := s.Scan()
		if tok == token.EOF {
			return text.String() + code[done:], nil
		}
		if tok == token.IDENT && last != token.PERIOD && isLetter(name) {
			bound, ok := b[name]
			if !ok {
				return "", fmt.Errorf("replacement %q: no pattern binds %s", code, name)
			}
			text.WriteString(code[done:file.Offset(pos)] + bound)
			done = file.Offset(pos) + len(name)
		}
		last = tok
	}
}

func isLetter(name string) bool { return len(name) == 1 && name != "_" }
