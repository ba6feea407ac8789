package configs

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"indexerd/internal/base/nearest"
)

// A Fault is one error in a configuration file. Its text is one line.
type Fault struct {
	File string
	Line int
	Path string // such as "tables.film.updated"; "file" if no single key is wrong
	What string
	Do   string
}

func (f Fault) Error() string {
	return fmt.Sprintf("%s:%d: %s: %s: %s", f.File, f.Line, f.Path, f.What, f.Do)
}

// Faults are all errors in a file, sorted by line. Load and Parse return them
// as their error.
type Faults []Fault

// Error returns one line for each fault.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, fault := range f {
		lines[i] = fault.Error()
	}
	return strings.Join(lines, "\n")
}

// A place is where a value stands in the file, and what to write there.
type place struct {
	path string
	line int
	do   string
}

// fault records a fault at a place.
func (r *reader) fault(at place, what string) {
	r.faults = append(r.faults, Fault{r.config.File, at.line, cmp.Or(at.path, "file"), what, at.do})
}

// wrong records a fault at the line of a key.
func (r *reader) wrong(path, what, do string) {
	r.faults = append(r.faults, r.config.Fault(path, what, do))
}

// noEffect reports the keys of a section that its engine does not use: all but engine
// and used.
func (r *reader) noEffect(section string, keys []key, on, do string, used ...string) {
	for _, k := range keys {
		if path := join(section, k.name); k.name != "engine" && !slices.Contains(used, k.name) && r.config.given(path) {
			r.wrong(path, "no effect "+on, do)
		}
	}
}

// didYouMean returns " (did you mean X?)", or "" if no name is similar.
func didYouMean(name string, names []string) string {
	if near := nearest.Name(name, names); near != "" {
		return fmt.Sprintf(" (did you mean %s?)", near)
	}
	return ""
}

// Message returns the text of an error for users: one line for each fault of a
// configuration, one line for any other error.
func Message(err error) string {
	if errors.As(err, new(Faults)) {
		return err.Error()
	}
	return strings.ReplaceAll(err.Error(), "\n", ": ")
}
