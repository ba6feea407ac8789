package sink

import (
	"errors"
	"fmt"
	"slices"

	"indexerd/internal/base/doc"
)

// The largest key and row, in bytes. The key's limit is that of the pages. The
// row's, as JSON, is well below that of the pages, since texts are analysed in
// memory.
const (
	maxKey  = 64 << 10
	maxBody = 64 << 20
)

func fits(oid doc.OID, body []byte) error {
	switch {
	case len(oid) > maxKey:
		return fmt.Errorf("key has %d bytes, more than %d", len(oid), maxKey)
	case len(body) > maxBody:
		return fmt.Errorf("row has %d bytes, more than %d", len(body), maxBody)
	}
	return nil
}

// ErrTooManyRejects is the error of Put when so many rows can't become documents
// that the SQL is the likely cause. The pass fails and its mark stays, so the rows
// are read again until they or the SQL are repaired.
var ErrTooManyRejects = errors.New("too many rows can't become documents")

// The quarantine takes rejectsCount rows, or one for each rejectsShare documents
// if that is more.
const (
	rejectsCount = 1000
	rejectsShare = 5
)

// quarantineRejects applies the groups of a batch's rejects, and then adds these to
// the quarantine unless there are too many.
func (s *Sink) quarantineRejects(b doc.Batch) error {
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
		return fmt.Errorf("%w: %d beside %d documents, the newest is %s: repair the rows or the SQL of the table", ErrTooManyRejects, n, documents, describe(newest))
	}
	// An older fetch must not put a document of the row.
	s.remember(keys(nil, b.Rejects), b.Fetch)
	return s.quarantine.Add(b)
}

func describe(r doc.Reject) string {
	if r.OID == "" {
		return "a row without a key: " + r.Reason
	}
	return fmt.Sprintf("row %.40s: %s", r.OID, r.Reason)
}

// withoutDeleted drops the documents and rejects whose key is also in Deleted, as
// two rows with one key can be. The deletion wins.
func withoutDeleted(b doc.Batch) doc.Batch {
	if len(b.Deleted) == 0 {
		return b
	}
	b.Docs, b.Rejects = doc.Without(b.Docs, b.Deleted), doc.Without(b.Rejects, b.Deleted)
	b.Deleted = slices.Compact(slices.Sorted(slices.Values(b.Deleted)))
	return b
}

// rejectDuplicates rejects rows that share a key, since it is unknown which of them
// is the document. A reject counts as one of these rows.
func rejectDuplicates(b doc.Batch) doc.Batch {
	if len(b.Rejects) == 0 && ascending(b.Docs) {
		return b
	}
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
		case n > 1: // without the number, since a source may not return all of them
			b.Rejects = append(b.Rejects, doc.Reject{OID: d.OID, Reason: "several rows have this key: the SQL must return one row a key"})
			count[d.OID] = 0
		}
	}
	return b
}

// ascending reports whether each document has a larger key than the one before, as in
// a load.
func ascending(docs []doc.Doc) bool {
	for i := 1; i < len(docs); i++ {
		if docs[i].OID <= docs[i-1].OID {
			return false
		}
	}
	return true
}

// keys returns the keys of documents and rejects, without empty ones.
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
