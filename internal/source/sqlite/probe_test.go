package sqlite

import (
	"errors"
	"path/filepath"
	"testing"

	"indexerd/internal/test/sourcetest/dialecttest"

	"indexerd/internal/base/doc"
)

// A file that is missing is not taken for a busy one.
func TestPingOfABusyPool(t *testing.T) {
	open := func(path string) *DB {
		t.Helper()
		d, err := Open(t.Context(), path, 1)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(d.Close)
		return d
	}
	path := filepath.Join(t.TempDir(), "db")
	w, err := OpenWritable(path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.Exec("CREATE TABLE t (id INTEGER PRIMARY KEY)"); err != nil {
		t.Fatal(err)
	}
	dialecttest.PingOfABusyPool(t, open(path))
	if err := open(path + ".missing").Probe(t.Context()); !errors.Is(err, doc.ErrUnavailable) {
		t.Errorf("no file: got %v, want ErrUnavailable", err)
	}
}
