package store

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/faultfs"
)

// A ruin is a map to damage.
type ruin struct {
	fs      *faultfs.FS
	options Options
	ever    map[doc.OID][]string // every body put, in order
	records []scanned            // of value0.dat, without rec
}

// newRuin puts batches of ten pages, each page twice, and does not close the map.
func newRuin(t testing.TB) *ruin {
	t.Helper()
	r := &ruin{fs: faultfs.New(), ever: map[doc.OID][]string{}}
	r.options = Options{FS: r.fs, CompactRate: -1, Compression: None}
	m := r.open(t)
	for batch := range 6 {
		var pages []doc.Page
		for n := batch % 3 * 10; n < batch%3*10+10; n++ {
			p := testPage(n, fmt.Sprintf("page %d of batch %d %s", n, batch, strings.Repeat("y", n)))
			r.ever[p.OID] = append(r.ever[p.OID], string(p.Body))
			pages = append(pages, p)
		}
		if err := m.Put(pages); err != nil {
			t.Fatal(err)
		}
	}
	c := newScan(m.active, 0, m.active.end.Load())
	for found, err := c.next(); err == nil; found, err = c.next() {
		found.rec = nil
		r.records = append(r.records, found)
	}
	return r
}

func (r *ruin) open(t testing.TB) *FileMap {
	t.Helper()
	m, err := openMap("pages", r.options)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	return m
}

// damaged returns a copy with another value0.dat. If derived is false the copy
// lacks key.dat and address.idx.
func (r *ruin) damaged(t testing.TB, value []byte, derived bool) *ruin {
	c := &ruin{fs: r.fs.Crash(faultfs.Best), options: r.options, ever: r.ever, records: r.records}
	c.options.FS = c.fs
	setContent(t, c.fs, "pages/value0.dat", value)
	if !derived {
		removeFile(t, c.fs, "pages/key.dat")
		removeFile(t, c.fs, "pages/address.idx")
	}
	return c
}

func (r *ruin) value(t testing.TB) []byte { return content(t, r.fs, "pages/value0.dat") }

// flip changes bits of one byte of a file.
func (r *ruin) flip(t testing.TB, name string, off int64, bits byte) {
	t.Helper()
	b := content(t, r.fs, name)
	b[off] ^= bits
	setContent(t, r.fs, name, b)
}

// nothingWrong expects that every served page was put for its key, and returns
// the number of served pages.
func (r *ruin) nothingWrong(t testing.TB, m *FileMap) (served int) {
	t.Helper()
	for oid, ever := range r.ever {
		p, err := m.Get(oid)
		switch {
		case errors.Is(err, ErrNotFound) || errors.Is(err, ErrCorrupt):
			if _, ok, err := m.Meta(oid); ok || err != nil {
				t.Fatalf("Meta(%v) of a page that is not there: got %t, %v", oid, ok, err)
			}
			continue
		case err != nil:
			t.Fatalf("Get(%v): %v", oid, err)
		case !slices.Contains(ever, string(p.Body)):
			t.Fatalf("Get(%v): got %q, which was never put", oid, p.Body)
		}
		if want := testMeta(oid, string(p.Body)); p.Meta != want {
			t.Fatalf("Get(%v): got %+v, want %+v", oid, p.Meta, want)
		}
		served++
	}
	return served
}

// worksOn puts a page, opens the map again, and expects that page and those that
// were served before.
func (r *ruin) worksOn(t testing.TB, m *FileMap) {
	t.Helper()
	before := r.nothingWrong(t, m)
	p := testPage(1000, "new")
	if err := m.Put([]doc.Page{p}); err != nil {
		t.Fatalf("Put: %v", err)
	}
	m = r.open(t)
	if got, err := m.Get(p.OID); err != nil || string(got.Body) != "new" {
		t.Fatalf("Get of the new page: got %q, %v", got.Body, err)
	}
	if after := r.nothingWrong(t, m); after != before {
		t.Fatalf("got %d old pages when opened again, want %d", after, before)
	}
}

// TestDamagedTail cuts the tail of the log, flips bits, clears bytes or writes a
// block twice, in 10,000 random ways, in a short run in 1,000.
func TestDamagedTail(t *testing.T) {
	t.Parallel()
	seeds := 10_000
	if testing.Short() {
		seeds = 1000
	}
	whole := newRuin(t)
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(uint64(seed), 9))
		r := whole.damaged(t, damageTail(whole.value(t), rng), seed%2 == 0)
		m := r.open(t)
		r.nothingWrong(t, m)
		if seed%10 == 0 {
			r.worksOn(t, m)
		}
	}
}

