package faultdisk

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func mounted(t *testing.T) (*Disk, string) {
	t.Helper()
	dir := t.TempDir()
	d, err := Mount(dir)
	if err != nil {
		if os.Getenv("CI") != "" && os.Geteuid() == 0 {
			t.Fatal(err)
		}
		t.Skipf("%v: run as root where /dev/fuse is", err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d, dir
}

func open(t *testing.T, name string) *os.File {
	t.Helper()
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestBehavesAsADiskWithoutFaults(t *testing.T) {
	_, dir := mounted(t)
	content := bytes.Repeat([]byte("0123456789"), 500_000)
	must(t, os.MkdirAll(filepath.Join(dir, "a/b"), 0o700))
	must(t, os.WriteFile(filepath.Join(dir, "a/b/c"), content, 0o600))
	must(t, os.Link(filepath.Join(dir, "a/b/c"), filepath.Join(dir, "a/linked")))
	must(t, os.Rename(filepath.Join(dir, "a/b"), filepath.Join(dir, "moved")))
	must(t, os.Remove(filepath.Join(dir, "moved/c")))
	must(t, os.Remove(filepath.Join(dir, "moved")))
	f := open(t, filepath.Join(dir, "a/linked"))
	mapped, err := syscall.Mmap(int(f.Fd()), 0, len(content), syscall.PROT_READ, syscall.MAP_SHARED)
	must(t, err)
	defer syscall.Munmap(mapped)
	_, err = f.WriteAt([]byte("changed"), 4090)
	must(t, err)
	copy(content[4090:], "changed")
	if got, err := os.ReadFile(f.Name()); err != nil || !bytes.Equal(got, content) {
		t.Errorf("read: got %d bytes, %v, want the %d written ones", len(got), err, len(content))
	}
	if !bytes.Equal(mapped, content) {
		t.Error("mapped: got other bytes, want the written ones")
	}
	must(t, f.Truncate(5))
	must(t, f.Truncate(8))
	if got, err := os.ReadFile(f.Name()); err != nil || string(got) != "01234\x00\x00\x00" {
		t.Errorf("truncated and extended: got %q, %v", got, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "moved")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("removed: got %v", err)
	}
}

// TestWorstCut: after a power cut only what was synced is left.
func TestWorstCut(t *testing.T) {
	d, dir := mounted(t)
	name := func(n string) string { return filepath.Join(dir, n) }
	synced, torn, unnamed := open(t, name("synced")), open(t, name("torn")), open(t, name("unnamed"))
	for _, f := range []*os.File{synced, torn, unnamed} {
		_, err := f.WriteString("first")
		must(t, err)
	}
	must(t, synced.Sync())
	must(t, torn.Sync())
	_, err := torn.WriteString(" second")
	must(t, err)
	must(t, os.Rename(name("synced"), name("renamed")))
	for _, f := range []*os.File{synced, torn, unnamed} {
		must(t, f.Close())
	}
	must(t, d.Cut(nil, true))
	entries(t, dir, "synced=first torn=first")

	must(t, os.Rename(name("synced"), name("renamed")))
	root, err := os.Open(dir)
	must(t, err)
	must(t, root.Sync())
	must(t, root.Close())
	must(t, d.Cut(nil, true))
	entries(t, dir, "renamed=first torn=first")

	must(t, os.Remove(name("torn")))
	must(t, os.WriteFile(name("new"), []byte("x"), 0o600))
	d.Sync()
	must(t, d.Cut(nil, true))
	entries(t, dir, "new=x renamed=first")
}

// TestLostSync: the data of a failed sync are lost at a power cut, although they can
// be read before, and the next sync succeeds.
func TestLostSync(t *testing.T) {
	d, dir := mounted(t)
	f := open(t, filepath.Join(dir, "f"))
	must(t, f.Sync())
	_, err := f.WriteString("lost")
	must(t, err)
	d.Fail(Fault{Kind: Lost, Step: 1})
	if err := f.Sync(); !errors.Is(err, syscall.EIO) {
		t.Errorf("sync: got %v, want EIO", err)
	}
	if met := d.Met(); met != "sync f" {
		t.Errorf("met: got %q", met)
	}
	must(t, f.Sync())
	entries(t, dir, "f=lost")
	must(t, f.Close())
	must(t, d.Cut(nil, true))
	entries(t, dir, "f=")
}

// TestRandomCuts: power cuts leave any of the pages and names that were not synced,
// and every outcome occurs.
func TestRandomCuts(t *testing.T) {
	d, dir := mounted(t)
	seen := map[string]bool{}
	for seed := range uint64(60) {
		f := open(t, filepath.Join(dir, "f"))
		must(t, f.Truncate(0))
		must(t, f.Sync())
		_, err := f.Write(bytes.Repeat([]byte("x"), 2*pageSize))
		must(t, err)
		must(t, f.Close())
		must(t, os.WriteFile(filepath.Join(dir, "g"), nil, 0o600))
		must(t, d.Cut(rand.New(rand.NewPCG(seed, 0)), false))
		got, err := os.ReadFile(filepath.Join(dir, "f"))
		must(t, err)
		seen[strings.ReplaceAll(strings.ReplaceAll(string(got), strings.Repeat("x", pageSize), "x"), strings.Repeat("\x00", pageSize), "0")] = true
		if err := os.Remove(filepath.Join(dir, "g")); err == nil {
			seen["g"] = true
		} else {
			seen["no g"] = true
		}
	}
	for _, want := range []string{"", "x", "0x", "xx", "g", "no g"} {
		if !seen[want] {
			t.Errorf("no cut left %q, want one", want)
		}
	}
	if len(seen) != 6 {
		t.Errorf("got %d outcomes, want 6", len(seen))
	}
}

func TestEachKindFailsItsStep(t *testing.T) {
	d, dir := mounted(t)
	f := open(t, filepath.Join(dir, "f"))
	for _, c := range []struct {
		kind Kind
		want []any // of a write of 8 bytes, a sync, a write of 8 bytes, a sync
		left int64
	}{
		{Stop, []any{8, nil, syscall.EIO, syscall.EIO}, 8},
		{Broken, []any{8, nil, syscall.EIO, nil}, 8},
		{Full, []any{8, nil, syscall.ENOSPC, nil}, 8},
		{Short, []any{8, nil, syscall.ENOSPC, nil}, 12},
	} {
		must(t, f.Truncate(0))
		d.Fail(Fault{Kind: c.kind, Step: map[Kind]int{Stop: 3, Broken: 3, Full: 2, Short: 2}[c.kind]})
		var got []any
		for at := range int64(2) {
			n, err := f.WriteAt([]byte("12345678"), 8*at)
			got = append(got, outcome(n, err), outcome(nil, f.Sync()))
		}
		if !slices.Equal(got, c.want) || d.Met() == "" {
			t.Errorf("kind %d: got %v, met %q, want %v", c.kind, got, d.Met(), c.want)
		}
		d.Repair()
		d.Start()
		if info, err := f.Stat(); err != nil || info.Size() != c.left {
			t.Errorf("kind %d: got size %d, %v, want %d", c.kind, info.Size(), err, c.left)
		}
		if n, err := f.WriteAt([]byte("x"), 0); n != 1 || err != nil {
			t.Errorf("kind %d, repaired: got %d, %v", c.kind, n, err)
		}
	}
}

func outcome(n any, err error) any {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno
	}
	return n
}

func entries(t *testing.T, dir, want string) {
	t.Helper()
	found, err := os.ReadDir(dir)
	must(t, err)
	var got []string
	for _, e := range found {
		content, err := os.ReadFile(filepath.Join(dir, e.Name()))
		must(t, err)
		got = append(got, e.Name()+"="+string(content))
	}
	if got := strings.Join(got, " "); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
