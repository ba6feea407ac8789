package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"

	"indexerd/internal/doc"
)

// A history is a fixed sequence of operations, with the model before and after
// the one that is under way.
type history struct {
	t       testing.TB
	options Options
	m       *FileMap
	known   *model // what was acknowledged
	pending *model // known, and the operation under way
	seen    *model // what readers had when the power went; nil: unknown
}

// run goes through every operation that writes: batches that fill segments,
// deletes, growth, compactions with tombstones, snapshots of the index, a clean
// end and a second life. It ends at the first error.
func (h *history) run(fsys *crashFS) error {
	h.options.FS = fsys
	if err := h.open(); err != nil {
		return err
	}
	for round := range 6 {
		for _, step := range []func(int) error{h.put, h.delete, h.put, h.maintain} {
			if err := step(round); err != nil {
				return err
			}
		}
	}
	return h.m.Close()
}

func (h *history) open() (err error) {
	h.m, err = openMap("pages", h.options)
	return err
}

func (h *history) put(round int) error {
	h.pending = h.known.clone()
	var pages []doc.Page
	for n := round; n < 24; n += 1 + round%3 {
		pages = append(pages, testPage(n, fmt.Sprintf("%d of round %d %s", n, round, strings.Repeat("x", 17*n))))
		h.pending.put(0, pages[len(pages)-1])
	}
	if err := h.m.Put(pages); err != nil {
		return err
	}
	h.known = h.pending
	return nil
}

func (h *history) delete(round int) error {
	h.pending = h.known.clone()
	var oids []doc.OID
	for n := 0; n < 24; n += 2 + round%2 {
		oids = append(oids, testOID(n))
		h.pending.delete(0, oids[len(oids)-1])
	}
	if err := h.m.Delete(oids); err != nil {
		return err
	}
	h.known = h.pending
	return nil
}

func (h *history) maintain(round int) error {
	switch round % 3 {
	case 0:
		return h.m.Compact(context.Background())
	case 1:
		return h.m.Sync()
	}
	if err := h.m.Close(); err != nil {
		return err
	}
	return h.open()
}

func newHistory(t testing.TB, versions int) *history {
	m := newModel(versions)
	return &history{t: t, options: Options{SegmentBytes: 1 << 12, Versions: versions, CompactRate: -1}, known: m, pending: m}
}

// TestCrashAtEveryStep cuts the power, or kills the process, before each write,
// sync, rename and removal of a history. What was acknowledged is there afterwards, a batch that
// was under way is there page by page or not, and the map works on. A short run
// takes every seventh write, every seventh sync and so on.
func TestCrashAtEveryStep(t *testing.T) {
	for _, versions := range []int{1, 3} {
		whole := newCrashFS()
		var steps []int
		met := map[string]int{}
		whole.before = func(s step) error {
			if met[s.op]++; !testing.Short() || met[s.op]%7 == 1 {
				steps = append(steps, s.n)
			}
			return nil
		}
		if err := newHistory(t, versions).run(whole); err != nil {
			t.Fatal(err)
		}
		for _, n := range steps {
			crashAt(t, versions, n)
		}
		t.Logf("versions %d: %d steps, %d ways of cutting the power at each", versions, whole.steps, cuts)
	}
}

func crashAt(t *testing.T, versions, n int) {
	t.Helper()
	fsys := newCrashFS()
	var at step
	fsys.before = func(s step) error {
		if s.n < n {
			return nil
		}
		if s.n == n {
			at = s
		}
		return errStopped
	}
	h := newHistory(t, versions)
	if err := h.run(fsys); !errors.Is(err, errStopped) {
		t.Fatalf("step %d: got %v, want it stopped", n, err)
	}
	h.look()
	t.Run(fmt.Sprintf("versions %d, step %d (%s %s), killed", versions, n, at.op, at.name), func(t *testing.T) {
		after := newHistory(t, versions)
		after.known, after.pending, after.seen = h.known, h.pending, h.seen
		after.recover(fsys.die())
	})
	for how := range cuts {
		name := fmt.Sprintf("versions %d, step %d (%s %s), cut %d", versions, n, at.op, at.name, how)
		t.Run(name, func(t *testing.T) {
			after := newHistory(t, versions)
			after.known, after.pending, after.seen = h.known, h.pending, h.seen
			after.recover(fsys.crash(how, rand.New(rand.NewPCG(uint64(n), uint64(how)))))
		})
	}
}

