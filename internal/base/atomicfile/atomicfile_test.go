package atomicfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/test/faultfs"
	_ "indexerd/internal/test/nofailfile"
)

const name = "/data/marks"

const (
	older = "the first content"
	old   = "the old content"
	next  = "the new content, which is longer"
)

// content returns the content of a file, or "" if the file is missing.
func content(t rapid.TB, fsys atomicfile.FS, name string) string {
	t.Helper()
	text, err := atomicfile.Read(fsys, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("read %s: %v", name, err)
	}
	return string(text)
}

func write(t rapid.TB, fsys atomicfile.FS, text string) {
	t.Helper()
	if err := atomicfile.Write(fsys, name, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

func names(t rapid.TB, fsys atomicfile.FS, dir string) string {
	t.Helper()
	entries, err := fsys.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return strings.Join(list, " ")
}

// withOld returns a disk where the file has the old content.
func withOld(t rapid.TB) *faultfs.FS {
	t.Helper()
	fsys := faultfs.New()
	if err := fsys.MkdirAll("/data", 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, fsys, old)
	return fsys
}

func TestWriteOnARealDisk(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "marks")
	for _, text := range []string{next, "", old} {
		if err := atomicfile.Write(atomicfile.OS, file, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got := content(t, atomicfile.OS, file); got != text {
			t.Errorf("got %q, want %q", got, text)
		}
	}
	if err := atomicfile.WriteKeeping(atomicfile.OS, file, []byte(next)); err != nil {
		t.Fatal(err)
	}
	if got := content(t, atomicfile.OS, file+".prev"); got != old {
		t.Errorf("previous copy: got %q, want %q", got, old)
	}
	if got, want := names(t, atomicfile.OS, dir), "marks marks.prev"; got != want {
		t.Errorf("got files %s, want %s", got, want)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := info.Mode().Perm(), fs.FileMode(0o600); got != want {
		t.Errorf("got permissions %v, want %v", got, want)
	}
}

func TestErrorsNameTheFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "absent", "marks")
	err := atomicfile.Write(atomicfile.OS, file, nil)
	if !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), "write "+file+": ") {
		t.Errorf("got error %v, want write %s: ...", err, file)
	}
	if err := atomicfile.OS.SyncDir(filepath.Dir(file)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("sync a missing directory: got error %v", err)
	}
	if f, err := atomicfile.OS.OpenFile(file, os.O_RDONLY, 0); f != nil || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("open a missing file: got %v, error %v, want nil", f, err)
	}
}

// If any step fails Write returns an error, the file has its old content, no other
// file is left, and the next Write succeeds.
func TestWriteFailsAtEachStep(t *testing.T) {
	for k := 1; ; k++ {
		fsys := withOld(t)
		fsys.Fail(faultfs.At(k, syscall.ENOSPC))
		err := atomicfile.Write(fsys, name, []byte(next))
		steps := fsys.Steps()
		fsys.Fail(nil)
		if k > steps {
			if err != nil {
				t.Fatalf("no step failed: got error %v", err)
			}
			return
		}
		if !errors.Is(err, syscall.ENOSPC) || !strings.HasPrefix(err.Error(), "write "+name+": ") {
			t.Fatalf("step %d of %d: got error %v, want that %s can't be written: disk full", k, steps, err, name)
		}
		want := old
		if k == steps { // the sync of the directory: the new content is there, not yet durable
			want = next
		}
		if got := content(t, fsys, name); got != want {
			t.Fatalf("step %d of %d: got %q, want %q", k, steps, got, want)
		}
		if got, want := names(t, fsys, "/data"), "marks"; got != want {
			t.Fatalf("step %d of %d: got files %s, want %s", k, steps, got, want)
		}
		write(t, fsys, next)
		if got := content(t, fsys.Crash(faultfs.Worst), name); got != next {
			t.Fatalf("written again after step %d of %d had failed: got %q, want %q", k, steps, got, next)
		}
	}
}

// If the temporary file cannot be removed either, the error is still one line, and
// names that file.
func TestErrorNamesTheTemporaryFileThatStays(t *testing.T) {
	fsys := withOld(t)
	fsys.Fail(func(s faultfs.Step) error {
		if s.Op == "OpenFile" {
			return nil
		}
		return syscall.EIO
	})
	err := atomicfile.Write(fsys, name, []byte(next))
	if !errors.Is(err, syscall.EIO) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "; Remove "+name+".tmp: ") {
		t.Errorf("got error %q, want one line that names %s.tmp", err, name)
	}
}

