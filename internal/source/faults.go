package source

import (
	"context"
	"errors"
	"fmt"
	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
)

// A ConfigError is a fault of a table's configuration that only the database can
// find.
type ConfigError struct {
	Field string // below the table, such as sql, timezone or children.actors.key
	What  string
	Do    string // may be empty
}

// Error returns the parts on one line.
func (e *ConfigError) Error() string {
	if e.Do == "" {
		return e.Field + ": " + e.What
	}
	return e.Field + ": " + e.What + ": " + e.Do
}

// A RefusedError is a ConfigError of an SQL that the database refuses.
type RefusedError struct{ *ConfigError }

// Unwrap returns the ConfigError.
func (e *RefusedError) Unwrap() error { return e.ConfigError }

// A DeniedError is a RefusedError that a GRANT repairs.
type DeniedError struct {
	*RefusedError
	Grant string // the missing privilege, as GRANT names it
}

// Unwrap returns the RefusedError.
func (e *DeniedError) Unwrap() error { return e.RefusedError }

// configFault converts a fault of the database that an SQL of the configuration
// causes. Errors that a retry may remove stay as they are.
func configFault(field string, err error) error {
	fault, ok := errors.AsType[*dialect.Fault](err)
	if !ok || errors.Is(err, doc.ErrUnavailable) {
		return err
	}
	e := &ConfigError{Field: field, What: fault.Text, Do: fault.Hint}
	if fault.Line > 0 {
		e.What = fmt.Sprintf("line %d: %s", fault.Line, fault.Text)
	}
	if fault.Grant != "" {
		e.Do = "GRANT " + fault.Grant + " TO the daemon's role"
		return &DeniedError{&RefusedError{e}, fault.Grant}
	}
	return &RefusedError{e}
}

// A statementError is a fault that is not caused by one row, whatever its code: no
// row was read yet, its key can't be read either, or all rows fail.
type statementError struct{ error }

func (e *statementError) Unwrap() error { return e.error }

func notRowFault(err error) error {
	if err == nil {
		return nil
	}
	return &statementError{err}
}

// isRowFault reports whether one row may have caused an error.
func isRowFault(err error) bool {
	fault, ok := errors.AsType[*dialect.Fault](err)
	return ok && fault.Subject == dialect.AboutRow && !errors.As(err, new(*statementError))
}

func codeOf(err error) string {
	if fault, ok := errors.AsType[*dialect.Fault](err); ok {
		return fault.Code
	}
	return ""
}

// A tableError names the table and the operation.
type tableError struct{ error }

func (e *tableError) Unwrap() error { return e.error }

// wrap adds the table and the operation to an error. A *ConfigError stays as it
// is: its reporter knows the table and the line of the configuration. A fault
// about something that is missing means that the SQL's result has changed: when
// the table was described it was there.
func (t *Table) wrap(doing string, err error) error {
	fault, ok := errors.AsType[*dialect.Fault](err)
	switch {
	case err == nil, errors.As(err, new(*ConfigError)), errors.As(err, new(*keepError)), errors.As(err, new(*tableError)):
		return err
	case ok && fault.Subject == dialect.AboutMissing && !errors.Is(err, doc.ErrChangedResult):
		err = fmt.Errorf("%w: %w", doc.ErrChangedResult, err)
	}
	return &tableError{fmt.Errorf("table %s: %s: %w", t.name, doing, err)}
}

// cancelled returns the caller's reason if it has cancelled the operation.
func cancelled(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause
	}
	return err
}
