package fulltext

import (
	"slices"
	"testing"

	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext/versions"
)

// A call reads n keys, also if all of their documents are deleted.
func TestDocumentsReadsAtMostNKeys(t *testing.T) {
	ix := newIndex(t, films)
	const all, n = 100, 10
	var puts []doc.Doc
	var deletes []doc.OID
	for i := range int64(all) {
		puts = append(puts, film(t, i, 1, nil))
		if i != all-1 {
			deletes = append(deletes, oid(t, i))
		}
	}
	apply(t, ix, puts)
	apply(t, ix, nil, deletes...)
	err := ix.read(func(r *scorch.IndexSnapshot) error {
		calls, from := 0, doc.OID("")
		var docs []doc.Indexed
		for {
			found, next, err := versions.Documents(r, from, n, nil)
			if err != nil {
				return err
			}
			docs = append(docs, found...)
			calls++
			if from = next; next == "" {
				break
			}
		}
		if want := []doc.Indexed{{OID: oid(t, int64(all-1)), V: 1}}; !slices.Equal(docs, want) || calls != all/n {
			t.Errorf("got %v in %d calls, want %v in %d", docs, calls, want, all/n)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A document without a version, written by another program, is listed with
// version 0. Versions does not distinguish it from a missing document.
func TestDocumentsListsWhatHasNoVersion(t *testing.T) {
	ix := newIndex(t, films)
	apply(t, ix, []doc.Doc{film(t, int64(1), 1, nil)})
	batch := index.NewBatch() // in one segment with others
	batch.Update(document.NewDocument(string(oid(t, int64(2)))))
	for id := int64(3); id < 9; id++ {
		d := document.NewDocument(string(oid(t, id)))
		batch.Update(d.AddField(document.NewTextFieldWithIndexingOptions(versions.VersionField, nil, versions.EncodeVersion(doc.Version(id)), index.StoreField)))
	}
	if err := ix.store.Batch(batch); err != nil {
		t.Fatal(err)
	}
	got, next, err := ix.Documents("", 100)
	var want []doc.Indexed
	for id := int64(1); id < 9; id++ {
		want = append(want, doc.Indexed{OID: oid(t, id), V: doc.Version(id)})
	}
	want[1].V = 0
	if err != nil || next != "" || !slices.Equal(got, want) {
		t.Errorf("got %v, next %q, %v; want %v", got, next, err, want)
	}
	vs, err := ix.Versions([]doc.OID{oid(t, int64(2)), oid(t, int64(9))})
	if err != nil || !slices.Equal(vs, []doc.Version{0, 0}) {
		t.Errorf("versions of that document and of none: got %v, %v; want 0 and 0", vs, err)
	}
}