func damageTail(b []byte, rng *rand.Rand) []byte {
	tail := len(b) - 1 - rng.IntN(min(len(b)-segmentHeaderSize, 3000))
	for range 1 + rng.IntN(3) {
		at := min(tail+rng.IntN(len(b)-tail+1), len(b)-1)
		n := min(1+rng.IntN(600), len(b)-at)
		switch rng.IntN(5) {
		case 0:
			b = b[:max(at, tail)]
		case 1:
			b[at] ^= 1 << rng.IntN(8)
		case 2:
			clear(b[at : at+n])
		case 3:
			copy(b[at:], slices.Clone(b[at-min(at, n):at]))
		case 4:
			b = append(b, b[at:at+n]...)
		}
		if len(b) <= tail {
			break
		}
	}
	return b
}

// TestDamageOfEachByte cuts the log at, and changes, each byte of the last three
// records. The records before are served, the damaged one is not.
func TestDamageOfEachByte(t *testing.T) {
	t.Parallel()
	whole := newRuin(t)
	last := whole.records[len(whole.records)-3:]
	for i, rec := range last {
		for off := rec.at; off < rec.at+rec.size; off++ {
			cut := whole.damaged(t, whole.value(t)[:off], false)
			m := cut.open(t)
			cut.nothingWrong(t, m)
			if got, want := m.active.end.Load(), rec.at; got != want {
				t.Fatalf("cut at %d: the log ends at %d, want %d", off, got, want)
			}
			b := whole.value(t)
			b[off] ^= 0x10
			flipped := whole.damaged(t, b, false)
			m = flipped.open(t)
			flipped.nothingWrong(t, m)
			end, padding := m.active.end.Load(), off >= rec.at+int64(rec.head.headLen())+int64(rec.head.stored)
			if end != rec.at && !padding {
				t.Fatalf("byte %d of record %d: the log ends at %d, want %d", off-rec.at, i, end, rec.at)
			}
		}
	}
}

// TestDamageInTheMiddle flips a bit in a record of a durable batch. Only that
// record is lost; check reports it, and it is never served, even when the index is
// rebuilt; and putting its page again repairs the map. A short run takes every
// fifth record.
func TestDamageInTheMiddle(t *testing.T) {
	t.Parallel()
	whole := newRuin(t)
	lastBatch := whole.records[len(whole.records)-1].head.batch
	for i, rec := range whole.records {
		if rec.head.batch == lastBatch {
			break
		}
		if testing.Short() && i%5 > 0 {
			continue
		}
		for _, off := range []int64{0, 5, 17, headerSize + 3, int64(rec.head.headLen()) + 2} {
			b := whole.value(t)
			b[rec.at+off] ^= 4
			r := whole.damaged(t, b, false)
			m := r.open(t)
			if off >= int64(rec.head.headLen()) {
				r.absentAfter(t, m, rec)
			}
			served := r.nothingWrong(t, m)
			current := rec.head.seq > uint64(len(whole.records))/2
			if valueOnly := off >= int64(rec.head.headLen()); current && valueOnly && served != len(r.ever)-1 {
				t.Fatalf("record at %d, byte %d: got %d pages, want all but one of %d", rec.at, off, served, len(r.ever))
			}
			if err := m.check(); !errors.Is(err, ErrCorrupt) {
				t.Fatalf("record at %d, byte %d: check: got %v, want ErrCorrupt", rec.at, off, err)
			}
			r.repair(t, m)
		}
	}
}

// absentAfter expects that Meta reports the page of a damaged value as absent
// before a reader has read it, and again after a reopen.
func (r *ruin) absentAfter(t *testing.T, m *FileMap, rec scanned) {
	t.Helper()
	current := rec.head.seq > uint64(len(r.records))/2
	for range 2 {
		absent := 0
		for oid := range r.ever {
			if !has(t, m, oid) {
				absent++
			}
		}
		if want := map[bool]int{true: 1}[current]; absent != want {
			t.Fatalf("record at %d: got %d pages absent, want %d", rec.at, absent, want)
		}
		m = r.open(t)
	}
}

// repair puts every page again and compacts.
func (r *ruin) repair(t *testing.T, m *FileMap) {
	t.Helper()
	var pages []doc.Page
	for oid := range r.ever {
		p := doc.Page{Meta: testMeta(oid, "repaired"), Body: []byte("repaired")}
		pages = append(pages, p)
	}
	if err := m.Put(pages); err != nil {
		t.Fatalf("Put: %v", err)
	}
	for oid := range r.ever {
		if p, err := m.Get(oid); err != nil || string(p.Body) != "repaired" {
			t.Fatalf("Get(%v): got %q, %v, want the repaired page", oid, p.Body, err)
		}
	}
	if err := compactAll(m); err != nil {
		t.Fatalf("compact: %v", err)
	}
	if err := m.check(); err != nil {
		t.Fatalf("check of the repaired map: %v", err)
	}
	if got, want := m.Len(), len(r.ever); got != want {
		t.Fatalf("Len: got %d, want %d", got, want)
	}
}

