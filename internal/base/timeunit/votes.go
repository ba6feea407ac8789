package timeunit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Samples are the numbers of rows that vote at most. Of the first, one in the declared
// unit decides; else all of the second do. A few thousand rows in another unit do not
// change that result, and reading them takes a fraction of a second.
var Samples = [...]int{1000, 100_000}

// Votes are the numbers of rows whose updateTime is plausible in a unit.
type Votes map[Unit]int

// total is the number of votes.
func (v Votes) total() (n int) {
	for _, votes := range v {
		n += votes
	}
	return n
}

// bulk returns the unit of more than half of the votes, or Unknown.
func (v Votes) bulk() Unit {
	total := v.total()
	for u, votes := range v {
		if 2*votes > total {
			return u
		}
	}
	return Unknown
}

// String lists the votes, the most frequent first: "98 in seconds, 2 in
// milliseconds".
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

// A Conflict is a contradiction between the rows of a column, the declared unit
// and the unit found before. The caller adds the name of the column.
type Conflict struct {
	What     string
	Do       string
	Declared bool // the declaration contradicts
	Rows     bool // the rows contradict; they may change without a change of the configuration
}

// Error implements error.
func (c *Conflict) Error() string { return c.What + ": " + c.Do }

// Decide returns the unit of a column from the declared unit, the unit found
// before (both may be Unknown) and the votes of the rows. Without votes, it is the
// declared unit or the unit found before. The error is a *Conflict.
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
			What: fmt.Sprintf("its rows have several units (%v)", votes),
			Do:   "declare the unit of new rows: " + declaration(Numbers...),
			Rows: true,
		}
	case found != Unknown && found != bulk:
		do := "write rows in one unit, or declare it and load the table again with indexerd reload"
		if bulk.Declarable() {
			do = fmt.Sprintf("declare the unit (%s) and load the table again with indexerd reload", declaration(bulk))
		}
		return Unknown, &Conflict{What: fmt.Sprintf("its unit was found to be %s, but most rows now have another (%v)", found.Noun(), votes), Do: do, Rows: true}
	}
	return bulk, nil
}

// decideDeclared returns the declared unit, unless no row has it.
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

// declaration returns the YAML that declares one of the units.
func declaration(units ...Unit) string {
	texts := make([]string, len(units))
	for i, u := range units {
		texts[i] = string(u)
	}
	return "updated: {column: ..., unit: " + strings.Join(texts, "|") + "}"
}
