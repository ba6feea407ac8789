package segment

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"
	"github.com/blevesearch/zapx/v17"

	"indexerd/internal/test/sampletext"
)

// Two indexes, one of zapx alone, hold the same after the same updates, deletes
// and merges. Each also reads the files of the other.
func TestIndexes(t *testing.T) {
	s := newSchema(t, "en", true)
	texts := sampletext.English(1000)
	own, library := scorch.SegmentPlugin(new(Plugin)), scorch.SegmentPlugin(new(zap.ZapPlugin))
	got, want := t.TempDir(), t.TempDir()
	for round := range uint64(3) {
		change(t, got, own, s.Batch, texts, round)
		change(t, want, library, s.oracleBatch, texts, round)
		if round == 1 {
			got, want = want, got
		}
	}
	a, b := entries(t, got, library), entries(t, want, own)
	if len(a) < 1000 || !slices.Equal(a, b) {
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				t.Fatalf("entry %d of %d: got %q, want %q", i, len(b), a[i], b[i])
			}
		}
		t.Fatalf("got %d entries, want %d", len(a), len(b))
	}
}

// oracleBatch is Batch with documents of zapx.
func (s *Schema) oracleBatch(rows []Row, deleted []string) *index.Batch {
	batch := index.NewBatch()
	for _, id := range deleted {
		batch.Delete(id)
	}
	for _, r := range rows {
		batch.Update(s.oracleDocument(r))
	}
	return batch
}

// openIndex opens an index with a plugin.
func openIndex(t *testing.T, dir string, plugin scorch.SegmentPlugin) index.Index {
	t.Helper()
	scorch.RegisterSegmentPlugin(plugin, true)
	queue := index.NewAnalysisQueue(1)
	store, err := scorch.NewScorch(scorch.Name, map[string]any{"path": dir}, queue)
	if err == nil {
		err = store.Open()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(queue.Close)
	return store
}

// change writes batches of updates and deletes, merges all segments and closes
// the index.
func change(t *testing.T, dir string, plugin scorch.SegmentPlugin, batchOf func([]Row, []string) *index.Batch, texts []string, seed uint64) {
	t.Helper()
	store := openIndex(t, dir, plugin)
	r := rand.New(rand.NewPCG(seed, 4))
	for range 12 {
		var rows []Row
		for range 40 {
			rows = append(rows, textRows(texts[r.IntN(len(texts)):][:1], r.IntN(300))[0])
		}
		var deleted []string
		for range 10 {
			deleted = append(deleted, textRows([]string{""}, r.IntN(300))[0].ID)
		}
		if err := store.Batch(batchOf(rows, deleted)); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.(*scorch.Scorch).ForceMerge(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
}

// entries lists what an index holds of its live documents, in order.
func entries(t *testing.T, dir string, plugin scorch.SegmentPlugin) (all []string) {
	t.Helper()
	check := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	store := openIndex(t, dir, plugin)
	defer func() { check(store.Close()) }()
	reader, err := store.Reader()
	check(err)
	defer func() { check(reader.Close()) }()
	for _, field := range []string{"_id", "c:text", "m:kind", "m:n"} {
		terms, err := reader.FieldDict(field)
		check(err)
		for e, err := terms.Next(); e != nil || err != nil; e, err = terms.Next() {
			check(err)
			docs, err := reader.TermFieldReader(context.Background(), []byte(e.Term), field, true, true, true)
			check(err)
			for d, err := docs.Next(nil); d != nil || err != nil; d, err = docs.Next(nil) {
				check(err)
				id, err := reader.ExternalID(d.ID)
				check(err)
				entry := fmt.Sprintf("%s %q %s %d %v", field, e.Term, id, d.Freq, d.Norm)
				for _, v := range d.Vectors {
					entry += fmt.Sprint(" ", v.Pos)
				}
				all = append(all, entry)
			}
		}
	}
	docs, err := reader.DocIDReaderAll()
	check(err)
	values, err := reader.DocValueReader([]string{"m:kind", "m:n"})
	check(err)
	for id, err := docs.Next(); id != nil || err != nil; id, err = docs.Next() {
		check(err)
		name, err := reader.ExternalID(id)
		check(err)
		check(values.VisitDocValues(id, func(field string, term []byte) { all = append(all, fmt.Sprintf("%s %s %q", name, field, term)) }))
		d, err := reader.Document(name)
		check(err)
		d.VisitFields(func(f index.Field) { all = append(all, fmt.Sprintf("%s %s %q", name, f.Name(), f.Value())) })
	}
	slices.Sort(all)
	return all
}
