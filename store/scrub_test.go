package store

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/scrub"
)

func scrubbed(t *testing.T, m *FileMap) *scrub.Run {
	t.Helper()
	r := scrub.NewRun(t.Context(), nil)
	if err := m.Scrub(r); err != nil {
		t.Fatalf("Scrub: %v", err)
	}
	return r
}

// Scrub finds a flipped bit of every file of an open map, at its beginning, in its middle
// and at its end. What it repairs it finds no longer, and a damaged page is absent.
func TestScrub(t *testing.T) {
	for _, name := range []string{"value0.dat", "key.dat", "address.idx"} {
		for _, at := range []string{"header", "middle", "end"} {
			t.Run(name+" "+at, func(t *testing.T) {
				r := newRuin(t)
				m := r.open(t)
				if err := m.saveIndex(); err != nil {
					t.Fatal(err)
				}
				if run := scrubbed(t, m); len(run.Damaged) > 0 || run.Files != 3 || run.Bytes == 0 {
					t.Fatalf("undamaged: got %+v", run)
				}
				before := r.nothingWrong(t, m)
				last := r.records[len(r.records)-1]
				middle := r.records[len(r.records)-10]
				size := int64(len(content(t, r.fs, "pages/"+name)))
				off := map[string]int64{"header": 17, "middle": size / 2, "end": size - 1}[at]
				switch {
				case name == "value0.dat" && at == "middle":
					off = middle.at + 5 // the header of a record
				case name == "value0.dat" && at == "end":
					off = last.at + int64(last.head.headLen()) // its content
				case name == "address.idx" && at == "middle":
					off = indexSlotsAt + 9
				}
				r.flip(t, "pages/"+name, off, 4)
				run := scrubbed(t, m)
				if len(run.Damaged) != 1 || filepath.Base(run.Damaged[0].File) != name {
					t.Fatalf("got %+v, want %s", run.Damaged, name)
				}
				want := before
				if name == "value0.dat" && at != "header" {
					want--
				}
				if got := r.nothingWrong(t, m); got != want {
					t.Errorf("pages: got %d, want %d", got, want)
				}
				if run := scrubbed(t, m); (want == before || at == "middle") && len(run.Damaged) > 0 {
					t.Errorf("repaired: got %+v", run.Damaged)
				}
				r.worksOn(t, m)
			})
		}
	}
}

// Damage of a record that no page needs any more is not reported.
func TestScrubOfGarbage(t *testing.T) {
	r := newRuin(t)
	m := r.open(t)
	first := r.records[0]
	for _, off := range []int64{first.at + 5, first.at + int64(first.head.headLen())} {
		r.flip(t, "pages/value0.dat", off, 1)
		if run := scrubbed(t, m); len(run.Damaged) > 0 {
			t.Errorf("got %+v, want none", run.Damaged)
		}
	}
}

// Scrub reads each segment, also of several.
func TestScrubOfSegments(t *testing.T) {
	r := newRuin(t)
	r.options.SegmentBytes = 4 << 10
	m := r.open(t)
	for batch := range 20 {
		var pages []doc.Page
		for n := range 10 {
			pages = append(pages, testPage(100*batch+n, strings.Repeat(fmt.Sprint(n), 100)))
		}
		if err := m.Put(pages); err != nil {
			t.Fatal(err)
		}
	}
	segments := len(*m.order.Load())
	if run := scrubbed(t, m); segments < 5 || run.Files < segments {
		t.Errorf("got %+v of %d segments", run, segments)
	}
	name := (*m.order.Load())[3].file.Name()
	size := len(content(t, r.fs, name))
	for off := int64(size - 200); off < int64(size); off += 50 {
		r.flip(t, name, off, 1)
	}
	if run := scrubbed(t, m); len(run.Damaged) == 0 || run.Damaged[0].File != name {
		t.Errorf("got %+v, want %s", run.Damaged, name)
	}
}

// BenchmarkScrub reads the files of 200,000 pages of 400 bytes, which are in memory.
func BenchmarkScrub(b *testing.B) {
	m, err := Open(b.TempDir(), Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer m.Close()
	body := strings.Repeat("a page that s2 makes shorter, and that is of some length. ", 7)
	for n := 0; n < 200_000; n += 2000 {
		var pages []doc.Page
		for i := range 2000 {
			pages = append(pages, testPage(n+i, fmt.Sprint(n+i, body)))
		}
		if err := m.Put(pages); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		r := scrub.NewRun(b.Context(), nil)
		if err := m.Scrub(r); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(r.Bytes)
	}
}