// TestDamageWhileOpen flips a bit of a record of an open map: Get returns an
// error, and from then on Meta reports the page as absent.
func TestDamageWhileOpen(t *testing.T) {
	for _, what := range []struct {
		name string
		off  func(h *header) int64
	}{
		{"value", func(h *header) int64 { return int64(h.headLen()) + 1 }},
		{"head", func(*header) int64 { return 81 }},
	} {
		t.Run(what.name, func(t *testing.T) {
			r := newRuin(t)
			m := r.open(t)
			rec := r.records[len(r.records)-1]
			oid := testOID(29)
			r.flip(t, "pages/value0.dat", rec.at+what.off(&rec.head), 1)
			see := func(doc.Page) error { t.Error("View showed a damaged page"); return nil }
			if err := m.View(oid, see); !errors.Is(err, ErrCorrupt) {
				t.Errorf("View: got %v, want ErrCorrupt", err)
			}
			if _, err := m.Get(oid); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "page 29: value0.dat at ") {
				t.Fatalf("Get: got %v, want ErrCorrupt that names page and place", err)
			}
			if has(t, m, oid) {
				t.Fatal("got the damaged page present, want it absent")
			}
			for meta, err := range m.All() {
				if err != nil || meta.OID == oid {
					t.Fatalf("All: got %v, %v", meta.OID, err)
				}
			}
			r.repair(t, m)
		})
	}
}

// TestDamageOfDerivedFiles damages key.dat, address.idx and the header of a
// segment. Open rebuilds them, and all pages are there.
func TestDamageOfDerivedFiles(t *testing.T) {
	t.Parallel()
	whole := newRuin(t)
	if err := whole.open(t).Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"address.idx", "key.dat", "value0.dat"} {
		for off := range int64(72) {
			if name == "value0.dat" && (off < 12 || off >= segmentHeaderSize) {
				continue // with another magic or version Open rejects the file
			}
			r := whole.damaged(t, whole.value(t), true)
			r.flip(t, "pages/"+name, off, 0x20)
			m := r.open(t)
			if got := r.nothingWrong(t, m); got != len(r.ever) {
				t.Fatalf("%s, byte %d: got %d pages, want %d", name, off, got, len(r.ever))
			}
			if err := m.check(); err != nil {
				t.Fatalf("%s, byte %d: check: %v", name, off, err)
			}
			r.worksOn(t, m)
		}
	}
}

// TestStaleDerivedFilesAreDiscarded cuts the log and lets it grow again. Open must
// not use address.idx or key.dat from before the cut.
func TestStaleDerivedFilesAreDiscarded(t *testing.T) {
	for _, lost := range []string{"", "address.idx", "key.dat"} {
		r := newRuin(t)
		if err := r.open(t).Close(); err != nil {
			t.Fatal(err)
		}
		value := r.value(t)
		r = r.damaged(t, value[:r.records[20].at], true)
		if lost != "" {
			removeFile(t, r.fs, "pages/"+lost)
		}
		m := r.open(t)
		for batch := range 9 {
			var pages []doc.Page
			for n := range 12 {
				p := testPage(n, fmt.Sprintf("again %d %d", n, batch))
				r.ever[p.OID] = append(slices.Clone(r.ever[p.OID]), string(p.Body))
				pages = append(pages, p)
			}
			if err := m.Put(pages); err != nil {
				t.Fatal(err)
			}
		}
		if m.active.end.Load() <= int64(len(value)) {
			t.Fatal("the log did not grow beyond its old end")
		}
		before := r.nothingWrong(t, m)
		m = r.open(t)
		if err := m.check(); err != nil {
			t.Errorf("without %q: %v", lost, err)
		}
		if after := r.nothingWrong(t, m); after != before {
			t.Errorf("without %q: got %d pages, want %d", lost, after, before)
		}
	}
}

func TestOpenRejectsForeignAndNewerFiles(t *testing.T) {
	for _, test := range []struct {
		off  int
		want string
	}{
		{0, "pages/value0.dat: not a value file: move it out of the directory"},
		{8, "pages/value0.dat: format 33, and this release reads 1: a newer release of indexerd wrote the file: start that release, or restore a backup that this release made"},
	} {
		r := newRuin(t)
		b := r.value(t)
		b[test.off] ^= 0x20
		r = r.damaged(t, b, true)
		_, err := openMap("pages", r.options)
		if want := "file map pages: " + test.want; err == nil || err.Error() != want {
			t.Errorf("byte %d: got %v, want %s", test.off, err, want)
		}
		if !slices.Equal(r.value(t), b) {
			t.Errorf("byte %d: the file was changed", test.off)
		}
	}
}
