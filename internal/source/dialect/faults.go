package dialect

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"indexerd/internal/base/doc"
)

// A Subject is what an error of the database is about.
type Subject int

// The subjects.
const (
	AboutRow       Subject = iota // one row: its data, or what the SQL does with it
	AboutStatement                // the statement, the session or the transaction
	AboutMissing                  // a column, table or function that does not exist
	AboutServer                   // the connection or the server: a later retry may succeed
	AboutLock                     // a table that another transaction has locked
	AboutForeign                  // another server, which has the rows of a table
)

// A Fault is an error that a database reported.
type Fault struct {
	Subject Subject
	Code    string // in the vendor's words
	Text    string // one line, without the names of users
	Hint    string // what the database suggests; may be empty
	Do      string // what to do about a refused connection; may be empty
	Line    int    // of the user's SQL, from 1; 0: unknown
	Grant   string // the privilege that is missing, as GRANT names it; "": none
}

// Advice implements what doc.WhatToDo looks for.
func (f *Fault) Advice() string { return f.Do }

// Error returns the text, headed by what a retry may remove, and then what to do. A
// refusal, which has a code and advice, needs no head.
func (f *Fault) Error() string {
	text := f.Text
	switch {
	case f.Subject == AboutServer && (f.Code == "" || f.Do == ""):
		text = doc.ErrUnavailable.Error() + ": " + text
	case f.Subject == AboutLock:
		text = doc.ErrLocked.Error() + ": " + text
	case f.Subject == AboutForeign:
		text = doc.ErrForeign.Error() + ": " + text
	}
	if f.Do != "" {
		text += ": " + f.Do
	}
	return text
}

// Is reports whether the fault is doc.ErrUnavailable, doc.ErrLocked or doc.ErrForeign.
func (f *Fault) Is(target error) bool {
	switch target {
	case doc.ErrUnavailable:
		return f.Subject == AboutServer || f.Subject == AboutLock || f.Subject == AboutForeign
	case doc.ErrLocked:
		return f.Subject == AboutLock
	case doc.ErrForeign:
		return f.Subject == AboutForeign
	}
	return false
}

// Refused reports whether the database refused a statement and would refuse it
// again.
func Refused(err error) bool {
	return errors.As(err, new(*Fault)) && !errors.Is(err, doc.ErrUnavailable)
}

// Changed compares what an SQL returns now with the columns that it was described
// with. The error wraps doc.ErrChangedResult and names the first difference.
func Changed(d *Described, now []Column) error {
	differ := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s: %s", doc.ErrChangedResult, d.Path, fmt.Sprintf(format, args...))
	}
	for i, c := range now[:min(len(now), len(d.Columns))] {
		was := &d.Columns[i]
		switch {
		case c.Name != was.Name:
			return differ("column %d is %s, not %s", i+1, c.Name, was.Name)
		case c.Type != was.Type:
			return differ("column %s has type %s, not %s", c.Name, typeName(c.Type), typeName(was.Type))
		case c.Detail != was.Detail:
			return differ("column %s has another type than %s", c.Name, typeName(was.Type))
		case c.Origin != was.Origin:
			return differ("column %s is another column of the same name", c.Name)
		}
	}
	if got, want := len(now), len(d.Columns); got != want {
		return differ("it has %d columns, not %d", got, want)
	}
	return nil
}

// typeName returns the name of a type for users.
func typeName(name string) string { return cmp.Or(name, "none") }

// OneLine returns a text of a database on one line.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Missing converts an error of describing an SQL again: the SQL was valid before,
// so what it reads has changed.
func Missing(d *Described, err error) error {
	if !Refused(err) || errors.Is(err, doc.ErrChangedResult) {
		return err
	}
	return fmt.Errorf("%w: %s: %w", doc.ErrChangedResult, d.Path, err)
}
