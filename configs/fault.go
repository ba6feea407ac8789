package configs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Fault is one thing wrong in a file, in words that fit on one line.
type Fault struct {
	File string
	Line int
	Path string // as "tables.film.updated"; "file" where it is no single key
	What string
	Do   string
}

func (f Fault) Error() string {
	return fmt.Sprintf("%s:%d: %s: %s: %s", f.File, f.Line, f.Path, f.What, f.Do)
}

// Faults is everything wrong in a file, in the order of its lines. It is the
// error of Load and Parse.
type Faults []Fault

// Error returns one line for each fault.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, fault := range f {
		lines[i] = fault.Error()
	}
	return strings.Join(lines, "\n")
}

// sortFaults orders by line; those of one line stay as found.
func sortFaults(faults []Fault) {
	slices.SortStableFunc(faults, func(a, b Fault) int { return cmp.Compare(a.Line, b.Line) })
}
