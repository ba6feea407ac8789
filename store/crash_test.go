package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/faultfs"
)

// A history is a fixed sequence of operations on a map, with a model before and
// after the running operation.
type history struct {
	t       testing.TB
	options Options
	m       *FileMap
	known   *model // acknowledged
	pending *model // known and the running operation
	seen    *model // by readers when the process stopped; nil: unknown
}

func newHistory(t testing.TB, versions int) *history {
	m := newModel(versions)
	return &history{t: t, options: Options{SegmentBytes: 1 << 12, Versions: versions, CompactRate: -1, spreadAt: 30}, known: m, pending: m}
}

// run runs every operation that writes: batches that fill segments, deletes,
// growth, compactions with tombstones, saves of the index, Close and Open. It
// ends at the first error.
func (h *history) run(fsys *faultfs.FS) error {
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

func (h *history) mustOpen(fsys *faultfs.FS) {
	h.t.Helper()
	h.options.FS = fsys
	if err := h.open(); err != nil {
		h.t.Fatalf("Open: %v", err)
	}
}

func (h *history) put(round int) error {
	var pages []doc.Page
	for n := round; n < 24; n += 1 + round%3 {
		pages = append(pages, testPage(n, fmt.Sprintf("%d of round %d %s", n, round, strings.Repeat("x", 17*n))))
	}
	return h.putPages(pages...)
}

func (h *history) putPages(pages ...doc.Page) error {
	h.pending = h.known.clone()
	for _, p := range pages {
		h.pending.put(p)
	}
	return h.acknowledge(h.m.Put(pages))
}

func (h *history) delete(round int) error {
	var numbers []int
	for n := 0; n < 24; n += 2 + round%2 {
		numbers = append(numbers, n)
	}
	return h.deletePages(numbers...)
}

func (h *history) deletePages(numbers ...int) error {
	h.pending = h.known.clone()
	var oids []doc.OID
	for _, n := range numbers {
		oids = append(oids, testOID(n))
		h.pending.delete(testOID(n))
	}
	return h.acknowledge(h.m.Delete(doc.Removals(0, oids...)))
}

func (h *history) acknowledge(err error) error {
	if err == nil {
		h.known = h.pending
	}
	return err
}

func (h *history) maintain(round int) error {
	switch round % 3 {
	case 0:
		return compactAll(h.m)
	case 1:
		return h.m.saveIndex()
	}
	if err := h.m.Close(); err != nil {
		return err
	}
	return h.open()
}

// after returns a history that continues this one after a crash.
func (h *history) after(t testing.TB) *history {
	after := newHistory(t, h.known.versions)
	after.known, after.pending, after.seen = h.known, h.pending, h.seen
	return after
}

// recover opens a map after a crash, compares it, writes, and opens it again:
// what was torn must not return from below what is written over it.
func (h *history) recover(fsys *faultfs.FS) {
	h.t.Helper()
	h.compareReadOnly(fsys)
	h.mustOpen(fsys)
	compare(h.t, h.m, h.known, h.pending)
	known := h.known
	h.known = &model{h.known.versions, h.bodies()}
	h.wantSeen(known)
	// What readers can see now must survive the next crash.
	fsys = fsys.Crash(faultfs.Worst)
	h.mustOpen(fsys)
	if err := h.putPages(testPage(3, "short")); err != nil {
		h.t.Fatalf("Put: %v", err)
	}
	h.mustOpen(fsys.Crash(faultfs.Worst))
	compare(h.t, h.m, h.known, h.known)
	if err := compactAll(h.m); err != nil {
		h.t.Fatalf("compact: %v", err)
	}
	compare(h.t, h.m, h.known, h.known)
	if err := h.m.Close(); err != nil {
		h.t.Fatalf("Close: %v", err)
	}
}

// look notes what readers of a stopped map have seen.
func (h *history) look() {
	if h.m != nil && !h.m.closed.Load() {
		h.seen = &model{h.known.versions, h.bodies()}
	}
}

// wantSeen compares the pages with those that a reader has seen of the
// unfinished batch.
func (h *history) wantSeen(known *model) {
	h.t.Helper()
	if h.seen == nil {
		return
	}
	for n := range 30 {
		oid := testOID(n)
		seen, got := h.seen.pages[oid], h.known.pages[oid]
		if !slices.Equal(seen, known.pages[oid]) && !slices.Equal(seen, got) {
			h.t.Errorf("page %v: a reader saw %.20q before the crash, now it is %.20q", oid, seen, got)
		}
	}
}

// bodies returns the versions of all pages of a history.
func (h *history) bodies() map[doc.OID][]string {
	all := map[doc.OID][]string{}
	for n := range 30 {
		if got := bodies(h.t, h.m, testOID(n)); got != nil {
			all[testOID(n)] = got
		}
	}
	return all
}

// TestCrashAtEveryStep cuts the power, or kills the process, before each change
// of the disk during a history. Afterwards the acknowledged pages are there, each
// page of an unfinished batch is old or new, and the map works. A short run takes
// every seventh write, every seventh sync and so on.
func TestCrashAtEveryStep(t *testing.T) {
	for _, versions := range []int{1, 3} {
		whole := faultfs.New()
		var steps []int
		count, met := 0, map[string]int{}
		whole.Fail(func(s faultfs.Step) error {
			if changes(s) {
				count++
				if met[s.Op]++; !testing.Short() || met[s.Op]%7 == 1 {
					steps = append(steps, count)
				}
			}
			return nil
		})
		if err := newHistory(t, versions).run(whole); err != nil {
			t.Fatal(err)
		}
		for _, n := range steps {
			t.Run(fmt.Sprintf("versions %d, step %d", versions, n), func(t *testing.T) {
				t.Parallel()
				crashAt(t, versions, n)
			})
		}
	}
}

func crashAt(t *testing.T, versions, n int) {
	t.Helper()
	fsys := faultfs.New()
	at := kill(fsys, n)
	h := newHistory(t, versions)
	err := h.run(fsys)
	defer func() {
		if t.Failed() {
			t.Logf("before %+v", at())
		}
	}()
	if !errors.Is(err, faultfs.ErrKilled) {
		t.Fatalf("got %v, want ErrKilled", err)
	}
	h.look()
	for _, cut := range powerCuts(uint64(n)) {
		h.after(t).recover(fsys.Crash(cut))
	}
	fsys.Fail(nil)
	h.after(t).recover(fsys)
}

// TestTombstoneOutlivesOlderRecords compacts the segment of a tombstone while an
// older segment has a record of the page. Without the tombstone the page would
// return when the index is rebuilt.
func TestTombstoneOutlivesOlderRecords(t *testing.T) {
	fsys := faultfs.New()
	h := newHistory(t, 1)
	h.options.SegmentBytes, h.options.Compression = 1<<14, None
	h.mustOpen(fsys)
	filler := strings.Repeat("f", 400)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(h.putPages(testPage(1000, "to be deleted")))
	for n := range 30 { // in the first segment all but one page stay
		must(h.putPages(testPage(n, filler)))
	}
	must(h.m.roll())
	must(h.deletePages(1000))
	for i := range 60 { // the next segments are garbage except for the tombstone
		must(h.putPages(testPage(2000, fmt.Sprint(i, filler))))
	}
	must(h.m.compact(context.Background(), halfGarbage))
	tombstones := func() (n int64) {
		for _, s := range *h.m.order.Load() {
			n += s.tombs.Load()
		}
		return n
	}
	if tombstones() == 0 {
		t.Error("got no tombstone, want it to stay with the record of its page")
	}
	removeFile(t, fsys, "pages/address.idx")
	removeFile(t, fsys, "pages/key.dat")
	h.mustOpen(fsys)
	compare(t, h.m, h.known, h.known)
	must(compactAll(h.m))
	if got := tombstones(); got != 0 {
		t.Errorf("got %d bytes of tombstones after a full compaction, want 0", got)
	}
	compare(t, h.m, h.known, h.known)
}

// TestTornTailIsCutBeforeTheNextBatch fails a write halfway on a full disk, and
// then the truncation. The map writes nothing until the tail is cut: records of
// the failed batch must not return behind a shorter one.
func TestTornTailIsCutBeforeTheNextBatch(t *testing.T) {
	fsys := faultfs.New()
	h := newHistory(t, 1)
	h.options.SegmentBytes = 1 << 20
	h.mustOpen(fsys)
	if err := h.put(0); err != nil {
		t.Fatal(err)
	}
	fsys.Fail(func(s faultfs.Step) error {
		switch s.Op {
		case "WriteAt":
			return syscall.ENOSPC
		case "Truncate":
			return syscall.EROFS
		}
		return nil
	})
	if err := h.put(3); !errors.Is(err, syscall.ENOSPC) || !errors.Is(err, syscall.EROFS) {
		t.Fatalf("Put: got %v, want both faults", err)
	}
	if err := h.put(3); !errors.Is(err, syscall.EROFS) {
		t.Fatalf("second Put: got %v, want EROFS", err)
	}
	fsys.Fail(nil)
	if err := h.putPages(testPage(1, "short")); err != nil {
		t.Fatal(err)
	}
	h.mustOpen(fsys.Crash(faultfs.Best))
	compare(t, h.m, h.known, h.known)
}

// TestFailedBatchDoesNotReturnBehindALaterOne fails a write halfway, and cuts the
// power before the sync of the next, shorter one. The disk has both writes but
// not the truncation between them: old records follow the new one.
func TestFailedBatchDoesNotReturnBehindALaterOne(t *testing.T) {
	fsys := faultfs.New()
	h := newHistory(t, 1)
	h.options.SegmentBytes = 1 << 20
	h.mustOpen(fsys)
	if err := h.put(0); err != nil {
		t.Fatal(err)
	}
	fsys.Fail(func(s faultfs.Step) error {
		if s.Op == "WriteAt" {
			return syscall.ENOSPC
		}
		return nil
	})
	if err := h.put(3); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("Put: got %v, want ENOSPC", err)
	}
	kill(fsys, 2) // the first change is the write, the second one its sync
	// As long as some of the old records, so that the next one follows at once.
	if err := h.putPages(testPage(3, strings.Repeat("s", len("3 of round 3 ")+17*3))); !errors.Is(err, faultfs.ErrKilled) {
		t.Fatalf("second Put: got %v, want ErrKilled", err)
	}
	h.mustOpen(fsys.Crash(func(n int) int {
		if n == 2 { // of a truncation: lost or kept
			return 0
		}
		return n - 1
	}))
	compare(t, h.m, h.pending, h.pending)
}

