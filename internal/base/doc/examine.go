package doc

import "time"

// A Server describes a database server and the role that the daemon connects as.
type Server struct {
	Version  string // with the product's name
	Remote   bool   // the connection goes over a network
	TLS      string // version of the protocol; "" if the connection is not encrypted
	Verified bool   // the server's certificate was verified
	Pooled   bool   // the connection leads through a connection pooler
	Mixed    string // the statement after which a transaction has one snapshot; "": it has

	Now       time.Time // the server's clock
	Role      string    // as SQL writes it; "" if the database has no roles
	Superuser bool
	// The role sees when other sessions' transactions began.
	SeesTransactions bool
	Advice           Advice

	// The role's session settings: how long a transaction, and a pause between
	// two of its statements, may last; 0: not limited.
	TransactionTimeout, IdleTimeout time.Duration
}

// An Advice is what to do about findings, in the words and statements of a database.
// Texts with %s have it for a table, as SQL writes it.
type Advice struct {
	Account string // what the database calls a role
	Super   string // what a superuser is, such as "is a superuser"
	Verify  string // encrypts the connection, and verifies the server
	Reader  string // creates the account indexerd_reader
	Read    string // lets that account read %s
	Sight   string // lets the role see when other sessions' transactions began
	Index   string // creates an index with the name %[1]s on the table and columns %[2]s
	Analyze string // updates the statistics of %s
	Limit   string // limits transactions to %d seconds
}

// A Plan is the database's plan for one of the queries that the daemon repeats.
type Plan struct {
	Path      string // of the SQL in the table's configuration: sql, children.actors.sql
	Asks      Question
	By        []Column   // the columns that the query selects by: updateTime, or the key
	Indexed   bool       // an index begins with them
	FullScans []FullScan // the tables that the plan scans completely
	Cost      float64    // in the planner's units; 0: unknown
	Rows      float64    // the planner's estimate
}

// A Question is a kind of query.
type Question int

// The questions.
const (
	AsksWindow Question = iota // rows by updateTime
	AsksRange                  // rows by a range of keys
	AsksKeys                   // rows by their keys
)

// A Column is a table's column that an index could begin with. Table and Name are
// as SQL writes them; both are empty for an expression or a view's column.
type Column struct {
	Table, Name string
	Maintained  bool // a trigger sets it, or may set it, on UPDATE
	Partitioned bool // the table is partitioned
}

// A FullScan is a table that a plan scans completely.
type FullScan struct {
	Table string // as SQL writes it
	Rows  int64  // estimated
}
