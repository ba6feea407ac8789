package main

import (
	"fmt"
	"go/ast"
)

// An edit changes the text of a function. Patterns describe what it changes; each
// has to match exactly once.
type edit func(*function) error

// replace replaces an expression by another one, or a statement by others. The
// replacement may use the letters of the pattern, and of the given patterns,
// which only bind letters.
func replace(pattern, replacement string, given ...string) edit {
	return func(f *function) error {
		node, text, err := f.fill(pattern, replacement, given)
		if err != nil {
			return err
		}
		if _, ok := node.(ast.Expr); ok {
			text = "(" + text + ")"
		}
		return f.apply(change{node.Pos(), node.End(), text})
	}
}

// insert inserts statements before the statement that contains the pattern.
func insert(statements, before string, given ...string) edit {
	return func(f *function) error {
		node, text, err := f.fill(before, statements, given)
		if err != nil {
			return err
		}
		at := f.statement(node).Pos()
		return f.apply(change{at, at, text + "\n"})
	}
}

// drop removes the statement that contains the pattern, with its error handling.
func drop(pattern string) edit {
	return func(f *function) error {
		node, err := f.find(pattern, bindings{})
		if err != nil {
			return err
		}
		s := f.statement(node)
		return f.apply(change{s.Pos(), s.End(), ""})
	}
}

// move moves the statement that contains one pattern before the statement that
// contains the other. If their depths differ, it moves the enclosing statements in
// the innermost common block, such as a whole loop.
func move(pattern, before string) edit {
	return func(f *function) error {
		bound := bindings{}
		moved, err := f.find(pattern, bound)
		if err != nil {
			return err
		}
		target, err := f.find(before, bound)
		if err != nil {
			return err
		}
		from, to := f.enclosing(moved), f.enclosing(target)
		for len(from) > 0 && len(to) > 0 && from[0] == to[0] {
			from, to = from[1:], to[1:]
		}
		if len(from) == 0 || len(to) == 0 {
			return fmt.Errorf("%s: %s has %q and %q in the same statement", f.pkg, f.name, pattern, before)
		}
		return f.apply(
			change{from[0].Pos(), from[0].End(), ""},
			change{to[0].Pos(), to[0].Pos(), f.source(from[0]) + "\n"},
		)
	}
}

// all applies edits one after the other.
func all(edits ...edit) edit {
	return func(f *function) error {
		for _, edit := range edits {
			if err := edit(f); err != nil {
				return err
			}
		}
		return nil
	}
}

// fill finds a pattern and replaces the letters in text by what the pattern and
// the given patterns bind.
func (f *function) fill(pattern, text string, given []string) (ast.Node, string, error) {
	bound := bindings{}
	for _, g := range given {
		if _, err := f.find(g, bound); err != nil {
			return nil, "", err
		}
	}
	node, err := f.find(pattern, bound)
	if err != nil {
		return nil, "", err
	}
	text, err = bound.fill(text)
	return node, text, err
}

// statement returns the innermost statement that contains a node.
func (f *function) statement(n ast.Node) ast.Stmt {
	chain := f.enclosing(n)
	return chain[len(chain)-1]
}
