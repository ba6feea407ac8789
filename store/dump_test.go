package store

import (
	"bytes"
	"encoding/hex"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"indexerd/internal/doc"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s: got\n%s\nwant\n%s", path, got, want)
	}
}

// TestFormat holds the files of a small map against golden ones, as bytes and
// as Dump prints them: a map written by this version must be readable by every
// later one.
func TestFormat(t *testing.T) {
	dir := t.TempDir()
	m := openTest(t, dir, Options{Compression: None, Versions: 2})
	null := testPage(-2, "its updateTime is NULL")
	null.Updated = time.Time{}
	put(t, m, testPage(1, "one"), null)
	put(t, m, testPage(1, "another one"))
	if err := m.Family(1).Put([]doc.Page{testPage(3, "")}); err != nil {
		t.Fatal(err)
	}
	if err := m.Delete([]doc.OID{null.OID}); err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"value0.dat", "key.dat"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		golden(t, name+".hex", []byte(hex.Dump(b)))
	}
	var out bytes.Buffer
	if err := Dump(&out, dir); err != nil {
		t.Fatal(err)
	}
	golden(t, "dump.txt", out.Bytes())
}

// TestDumpDamaged dumps a map with faults in each file.
func TestDumpDamaged(t *testing.T) {
	dir := t.TempDir()
	m := openTest(t, dir, Options{Compression: None})
	put(t, m, testPage(1, "one"), testPage(2, "two"), testPage(3, "three"))
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	for name, offs := range map[string][]int{"value0.dat": {20, 64 + 97, 64 + 112 + 106}, "key.dat": {50}, "address.idx": {13}} {
		path := filepath.Join(dir, name)
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, off := range offs {
			b[off] ^= 1
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := Dump(&out, dir); err != nil {
		t.Fatal(err)
	}
	golden(t, "dump_damaged.txt", out.Bytes())
}
