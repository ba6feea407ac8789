package store

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/golden"
)

var formatOptions = Options{Compression: None, Versions: 2, spreadAt: 1} // all shards from the second page on

// formatMap writes the map of testdata to dir: a page with two versions, one
// without content, and one that is deleted.
func formatMap(t *testing.T, dir string) {
	t.Helper()
	m := openTest(t, dir, formatOptions)
	null := testPage(-2, "its updateTime is NULL")
	null.Updated = time.Time{}
	put(t, m, testPage(1, "one"), null, testPage(3, ""))
	put(t, m, testPage(1, "another one"))
	if err := m.Delete(doc.Removals(0, null.OID)); err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestFormatIsStable compares the files of a map, byte by byte, with those that
// the first release wrote (testdata), and opens these with all their pages. Maps
// on disk must stay readable.
func TestFormatIsStable(t *testing.T) {
	written, kept := t.TempDir(), t.TempDir()
	formatMap(t, written)
	for _, name := range []string{"value0.dat", "key.dat", "address.idx"} {
		got, err := os.ReadFile(filepath.Join(written, name))
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("testdata", name+".hex")
		golden.Check(t, file, string(encodeHex(got)))
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(kept, name), decodeHex(t, want), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m := openTest(t, kept, formatOptions)
	if m.mapped == nil && mapsFiles(t) {
		t.Error("Open did not use address.idx")
	}
	want := newModel(2)
	for _, p := range []doc.Page{testPage(1, "one"), testPage(3, ""), testPage(1, "another one")} {
		want.put(p)
	}
	compare(t, m, want, want)
}

// mapsFiles reports whether this system maps files.
func mapsFiles(t *testing.T) bool {
	t.Helper()
	f, err := os.Open("format_test.go")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := mapPrivate(f, 10)
	if err != nil {
		t.Fatal(err)
	}
	defer unmapPrivate(b)
	return b != nil
}

// encodeHex is hex.Dump without the rows of zeros, and with the length at the end.
func encodeHex(b []byte) []byte {
	var out strings.Builder
	for i, row := range strings.SplitAfter(hex.Dump(b), "\n") {
		if at := 16 * i; at < len(b) && len(bytes.Trim(b[at:min(at+16, len(b))], "\x00")) > 0 {
			out.WriteString(row)
		}
	}
	fmt.Fprintf(&out, "%08x\n", len(b))
	return []byte(out.String())
}

// decodeHex is the inverse of encodeHex.
func decodeHex(t *testing.T, text []byte) (b []byte) {
	t.Helper()
	for row := range strings.Lines(string(text)) {
		var at int
		if _, err := fmt.Sscanf(row, "%x", &at); err != nil {
			t.Fatal(err)
		}
		b = append(b, make([]byte, at-len(b))...)
		if len(row) > 58 {
			bytes, err := hex.DecodeString(strings.ReplaceAll(row[8:58], " ", ""))
			if err != nil {
				t.Fatal(err)
			}
			b = append(b, bytes...)
		}
	}
	return b
}
