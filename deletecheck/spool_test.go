package deletecheck

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/faultfs"
)

func newTestFS(t testing.TB) *faultfs.FS {
	t.Helper()
	fsys := faultfs.New()
	if err := fsys.MkdirAll("data", 0o700); err != nil {
		t.Fatal(err)
	}
	return fsys
}

var drawNote = rapid.Custom(func(t *rapid.T) note {
	n := note{
		stamp: doc.Stamp{
			OID:   doc.OID(rapid.SliceOf(rapid.Byte()).Draw(t, "key")),
			Token: doc.Token{Digest: rapid.Uint64().Draw(t, "digest"), Epoch: rapid.Uint32().Draw(t, "epoch")},
		},
		there: rapid.Bool().Draw(t, "there"),
		fetch: doc.FetchSeq(rapid.Uint64().Draw(t, "fetch")),
	}
	if rapid.Bool().Draw(t, "has a time") {
		n.stamp.Updated = time.UnixMicro(rapid.Int64Range(-1<<56, 1<<56).Draw(t, "updated")).UTC()
	}
	return n
})

func collect(t interface{ Fatal(...any) }, s *spool) []note {
	var notes []note
	for n, err := range s.notes() {
		if err != nil {
			t.Fatal(err)
		}
		notes = append(notes, n)
	}
	return notes
}

// A spool returns the notes that were added, in order. After a crash it returns
// those that were synced.
func TestSpoolKeepsNotes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		fsys := newTestFS(t)
		s, err := newSpool(fsys, "data/spool")
		if err != nil {
			rt.Fatal(err)
		}
		want := rapid.SliceOf(drawNote).Draw(rt, "notes")
		kept := rapid.IntRange(0, len(want)).Draw(rt, "synced")
		var size int64
		for i, n := range want {
			if i == kept {
				if err := s.sync(); err != nil {
					rt.Fatal(err)
				}
				size = s.size
			}
			if err := s.add(n); err != nil {
				rt.Fatal(err)
			}
		}
		if kept == len(want) {
			if err := s.sync(); err != nil {
				rt.Fatal(err)
			}
			size = s.size
		}
		if got := collect(rt, s); !slices.Equal(got, want) || s.count != len(want) {
			rt.Fatalf("got %v (%d), want %v", got, s.count, want)
		}
		if err := fsys.SyncDir("data"); err != nil {
			rt.Fatal(err)
		}
		again, err := openSpool(fsys.Crash(rapid.SampledFrom([]func(int) int{faultfs.Worst, faultfs.Best}).Draw(rt, "left")), "data/spool", size)
		if err != nil {
			rt.Fatal(err)
		}
		if got := collect(rt, again); !slices.Equal(got, want[:kept]) || again.count != kept {
			rt.Fatalf("after a crash: got %v (%d), want %v", got, again.count, want[:kept])
		}
	})
}

// A spool that is too short, or has another byte anywhere, is errDamaged.
func TestSpoolDetectsDamage(t *testing.T) {
	var b []byte
	for _, key := range []string{"", "one", "two"} {
		b = note{stamp: doc.Stamp{OID: doc.OID(key)}, there: true, fetch: 7}.append(b)
	}
	open := func(content []byte, size int) error {
		fsys := newTestFS(t)
		f, err := fsys.OpenFile("data/spool", os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(content); err != nil {
			t.Fatal(err)
		}
		_, err = openSpool(fsys, "data/spool", int64(size))
		return err
	}
	if err := open(b, len(b)); err != nil {
		t.Fatal(err)
	}
	for i := range b {
		if err := open(b[:i], len(b)); !errors.Is(err, errDamaged) {
			t.Errorf("cut at %d: got %v, want that it is damaged", i, err)
		}
		bad := bytes.Clone(b)
		bad[i] ^= 0x40
		if err := open(bad, len(b)); !errors.Is(err, errDamaged) {
			t.Errorf("byte %d changed: got %v, want that it is damaged", i, err)
		}
	}
	if err := open(b, len(b)-1); !errors.Is(err, errDamaged) {
		t.Errorf("a size inside of a note: got %v, want that it is damaged", err)
	}
}

// An error of the disk is returned as it is, and is not errDamaged.
func TestSpoolFault(t *testing.T) {
	fsys := newTestFS(t)
	s, err := newSpool(fsys, "data/spool")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.add(note{stamp: doc.Stamp{OID: "one"}}); err != nil {
		t.Fatal(err)
	}
	fsys.Fail(func(faultfs.Step) error { return syscall.EIO })
	if err := s.sync(); !errors.Is(err, syscall.EIO) {
		t.Errorf("sync: got %v, want the fault", err)
	}
	for _, err := range s.notes() {
		if !errors.Is(err, syscall.EIO) || errors.Is(err, errDamaged) {
			t.Errorf("notes: got %v, want the fault", err)
		}
	}
}

func FuzzReadNote(f *testing.F) {
	f.Add(note{stamp: doc.Stamp{OID: "one", Updated: time.UnixMicro(7).UTC()}, there: true, fetch: 7}.append(nil))
	f.Add([]byte{0, 0, 0, 0x7f, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		n, err := readNote(bytes.NewReader(b))
		switch {
		case len(b) == 0 && !errors.Is(err, io.EOF):
			t.Errorf("nothing: got %v, want the end", err)
		case err != nil && !errors.Is(err, errDamaged) && !errors.Is(err, io.EOF):
			t.Errorf("got %v, want that it is damaged", err)
		case err == nil:
			if again := n.append(nil); !bytes.HasPrefix(b, again) && b[noteHead]&^(flagThere|flagUpdated) == 0 && b[noteHead]&flagUpdated != 0 {
				t.Errorf("read %x, wrote %x", b, again)
			}
		}
	})
}