// recover opens what a crash left, compares, writes on, and opens again: what
// was torn must not come back under what is written over it.
func (h *history) recover(fsys *crashFS) {
	h.t.Helper()
	h.readOnly(fsys)
	h.options.FS = fsys
	if err := h.open(); err != nil {
		h.t.Fatalf("Open: %v", err)
	}
	compare(h.t, h.m, h.known, h.pending)
	known := h.known
	h.adopt()
	h.wantSeen(known)
	// What could be seen stays, whatever happens next.
	fsys = fsys.crash(dropAll, nil)
	h.options.FS = fsys
	if err := h.open(); err != nil {
		h.t.Fatalf("Open after a power cut: %v", err)
	}
	compare(h.t, h.m, h.known, h.known)
	short := testPage(3, "short")
	h.known.put(0, short)
	if err := h.m.Put([]doc.Page{short}); err != nil {
		h.t.Fatalf("Put: %v", err)
	}
	h.options.FS = fsys.crash(dropAll, nil)
	if err := h.open(); err != nil {
		h.t.Fatalf("Open again: %v", err)
	}
	compare(h.t, h.m, h.known, h.known)
	if err := h.m.Compact(context.Background()); err != nil {
		h.t.Fatalf("Compact: %v", err)
	}
	compare(h.t, h.m, h.known, h.known)
	if err := h.m.Close(); err != nil {
		h.t.Fatalf("Close: %v", err)
	}
}

// look notes what readers have of a map that stopped.
func (h *history) look() {
	if h.m != nil && !h.m.closed.Load() {
		h.seen = newModel(h.known.versions)
		h.seen.pages[0] = h.bodies()
	}
}

// wantSeen wants everything to be there that a reader had of the batch that was
// under way: what was seen before it was durable, somebody may have relied on.
func (h *history) wantSeen(known *model) {
	h.t.Helper()
	if h.seen == nil {
		return
	}
	for n := range 30 {
		oid := testOID(n)
		seen, got := h.seen.pages[0][oid], h.known.pages[0][oid]
		if !slices.Equal(seen, known.pages[0][oid]) && !slices.Equal(seen, got) {
			h.t.Errorf("page %v: a reader had %.20q, and after the crash it is %.20q", oid, seen, got)
		}
	}
}

// adopt takes for known what the map says.
func (h *history) adopt() {
	adopted := newModel(h.known.versions)
	adopted.pages[0] = h.bodies()
	h.known = adopted
}

// bodies are the versions of all pages of a history.
func (h *history) bodies() map[doc.OID][]string {
	all := map[doc.OID][]string{}
	for n := range 30 {
		if got := bodies(h.t, h.m.Family(0), testOID(n)); got != nil {
			all[testOID(n)] = got
		}
	}
	return all
}

