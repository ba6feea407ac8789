package main

import (
	"go/format"
	"strings"
	"testing"
)

// functionOf returns a method Run with the given body.
func functionOf(t *testing.T, body string) *function {
	t.Helper()
	f := &function{pkg: "p", name: "T.Run", text: []byte("package p\n\nfunc (t *T) Run() error {\n" + body + "}\n")}
	if err := f.parse(); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestEdits(t *testing.T) {
	for _, c := range []struct {
		name       string
		edit       edit
		body, want string
	}{
		{"replace an expression", replace("!P.Same(s)", "P.Less(s)"), "return !a[i].Same(b) || c\n", "return ((a[i]).Less(b)) || c\n"},
		{"replace a statement", replace("o, e := t.lock()", "o, e := t.lock()\no = true"), "ok, err := t.lock()\n", "ok, err := t.lock()\nok = true\n"},
		{"replace with letters of another pattern", replace("t.ask()", "t.ask(k)", "t.first(k)"), "t.first(keys)\nt.ask()\n", "t.first(keys)\n(t.ask(keys))\n"},
		{"insert", insert("t.log(e)", "t.sync(e)"), "for {\nif err := t.sync(x); err != nil {\nreturn err\n}\n}\n",
			"for {\nt.log(x)\nif err := t.sync(x); err != nil {\nreturn err\n}\n}\n"},
		{"drop with error handling", drop("t.sync()"), "t.a()\nif err := t.sync(); err != nil {\nreturn err\n}\nt.b()\n", "t.a()\nt.b()\n"},
		{"drop in a case", drop("t.sync()"), "switch {\ncase a:\nt.sync()\nt.b()\n}\n", "switch {\ncase a:\nt.b()\n}\n"},
		{"move", move("t.b(X)", "t.a()"), "if t.a() {\nt.c()\n}\nt.b(1)\n", "t.b(1)\nif t.a() {\nt.c()\n}\n"},
		{"move a loop", move("t.b()", "t.d()"), "for {\nif t.b() {\n}\n}\nt.c()\nreturn t.d()\n", "t.c()\nfor {\nif t.b() {\n}\n}\nreturn t.d()\n"},
		{"several edits", all(drop("t.a()"), replace("t.b()", "t.c()")), "t.a()\nt.b()\n", "(t.c())\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := functionOf(t, c.body)
			if err := c.edit(f); err != nil {
				t.Fatal(err)
			}
			got, want := pretty(t, f.text), pretty(t, functionOf(t, c.want).text)
			if got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func pretty(t *testing.T, text []byte) string {
	t.Helper()
	formatted, err := format.Source(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return strings.ReplaceAll(string(formatted), "\n\n", "\n")
}

// The error of an edit names the function and the pattern.
func TestErrorsOfEdits(t *testing.T) {
	const body = "a, b := t.x, t.x\nt.f(a, b)\nt.f(a, 1)\nt.g(a, a)\n"
	for pattern, want := range map[string]string{
		"t.h()":         `p: T.Run has "t.h()" 0 times, want 1`,
		"t.f(a, B)":     `p: T.Run has "t.f(a, B)" 2 times, want 1`,
		"t.f(a, a)":     `p: T.Run has "t.f(a, a)" 0 times, want 1`, // a letter matches one name
		"t.x(a)":        `p: T.Run has "t.x(a)" 0 times, want 1`,
		"t.f(a, b...)":  `p: T.Run has "t.f(a, b...)" 0 times, want 1`,
		"t.f(); t.g()":  `pattern "t.f(); t.g()": 2 statements, want 1`,
		"if t.f() else": `pattern "if t.f() else": `,
	} {
		if err := drop(pattern)(functionOf(t, body)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", pattern, err, want)
		}
	}
	for _, pattern := range []string{"t.f(a, b)", "t.g(a, a)", "t.f(a, 1)"} { // small letters match only identifiers
		if err := drop(pattern)(functionOf(t, body)); err != nil {
			t.Error(err)
		}
	}
	if err := replace("t.g(a, a)", "t.g(z)")(functionOf(t, body)); err == nil || !strings.Contains(err.Error(), "no pattern binds z") {
		t.Errorf("unbound letter: got %v", err)
	}
	if err := move("t.x", "t.f(A, 1)")(functionOf(t, "t.f(t.x, 1)\n")); err == nil || !strings.Contains(err.Error(), "in the same statement") {
		t.Errorf("move of a statement before itself: got %v", err)
	}
	if _, err := findFunction(root, "internal/sync/sink", "Sink.Absent"); err == nil || !strings.Contains(err.Error(), "internal/sync/sink has no function Sink.Absent") {
		t.Errorf("unknown function: got %v", err)
	}
}
