package faultfs_test

import (
	"errors"
	"fmt"
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

// Random calls on the fake and on a real file system return the same results and
// leave the same files.
func TestBehavesAsARealDisk(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			rt.Fatal(err)
		}
		real, fake := &world{FS: atomicfile.OS, root: dir}, &world{FS: faultfs.New(), root: "/disk"}
		if err := fake.MkdirAll("/disk", 0o700); err != nil {
			rt.Fatal(err)
		}
		defer real.close()
		for range rapid.IntRange(1, 25).Draw(rt, "calls") {
			call := drawCall(rt)
			got, want := call(fake), call(real)
			if got != want {
				rt.Fatalf("got %s, want %s as on a real disk", got, want)
			}
		}
		if got, want := fake.list(), real.list(); got != want {
			rt.Fatalf("got files\n%swant those of a real disk\n%s", got, want)
		}
	})
}

// A world is a file system with its open files.
type world struct {
	atomicfile.FS
	root string
	open []atomicfile.File
}

func (w *world) path(name string) string { return filepath.Join(w.root, name) }

func (w *world) close() {
	for _, f := range w.open {
		f.Close()
	}
}

// list describes all files.
func (w *world) list() string {
	var b strings.Builder
	for _, dir := range []string{".", "sub"} {
		entries, err := w.ReadDir(w.path(dir))
		fmt.Fprintf(&b, "%s: %s\n", dir, kind(err))
		for _, e := range entries {
			fmt.Fprintf(&b, "  %s %v", e.Name(), e.IsDir())
			if !e.IsDir() {
				info, infoErr := e.Info()
				text, err := atomicfile.Read(w.FS, w.path(filepath.Join(dir, e.Name())))
				fmt.Fprintf(&b, " %d %s %q %s", info.Size(), kind(infoErr), text, kind(err))
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// kind is the part of an error that callers distinguish.
func kind(err error) string {
	for _, known := range []error{fs.ErrNotExist, fs.ErrExist} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	switch {
	case err == nil:
		return "ok"
	case strings.HasSuffix(err.Error(), "EOF"):
		return "EOF"
	}
	return "refused"
}

// drawCall draws a call with arguments for both worlds.
func drawCall(t *rapid.T) func(*world) string {
	name := rapid.SampledFrom([]string{"a", "b", "sub/a", "sub/c"})
	from, to := name.Draw(t, "name"), name.Draw(t, "other name")
	at, size := int64(rapid.IntRange(0, 9).Draw(t, "at")), rapid.IntRange(1, 5).Draw(t, "size")
	text := []byte("zyxwv")[:size]
	flag := rapid.SampledFrom([]int{
		os.O_RDONLY, os.O_RDWR, os.O_WRONLY | os.O_CREATE | os.O_TRUNC, os.O_RDWR | os.O_CREATE,
		os.O_WRONLY | os.O_APPEND, os.O_RDWR | os.O_CREATE | os.O_EXCL,
	}).Draw(t, "flag")
	number := rapid.IntRange(0, 3).Draw(t, "open file")

	calls := map[string]func(*world) string{
		"OpenFile": func(w *world) string {
			f, err := w.OpenFile(w.path(from), flag, 0o600)
			if err == nil {
				w.open = append(w.open, f)
			}
			return kind(err)
		},
		"MkdirAll": func(w *world) string { return kind(w.MkdirAll(w.path("sub"), 0o700)) },
		"Rename":   func(w *world) string { return kind(w.Rename(w.path(from), w.path(to))) },
		"Remove":   func(w *world) string { return kind(w.Remove(w.path(from))) },
		"Link":     func(w *world) string { return kind(w.Link(w.path(from), w.path(to))) },
		"SyncDir":  func(w *world) string { return kind(w.SyncDir(w.path("sub"))) },
	}
	onFile := func(call func(atomicfile.File) (int, error)) func(*world) string {
		return func(w *world) string {
			if len(w.open) == 0 {
				return "no open file"
			}
			n, err := call(w.open[number%len(w.open)])
			return fmt.Sprint(n, kind(err))
		}
	}
	calls["Write"] = onFile(func(f atomicfile.File) (int, error) { return f.Write(text) })
	calls["WriteAt"] = onFile(func(f atomicfile.File) (int, error) { return f.WriteAt(text, at) })
	calls["Truncate"] = onFile(func(f atomicfile.File) (int, error) { return 0, f.Truncate(at) })
	calls["Sync"] = onFile(func(f atomicfile.File) (int, error) { return 0, f.Sync() })
	calls["Close"] = onFile(func(f atomicfile.File) (int, error) { return 0, f.Close() })
	calls["Read"] = onFile(func(f atomicfile.File) (int, error) { return f.Read(make([]byte, size)) })
	calls["ReadAt"] = onFile(func(f atomicfile.File) (int, error) { return f.ReadAt(make([]byte, size), at) })

	calls["Stat"] = onFile(func(f atomicfile.File) (int, error) {
		info, err := f.Stat()
		if err != nil {
			return 0, err
		}
		return int(info.Size()), nil
	})

	op := rapid.SampledFrom([]string{
		"OpenFile", "OpenFile", "MkdirAll", "Rename", "Remove", "Link", "SyncDir",
		"Write", "Write", "WriteAt", "Truncate", "Sync", "Close", "Read", "ReadAt", "Stat",
	}).Draw(t, "call")
	return func(w *world) string { return op + ": " + calls[op](w) }
}

// create writes a file without any sync.
func create(t *testing.T, fsys *faultfs.FS, name, text string) atomicfile.File {
	t.Helper()
	f, err := fsys.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return f
}

func read(t *testing.T, fsys *faultfs.FS, name string) string {
	t.Helper()
	text, err := atomicfile.Read(fsys, name)
	if errors.Is(err, fs.ErrNotExist) {
		return "absent"
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestACrashLosesWhatWasNotSynced(t *testing.T) {
	fsys := faultfs.New()
	f := create(t, fsys, "/a", "one")
	if got := read(t, fsys.Crash(faultfs.Worst), "/a"); got != "absent" {
		t.Errorf("nothing synced: got %q, want absent", got)
	}
	check(t, f.Sync())
	if got := read(t, fsys.Crash(faultfs.Worst), "/a"); got != "absent" {
		t.Errorf("only the file synced: got %q, want absent", got)
	}
	check(t, fsys.SyncDir("/"))
	if got := read(t, fsys.Crash(faultfs.Worst), "/a"); got != "one" {
		t.Errorf("file and name synced: got %q, want one", got)
	}
	_, err := f.Write([]byte("two"))
	check(t, err)
	half := func(n int) int { return n / 2 }
	for _, tt := range []struct {
		pick func(int) int
		want string
	}{{faultfs.Worst, "one"}, {half, "onetw"}, {faultfs.Best, "onetwo"}} {
		if got := read(t, fsys.Crash(tt.pick), "/a"); got != tt.want {
			t.Errorf("an unsynced write: got %q, want %q", got, tt.want)
		}
	}
	if got := read(t, fsys, "/a"); got != "onetwo" {
		t.Errorf("before a crash: got %q, want onetwo", got)
	}
}

func TestAFailedSyncLosesItsData(t *testing.T) {
	fsys := faultfs.New()
	f := create(t, fsys, "/a", "one")
	check(t, fsys.SyncDir("/"))
	fsys.Fail(faultfs.At(1, syscall.EIO))
	if err := f.Sync(); !errors.Is(err, syscall.EIO) {
		t.Fatalf("got error %v, want EIO", err)
	}
	_, err := f.Write([]byte("two"))
	check(t, err)
	check(t, f.Sync())
	if got, want := read(t, fsys.Crash(faultfs.Best), "/a"), "\x00\x00\x00two"; got != want {
		t.Errorf("got %q, want %q: the second sync does not restore the data", got, want)
	}
}

func TestAFaultFailsOneStep(t *testing.T) {
	fsys := faultfs.New()
	f := create(t, fsys, "/a", "")
	fsys.Fail(faultfs.At(2, syscall.ENOSPC))
	_, err := f.Write([]byte("12"))
	check(t, err)
	if n, err := f.Write([]byte("3456")); n != 2 || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got %d bytes written, error %v, want 2 and ENOSPC", n, err)
	}
	_, err = f.Write([]byte("78"))
	check(t, err)
	if got, want := fsys.Steps(), 3; got != want {
		t.Errorf("got %d steps, want %d", got, want)
	}
	if got, want := read(t, fsys, "/a"), "123478"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestACrashMayLoseSectorsOfAWrite(t *testing.T) {
	fsys := faultfs.New()
	f := create(t, fsys, "/a", strings.Repeat("a", 512)+strings.Repeat("b", 512)+"c")
	defer f.Close()
	check(t, fsys.SyncDir("/"))
	first := true
	got := read(t, fsys.Crash(func(n int) int {
		if n == 8 && first { // the first sector
			first = false
			return 0
		}
		return n - 1
	}), "/a")
	if want := strings.Repeat("\x00", 512) + strings.Repeat("b", 512) + "c"; got != want {
		t.Errorf("got %.20q... of %d bytes, want only the first sector lost", got, len(got))
	}
}

// A killed process changes nothing more. What it wrote stays in the page cache, and
// a later sync makes it durable.
func TestAKilledProcessChangesNothing(t *testing.T) {
	fsys := faultfs.New()
	f := create(t, fsys, "/a", "12")
	check(t, fsys.SyncDir("/"))
	fsys.Fail(func(faultfs.Step) error { return faultfs.ErrKilled })
	if n, err := f.Write([]byte("3456")); n != 0 || !errors.Is(err, faultfs.ErrKilled) {
		t.Errorf("Write: got %d bytes, error %v, want 0 and ErrKilled", n, err)
	}
	if err := f.Sync(); !errors.Is(err, faultfs.ErrKilled) {
		t.Errorf("Sync: got error %v, want ErrKilled", err)
	}
	fsys.Fail(nil)
	if got := read(t, fsys.Crash(faultfs.Worst), "/a"); got != "" {
		t.Errorf("after a power cut: got %q, want nothing synced", got)
	}
	check(t, f.Sync())
	if got := read(t, fsys.Crash(faultfs.Worst), "/a"); got != "12" {
		t.Errorf("after a sync and a power cut: got %q, want 12", got)
	}
}

func TestNothingWorksAfterAPowerCut(t *testing.T) {
	fsys := faultfs.New()
	f := create(t, fsys, "/a", "12")
	check(t, fsys.SyncDir("/"))
	fsys.Fail(faultfs.At(1, faultfs.ErrPowerCut))
	for range 2 {
		if _, err := f.Write([]byte("3456")); !errors.Is(err, faultfs.ErrPowerCut) {
			t.Errorf("got error %v, want ErrPowerCut", err)
		}
	}
	fsys.Fail(nil)
	if err := fsys.Remove("/a"); !errors.Is(err, faultfs.ErrPowerCut) {
		t.Errorf("got error %v, want ErrPowerCut", err)
	}
	after := fsys.Crash(faultfs.Best)
	if got, want := read(t, after, "/a"), "1234"; got != want {
		t.Errorf("got %q, want %q: half of the first write, nothing of the second", got, want)
	}
	check(t, after.Remove("/a"))
}

func TestTwoNamesStayOneFile(t *testing.T) {
	fsys := faultfs.New()
	f := create(t, fsys, "/a", "one")
	check(t, fsys.Link("/a", "/b"))
	check(t, f.Sync())
	check(t, fsys.SyncDir("/"))
	after := fsys.Crash(faultfs.Worst)
	g, err := after.OpenFile("/b", os.O_WRONLY|os.O_APPEND, 0)
	check(t, err)
	_, err = g.Write([]byte("two"))
	check(t, err)
	if got, want := read(t, after, "/a"), "onetwo"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
