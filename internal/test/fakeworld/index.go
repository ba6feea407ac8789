package fakeworld

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"sync"

	"indexerd/internal/base/doc"
)

// Unfit begins the titles of rows that Hash rejects, and Flawed those of rows whose
// document lacks a value. Refused begins the titles of rows that Hash accepts and Apply
// can't write, nor the batch that they are in.
const (
	Unfit   = "unfit: "
	Flawed  = "flawed: "
	Refused = "refused: "
)

// An Index is a sink.Index.
type Index struct {
	Before func(step string) error // steps: apply, versions, documents, count documents, index health

	mu         sync.Mutex
	generation doc.Generation
	docs       map[doc.OID]doc.Doc
}

// NewIndex returns an empty index.
func NewIndex(generation doc.Generation) *Index {
	return &Index{generation: generation, docs: map[doc.OID]doc.Doc{}}
}

// Generation returns the number given to NewIndex.
func (x *Index) Generation() doc.Generation { return x.generation }

// Hash returns a digest of the title, the only indexed column.
func (x *Index) Hash(r doc.Row) (doc.DocHash, []doc.Flaw, error) {
	title := titleOf(r)
	if strings.HasPrefix(title, Unfit) {
		return 0, nil, fmt.Errorf("column title: %q does not fit", title)
	}
	var flaws []doc.Flaw
	if strings.HasPrefix(title, Flawed) {
		flaws = []doc.Flaw{doc.NewFlaw("title", title)}
	}
	h := fnv.New64a()
	h.Write([]byte(title))
	return doc.DocHash(h.Sum64()), flaws, nil
}

// Prepare sets the hash of a document.
func (x *Index) Prepare(d *doc.Doc) (flaws []doc.Flaw, err error) {
	d.Hash, flaws, err = x.Hash(d.Row)
	return flaws, err
}

// Apply writes and removes documents. After an error, the first half of both is
// done. A removal that does not have a higher version than its document is an error.
func (x *Index) Apply(puts []doc.Doc, deletes []doc.Removal) error {
	err := call(x.Before, "apply")
	for _, d := range puts {
		if strings.HasPrefix(titleOf(d.Row), Refused) && err == nil {
			err = fmt.Errorf("document %v: it can't be written", d.OID)
		}
	}
	if err != nil {
		puts, deletes = puts[:len(puts)/2], deletes[:len(deletes)/2]
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, d := range puts {
		x.docs[d.OID] = d
	}
	for _, r := range deletes {
		if v := x.docs[r.OID].V; r.V <= v {
			return fmt.Errorf("document %v: the removal has version %d, the document %d", r.OID, r.V, v)
		}
		delete(x.docs, r.OID)
	}
	return err
}

// Versions returns the version of each document.
func (x *Index) Versions(oids []doc.OID) ([]doc.Version, error) {
	if err := call(x.Before, "versions"); err != nil {
		return nil, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	versions := make([]doc.Version, len(oids))
	for i, oid := range oids {
		versions[i] = x.docs[oid].V
	}
	return versions, nil
}

// Err returns the error of the step "index health".
func (x *Index) Err() error { return call(x.Before, "index health") }

// Titles returns the titles of all documents.
func (x *Index) Titles() map[doc.OID]string {
	x.mu.Lock()
	defer x.mu.Unlock()
	titles := make(map[doc.OID]string, len(x.docs))
	for oid, d := range x.docs {
		titles[oid] = titleOf(d.Row)
	}
	return titles
}

// Title returns the title of one document.
func (x *Index) Title(oid doc.OID) (title string, ok bool) {
	d, ok := x.Doc(oid)
	return titleOf(d.Row), ok
}

// Doc returns one document.
func (x *Index) Doc(oid doc.OID) (doc.Doc, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	d, ok := x.docs[oid]
	return d, ok
}

func titleOf(r doc.Row) string {
	v, _ := r.Get("title")
	return doc.FormatText(v)
}

// Documents lists up to n documents from a key on, in key order, and returns the
// key to go on from, or none at the end.
func (x *Index) Documents(from doc.OID, n int) (docs []doc.Indexed, next doc.OID, err error) {
	if err := call(x.Before, "documents"); err != nil {
		return nil, "", err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, oid := range slices.Sorted(maps.Keys(x.docs)) {
		switch {
		case oid < from:
		case len(docs) == n:
			return docs, oid, nil
		default:
			docs = append(docs, doc.Indexed{OID: oid, V: x.docs[oid].V})
		}
	}
	return docs, "", nil
}

// Count returns the number of documents.
func (x *Index) Count() (uint64, error) {
	if err := call(x.Before, "count documents"); err != nil {
		return 0, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return uint64(len(x.docs)), nil
}

// Different returns the keys, in order, whose document and row differ or of which
// one is missing.
func Different(table *Table, index *Index) []doc.OID {
	titles := index.Titles()
	var different []doc.OID
	for oid, row := range table.Rows() {
		if title, ok := titles[oid]; !ok || title != row.Title {
			different = append(different, oid)
		}
		delete(titles, oid)
	}
	different = slices.AppendSeq(different, maps.Keys(titles))
	slices.Sort(different)
	return different
}
