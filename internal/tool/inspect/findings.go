package inspect

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"indexerd/configs"
	"indexerd/internal/base/terminal"
)

// A Finding is one result of a check.
type Finding struct {
	Level string `json:"level"` // Error, Warning or Info
	Code  string `json:"code"`
	Where string `json:"where"`
	Path  string `json:"path"`
	What  string `json:"what"`
	Do    string `json:"do"`
}

// Findings are the result of a check, the most serious first.
type Findings struct {
	Errors   int       `json:"errors"`
	Warnings int       `json:"warnings"`
	Findings []Finding `json:"findings"`

	// Unusable is true if the configuration is wrong or a database does not answer.
	Unusable bool `json:"-"`
}

// Faults returns the faults of a configuration as findings.
func Faults(faults configs.Faults) Findings {
	f := Findings{Findings: []Finding{}}
	for _, one := range faults {
		f.add(configFault, one)
	}
	return f
}

// nothing is the remedy of a finding that needs none.
const nothing = "nothing to do"

// add inserts a finding after those of its level.
func (f *Findings) add(c code, at configs.Fault) {
	k := kinds[c]
	switch k.level {
	case Error:
		f.Errors++
	case Warning:
		f.Warnings++
	}
	f.Unusable = f.Unusable || c == configFault || c == badDSN || c == unreachable || c == indexUnreachable || c == marksUnreachable || c == marksMoved
	before := map[string]int{Error: f.Errors - 1, Warning: f.Errors + f.Warnings - 1, Info: len(f.Findings)}[k.level]
	f.Findings = slices.Insert(f.Findings, before, Finding{k.level, k.name, fmt.Sprintf("%s:%d", at.File, at.Line), at.Path, at.What, at.Do})
}

// Write writes each finding as a line of text.
func (f *Findings) Write(w io.Writer) {
	widest := 0
	for _, one := range f.Findings {
		widest = max(widest, len(one.Code))
	}
	for _, one := range f.Findings {
		do := ": " + terminal.Line(one.Do)
		if one.Do == nothing {
			do = ""
		}
		fmt.Fprintf(w, "%-7s  %-*s  %s: %s: %s%s\n", one.Level, widest, one.Code, terminal.Line(one.Where), terminal.Line(one.Path), terminal.Line(one.What), do)
	}
}

// Summary counts the findings.
func (f *Findings) Summary() string {
	parts := []string{"no errors"}
	if f.Errors > 0 {
		parts[0] = terminal.Count(f.Errors, "error")
	}
	return strings.Join(append(parts, terminal.Count(f.Warnings, "warning"), terminal.Count(len(f.Findings)-f.Errors-f.Warnings, "note")), ", ")
}
