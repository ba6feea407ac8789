package store

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"indexerd/internal/doc"
)

// openTest opens a map on the machine's files and, when the test ends, checks
// and closes it.
func openTest(t testing.TB, dir string, o Options) *FileMap {
	t.Helper()
	m, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if m.closed.Load() {
			return
		}
		if err := m.Check(); err != nil {
			t.Error(err)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

func put(t testing.TB, m *FileMap, pages ...doc.Page) {
	t.Helper()
	if err := m.Put(pages); err != nil {
		t.Fatal(err)
	}
}

func wantBody(t testing.TB, m *FileMap, n int, want string) {
	t.Helper()
	p, err := m.Get(testOID(n))
	if err != nil || string(p.Body) != want {
		t.Fatalf("Get(%d): got %.60q, %v, want %.60q", n, p.Body, err, want)
	}
	if want := testMeta(p.OID, want); p.Meta != want {
		t.Fatalf("Get(%d): got %+v, want %+v", n, p.Meta, want)
	}
}

// eachWay runs a test with values read and values mapped.
func eachWay(t *testing.T, test func(t *testing.T, o Options)) {
	for _, mmap := range []bool{false, true} {
		t.Run(fmt.Sprintf("mmap=%t", mmap), func(t *testing.T) {
			test(t, Options{SegmentBytes: 1 << 16, Mmap: mmap, CompactRate: -1})
		})
	}
}

func TestPutGetDelete(t *testing.T) {
	eachWay(t, func(t *testing.T, o Options) {
		dir := t.TempDir()
		m := openTest(t, dir, o)
		put(t, m, testPage(1, "one"), testPage(2, "two"), testPage(1, "uno"))
		wantBody(t, m, 1, "uno")
		if err := m.Delete([]doc.OID{testOID(2), testOID(3)}); err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{2, 3} {
			if _, err := m.Get(testOID(n)); !errors.Is(err, ErrNotFound) {
				t.Errorf("Get(%d): got %v, want ErrNotFound", n, err)
			}
			if ok, err := m.Has(testOID(n)); ok || err != nil {
				t.Errorf("Has(%d): got %t, %v, want it absent", n, ok, err)
			}
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := m.Get(testOID(1)); !errors.Is(err, errClosed) {
			t.Errorf("Get after Close: got %v, want %v", err, errClosed)
		}
		if err := m.Put([]doc.Page{testPage(1, "x")}); !errors.Is(err, errClosed) {
			t.Errorf("Put after Close: got %v, want %v", err, errClosed)
		}
		m = openTest(t, dir, o)
		wantBody(t, m, 1, "uno")
		if got := m.Len(); got != 1 {
			t.Errorf("Len: got %d, want 1", got)
		}
	})
}

// TestLimits: the largest key and value are stored and come back, one byte more
// is refused, and the batch with it.
func TestLimits(t *testing.T) {
	longest := doc.Page{Body: []byte("x")}
	longest.OID = doc.OID(strings.Repeat("k", MaxKey))
	tooLong := doc.Page{Body: []byte("x")}
	tooLong.OID = longest.OID + "k"
	size := MaxValue
	if testing.Short() {
		size = 1 << 20
	}
	largest := testPage(1, "")
	largest.Body = bytes.Repeat([]byte("0123456789abcdef"), size/16)
	eachWay(t, func(t *testing.T, o Options) {
		m := openTest(t, t.TempDir(), o)
		put(t, m, longest, largest)
		for _, want := range []doc.Page{longest, largest} {
			got, err := m.Get(want.OID)
			if err != nil || !bytes.Equal(got.Body, want.Body) {
				t.Errorf("Get(%.20v): got %d bytes, %v, want %d", want.OID, len(got.Body), err, len(want.Body))
			}
		}
		err := m.Put([]doc.Page{testPage(7, "innocent"), tooLong})
		if !errors.Is(err, ErrTooLarge) || len(err.Error()) > 200 {
			t.Errorf("Put of a key too long: got %.300v, want a short ErrTooLarge", err)
		}
		if ok, err := m.Has(testOID(7)); ok || err != nil {
			t.Errorf("Has of the other page of that batch: got %t, %v", ok, err)
		}
		if err := m.Put([]doc.Page{{}}); err == nil {
			t.Error("Put without a key: got no error")
		}
		if err := m.Delete([]doc.OID{"", tooLong.OID}); err != nil {
			t.Errorf("Delete of keys that can't be: %v", err)
		}
		tooLarge := testPage(8, "")
		tooLarge.Body = make([]byte, MaxValue+1)
		if err := m.Put([]doc.Page{tooLarge}); !errors.Is(err, ErrTooLarge) {
			t.Errorf("Put of a value too large: got %v, want ErrTooLarge", err)
		}
	})
}

// TestClasses puts pages around every size class's bounds.
func TestClasses(t *testing.T) {
	for size := int64(1); size < 40000; size++ {
		class := classOf(size)
		if class < classLast && classLen(class) < size || class > 0 && classLen(class-1) >= size {
			t.Fatalf("classOf(%d): got %d, of %d bytes", size, class, classLen(class))
		}
	}
	m := openTest(t, t.TempDir(), Options{Compression: None})
	for class := range uint64(classLast + 1) {
		for delta := -3; delta <= 3; delta++ {
			size := int(classLen(class)) - headerSize - 9 + delta
			want := strings.Repeat("z", size)
			put(t, m, testPage(size, want))
			wantBody(t, m, size, want)
		}
	}
}

func TestVersions(t *testing.T) {
	m := openTest(t, t.TempDir(), Options{Versions: 3})
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 5 {
		p := testPage(1, fmt.Sprint("version ", i))
		p.Fetched = at.Add(time.Duration(i) * time.Hour)
		put(t, m, p)
	}
	pages, err := m.Versions(testOID(1))
	if err != nil || len(pages) != 3 {
		t.Fatalf("Versions: got %d, %v, want 3", len(pages), err)
	}
	for i, p := range pages {
		if want := fmt.Sprint("version ", 4-i); string(p.Body) != want {
			t.Errorf("version %d: got %q, want %q", i, p.Body, want)
		}
	}
	for _, test := range []struct {
		hours float64
		want  string
	}{{9, "version 4"}, {4, "version 4"}, {3.5, "version 3"}, {2, "version 2"}} {
		p, err := m.At(testOID(1), at.Add(time.Duration(test.hours*float64(time.Hour))))
		if err != nil || string(p.Body) != test.want {
			t.Errorf("At %v h: got %q, %v, want %q", test.hours, p.Body, err, test.want)
		}
	}
	if _, err := m.At(testOID(1), at.Add(time.Hour)); !errors.Is(err, ErrNotFound) {
		t.Errorf("At a time that is not kept: got %v, want ErrNotFound", err)
	}
	if got := m.Len(); got != 1 {
		t.Errorf("Len: got %d, want 1", got)
	}
	if err := m.Delete([]doc.OID{testOID(1)}); err != nil {
		t.Fatal(err)
	}
	put(t, m, testPage(1, "again"))
	if pages, err := m.Versions(testOID(1)); err != nil || len(pages) != 1 {
		t.Errorf("Versions after Delete and Put: got %d, %v, want 1: what was deleted is gone", len(pages), err)
	}
}

// TestOtherVersions opens a map with another number of versions.
func TestOtherVersions(t *testing.T) {
	dir := t.TempDir()
	for _, versions := range []int{3, 1, 2} {
		m := openTest(t, dir, Options{Versions: versions})
		for i := range 4 {
			put(t, m, testPage(1, fmt.Sprint(versions, i)))
		}
		pages, err := m.Versions(testOID(1))
		if err != nil || len(pages) != versions {
			t.Errorf("got %d versions, %v, want %d", len(pages), err, versions)
		}
		if err := m.Check(); err != nil {
			t.Error(err)
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFamilies(t *testing.T) {
	m := openTest(t, t.TempDir(), Options{})
	for f := range uint8(Families) {
		if err := m.Family(f).Put([]doc.Page{testPage(1, fmt.Sprint("family ", f))}); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Family(2).Delete([]doc.OID{testOID(1)}); err != nil {
		t.Fatal(err)
	}
	for f := range uint8(Families) {
		p, err := m.Family(f).Get(testOID(1))
		if want := fmt.Sprint("family ", f); f != 2 && (err != nil || string(p.Body) != want) {
			t.Errorf("family %d: got %q, %v, want %q", f, p.Body, err, want)
		}
		if f == 2 && !errors.Is(err, ErrNotFound) {
			t.Errorf("family 2: got %v, want ErrNotFound", err)
		}
	}
	wantBody(t, m, 1, "family 0")
}

// TestCompressions opens one map with each compression in turn: all values can
// be read with any, and none is stored in more bytes than it has.
func TestCompressions(t *testing.T) {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 1))
	noise := make([]byte, 1000)
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	want := map[int]string{}
	stored := map[Compression]int64{}
	for round := range 6 {
		c := []Compression{S2, Zstd, None}[round%3]
		m := openTest(t, dir, Options{Compression: c})
		var pages []doc.Page
		for i := range 500 {
			n := round*1000 + i
			want[n] = fmt.Sprintf(`{"row":{"id":%d,"title":"title of %d","text":"%s"}}`, n, i, strings.Repeat("some words ", i%50))
			if i == 7 {
				want[n] = string(noise)
			}
			pages = append(pages, testPage(n, want[n]))
		}
		before := m.active.end.Load()
		put(t, m, pages...)
		stored[c] = m.active.end.Load() - before
		for n, body := range want {
			wantBody(t, m, n, body)
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if !(stored[Zstd] < stored[S2] && stored[S2] < stored[None]) {
		t.Errorf("stored bytes: got zstd %d, s2 %d, none %d, want them to rise", stored[Zstd], stored[S2], stored[None])
	}
	if _, err := os.Stat(dictName(dir)); err != nil {
		t.Errorf("no dictionary was trained: %v", err)
	}
	if err := os.Remove(dictName(dir)); err != nil {
		t.Fatal(err)
	}
	m := openTest(t, dir, Options{})
	if _, err := m.Get(testOID(4003)); !errors.Is(err, ErrCorrupt) {
		t.Errorf("Get without the dictionary: got %v, want ErrCorrupt", err)
	}
	wantBody(t, m, 3003, want[3003])
}

// TestSnapshot copies a map while it is written, and finds in the copy what was
// there when the copy began.
func TestSnapshot(t *testing.T) {
	eachWay(t, func(t *testing.T, o Options) {
		dir := t.TempDir()
		m := openTest(t, filepath.Join(dir, "pages"), o)
		for n := range 3000 {
			put(t, m, testPage(n, strings.Repeat("before ", 20)))
		}
		stop := make(chan struct{})
		var wg sync.WaitGroup
		wg.Go(func() {
			for n := 3000; ; n++ {
				select {
				case <-stop:
					return
				default:
					put(t, m, testPage(n, "after"), testPage(n%3000, "changed"))
				}
			}
		})
		for i := range 3 {
			dst := filepath.Join(dir, fmt.Sprint("copy", i))
			if err := m.Snapshot(dst); err != nil {
				t.Fatal(err)
			}
			c := openTest(t, dst, o)
			for n := range 3000 {
				if ok, err := c.Has(testOID(n)); !ok || err != nil {
					t.Fatalf("copy %d has no page %d: %v", i, n, err)
				}
			}
			put(t, c, testPage(5, "in the copy"))
		}
		close(stop)
		wg.Wait()
		if p, err := m.Get(testOID(5)); err != nil || string(p.Body) == "in the copy" {
			t.Errorf("a write to the copy changed the map: %q, %v", p.Body, err)
		}
		err := m.Snapshot(filepath.Join(dir, "copy0"))
		if err == nil || !strings.Contains(err.Error(), "not empty") {
			t.Errorf("Snapshot to a directory in use: got %v, want a refusal", err)
		}
	})
}

// TestSecondProcess opens a map that this process has from another one.
func TestSecondProcess(t *testing.T) {
	if dir := os.Getenv("STORE_TEST_OPEN"); dir != "" {
		_, err := Open(dir, Options{})
		fmt.Println("answer:", err)
		return
	}
	dir := t.TempDir()
	m := openTest(t, dir, Options{})
	put(t, m, testPage(1, "mine"))
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestSecondProcess$")
	cmd.Env = append(os.Environ(), "STORE_TEST_OPEN="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want := fmt.Sprintf("answer: file map %s: %s: in use by another process: end it first\n", dir, filepath.Join(dir, "lock"))
	if !strings.Contains(string(out), want) {
		t.Errorf("got %s, want %s", out, want)
	}
	wantBody(t, m, 1, "mine")
}

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	l, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, content := range []string{"pid 12345 http://127.0.0.1:7700\n", "pid 42\nsha256 00\n"} {
		if err := l.Write(content); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Errorf("while it is held: read %q, %v, want %q", got, err, content)
		}
	}
	_, err = Lock(path)
	if want := path + ": in use by pid 42: end it first"; !errors.Is(err, ErrLocked) || err.Error() != want {
		t.Errorf("second Lock: got %v, want %s", err, want)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	l, err = Lock(path)
	if err != nil {
		t.Fatalf("Lock after Release: %v", err)
	}
	if err := l.Release(); err != nil {
		t.Error(err)
	}
	if _, err := Lock(filepath.Join(path, "below a file")); err == nil || errors.Is(err, ErrLocked) {
		t.Errorf("Lock of an impossible path: got %v, want another fault", err)
	}
}
