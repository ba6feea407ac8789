// Package changes reads hints of a database: whether something was committed, and
// which tables changed. A caller that keeps the hint it read before a comparison
// can leave the next comparison out while the hint is equal.
//
// A hint has up to two parts. The version covers the whole server and moves at
// once with every commit that wrote. The counters show the base tables of one
// table, may come late, and may count changes that were rolled back. So an equal
// version proves that nothing changed, and equal counters prove it only when they are
// due, if they are not weak: see Memory. A hint that is lost, reset or of another server is unequal to any
// before.
//
// A version covers no SQL whose result changes without a commit, such as one that
// calls now(). Then no hint is exact, and has a reason.
//
// Invariant: a reading begins after the call of Hint, but for Within. So the hint is
// valid for every snapshot before the call and its At for every snapshot after it.
//
// Cost: calls that wait at the same time share one reading. A reading is one
// statement while the version stands still, else three, whatever the number of
// tables: in MySQL the third takes 1.5 ms for 11 tables and 20 ms for 1,000. What a
// table's SQLs read is looked up when the catalog has changed, or, if the database does
// not show that, when the version stood still after a move: a plan for each SQL, and up
// to four statements.
package changes

import (
	"context"
	"time"

	"indexerd/internal/base/doc"
)

// Hints reads the hints of one table.
type Hints interface {
	Hint(context.Context) (doc.Hint, error)
}

// A Sampler reads what a database shows of changes. Its dialect implements it.
type Sampler interface {
	// Changes reads the clock, then the version. It calls tables with the version, and
	// after that reads the counters of the base tables that tables returns, and the
	// state of the catalog.
	Changes(ctx context.Context, tables func(version string) []string) (Sample, error)
}

// A Sample is one reading of a database.
type Sample struct {
	At      time.Time // the database's clock, read before the version
	Version string    // with the identity of the server; "": the database shows none
	Reason  string    // why it shows none, and what to do

	Counted  bool              // the database counts changes; otherwise a table's counters are the version
	Counters map[string]Counts // of the tables, by ID
	Late     time.Duration     // how late counters come after a commit; 0: before others see it
	Weak     bool              // equal counters prove nothing, but of two tables the one whose counters moved is the first to compare

	// Catalog is the state of what decides which tables and functions SQLs read, at a
	// moment since the version, but for the Definition of their tables. No state comes
	// back. "": the database does not show it.
	Catalog string

	counted  time.Time // this machine's clock before Counters were read
	complete bool      // Counters show all that was committed before Version last moved
}

// Counts are counters of a base table. They are compared for equality only.
type Counts struct {
	Inserted, Updated, Deleted int64
	Definition                 string // moves when the table is created again, unless Catalog does
	Storage                    string // moves with a TRUNCATE and a reset of the counters, or with any change
}
