package main

import (
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

const root = "../../.."

// A mutant whose file has changed is noticed here, before anybody runs it.
func TestMutantsApply(t *testing.T) {
	for _, m := range mutants {
		text, err := m.text(root)
		if err != nil {
			t.Errorf("%s, %s: %v", m.rule, m.name, err)
			continue
		}
		if _, err := parser.ParseFile(token.NewFileSet(), m.file, text, parser.SkipObjectResolution); err != nil {
			t.Errorf("%s, %s: %v", m.rule, m.name, err)
		}
	}
}

// The document has a row for each mutant, and says of each rule without one why.
func TestMutantsAreDocumented(t *testing.T) {
	text, err := os.ReadFile(root + "/docs/mutants.md")
	if err != nil {
		t.Fatal(err)
	}
	rules := map[string]bool{}
	for _, m := range mutants {
		rules[m.rule] = true
		if row := "| " + m.rule + " | " + m.name + " | `" + m.file + "` |"; !strings.Contains(string(text), row) {
			t.Errorf("docs/mutants.md has no row that begins with %s", row)
		}
	}
	for _, rule := range []string{"R7", "R23"} {
		if !strings.Contains(string(text), "| "+rule+" | none") {
			t.Errorf("docs/mutants.md does not say why %s has no mutant", rule)
		}
		if rules[rule] {
			t.Errorf("%s has a mutant, and is listed as one that has none", rule)
		}
	}
	if len(mutants) < 22 || len(rules) != 27 {
		t.Errorf("got %d mutants of %d rules, want 22 and more of 27", len(mutants), len(rules))
	}
}
