// Package dialect is what the engine in source asks of the vendor of a database, and
// what it hands it. A vendor implements Dialect and Session, and the abilities that
// its database has: see abilities.go. It describes columns with Column, Clock and
// NumberEpochs, and reports errors as a Fault.
//
// A Query writes a statement from left to right, so that its parameters come in the
// order of their placeholders. Bind writes a placeholder, never the value. Condition,
// Field and Fields write what a WHERE and an ORDER BY need; all else that databases
// write in different ways is a method of the vendor's.
//
// The package sends nothing and keeps nothing.
package dialect

import (
	"context"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/timeunit"
)

// StatementTimeout limits statements that are not slow.
const StatementTimeout = 5 * time.Minute

// A Dialect is the part that differs between vendors of databases: how to connect, how SQL
// is written, how errors are classified. It is safe for concurrent use. Abilities
// that only some databases have are separate interfaces: see abilities.go.
type Dialect interface {
	// Address names the database without secrets, for messages.
	Address() string
	// Acquire takes a connection. It waits while all are in use.
	Acquire(context.Context) (Session, error)
	Close()

	// Quote quotes a column's name.
	Quote(name string) string
	// Placeholder returns the placeholder of the n-th parameter, from 1, that is
	// compared with a column; nil: with none.
	Placeholder(n int, as *Column) string
	// Limit returns the clause after ORDER BY that limits the rows to a number,
	// given as a placeholder.
	Limit(placeholder string) string
	// Keyset returns the form of "after this key" that the planner answers by an
	// index.
	Keyset() Keyset
	// Tie returns an expression that orders by bytes what a text column's own
	// order takes for equal; "" if the column's order distinguishes all texts.
	Tie(c *Column, expr string) string
	// Select returns the expression under which a column is fetched.
	Select(c *Column, expr string) string
	// Token returns an expression for the digest of a row of 64 bits, over all
	// columns of an SQL, which the expressions name; "" if the database can't
	// compute one.
	Token(of *Described, exprs []string) string
	// Suspect returns a condition that includes the values of a key's column that
	// can't be part of an OID, NULL excepted; "" if all can.
	Suspect(c *Column, kind doc.Kind, expr string) string
	// MaxKeys returns the number of keys that one statement may select by.
	MaxKeys(parts int) int
}

// A Keyset is a form of the condition that a row comes after a key (a, k) in the
// order of (u, v). Planners differ in which of them an index answers.
type Keyset int

const (
	// RowCompare is (u, v) > (a, k).
	RowCompare Keyset = iota
	// Expanded is u > a OR (u = a AND v > k).
	Expanded
	// Led is Expanded after u >= a AND, which an index on u answers.
	Led
)

// A Session is one connection and, once begun, its transaction. One goroutine
// uses it. Its errors are a *Fault, the context's error, or wrap
// doc.ErrChangedResult. After an error only End may be called.
type Session interface {
	// Begin begins a read-only transaction and takes its snapshot: what was
	// committed before the call is in the snapshot. Settings are those of an
	// earlier snapshot, or "" for the connection's own.
	Begin(ctx context.Context, settings string) (Snapshot, error)
	// Query runs a statement and calls row with each row until row returns false.
	// It reports whether row took all rows; otherwise the transaction has ended.
	// The values are valid until row returns.
	Query(ctx context.Context, s Statement, row func(raw []any) bool) (all bool, err error)
	// Describe returns the columns that a wrapped SQL returns. It runs the SQL
	// without reading a row, to find missing privileges.
	Describe(ctx context.Context, sql Wrapped) ([]Column, error)
	// Moment reads the database's clock, outside a transaction.
	Moment(context.Context) (doc.Moment, error)
	// End ends the transaction and returns the connection.
	End()
}

