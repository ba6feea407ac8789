package doc

import "time"

// A Server is what a database says of itself, and of the role that reads it.
type Server struct {
	Version  string // with the product's name
	Remote   bool   // a network lies between
	TLS      string // the protocol's version; "" where nothing is encrypted
	Verified bool   // its certificate was checked

	Now       time.Time // its clock
	Role      string    // as SQL writes it; "" where there are no roles
	Superuser bool
	Sees      bool // the role may see when transactions of others began

	// How long a transaction may stay open, and how long between two of its
	// statements, as the role's own sessions have it; 0: for ever.
	TransactionTimeout, IdleTimeout time.Duration
}

// A Plan is how a database would answer one of the questions that the daemon
// asks of an SQL again and again.
type Plan struct {
	Path    string // of the SQL in the configuration of its table: sql, children.actors.sql
	Asks    Question
	By      []Column // what it selects by: updateTime, or the parts of the key
	Indexed bool     // an index begins with these
	Whole   []Whole  // the tables that it would read whole
	Cost    float64  // in the planner's units; 0: it does not say
	Rows    float64  // as the planner thinks
}

// A Question is what is asked of an SQL.
type Question int

// The questions.
const (
	AsksWindow Question = iota // rows by updateTime
	AsksRange                  // rows by a range of keys
	AsksKeys                   // rows by their keys
)

// A Column is a column of a table that an index could begin with. Both are
// written as SQL does, and empty where it is an expression or another's.
type Column struct {
	Table, Name string
	Maintained  bool // a trigger sets it, or might, on UPDATE
	Partitioned bool // the table is
}

// A Whole is a table that has to be read whole for an answer.
type Whole struct {
	Table string // as SQL names it
	Rows  int64  // about so many
}
