package timeunit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Sample is up to how many votes are counted: enough that a few thousand rows
// of another kind decide nothing, and read in a fraction of a second from a
// table of any size.
const Sample = 100_000

// Votes counts rows by the unit in which their updateTime is plausible.
type Votes map[Unit]int

// total is the number of votes.
func (v Votes) total() (n int) {
	for _, votes := range v {
		n += votes
	}
	return n
}

// bulk returns the unit of more than half of the votes; Unknown if there is
// none.
func (v Votes) bulk() Unit {
	total := v.total()
	for u, votes := range v {
		if 2*votes > total {
			return u
		}
	}
	return Unknown
}

// String lists the votes, most frequent first: "98 in seconds, 2 in milliseconds".
func (v Votes) String() string {
	var units []Unit
	for u, votes := range v {
		if votes > 0 {
			units = append(units, u)
		}
	}
	slices.SortFunc(units, func(a, b Unit) int { return cmp.Or(cmp.Compare(v[b], v[a]), cmp.Compare(a, b)) })
	var list []string
	for _, u := range units {
		list = append(list, fmt.Sprintf("%d in %s", v[u], u.Noun()))
	}
	return strings.Join(list, ", ")
}

// A Conflict is rows, a declaration and what was found before that do not
// agree. It names no column: the caller does.
type Conflict struct {
	What string
	Do   string
	// Declared says that the declaration is what does not fit.
	Declared bool
	// Rows says that the rows do not fit: they may change, and the configuration
	// by itself has no fault.
	Rows bool
}

// Error implements error.
func (c *Conflict) Error() string { return c.What + ": " + c.Do }

// Decide returns the unit of a column, by what is declared and what was found
// before, each Unknown if it was not, and by the votes of its rows. Without a
// vote it is what is declared or was found. The error is a *Conflict.
func Decide(declared, found Unit, votes Votes) (Unit, error) {
	if declared != Unknown {
		return decideDeclared(declared, found, votes)
	}
	bulk := votes.bulk()
	switch {
	case votes.total() == 0, bulk == Unknown && found != Unknown:
		return found, nil
	case bulk == Unknown:
		return Unknown, &Conflict{
			What: fmt.Sprintf("its rows count in several units (%v)", votes),
			Do:   "declare the unit in which new rows are written: " + declaration(Numbers...),
			Rows: true,
		}
	case found != Unknown && found != bulk:
		do := "write rows in one unit, or declare it and load the table again with indexerd reload"
		if bulk.Declarable() {
			do = fmt.Sprintf("declare the unit (%s) and load the table again with indexerd reload", declaration(bulk))
		}
		return Unknown, &Conflict{What: fmt.Sprintf("it was found to count in %s, and most rows do not now (%v)", found.Noun(), votes), Do: do, Rows: true}
	}
	return bulk, nil
}

// decideDeclared takes the declaration at its word, unless no row at all bears
// it out.
func decideDeclared(declared, found Unit, votes Votes) (Unit, error) {
	switch {
	case found != Unknown && found != declared:
		return Unknown, &Conflict{
			What:     fmt.Sprintf("unit %s is declared, and the table was loaded with %s", declared, found.Noun()),
			Do:       "put it back, or load the table again with indexerd reload",
			Declared: true,
		}
	case votes.total() > 0 && votes[declared] == 0:
		return Unknown, &Conflict{
			What:     fmt.Sprintf("unit %s is declared, and no row counts in %s (%v)", declared, declared.Noun(), votes),
			Do:       "correct or remove unit",
			Declared: true,
			Rows:     true,
		}
	}
	return declared, nil
}

// declaration shows how a configuration declares one of the units.
func declaration(units ...Unit) string {
	texts := make([]string, len(units))
	for i, u := range units {
		texts[i] = string(u)
	}
	return "updated: {column: ..., unit: " + strings.Join(texts, "|") + "}"
}