// After a power cut at any step the file has its old content or its new one, and
// the new one if Write has returned.
func TestWriteSurvivesACrash(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fsys := withOld(t)
		fsys.Fail(faultfs.At(rapid.IntRange(1, 8).Draw(t, "step"), faultfs.ErrPowerCut))
		err := atomicfile.Write(fsys, name, []byte(next))
		after := fsys.Crash(drawPick(t))
		got := content(t, after, name)
		if got != next && (err == nil || got != old) {
			t.Fatalf("Write returned %v: after the crash got %q", err, got)
		}
		write(t, after, next) // replaces a temporary file that the crash left
		if got, want := names(t, after, "/data"), "marks"; got != want {
			t.Fatalf("written again: got files %s, want %s", got, want)
		}
	})
}

// drawPick draws what a crash leaves of each unsynced change.
func drawPick(t *rapid.T) func(n int) int {
	return rapid.SampledFrom([]func(n int) int{
		faultfs.Worst,
		faultfs.Best,
		func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "kept") },
	}).Draw(t, "disk")
}

// Without the sync of the file or of the directory a power cut loses content, and
// these tests can detect it.
func TestEachSyncOfWriteMatters(t *testing.T) {
	plain := func(fsys atomicfile.FS, sync bool) error {
		f, err := fsys.OpenFile(name+".tmp", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return err
		}
		if _, err := f.Write([]byte(next)); err != nil {
			return err
		}
		if sync {
			if err := f.Sync(); err != nil {
				return err
			}
		}
		if err := f.Close(); err != nil {
			return err
		}
		return fsys.Rename(name+".tmp", name)
	}
	unsynced := withOld(t)
	if err := errors.Join(plain(unsynced, false), unsynced.SyncDir("/data")); err != nil {
		t.Fatal(err)
	}
	if got := content(t, unsynced.Crash(faultfs.Worst), name); got != "" {
		t.Errorf("without the sync of the file: got %q, want the new name without content", got)
	}
	dirUnsynced := withOld(t)
	if err := plain(dirUnsynced, true); err != nil {
		t.Fatal(err)
	}
	if got := content(t, dirUnsynced.Crash(faultfs.Worst), name); got != old {
		t.Errorf("without the sync of the directory: got %q, want %q although the rename had returned", got, old)
	}
}

// keeping returns a disk after one WriteKeeping: old in the file, older in the
// previous copy.
func keeping(t rapid.TB) *faultfs.FS {
	t.Helper()
	fsys := withOld(t)
	write(t, fsys, older)
	if err := atomicfile.WriteKeeping(fsys, name, []byte(old)); err != nil {
		t.Fatal(err)
	}
	return fsys
}

func TestWriteKeepingKeepsThePreviousContent(t *testing.T) {
	fsys := faultfs.New()
	if err := fsys.MkdirAll("/data", 0o700); err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{older, old, next} {
		if err := atomicfile.WriteKeeping(fsys, name, []byte(text)); err != nil {
			t.Fatal(err)
		}
		want := []string{"", older, old}[i]
		after := fsys.Crash(faultfs.Worst)
		if got := content(t, after, name+".prev"); got != want {
			t.Errorf("write %d: got previous copy %q, want %q", i+1, got, want)
		}
		if got := content(t, after, name); got != text {
			t.Errorf("write %d: got %q, want %q", i+1, got, text)
		}
	}
}

// A file system without links, such as FAT, has a copy.
func TestWriteKeepingWithoutLinks(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.EPERM, syscall.ENOTSUP, syscall.ENOSYS} {
		fsys := keeping(t)
		fsys.Fail(func(s faultfs.Step) error {
			if s.Op == "Link" {
				return errno
			}
			return nil
		})
		err := atomicfile.WriteKeeping(fsys, name, []byte(next))
		fsys.Fail(nil)
		if got, prev := content(t, fsys, name), content(t, fsys, name+".prev"); err != nil || got != next || prev != old {
			t.Errorf("%v: got %q, previous copy %q, %v, want %q, %q", errno, got, prev, err, next, old)
		}
	}
}

