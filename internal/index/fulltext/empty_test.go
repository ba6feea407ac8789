package fulltext

import (
	"path/filepath"
	"reflect"
	"testing"

	"indexerd/internal/base/doc"
)

// An empty index that is copied from another's root.bolt has what scorch would have
// written, whatever the other one had.
func TestCopiedEmptyIndex(t *testing.T) {
	other, rec := record{fingerprint: 7, generation: 2}, record{fingerprint: 1 << 60, generation: 3}
	mapping := make([]byte, 3000)
	var root []byte
	for _, r := range []record{other, rec} {
		dir := filepath.Join(t.TempDir(), "index")
		if err := makeEmpty(dir, r, mapping[:r.generation*1000]); err != nil {
			t.Fatal(err)
		}
		wantHeader(t, dir, header{r, mapping[:r.generation*1000]})
		if r == other {
			if err := beginEpochs(dir); err != nil {
				t.Fatal(err)
			}
			wantHeader(t, dir, header{r, mapping[:r.generation*1000]})
			root = readFile(t, filepath.Join(dir, rootName))
		}
	}
	dir := t.TempDir()
	if err := copyEmpty(dir, root, rec, mapping); err != nil {
		t.Fatal(err)
	}
	wantHeader(t, dir, header{rec, mapping})
}

// An empty index is opened without a transaction, since it is as durable as it can be.
func TestEmptyIndexIsNotWrittenAgain(t *testing.T) {
	dir := t.TempDir()
	stored, err := films.Encode()
	if err == nil {
		err = writeEmpty(dir, record{fingerprint: films.Fingerprint(), generation: 1}, stored)
	}
	if err != nil {
		t.Fatal(err)
	}
	before := lastTransaction(dir)
	ix, err := Open(dir, films)
	if err != nil {
		t.Fatal(err)
	}
	apply(t, ix, []doc.Doc{film(t, "1", 1, map[string]any{"title": "one"})})
	closeIndex(t, ix)
	// One makes the document durable, and one the segment that has it then.
	if got := lastTransaction(dir) - before; got > 2 {
		t.Errorf("got %d transactions of an index that got one document, want 2", got)
	}
}

func wantHeader(t *testing.T, dir string, want header) {
	t.Helper()
	if got, err := readHeader(dir, checkedAtOpen); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v, want %v", got.record, err, want.record)
	}
}
