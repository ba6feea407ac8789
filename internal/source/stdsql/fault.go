package stdsql

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strings"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"indexerd/internal/source/horizon"
)

// Faults are the errors of a vendor that have numbers.
type Faults struct {
	// Of returns an error of the server; false: it is none.
	Of     func(error) (Numbered, bool)
	Format string // of a number in messages, such as error %d
	Code   string // of a number in Fault.Code, such as %d
	Lost   error  // that the driver returns for a lost connection; nil: the driver has no such error

	// About lists numbers by what they are about. An error with another number may be
	// about one row: a function raises any, and one that is about the whole statement
	// fails again when the statement runs without keys.
	About     map[dialect.Subject][]int
	Otherwise func(number int) dialect.Subject // of numbers that About lacks; nil: about a row
	Hints     map[int]string                   // what to do where the server's text does not say it
	Texts     map[int]string                   // instead of the server's, which may name the user
	Grant     func(Numbered) string            // the privilege that is missing; "": none
	// Refusals are why the server refuses a connection, and after a colon what to do. The
	// server's text, which may name the user, is shown only if Of removes that.
	Refusals  map[int]string
	Anonymous bool // Of removes the names of users
}

// GrantAll is a Grant for a server that does not name the table.
const GrantAll = "SELECT ON every table that it reads"

// A Numbered is an error of a server.
type Numbered struct {
	Number int
	Text   string
	Fatal  bool // it ends the connection
}

// Fault implements Vendor.
func (f *Faults) Fault(_ context.Context, _ *Session, _ dialect.Statement, err error) error {
	return f.Classify(err)
}

// Classify converts an error of a statement.
func (f *Faults) Classify(err error) *dialect.Fault {
	e, ok := f.Of(err)
	if !ok {
		return f.Refusal(err)
	}
	return &dialect.Fault{
		Subject: f.subject(e), Code: fmt.Sprintf(f.Code, e.Number), Text: f.text(cmp.Or(f.Texts[e.Number], dialect.OneLine(e.Text), "error"), e.Number),
		Hint: f.Hints[e.Number], Grant: f.Grant(e),
	}
}

// Refusal implements Vendor.
func (f *Faults) Refusal(err error) *dialect.Fault {
	e, ok := f.Of(err)
	if !ok {
		return unreachable(err, f.Lost)
	}
	what, do, _ := strings.Cut(cmp.Or(f.Refusals[e.Number], "the server refused the connection: look the number up"), ": ")
	if f.Anonymous {
		what += ", " + strings.TrimRight(dialect.OneLine(e.Text), ". ")
	}
	return &dialect.Fault{Subject: dialect.AboutServer, Code: fmt.Sprintf(f.Code, e.Number), Text: f.text(what, e.Number), Do: do}
}

func (f *Faults) text(what string, number int) string {
	return fmt.Sprintf("%s ("+f.Format+")", what, number)
}

func (f *Faults) subject(e Numbered) dialect.Subject {
	for subject, numbers := range f.About {
		if slices.Contains(numbers, e.Number) {
			return subject
		}
	}
	if e.Fatal {
		return dialect.AboutServer
	}
	if f.Otherwise != nil {
		return f.Otherwise(e.Number)
	}
	return dialect.AboutRow
}

// Fault converts an error by classify, unless it is nil, the context's, or converted
// already.
func Fault(err error, classify func(error) error) error {
	switch {
	case err == nil, errors.As(err, new(*dialect.Fault)), errors.Is(err, doc.ErrChangedResult),
		errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return classify(err)
}

// unreachable returns the fault of an error of the connection. The text has no address
// and no user.
func unreachable(err, lost error) *dialect.Fault {
	f := &dialect.Fault{Subject: dialect.AboutServer, Text: dialect.OneLine(err.Error())}
	if text, do := dialect.Unreachable(err); text != "" {
		f.Text, f.Do = text, do
	} else if errors.Is(err, driver.ErrBadConn) || lost != nil && errors.Is(err, lost) {
		f.Text = "the connection was lost"
	}
	return f
}

// connectFault returns the error of a failed connect to an address.
func connectFault(ctx context.Context, address string, err error, refusal func(error) *dialect.Fault) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return fmt.Errorf("connect to %s: %w", address, refusal(err))
}

// Refusal returns horizon.Refused for a fault with one of these codes, whose texts
// are the reasons; every other error stays as it is.
func Refusal(err error, reasons map[string]string) error {
	if f, ok := errors.AsType[*dialect.Fault](err); ok && reasons[f.Code] != "" {
		return horizon.Refused(reasons[f.Code])
	}
	return err
}
