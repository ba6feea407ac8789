// Package deletecheck compares all of a table with its index, both ways, and
// removes the documents whose rows are gone. It is the certainty behind the
// other passes: whatever made index and database differ, a full sweep finds it,
// also where no updateTime tells of it.
//
// Sweep repairs what differs, Verify only says so; both compare in the same
// way, chunk by chunk of keys:
//
//	same stamp, and page and document   nothing to do
//	of one write
//	different, or only in the database  fetched by OID: the fetch decides
//	only in the index, or only a page   asked for again by OID once all is
//	                                    listed; removed if it is gone and
//	                                    still at the stamp of its page
//
// Where the database orders keys as OIDs are ordered, a chunk is a range of
// keys, listed in the index first and in the database second: in the other
// order a row born in between would be taken for gone. Elsewhere each document
// is asked for by its key, and then each row is looked up in the index.
//
// Invariants: nothing is removed before all listings have ended without an
// error, on a standby that is behind, or past the guard of the sink, which is
// told of all removals at once. The mark of a sweep moves last. A sweep that is
// interrupted goes on where its position says, and begins anew where that can't
// be trusted. What S promises is none of the sweep's: it only ends a state in
// which S was not to be believed.
//
// In the table's directory:
//
//	sweep         how far the sweep has come, as JSON
//	sweep.gone    candidates for removal, as far as that
//	sweep.asked   of these, what was gone when it was asked for again
//	sweep.held    of these, what the guard held in the last sweep that ended
//	verify.*      what a Verify has to look at again
//
// Position and spool are made durable every few seconds, the spool first. The
// file of what is held is replaced before the mark moves.
//
// Memory: two chunks and a batch, whatever the table's size or the number of
// differences. Cost: a listing of the index, a look at the page and a stamp of
// the database for each row, and 0.2 us for the comparison; where keys are
// ordered otherwise each row is asked for twice, and each looked up in the
// index. A Verify with Content reads each page besides, on all cores.
package deletecheck

import (
	"context"
	"iter"
	"time"

	"indexerd/internal/doc"
)

// Source is the table to compare with.
type Source interface {
	Now(context.Context) (time.Time, error)
	// Ordered reports whether the database orders keys as OIDs are ordered.
	Ordered() bool
	// StampsOf returns the stamps of the rows with these keys, in any order, each
	// key once; rows that are gone are absent. The token of a key that several
	// rows have is not known.
	StampsOf(context.Context, []doc.OID) ([]doc.Stamp, error)
	// StampsInRange returns the stamps of all rows of a range in the database's
	// own key order, each key once, each page of a short snapshot of its own.
	StampsInRange(context.Context, doc.Range) iter.Seq2[[]doc.Stamp, error]
	// Docs returns the rows with these keys as they are now, and at least one
	// batch, empty where all are gone.
	Docs(context.Context, []doc.OID) iter.Seq2[doc.Batch, error]
	// Keyless returns rejects of the rows without a usable key.
	Keyless(context.Context) (doc.Batch, error)
	// Behind tells why nothing may be concluded from a row's absence; empty:
	// it may.
	Behind(context.Context) (reason string, err error)
}

// Index is what is searched.
type Index interface {
	// Documents lists up to n documents with key >= from in key order. next is
	// the key to go on at, empty at the end; fewer than n, even none, may come
	// before it.
	Documents(from doc.OID, n int) (docs []doc.Indexed, next doc.OID, err error)
	// Versions returns the version of each document, 0 where there is none.
	Versions([]doc.OID) ([]doc.Version, error)
	Count() (uint64, error)
}

// Pages are the raw documents.
type Pages interface {
	Meta(doc.OID) (doc.Meta, bool, error)
	// View shows a page, whose body is valid until see returns.
	View(oid doc.OID, see func(doc.Page) error) error
	All() iter.Seq2[doc.Meta, error]
	Len() int
}

// Sink takes what differs.
type Sink interface {
	Put(context.Context, doc.Batch) (doc.Report, error)
	Delete(_ context.Context, _ []doc.Stamp, found doc.FetchSeq, of int) (doc.Report, error)
}

// Quarantine lists the rows that can't become documents.
type Quarantine interface {
	Has(doc.OID) bool
	// Keys returns up to n keys after one, in order.
	Keys(after doc.OID, n int) []doc.OID
	// Keyless makes the rows without a usable key exactly these.
	Keyless(rejects []doc.Reject, at time.Time) error
}
