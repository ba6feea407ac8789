package fulltext

import (
	"path/filepath"
	"reflect"
	"testing"
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
			root = readFile(t, filepath.Join(dir, rootName))
		}
	}
	dir := t.TempDir()
	if err := copyEmpty(dir, root, rec, mapping); err != nil {
		t.Fatal(err)
	}
	wantHeader(t, dir, header{rec, mapping})
}

func wantHeader(t *testing.T, dir string, want header) {
	t.Helper()
	if got, err := readHeader(dir, checkedAtOpen); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v, want %v", got.record, err, want.record)
	}
}
