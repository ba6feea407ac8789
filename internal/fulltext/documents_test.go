package fulltext

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"
	"pgregory.net/rapid"

	"indexerd/internal/doc"
)

// A listing is an index, the documents it must have, and the next key to list.
type listing struct {
	dir  string
	ix   *Index
	docs map[doc.OID]doc.Version
	v    doc.Version
	from doc.OID
}

// Documents lists the same as a map, although the index is written, merged and
// reopened between calls.
func TestDocumentsModel(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp(root, "model")
		if err != nil {
			t.Fatal(err)
		}
		l := &listing{dir: filepath.Join(dir, "index"), docs: map[doc.OID]doc.Version{}}
		if l.ix, err = Create(l.dir, modelMapping("standard"), 1); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = l.ix.Close() }()
		steps := []func(*rapid.T){l.write, l.write, l.list, l.list, l.seek, l.merge, l.reopen}
		for range rapid.IntRange(2, 8).Draw(t, "steps") {
			steps[rapid.IntRange(0, len(steps)-1).Draw(t, "step")](t)
		}
		for l.list(t); l.from != ""; {
			l.list(t)
		}
	})
}

func (l *listing) write(t *rapid.T) {
	var puts []doc.Doc
	var deletes []doc.OID
	for _, k := range rapid.SliceOfNDistinct(rapid.SampledFrom(modelKeys), 1, 6, rapid.ID[any]).Draw(t, "keys") {
		oid := oid(t, k)
		if rapid.Bool().Draw(t, "delete") {
			deletes = append(deletes, oid)
			delete(l.docs, oid)
			continue
		}
		l.v++
		l.docs[oid] = l.v
		puts = append(puts, doc.Doc{Meta: doc.Meta{Stamp: doc.Stamp{OID: oid}, V: l.v}, Row: modelDoc{}.row()})
	}
	apply(t, l.ix, puts, deletes...)
}

// list makes one call, and compares the result with the map's keys in its range.
func (l *listing) list(t *rapid.T) {
	n := rapid.IntRange(1, 4).Draw(t, "n")
	got, next, err := l.ix.Documents(l.from, n)
	if err != nil {
		t.Fatal(err)
	}
	want := []doc.Indexed{}
	for _, oid := range slices.Sorted(maps.Keys(l.docs)) {
		if oid >= l.from && (next == "" || oid < next) {
			want = append(want, doc.Indexed{OID: oid, V: l.docs[oid]})
		}
	}
	if !slices.Equal(got, want) || len(got) > n || next != "" && next <= l.from {
		t.Fatalf("%d from %s: got %v and next %s, want %v", n, l.from, got, next, want)
	}
	l.from = next
}

// seek makes the next call begin at any key, or between two keys.
func (l *listing) seek(t *rapid.T) {
	l.from = oid(t, rapid.SampledFrom(modelKeys).Draw(t, "key")) + doc.OID(rapid.SampledFrom([]string{"", "\x00"}).Draw(t, "after"))
}

func (l *listing) merge(t *rapid.T) {
	if err := l.ix.store.(*scorch.Scorch).ForceMerge(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
}

func (l *listing) reopen(t *rapid.T) {
	if err := l.ix.Close(); err != nil {
		t.Fatal(err)
	}
	ix, err := Open(l.dir, modelMapping("standard"))
	if err != nil {
		t.Fatal(err)
	}
	l.ix = ix
}

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
			found, next, err := documents(r, from, n)
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
		batch.Update(d.AddField(document.NewTextFieldWithIndexingOptions(versionField, nil, encodeVersion(doc.Version(id)), index.StoreField)))
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