func TestWriteKeepingFailsAtEachStep(t *testing.T) {
	for k := 1; ; k++ {
		fsys := keeping(t)
		fsys.Fail(faultfs.At(k, syscall.EIO))
		err := atomicfile.WriteKeeping(fsys, name, []byte(next))
		steps := fsys.Steps()
		fsys.Fail(nil)
		if k > steps {
			if err != nil {
				t.Fatalf("no step failed: got error %v", err)
			}
			return
		}
		// A failed Close of a file that was only read is no error.
		if err != nil {
			if !errors.Is(err, syscall.EIO) || !strings.HasPrefix(err.Error(), "write "+name) {
				t.Fatalf("step %d of %d: got error %v, want write %s: ...", k, steps, err, name)
			}
			if got := content(t, fsys, name); got != old && k < steps {
				t.Fatalf("step %d of %d: got %q, want %q", k, steps, got, old)
			}
		}
		if prev := content(t, fsys, name+".prev"); prev != older && prev != old {
			t.Fatalf("step %d of %d: got previous copy %q", k, steps, prev)
		}
		if got, want := names(t, fsys, "/data"), "marks marks.prev"; got != want {
			t.Fatalf("step %d of %d: got files %s, want %s", k, steps, got, want)
		}
	}
}

func TestWriteKeepingSurvivesACrash(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fsys := keeping(t)
		fsys.Fail(faultfs.At(rapid.IntRange(1, 20).Draw(t, "step"), faultfs.ErrPowerCut))
		err := atomicfile.WriteKeeping(fsys, name, []byte(next))
		after := fsys.Crash(drawPick(t))
		got, prev := content(t, after, name), content(t, after, name+".prev")
		switch {
		case err == nil && got == next && prev == old:
		case err != nil && (got == next || got == old) && (prev == older || prev == old):
		default:
			t.Fatalf("WriteKeeping returned %v: after the crash got %q, previous copy %q", err, got, prev)
		}
	})
}

// ReadOnly reads, and refuses whatever would change the disk before it happens.
func TestReadOnly(t *testing.T) {
	fsys := withOld(t)
	fsys.Fail(func(s faultfs.Step) error {
		if s.Op != "OpenFile" && s.Op != "Read" && s.Op != "Close" && s.Op != "ReadDir" {
			t.Errorf("the disk was asked for %+v", s)
		}
		return nil
	})
	ro := atomicfile.ReadOnly(fsys)
	if got := content(t, ro, name); got != old {
		t.Errorf("got %q, want %q", got, old)
	}
	if _, err := ro.ReadDir("/data"); err != nil {
		t.Error(err)
	}
	_, err := ro.OpenFile(name, os.O_RDWR, 0)
	for what, err := range map[string]error{
		"Write": atomicfile.Write(ro, name, []byte(next)), "WriteKeeping": atomicfile.WriteKeeping(ro, name, []byte(next)),
		"OpenFile": err, "MkdirAll": ro.MkdirAll("/data/new", 0o700), "Rename": ro.Rename(name, name+"2"),
		"Remove": ro.Remove(name), "Link": ro.Link(name, name+"2"), "SyncDir": ro.SyncDir("/data"),
	} {
		if !errors.Is(err, atomicfile.ErrReadOnly) {
			t.Errorf("%s: got %v, want ErrReadOnly", what, err)
		}
	}
}

// Keep leaves a file alone that has the content, makes that durable, and replaces
// any other.
func TestKeep(t *testing.T) {
	fsys := withOld(t)
	f, err := fsys.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0o600)
	if err == nil {
		_, err = f.Write([]byte(", appended"))
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{old + ", appended", next} {
		replaced := false
		fsys.Fail(func(s faultfs.Step) error { replaced = replaced || s.Op == "Rename"; return nil })
		if err := atomicfile.Keep(fsys, name, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if want := text == next; replaced != want {
			t.Errorf("%s: replaced %v, want %v", text, replaced, want)
		}
		if got := content(t, fsys.Crash(faultfs.Worst), name); got != text {
			t.Errorf("after a crash: got %q, want %q", got, text)
		}
	}
	fsys.Fail(faultfs.At(3, syscall.EIO))
	if err := atomicfile.Keep(fsys, name, []byte(old)); !errors.Is(err, syscall.EIO) {
		t.Errorf("got error %v, want EIO", err)
	}
}
