// Package refetch brings the index up to date for rows whose keys are known.
//
// Rows fetches the rows by key, puts what the fetch found, and returns the keys
// that have no row. The passes that call it decide what to do with those.
//
// A row that can't become a document is there: Put quarantines it. A row that is
// marked deleted is there too: Put removes its document. So every pass that meets
// a marked row, the document leaves as an explicit deletion, and never as an
// absence, which the guard limits.
//
// Invariant: the fetch number that is returned with absent keys is that of the
// first fetch. A source may need several fetches for one list of keys; a removal
// that carries the first number never removes what was written between them.
//
// Cost: one Docs of the source, one Put for each batch, and the keys in memory.
package refetch

import (
	"cmp"
	"context"
	"iter"

	"indexerd/internal/base/doc"
)

// Source reads rows by key.
type Source interface {
	// Docs returns the rows with these keys as they are now, and at least one
	// batch, which is empty where all rows are gone.
	Docs(context.Context, []doc.OID) iter.Seq2[doc.Batch, error]
}

// Sink takes what was read.
type Sink interface {
	Put(context.Context, doc.Batch) (doc.Report, error)
}

// Absent is the keys for which a fetch found no row.
type Absent struct {
	OIDs  []doc.OID
	Fetch doc.FetchSeq // of the fetch; a removal of these keys carries it
}

// Rows fetches the rows with these keys and puts them. The report counts what
// was put, also where an error ended the work early.
func Rows(ctx context.Context, source Source, sink Sink, oids []doc.OID) (Absent, doc.Report, error) {
	var absent Absent
	var report doc.Report
	found := make(map[doc.OID]bool, len(oids))
	for batch, err := range source.Docs(ctx, oids) {
		if err != nil {
			return Absent{}, report, err
		}
		absent.Fetch = cmp.Or(absent.Fetch, batch.Fetch)
		noteFound(found, batch)
		done, err := sink.Put(ctx, batch)
		report.Add(done)
		if err != nil {
			return Absent{}, report, err
		}
	}
	for _, oid := range oids {
		if !found[oid] {
			absent.OIDs = append(absent.OIDs, oid)
		}
	}
	return absent, report, nil
}

// noteFound notes the keys that have a row: a document, a reject, or a row that
// is marked deleted.
func noteFound(found map[doc.OID]bool, b doc.Batch) {
	for i := range b.Docs {
		found[b.Docs[i].OID] = true
	}
	for _, r := range b.Rejects {
		found[r.OID] = true
	}
	for _, oid := range b.Deleted {
		found[oid] = true
	}
}
