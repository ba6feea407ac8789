package dialect

import (
	"context"
	"time"

	"indexerd/internal/base/doc"
)

// A Lister writes the condition that a key is one of a list in another form.
// Without it, or if Among returns false, the engine writes IN or ORs.
type Lister interface {
	Among(q *Query, columns []*Column, exprs []string, keys [][]any) bool
}

// A Prober finds out whether the server answers while all connections are in use.
type Prober interface {
	// Probe connects beside the limit of connections, and ends that connection. A server
	// that takes no more connections has answered.
	Probe(context.Context) error
}

// An Orderer limits the rows of ordered results only.
type Orderer interface {
	// AnyOrder returns what ORDER BY takes if no order is asked for. It sorts nothing.
	AnyOrder() string
}

// A Remainderer has no operator % for the remainder of a division.
type Remainderer interface {
	Remainder(of, by string) string
}

// A Rower has no SELECT without FROM: OneRow is a table of one row.
type Rower interface {
	OneRow() string
}

// An Embedded database runs in this process: reading a row costs less than counting
// or digesting it in SQL.
type Embedded interface {
	// Digest returns what Token's expression returns for a row of all columns.
	Digest(raw []any) (int64, error)
}

// An Inspector describes the server, the connection and the role.
type Inspector interface {
	Server(ctx context.Context, s Session) (doc.Server, error)
	// Writable returns the tables of these SQLs that the role could also write.
	Writable(ctx context.Context, s Session, all []*Described) ([]string, error)
	// Estimate returns the planner's estimate of an SQL's rows; 0: none.
	Estimate(ctx context.Context, s Session, of *Described) (int64, error)
}

// A Planner shows how the database would run a statement, without running it.
type Planner interface {
	// Plan returns the plan of a statement on one SQL that selects by the columns
	// at these positions.
	Plan(ctx context.Context, s Session, of *Described, st Statement, by []int) (doc.Plan, error)
	// Relations returns the base tables that an SQL reads, by name. The one that
	// has the column at the position of updateTime is an Origin; -1: none.
	Relations(ctx context.Context, s Session, of *Described, updated int) ([]doc.Relation, error)
}

// A Maintainer shows whether the database itself sets the time of a row's last change.
type Maintainer interface {
	// Maintains reports whether a trigger or a clause of the table sets the column at a
	// position with each UPDATE of the column's row that leaves it alone.
	Maintains(ctx context.Context, s Session, of *Described, column int) (bool, error)
}

// A Replica may lag behind its primary.
type Replica interface {
	// Behind returns why a missing row may exist; "" if it does not.
	Behind(ctx context.Context, s Session) (string, error)
}

// A Cataloger lists the tables of the database.
type Cataloger interface {
	Catalog(ctx context.Context, s Session) (doc.Catalog, error)
}

// A ZoneShower shows times in a time zone as the database does.
type ZoneShower interface {
	Shown(ctx context.Context, s Session, zone string, at []time.Time) ([]time.Time, error)
}

// A Uniquer reports whether the order of keys needs ties. Without it every order has
// them.
type Uniquer interface {
	// Unique reports whether an index keeps the columns at these positions from
	// having values that their order takes for equal and that are not the same.
	Unique(ctx context.Context, s Session, of *Described, key []int) (bool, error)
}

// A Typer finds the kind of a key's column that is Untyped.
type Typer interface {
	// KindQuery returns the expressions to select, of how many rows; 0: of all rows.
	KindQuery(expr string) (columns string, rows int)
	// Kind returns the kind that the selected values show; 0: no row shows it. raw is
	// nil without a row. what and do are the fault of the configuration if the values can't be a key.
	Kind(raw []any) (kind doc.Kind, what, do string)
}

// A RowKeyer can give the rows of an SQL a key that it computes.
type RowKeyer interface {
	// RowKey returns an SQL of the columns of another one, which the expressions name,
	// and of a text with a name: 32 hex digits of a digest of all columns, "-", and the
	// number of the row among those with this digest, from 1. The text's order is that
	// of its bytes.
	RowKey(of *Described, exprs []string, name string) string
}

// A Guesser is an Epochs that reads more rows if no row has a plausible time. Ask
// selects the column where a condition holds, in an order. The error is a
// *NoTimesError if the rows hold no times.
type Guesser interface {
	Guess(ask func(condition, order string, row func(raw any) bool) error, expr string, zone *time.Location) (Times, error)
}

// A NoTimesError is a fault of the configuration: the rows of a column hold no times.
type NoTimesError struct{ What, Do string }

// Error returns the parts on one line.
func (e *NoTimesError) Error() string { return e.What + ": " + e.Do }

// A Maxer is a Times whose latest time SQL finds. Without it, or if Max returns
// false, the engine reads every value.
type Maxer interface {
	// Max writes the greatest value of a group that is a time. If only reading a value
	// shows whether it is a time, as with NaN, it writes nothing and returns false.
	Max(q *Query, expr string, as *Column) bool
}

// A Waller is a Times that stores what a wall clock showed, at least in some rows.
type Waller interface {
	// Zone is the wall clock's zone; nil: the values need none.
	Zone() *time.Location
	// ShownIn writes the condition that the wall clock's figures are in a window,
	// which is given as UTC.
	ShownIn(q *Query, expr string, as *Column, figures doc.Window)
}

// A Watcher reports which SQLs read rows whose updateTimes are not bound by the open
// transactions of the database. Its dialect also implements horizon.Sampler.
type Watcher interface {
	// Inexact returns why no horizon is exact for the rows of these SQLs, and what
	// to do; "": it may be exact. Afterwards only End may be called.
	Inexact(ctx context.Context, s Session, all []*Described) (string, error)
}

// A Footprinter finds the base tables behind SQLs.
type Footprinter interface {
	// Footprint returns what SQLs read. live selects the keys of the live rows of the
	// main SQL, key are their kinds. Afterwards only End may be called.
	Footprint(ctx context.Context, s Session, live Statement, key []doc.Kind, all []*Described) (doc.Footprint, error)
}