// TestRecordsAreSyncedBeforePublished runs the steps of a Put in the right order
// and in a wrong one: a page published before the sync is lost in a power cut
// after a reader saw it.
func TestRecordsAreSyncedBeforePublished(t *testing.T) {
	right := []func(*FileMap, *chunk) error{appendStep, syncStep, publishStep}
	wrong := []func(*FileMap, *chunk) error{appendStep, publishStep, syncStep}
	if lost := seenAndLost(t, right); lost {
		t.Error("append, sync, publish: a page that was seen is gone after a power cut")
	}
	if lost := seenAndLost(t, wrong); !lost {
		t.Error("append, publish, sync: got no loss, want one")
	}
}

func appendStep(m *FileMap, c *chunk) error  { return m.append(c) }
func syncStep(m *FileMap, c *chunk) error    { return m.sync(c.seg) }
func publishStep(m *FileMap, c *chunk) error { m.publish(c); return nil }

// seenAndLost puts a page step by step, and reports whether a power cut after a
// step removed the page after a reader saw it.
func seenAndLost(t *testing.T, steps []func(*FileMap, *chunk) error) (lost bool) {
	t.Helper()
	fsys := faultfs.New()
	m, err := openMap("pages", Options{FS: fsys})
	if err != nil {
		t.Fatal(err)
	}
	p := testPage(1, "seen")
	c := newChunk(m.encode([]doc.Page{p}))
	m.seal(&c)
	for _, step := range steps {
		if err := step(m, &c); err != nil {
			t.Fatal(err)
		}
		if !has(t, m, p.OID) {
			continue
		}
		after, err := openMap("pages", Options{FS: fsys.Crash(faultfs.Worst)})
		if err != nil {
			t.Fatal(err)
		}
		lost = lost || !has(t, after, p.OID)
	}
	if _, err := m.Get(p.OID); err != nil {
		t.Fatalf("Get after all steps: %v", err)
	}
	return lost
}
