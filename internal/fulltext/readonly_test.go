package fulltext

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"indexerd/internal/doc"
)

// An index that is open read-only is searched, refuses to be written, and leaves
// every file as it was; several processes may have it open so.
func TestOpenReadOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "index")
	if _, err := OpenReadOnly(dir, films); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("open what is not there: got %v, want fs.ErrNotExist", err)
	}
	w, err := Create(dir, films, 7)
	if err != nil {
		t.Fatal(err)
	}
	puts := []doc.Doc{film(t, int64(1), 1, map[string]any{"title": "one"}), film(t, int64(2), 2, map[string]any{"title": "two"})}
	if err := errors.Join(w.Apply(puts, nil), w.Close()); err != nil {
		t.Fatal(err)
	}
	before := contents(t, dir)
	other := films
	other.Analyzer = "en"
	if _, err := OpenReadOnly(dir, other); !errors.Is(err, ErrMapping) {
		t.Errorf("open with another mapping: got %v, want ErrMapping", err)
	}
	a, err := OpenReadOnly(dir, films)
	if err != nil {
		t.Fatal(err)
	}
	b, built, err := OpenReadOnlyAsBuilt(dir)
	if err != nil || built.Fingerprint() != films.Fingerprint() {
		t.Fatalf("open as built beside it: %v, %v", built, err)
	}
	for _, ix := range []*Index{a, b} {
		if n, err := ix.Count(); err != nil || n != 2 || ix.Generation() != 7 {
			t.Errorf("got %d documents of generation %d, %v, want 2 of 7", n, ix.Generation(), err)
		}
		if versions, err := ix.Versions([]doc.OID{puts[1].OID}); err != nil || versions[0] != 2 {
			t.Errorf("got versions %v, %v, want 2", versions, err)
		}
		if err := ix.Apply(puts, nil); !errors.Is(err, ErrReadOnly) {
			t.Errorf("Apply: got %v, want ErrReadOnly", err)
		}
		if err := errors.Join(ix.Err(), ix.Close()); err != nil {
			t.Error(err)
		}
	}
	after := contents(t, dir)
	for name, text := range before {
		if after[name] != text {
			t.Errorf("%s was changed", name)
		}
	}
	if len(after) != len(before) {
		t.Errorf("got %d files, want %d", len(after), len(before))
	}
}

func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		all[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
