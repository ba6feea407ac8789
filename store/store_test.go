package store

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"indexerd/internal/base/doc"
)

// openTest opens a map on real files, and checks and closes it when the test ends.
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
		if err := m.check(); err != nil {
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

// has reports whether the map has a page.
func has(t testing.TB, m *FileMap, oid doc.OID) bool {
	t.Helper()
	_, ok, err := m.Meta(oid)
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

// A map keeps no large buffer after a write.
func TestBuffersAreFreed(t *testing.T) {
	m := openTest(t, t.TempDir(), Options{Compression: None})
	put(t, m, testPage(1, "small"))
	for range 2 {
		pages := make([]doc.Page, 500)
		for i := range pages {
			pages[i] = testPage(i, strings.Repeat("text ", 20))
		}
		put(t, m, pages...)
		if got := cap(m.keys.buf); got > keptKeys || m.parts != nil {
			t.Errorf("after a write: got a buffer of %d bytes and %d parts, want at most %d bytes and no parts", got, len(m.parts), keptKeys)
		}
	}
}

func TestPutGetDelete(t *testing.T) {
	o := Options{SegmentBytes: 1 << 16, CompactRate: -1}
	dir := t.TempDir()
	m := openTest(t, dir, o)
	put(t, m, testPage(1, "one"), testPage(2, "two"), testPage(1, "uno"))
	wantBody(t, m, 1, "uno")
	if err := m.Delete(doc.Removals(0, testOID(2), testOID(3))); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{2, 3} {
		if _, err := m.Get(testOID(n)); !errors.Is(err, ErrNotFound) {
			t.Errorf("Get(%d): got %v, want ErrNotFound", n, err)
		}
		if has(t, m, testOID(n)) {
			t.Errorf("page %d: got it present, want it absent", n)
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
}

// TestLimits puts the longest key and the largest value. Put rejects one more byte,
// and the whole batch with it.
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
	o := Options{SegmentBytes: 1 << 16, CompactRate: -1}
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
	if has(t, m, testOID(7)) {
		t.Error("the other page of that batch: got it present, want it absent")
	}
	if err := m.Put([]doc.Page{{}}); err == nil {
		t.Error("Put without a key: got no error")
	}
	if err := m.Delete(doc.Removals(0, "", tooLong.OID)); err != nil {
		t.Errorf("Delete of impossible keys: %v", err)
	}
	tooLarge := testPage(8, "")
	tooLarge.Body = make([]byte, MaxValue+1)
	if err := m.Put([]doc.Page{tooLarge}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("Put of a value too large: got %v, want ErrTooLarge", err)
	}
}

// TestSizeClasses puts pages around the bounds of each size class.
func TestSizeClasses(t *testing.T) {
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

// TestVersions puts five versions of a page where three are kept. NewestVersions
// returns as many as have the given bytes of content, but always the newest.
func TestVersions(t *testing.T) {
	m := openTest(t, t.TempDir(), Options{Versions: 3})
	for i := range 5 {
		put(t, m, testPage(1, fmt.Sprint("version ", i)))
	}
	for bytes, want := range map[int]int{0: 1, 17: 1, 18: 2, 26: 2, 27: 3, math.MaxInt: 3} {
		pages, more, err := m.NewestVersions(testOID(1), bytes)
		if err != nil || len(pages) != want || more != (want < 3) {
			t.Errorf("NewestVersions of %d bytes: got %d, more %t, %v, want %d", bytes, len(pages), more, err, want)
		}
		for i, p := range pages {
			if want := fmt.Sprint("version ", 4-i); string(p.Body) != want {
				t.Errorf("version %d: got %q, want %q", i, p.Body, want)
			}
		}
	}
	if got := m.Len(); got != 1 {
		t.Errorf("Len: got %d, want 1", got)
	}
	if err := m.Delete(doc.Removals(0, testOID(1))); err != nil {
		t.Fatal(err)
	}
	put(t, m, testPage(1, "again"))
	if got := bodies(t, m, testOID(1)); len(got) != 1 {
		t.Errorf("after Delete and Put: got versions %q, want one", got)
	}
}

// TestChangeOfVersions opens a map with other numbers of versions.
func TestChangeOfVersions(t *testing.T) {
	dir := t.TempDir()
	for _, versions := range []int{3, 1, 2} {
		m := openTest(t, dir, Options{Versions: versions})
		for i := range 4 {
			put(t, m, testPage(1, fmt.Sprint(versions, i)))
		}
		if got := bodies(t, m, testOID(1)); len(got) != versions {
			t.Errorf("got versions %q, want %d", got, versions)
		}
		if err := m.check(); err != nil {
			t.Error(err)
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCompressions opens one map with each compression, one after the other. All
// values can be read with any of them.
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
		t.Errorf("dictionary: %v", err)
	}
	newer := encodeDict([]byte("a dictionary"))
	newer[8]++
	if _, err := decodeDict(newer); errors.Is(err, ErrCorrupt) || !strings.Contains(fmt.Sprint(err), "format 2, and this release reads 1: a newer release of indexerd wrote the file") {
		t.Errorf("a dictionary of a newer release: got %v", err)
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

// TestSnapshot copies a map during writes. The copy has every page that was there
// when the copy began.
func TestSnapshot(t *testing.T) {
	o := Options{SegmentBytes: 1 << 16, CompactRate: -1}
	dir := t.TempDir()
	m := openTest(t, filepath.Join(dir, "pages"), o)
	var pages []doc.Page
	for n := range 3000 {
		pages = append(pages, testPage(n, strings.Repeat("before ", 20)))
	}
	put(t, m, pages...)
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
			if !has(t, c, testOID(n)) {
				t.Fatalf("copy %d has no page %d", i, n)
			}
		}
		put(t, c, testPage(5, "in the copy"))
	}
	close(stop)
	wg.Wait()
	if p, err := m.Get(testOID(5)); err != nil || string(p.Body) == "in the copy" {
		t.Errorf("a Put into the copy changed the map: %q, %v", p.Body, err)
	}
	err := m.Snapshot(filepath.Join(dir, "copy0"))
	if err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("Snapshot to a directory with files: got %v, want an error", err)
	}
}

// TestSecondProcessCannotOpen opens a map in another process.
func TestSecondProcessCannotOpen(t *testing.T) {
	if dir := os.Getenv("STORE_TEST_OPEN"); dir != "" {
		_, err := Open(dir, Options{})
		fmt.Println("answer:", err)
		return
	}
	dir := t.TempDir()
	m := openTest(t, dir, Options{})
	put(t, m, testPage(1, "mine"))
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestSecondProcessCannotOpen$")
	cmd.Env = append(os.Environ(), "STORE_TEST_OPEN="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want := fmt.Sprintf("answer: file map %s: %s: in use by another process: stop it first\n", dir, filepath.Join(dir, "lock"))
	if !strings.Contains(string(out), want) {
		t.Errorf("got %s, want %s", out, want)
	}
	wantBody(t, m, 1, "mine")
}
