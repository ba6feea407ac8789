package doc

import "time"

// A Hint is what a database shows of changes at a moment. A snapshot that is taken
// after the reading shows at least what was committed before At.
//
// Hints are compared for equality only: a restart, another server or a reset of
// its statistics makes them unequal.
type Hint struct {
	At       time.Time // the database's clock before the reading: an S that a hint moves, moves there
	Version  string    // equal to an earlier Version: no transaction that wrote has ended in between; "": the database shows none
	Exact    bool      // Version covers everything that the table's SQLs read
	Counters string    // of the table's base tables: unequal means that rows may have changed; equal proves nothing unless Counted
	Removals string    // the part of Counters that moves where a row of the main SQL may be gone
	Counted  bool      // Counters show all that was committed before Version last moved
	Weak     bool      // equal Counters prove nothing all the same: they only show which table to compare first
	Reason   string    // why no hint of the table is exact, in words for status and check; "": it may be

	// Changes is the number of changed rows that Counters show, where each changes at most
	// one document. It is compared with that of a hint with an equal Plain; "": it shows
	// nothing.
	Changes int64
	Plain   string
}

// A Footprint is what the SQLs of a table read.
type Footprint struct {
	Tables []BaseTable
	Plain  bool   // a changed row of one table changes at most one document, and nothing else changes any
	Reason string // why the version of the database does not cover what the SQLs read; "": it does
}

// A BaseTable is a table that an SQL reads, and which changes of it can remove a
// row of the main SQL.
type BaseTable struct {
	ID                        string
	Deletes, Updates, Inserts bool
}

// A Sum is the number of rows in a range of keys, and the sum of the digests of
// their keys, or of their tokens, modulo 2^64. Other rows have another sum but for
// chance.
type Sum struct {
	Rows   int64
	Digest uint64
	Epoch  uint32 // of the tokens; 0: no row, or sums of keys
}

// Add adds the token of a row. It reports false, and leaves the sum as it is, if the token
// is unknown or of another epoch.
func (s *Sum) Add(t Token) bool {
	if t.Digest == 0 || s.Rows > 0 && t.Epoch != s.Epoch {
		return false
	}
	s.Rows, s.Digest, s.Epoch = s.Rows+1, s.Digest+t.Digest, t.Epoch
	return true
}
