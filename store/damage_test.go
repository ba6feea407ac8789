package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"indexerd/internal/doc"
)

// A ruin is a map to be damaged: its files, what was ever put, and where the
// records of its last segment lie.
type ruin struct {
	fs      *crashFS
	options Options
	ever    map[doc.OID][]string // every body put, in order
	records []scanned            // of value0.dat, without their bytes
}

// newRuin puts batches of ten pages, each page twice, and dies without a word.
func newRuin(t testing.TB) *ruin {
	t.Helper()
	r := &ruin{fs: newCrashFS(), ever: map[doc.OID][]string{}}
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

// damaged returns a copy with another value0.dat, without what is derived from
// it unless derived is kept.
func (r *ruin) damaged(value []byte, derived bool) *ruin {
	c := &ruin{fs: r.fs.crash(keepAll, nil), options: r.options, ever: r.ever, records: r.records}
	c.options.FS = c.fs
	c.fs.names["pages/value0.dat"].data = value
	if !derived {
		c.fs.Remove("pages/key.dat")
		c.fs.Remove("pages/address.idx")
	}
	return c
}

func (r *ruin) value() []byte { return slices.Clone(r.fs.names["pages/value0.dat"].data) }

// nothingWrong makes sure that whatever is served was put for its key, and
// returns how many pages are.
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

// worksOn puts a page, opens the map again and finds it, and what was served
// before.
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

// TestTails damages the tail of the log in 10,000 ways: it is cut, has bits
// flipped, pages zeroed or a block written twice.
func TestTails(t *testing.T) {
	seeds := 10_000
	if testing.Short() {
		seeds = 1000
	}
	whole := newRuin(t)
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(uint64(seed), 9))
		r := whole.damaged(damageTail(whole.value(), rng), seed%2 == 0)
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

// TestEveryByte cuts the log at, and changes, each byte of the last three
// records. What lies before is served, the damaged record is not.
func TestEveryByte(t *testing.T) {
	whole := newRuin(t)
	last := whole.records[len(whole.records)-3:]
	for i, rec := range last {
		for off := rec.at; off < rec.at+rec.size; off++ {
			cut := whole.damaged(whole.value()[:off], false)
			m := cut.open(t)
			cut.nothingWrong(t, m)
			if got, want := m.active.end.Load(), rec.at; got != want {
				t.Fatalf("cut at %d: the log ends at %d, want %d", off, got, want)
			}
			b := whole.value()
			b[off] ^= 0x10
			flipped := whole.damaged(b, false)
			m = flipped.open(t)
			flipped.nothingWrong(t, m)
			end, padding := m.active.end.Load(), off >= rec.at+int64(rec.head.headLen())+int64(rec.head.stored)
			if end != rec.at && !padding {
				t.Fatalf("byte %d of record %d: the log ends at %d, want %d", off-rec.at, i, end, rec.at)
			}
		}
	}
}

// TestDamageInTheMiddle flips a byte of each record that is known to be
// durable. Only that record is lost; it is reported and never served, also when
// the index is built anew; and putting its page again heals the map.
func TestDamageInTheMiddle(t *testing.T) {
	whole := newRuin(t)
	lastBatch := whole.records[len(whole.records)-1].head.batch
	for _, rec := range whole.records {
		if rec.head.batch == lastBatch {
			break
		}
		for _, off := range []int64{0, 5, 17, headerSize + 3, int64(rec.head.headLen()) + 2} {
			b := whole.value()
			b[rec.at+off] ^= 4
			r := whole.damaged(b, false)
			m := r.open(t)
			if off >= int64(rec.head.headLen()) {
				r.absentAfter(t, m, rec)
			}
			served := r.nothingWrong(t, m)
			current := rec.head.seq > uint64(len(whole.records))/2
			if valueOnly := off >= int64(rec.head.headLen()); current && valueOnly && served != len(r.ever)-1 {
				t.Fatalf("record at %d, byte %d: got %d pages, want all but one of %d", rec.at, off, served, len(r.ever))
			}
			if err := m.Check(); !errors.Is(err, ErrCorrupt) {
				t.Fatalf("record at %d, byte %d: Check: got %v, want ErrCorrupt", rec.at, off, err)
			}
			r.heal(t, m)
		}
	}
}

// absentAfter makes sure that a page whose value is damaged is absent to Meta
// before anyone has read it, also when the map is opened again.
func (r *ruin) absentAfter(t *testing.T, m *FileMap, rec scanned) {
	t.Helper()
	current := rec.head.seq > uint64(len(r.records))/2
	for range 2 {
		absent := 0
		for oid := range r.ever {
			if ok, err := m.Has(oid); err != nil {
				t.Fatal(err)
			} else if !ok {
				absent++
			}
		}
		if want := map[bool]int{true: 1}[current]; absent != want {
			t.Fatalf("record at %d: got %d pages absent, want %d", rec.at, absent, want)
		}
		m = r.open(t)
	}
}

// heal puts every page again and compacts.
func (r *ruin) heal(t *testing.T, m *FileMap) {
	t.Helper()
	var pages []doc.Page
	for oid := range r.ever {
		p := doc.Page{Meta: testMeta(oid, "healed"), Body: []byte("healed")}
		pages = append(pages, p)
	}
	if err := m.Put(pages); err != nil {
		t.Fatalf("Put: %v", err)
	}
	for oid := range r.ever {
		if p, err := m.Get(oid); err != nil || string(p.Body) != "healed" {
			t.Fatalf("Get(%v): got %q, %v, want it healed", oid, p.Body, err)
		}
	}
	if err := m.Compact(context.Background()); err != nil {
		t.Fatalf("Compact: %v", err)
	}
	if err := m.Check(); err != nil {
		t.Fatalf("Check of the healed map: %v", err)
	}
	if got, want := m.Len(), len(r.ever); got != want {
		t.Fatalf("Len: got %d, want %d", got, want)
	}
}

// TestDamageWhileOpen flips a byte of a value under an open map: Get refuses
// it, and from then on Meta does not vouch for the page, so that it is fetched
// again.
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
			r.fs.names["pages/value0.dat"].data[rec.at+what.off(&rec.head)] ^= 1
			if _, err := m.Get(oid); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "page 29: value0.dat at ") {
				t.Fatalf("Get: got %v, want ErrCorrupt that names page and place", err)
			}
			if ok, err := m.Has(oid); ok || err != nil {
				t.Fatalf("Has: got %t, %v, want it absent", ok, err)
			}
			for meta, err := range m.All() {
				if err != nil || meta.OID == oid {
					t.Fatalf("All: got %v, %v", meta.OID, err)
				}
			}
			r.heal(t, m)
		})
	}
}