// A Snapshot is the state that a transaction sees.
type Snapshot struct {
	At       time.Time // the database's clock when the snapshot was taken
	Settings string    // of the session, that tables keep: a search path
	Epoch    string    // what tokens depend on beside SQL and rows: a version
	Mixed    bool      // each statement has its own snapshot, later than the others'
}

// A Statement is SQL with its parameters.
type Statement struct {
	SQL  string
	Args []Arg
	// Reads are the SQLs that the statement wraps. The session returns an error
	// that wraps doc.ErrChangedResult if one returns other columns now than it did
	// when it was described: see Changed. It checks each once in a transaction.
	Reads []*Described
	Slow  bool // reads the whole table: the time limit of statements does not apply, and it keeps one processor busy at most
}

// An Arg is a parameter: a value that is compared with a column. Value is nil,
// a part of a key or what Times.Bounds returned; a string for a
// column of another type is the value's text form. As is nil for a parameter that
// is compared with no column, or with a text in byte order.
type Arg struct {
	Value any
	As    *Column
	List  []any // instead of Value: values for an array
}

// A Wrapped is a user's SQL as a subquery with an alias.
type Wrapped struct{ SQL, Alias string }

// From returns the FROM clause. The line break ends a comment on the last line.
func (w Wrapped) From() string { return "FROM (" + w.SQL + "\n) " + w.Alias }

// A Described is an SQL with the columns that it returned when it was described.
type Described struct {
	Wrapped
	Path    string // in the table's configuration, such as children.actors.sql
	Columns []Column
}

// A Column is a column of an SQL's result. Values that are read ("raw") are nil,
// int64, float64, bool, string, []byte, time.Time, or a *string that holds the
// database's text form of any type.
type Column struct {
	Name   string
	Type   string // as the database names it
	Detail string // of the type, such as a precision: another one is another type
	Origin string // identifies the table's column that it is; "": an expression

	// Value converts a raw value, not NULL, to a value of doc.Row. Its error is the
	// reason of a doc.BadValue.
	Value func(raw any) (any, error)
	// Form names the form of the values of Value, if it is not the first that this type
	// has had: tokens of another form are not compared.
	Form string

	Kind     doc.Kind // of a part of a key; 0: it can't be one, unless Untyped
	Untyped  bool     // the rows show the kind; Kind is that of a table without rows, 0: unknown
	Unscaled bool     // a Kind of Integer has values with a fraction, or of more than 64 bits: its keys are Decimals
	Printed  bool     // its keys are read from the text of Value, where the raw value is text
	Apart    bool     // the database's order of the values is not that of the kind

	Clock  *Clock // how it stores updateTimes; nil: not as a time type
	Epochs Epochs // how it stores updateTimes as numbers or text; nil: not so

	Native any // for the dialect
}

// Times converts the updateTimes of one column.
type Times interface {
	// Tick is the precision: two changes within a tick may have equal updateTimes.
	Tick() time.Duration
	// Time converts a raw value that is not NULL. The zero time is no updateTime.
	Time(raw any) (time.Time, error)
	// Bounds returns the window as the column stores it: of an updateTime in the
	// window u >= from AND u < to. They may cover more than the window, never less.
	Bounds(doc.Window) (from, to any)
}

// Epochs finds how a column stores updateTimes that have no time type, from a
// sample of its values: see timeunit.
type Epochs interface {
	// Plausible writes the condition that a value can be a time.
	Plausible(q *Query, expr string, as *Column, now time.Time)
	// Units returns a function that returns the unit in which a value is a plausible
	// time, or Unknown.
	Units(now time.Time) func(raw any) timeunit.Unit
	// UsesSample reports whether the values of a sample matter to Times of a unit.
	UsesSample(unit timeunit.Unit) bool
	// Times returns the conversion for a unit. The sample has the values that
	// voted. It returns nil if these do not show enough.
	Times(unit timeunit.Unit, sample []any, zone *time.Location) Times
	// UnknownTick is the precision while the unit is unknown.
	UnknownTick() time.Duration
}
