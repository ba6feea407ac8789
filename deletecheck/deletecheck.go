// Package deletecheck compares a whole table with its index, both ways, and
// removes the documents whose rows are gone. Whatever made index and database
// differ, the next full sweep repairs it, also differences that no updateTime
// shows.
//
// Sweep repairs the differences and Verify counts them. A Sweep with sums lists only
// the ranges of keys whose sum in the database is not that of their documents: see
// Stored. Between two sweeps of a table with updateTimes it repairs what no window
// showed, and moves no mark. Narrow removes documents within seconds, from ranges of keys that may have
// lost rows: see Ranges. All compare chunk by chunk of keys:
//
//	same stamp, and page and index      nothing to do
//	document are of one write
//	different, or only in the database  fetched by OID
//	only in the index, or only a page   fetched by OID after all chunks are
//	                                    compared; removed if the row is gone
//	                                    and the page's stamp is the same still
//
// If the database orders keys as OIDs are ordered, a chunk is a range of keys,
// listed in the index first and in the database second: in the other order a row
// inserted in between would look gone. If the database orders keys otherwise,
// the row of each document is read by key, and then the document of each row.
//
// Invariants. A sweep removes nothing before all listings ended without an
// error, nothing on a standby that is behind, and nothing that the sink's guard
// holds; the guard gets the number of all removals at once. The mark of a sweep
// moves last. An interrupted sweep continues at its stored position, or starts
// from scratch if that is damaged or of another index, SQL or rewind. A sweep
// ends the state "unverified". It moves S only with Settles: then everything that
// was committed before its first listing is in the index. Rows whose removal is
// held do not stop S, which covers inserts and updates.
//
// In the table's directory:
//
//	sweep         position of the sweep, as JSON
//	sweep.gone    candidates for removal, up to the position
//	sweep.asked   candidates whose row is gone
//	sweep.held    removals that the guard held in the last sweep that ended
//	verify.*      differences that a Verify checks again
//	narrow.*      the candidates of a Narrow; the next one begins again
//	compare.gone  those of a Sweep between two sweeps, likewise
//
// The candidates and then the position are made durable every 5 seconds.
// sweep.held is replaced before the mark moves.
//
// Cost: a listing of the index, a lookup of the page and a stamp of the database
// for each row, and 0.2 us for the comparison. If keys are ordered otherwise,
// each row is read twice, and looked up in the index once. A Verify with Content
// also reads each page, on all cores. With sums, one statement sums all rows, at 1 to
// 8 us each. Documents are listed every 10 minutes or in a hundredth of the time, in ranges
// whose sum differs, and after removals; a write adjusts the sum of its range instead. Of a
// range that is written while the database sums, the stamps of the rows are read again, and
// its documents are listed only if these differ. Memory: two chunks and a batch, whatever
// the size of the table and the number of differences, and with sums half a byte for each
// document, at most 2 MB. BenchmarkStored, and BenchmarkSweepWithoutUpdated of cmd/indexerd,
// print these costs.
package deletecheck

import (
	"context"
	"iter"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/sync/refetch"
)

// Source is the table to compare with.
type Source interface {
	Now(context.Context) (time.Time, error)
	// Ordered reports whether the database orders keys as OIDs are ordered.
	Ordered() bool
	// StampsOf returns the stamps of the rows with these keys that exist, in any
	// order, each key once. The token of a key that several rows have is unknown.
	StampsOf(context.Context, []doc.OID) ([]doc.Stamp, error)
	// StampsInRange returns the stamps of all rows of a range in the database's
	// key order, each key once. Each page is of a separate short snapshot.
	StampsInRange(context.Context, doc.Range) iter.Seq2[[]doc.Stamp, error]
	// StampsInRanges is StampsInRange for ranges by the order of OIDs, whatever the
	// database's is. It reads all keys.
	StampsInRanges(context.Context, []doc.Range) iter.Seq2[[]doc.Stamp, error]
	refetch.Source
	// Keyless returns rejects of the rows without a usable key.
	Keyless(context.Context) (doc.Batch, error)
	// Behind returns why an absent row may exist, as on a standby that is behind. It
	// returns "" if an absent row is gone.
	Behind(context.Context) (reason string, err error)
}

// Index is the full-text index.
type Index interface {
	// Documents lists up to n documents with key >= from in key order. next is the
	// key of the next call, "" at the end. There may be fewer than n documents, or
	// none, before the end.
	Documents(from doc.OID, n int) (docs []doc.Indexed, next doc.OID, err error)
	// Versions returns the version of each document, 0 if there is none.
	Versions([]doc.OID) ([]doc.Version, error)
	Count() (uint64, error)
}

// Pages are the raw documents.
type Pages interface {
	// Metas returns the Meta of each page, without an OID where there is none.
	Metas([]doc.OID) ([]doc.Meta, error)
	// View calls see with a page. The body is valid until see returns.
	View(oid doc.OID, see func(doc.Page) error) error
	All() iter.Seq2[doc.Meta, error]
	Len() int // -1: unknown
}

// Sink takes what differs.
type Sink interface {
	refetch.Sink
	// Delete removes documents without a row. of is the number of all removals that are
	// left; 0: the rows have other keys now, so that the guard does not limit them.
	Delete(_ context.Context, _ []doc.Stamp, found doc.FetchSeq, of int) (doc.Report, error)
}

// Quarantine lists the rows that can't become documents.
type Quarantine interface {
	Has(doc.OID) bool
	Rejected(doc.Stamp) bool // this version of a row was rejected
	// Keys returns up to n keys greater than after, in order.
	Keys(after doc.OID, n int) []doc.OID
	// Keyless replaces all rows without a usable key.
	Keyless(rejects []doc.Reject, at time.Time) error
	// Doubtful returns up to n documents with keys greater than after, in order, that are
	// listed as lacking values and may be others now. Confirm ends the doubt.
	Doubtful(after doc.OID, n int) []doc.Partial
	Confirm([]doc.OID)
	// Partials returns how many documents are listed as lacking values.
	Partials() int
}