// TestDamagedFiles damages what can be made again, and the header of a segment.
// All pages are there.
func TestDamagedFiles(t *testing.T) {
	for _, name := range []string{"address.idx", "key.dat", "value0.dat"} {
		for off := range 72 {
			if name == "value0.dat" && (off < 12 || off >= segmentHeaderSize) {
				continue // magic and version: not a file to touch
			}
			r := newRuin(t)
			m := r.open(t)
			if err := m.Close(); err != nil {
				t.Fatal(err)
			}
			r.fs.names["pages/"+name].data[off] ^= 0x20
			m = r.open(t)
			if got := r.nothingWrong(t, m); got != len(r.ever) {
				t.Fatalf("%s, byte %d: got %d pages, want %d", name, off, got, len(r.ever))
			}
			if err := m.Check(); err != nil {
				t.Fatalf("%s, byte %d: Check: %v", name, off, err)
			}
			r.worksOn(t, m)
		}
	}
}

// TestLogCutShort: a log that lost its end, and has grown again, is not read
// with an address.idx or key.dat from before.
func TestLogCutShort(t *testing.T) {
	for _, lost := range []string{"", "address.idx", "key.dat"} {
		r := newRuin(t)
		if err := r.open(t).Close(); err != nil {
			t.Fatal(err)
		}
		value := r.value()
		r = r.damaged(value[:r.records[20].at], true)
		if lost != "" {
			r.fs.Remove("pages/" + lost)
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
			t.Fatal("the log has not grown beyond its old end")
		}
		before := r.nothingWrong(t, m)
		m = r.open(t)
		if err := m.Check(); err != nil {
			t.Errorf("without %q: %v", lost, err)
		}
		if after := r.nothingWrong(t, m); after != before {
			t.Errorf("without %q: got %d pages, want %d", lost, after, before)
		}
	}
}

// TestForeignFiles: what is not ours, or newer than this program, is named and
// left alone.
func TestForeignFiles(t *testing.T) {
	for _, test := range []struct {
		off  int
		want string
	}{
		{0, "pages/value0.dat: not a file of values: move it out of the directory"},
		{8, "pages/value0.dat: format 33: this program reads 1"},
	} {
		r := newRuin(t)
		b := r.value()
		b[test.off] ^= 0x20
		r = r.damaged(b, true)
		_, err := openMap("pages", r.options)
		if want := "file map pages: " + test.want; err == nil || err.Error() != want {
			t.Errorf("byte %d: got %v, want %s", test.off, err, want)
		}
		if !slices.Equal(r.value(), b) {
			t.Errorf("byte %d: the file was changed", test.off)
		}
	}
}