// TestTombstoneOutlives: a tombstone stays while an older record of its page
// does, although its own segment is compacted; then it goes. Else the page would
// come back when the index is built anew.
func TestTombstoneOutlives(t *testing.T) {
	fsys := newCrashFS()
	h := newHistory(t, 1)
	h.options = Options{FS: fsys, SegmentBytes: 1 << 14, Compression: None, CompactRate: -1}
	if err := h.open(); err != nil {
		t.Fatal(err)
	}
	filler := strings.Repeat("f", 400)
	write := func(pages ...doc.Page) {
		t.Helper()
		if err := h.m.Put(pages); err != nil {
			t.Fatal(err)
		}
		for _, p := range pages {
			h.known.put(0, p)
		}
	}
	write(testPage(1000, "the page to be deleted"))
	for n := range 30 { // the first segment: all alive but one page
		write(testPage(n, filler))
	}
	if err := h.m.roll(); err != nil {
		t.Fatal(err)
	}
	if err := h.m.Delete([]doc.OID{testOID(1000)}); err != nil {
		t.Fatal(err)
	}
	h.known.delete(0, testOID(1000))
	for i := range 60 { // the next ones: all garbage but the tombstone
		write(testPage(2000, fmt.Sprint(i, filler)))
	}
	if err := h.m.compact(context.Background(), halfGarbage); err != nil {
		t.Fatal(err)
	}
	tombstones := func() (n int64) {
		for _, s := range *h.m.order.Load() {
			n += s.tombs.Load()
		}
		return n
	}
	if tombstones() == 0 {
		t.Error("the tombstone is gone before its page's record")
	}
	for _, name := range []string{"pages/address.idx", "pages/key.dat"} {
		fsys.Remove(name)
	}
	if err := h.open(); err != nil {
		t.Fatal(err)
	}
	compare(t, h.m, h.known, h.known)
	if err := h.m.Compact(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got := tombstones(); got != 0 {
		t.Errorf("got %d bytes of tombstones after a full compaction, want none", got)
	}
	compare(t, h.m, h.known, h.known)
}

// TestTornTailStays: a batch that failed for lack of room, and could not be cut
// off either, must not come back from under a shorter one.
func TestTornTailStays(t *testing.T) {
	fsys := newCrashFS()
	h := newHistory(t, 1)
	h.options.FS = fsys
	h.options.SegmentBytes = 1 << 20
	if err := h.open(); err != nil {
		t.Fatal(err)
	}
	if err := h.put(0); err != nil {
		t.Fatal(err)
	}
	fsys.room = fsys.used() + 2000 // some whole records of the next batch, not all
	fsys.before = func(s step) error {
		if s.op == "truncate" {
			return syscall.EROFS
		}
		return nil
	}
	if err := h.put(3); !errors.Is(err, syscall.ENOSPC) || !errors.Is(err, syscall.EROFS) {
		t.Fatalf("Put: got %v, want both faults", err)
	}
	if err := h.put(3); !errors.Is(err, syscall.EROFS) {
		t.Fatalf("Put again: got %v, want it refused until the tail is cut", err)
	}
	fsys.room, fsys.before = -1, nil
	p := testPage(1, "short")
	if err := h.m.Put([]doc.Page{p}); err != nil {
		t.Fatal(err)
	}
	h.known.put(0, p)
	h.options.FS = fsys.crash(keepAll, nil)
	if err := h.open(); err != nil {
		t.Fatal(err)
	}
	compare(t, h.m, h.known, h.known)
}

// TestOrderOfSync keeps the wrong order beside the right one: a page that can
// be seen before it is synced vanishes with the power after someone has relied
// on it.
func TestOrderOfSync(t *testing.T) {
	right := []func(*FileMap, *chunk) error{appendStep, syncStep, publishStep}
	wrong := []func(*FileMap, *chunk) error{appendStep, publishStep, syncStep}
	if lost := seenAndLost(t, right); lost {
		t.Error("append, sync, publish: a page that was seen is gone after a power cut")
	}
	if lost := seenAndLost(t, wrong); !lost {
		t.Error("append, publish, sync: nothing was lost: the test can't see the difference")
	}
}

func appendStep(m *FileMap, c *chunk) error  { return m.append(c) }
func syncStep(m *FileMap, c *chunk) error    { return m.sync(c.seg) }
func publishStep(m *FileMap, c *chunk) error { m.publish(c); return nil }

// seenAndLost puts a page step by step, and reports whether after any step a
// reader saw it that a power cut then took away.
func seenAndLost(t *testing.T, steps []func(*FileMap, *chunk) error) (lost bool) {
	t.Helper()
	fsys := newCrashFS()
	m, err := openMap("pages", Options{FS: fsys})
	if err != nil {
		t.Fatal(err)
	}
	p := testPage(1, "seen")
	c := newChunk(m.Family(0).encode([]doc.Page{p}))
	m.seal(&c)
	for _, step := range steps {
		if err := step(m, &c); err != nil {
			t.Fatal(err)
		}
		if seen, err := m.Has(p.OID); err != nil || !seen {
			continue
		}
		after, err := openMap("pages", Options{FS: fsys.crash(dropAll, nil)})
		if err != nil {
			t.Fatal(err)
		}
		if left, err := after.Has(p.OID); err != nil || !left {
			lost = true
		}
	}
	if _, err := m.Get(p.OID); err != nil {
		t.Fatalf("Get after all steps: %v", err)
	}
	return lost
}
