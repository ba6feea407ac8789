package sink

import (
	"fmt"

	"indexerd/internal/doc"
)

// writes is what a batch comes to: documents for the index, pages for all that
// are current, rows to set aside, and the counts.
type writes struct {
	docs                    []doc.Doc
	pages                   []doc.Page
	oids                    []doc.OID // of the pages
	rejects                 []doc.Reject
	added, updated, skipped int
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
		n := count[d.OID]
		if n == 1 {
			b.Docs = append(b.Docs, d)
		} else if n > 1 {
			b.Rejects = append(b.Rejects, doc.Reject{OID: d.OID, Reason: fmt.Sprintf("%d rows have this key: the SQL must return one row a key", n)})
			count[d.OID] = 0
		}
	}
	return b
}

// keys returns the keys of documents and rejects.
func keys(b doc.Batch) []doc.OID {
	oids := make([]doc.OID, 0, len(b.Docs)+len(b.Rejects))
	for i := range b.Docs {
		oids = append(oids, b.Docs[i].OID)
	}
	for _, r := range b.Rejects {
		if r.OID != "" {
			oids = append(oids, r.OID)
		}
	}
	return oids
}

// plan decides what to write. Rows that can't be indexed join the rejects;
// what is older than what is applied is dropped.
func (s *Sink) plan(b doc.Batch) (writes, error) {
	n := len(b.Docs)
	w := writes{docs: make([]doc.Doc, 0, n), pages: make([]doc.Page, 0, n), oids: make([]doc.OID, 0, n)}
	rows := keys(b)
	before, err := s.lookUp(rows)
	if err != nil {
		return w, err
	}
	first, err := s.numbers.next(uint64(n))
	if err != nil {
		return w, err
	}
	for i, d := range b.Docs {
		if s.outdated(before[i].Meta, d.OID, d.Fetch) {
			continue
		}
		d.Gen, d.V = s.index.Generation(), doc.Version(first)+doc.Version(i)
		body, err := d.Row.AppendJSON(make([]byte, 0, bodyGuess))
		if err == nil {
			d.Hash, err = s.index.Hash(d.Row)
		}
		if err != nil {
			w.rejects = append(w.rejects, doc.Reject{OID: d.OID, Reason: err.Error()})
			continue
		}
		w.add(d, body, before[i])
	}
	for i, d := range b.Rejects {
		_ = i
		_ = d
	}
	return w, nil
}
