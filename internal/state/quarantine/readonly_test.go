package quarantine

import (
	"bytes"
	"errors"
	"testing"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
	"indexerd/internal/test/faultfs"
)

// OpenReadOnly reads what Open would read after any crash, and changes no file.
func TestOpenReadOnly(t *testing.T) {
	whole, rows := lines(t)
	for n := range len(whole) + 1 {
		fsys := disk(t)
		if err := atomicfile.Write(fsys, name, whole[:n]); err != nil {
			t.Fatal(err)
		}
		q, err := OpenReadOnly(atomicfile.ReadOnly(fsys), name)
		if err != nil {
			t.Fatal(err)
		}
		want(t, q, rows[:bytes.Count(whole[:n], []byte("\n"))]...)
		if err := q.Add(batch(60, doc.Reject{OID: oid(t, 99), Reason: "new"})); !errors.Is(err, atomicfile.ErrReadOnly) {
			t.Errorf("Add: got %v, want ErrReadOnly", err)
		}
		if got := read(t, fsys); !bytes.Equal(got, whole[:n]) {
			t.Fatalf("the file became %q", got)
		}
	}
	q, err := OpenReadOnly(atomicfile.ReadOnly(faultfs.New()), name)
	if err != nil {
		t.Fatal(err)
	}
	want(t, q)
}
