package sink

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"indexerd/internal/doc"
)

// What a document may have. Pages take no longer key. Its row as JSON is
// bounded well below what pages take, since a text is analysed in memory.
const (
	maxKey  = 64 << 10
	maxBody = 64 << 20
)

func fits(oid doc.OID, body []byte) error {
	switch {
	case len(oid) > maxKey:
		return fmt.Errorf("the key has %d bytes, the most is %d", len(oid), maxKey)
	case len(body) > maxBody:
		return fmt.Errorf("the row has %d bytes, the most is %d", len(body), maxBody)
	}
	return nil
}

// ErrTooManyRejects is the error of Put when more rows of a table can't become
// documents than can be the fault of the rows. Its mark stays: what could not
// be set aside is read again until the rows are mended, or the SQL.
var ErrTooManyRejects = errors.New("too many rows can't become documents")

// Rows set aside are bounded by the larger of a count and a share of the
// documents, one in so many.
const (
	rejectsCount = 1000
	rejectsShare = 5
)

// setAside lists the rejects of a batch. Their groups apply also where they are
// too many to be listed.
func (s *Sink) setAside(b doc.Batch) error {
	if len(b.Rejects) == 0 {
		return nil
	}
	if err := s.restrict(b); err != nil {
		return err
	}
	documents, err := s.guard.documents()
	if err != nil {
		return err
	}
	listed, n := s.quarantine.LenWith(nil), s.quarantine.LenWith(b.Rejects)
	if n > listed && n > rejectsCount && uint64(n) > documents/rejectsShare {
		newest := b.Rejects[len(b.Rejects)-1]
		return fmt.Errorf("%w: %d beside %d documents, the newest is %s: mend the rows or the SQL of the table", ErrTooManyRejects, n, documents, describe(newest))
	}
	// An older fetch that has a document of the row would let it out again.
	s.remember(keys(nil, b.Rejects), b.Fetch)
	return s.quarantine.Add(b)
}

func describe(r doc.Reject) string {
	if r.OID == "" {
		return "a row without a key: " + r.Reason
	}
	return fmt.Sprintf("row %.40s: %s", r.OID, r.Reason)
}

// withoutDeleted drops the documents and rejects of rows that the batch has as
// deleted too, as two rows of one key can be: what may not be found wins.
func withoutDeleted(b doc.Batch) doc.Batch {
	if len(b.Deleted) == 0 {
		return b
	}
	deleted := make(map[doc.OID]struct{}, len(b.Deleted))
	for _, oid := range b.Deleted {
		deleted[oid] = struct{}{}
	}
	is := func(oid doc.OID) bool { _, ok := deleted[oid]; return ok }
	b.Docs = slices.DeleteFunc(slices.Clone(b.Docs), func(d doc.Doc) bool { return is(d.OID) })
	b.Rejects = slices.DeleteFunc(slices.Clone(b.Rejects), func(r doc.Reject) bool { return is(r.OID) })
	b.Deleted = slices.Sorted(maps.Keys(deleted))
	return b
}

// rejectDuplicates sets aside rows that share a key: which of them is the
// document can't be known. A row that was rejected already is one of them.
func rejectDuplicates(b doc.Batch) doc.Batch {
	count := make(map[doc.OID]int, len(b.Docs)+len(b.Rejects))
	for i := range b.Docs {
		count[b.Docs[i].OID]++
	}
	for _, r := range b.Rejects {
		count[r.OID]++
	}
	if len(count) == len(b.Docs)+len(b.Rejects) {
		return b
	}
	docs := b.Docs
	b.Docs = nil
	for _, d := range docs {
		switch n := count[d.OID]; {
		case n == 1:
			b.Docs = append(b.Docs, d)
		case n > 1: // how many, a source need not say
			b.Rejects = append(b.Rejects, doc.Reject{OID: d.OID, Reason: "several rows have this key: the SQL must return one row a key"})
			count[d.OID] = 0
		}
	}
	return b
}

// keys returns the keys of documents and rejects; some rejects have none.
func keys(docs []doc.Doc, rejects []doc.Reject) []doc.OID {
	oids := make([]doc.OID, 0, len(docs)+len(rejects))
	for i := range docs {
		oids = append(oids, docs[i].OID)
	}
	for _, r := range rejects {
		if r.OID != "" {
			oids = append(oids, r.OID)
		}
	}
	return oids
}
