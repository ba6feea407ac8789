package store

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/faultfs"
)

// TestKthFailure runs an operation again and again: first its first step on the
// disk fails, then its second, and so on until no step is left to fail. After
// each failure the operation has returned the error or is done, the acknowledged
// pages are there, the map works or requires a reopen, and the operation succeeds
// when it is repeated.
func TestKthFailure(t *testing.T) {
	for _, op := range kthOperations {
		for _, f := range kthFaults {
			t.Run(op.name+" "+f.name, func(t *testing.T) {
				t.Parallel()
				failEachStep(t, op, f)
			})
		}
	}
}

func failEachStep(t *testing.T, op kthOperation, f kthFault) {
	base := newKthRun(t, op, kthFault{}, 0, nil)
	if err := op.before(base); err != nil {
		t.Fatal(err)
	}
	met, within, stride := 0, 0, 1
	if testing.Short() {
		stride = 7
	}
	defer func() {
		verdict := "ok"
		if t.Failed() {
			verdict = "MISS"
		}
		fmt.Printf("kth pages: op=%s fault=%s steps=%d in_compaction=%d %s\n", op.name, f.name, met, within, verdict)
	}()
	for k := 1; ; k += stride {
		r := newKthRun(t, op, f, k, base)
		if !r.failed() {
			r.wantCompaction()
			return
		}
		met++
		if r.within {
			within++
		}
		if r.reopened { // also reopen with what the kernel has in memory
			r := newKthRun(t, op, f, k, base)
			r.killed = true
			r.failed()
		}
	}
}

// A kthFault is the error of some steps. A write that fails writes half.
type kthFault struct {
	name  string
	err   error
	ops   []string // methods that fail; nil: any
	lasts bool     // until there is space
}

var kthFaults = []kthFault{
	{name: "EIO", err: syscall.EIO},
	{name: "ENOSPC", err: syscall.ENOSPC, ops: []string{"OpenFile", "Write", "WriteAt", "Rename"}, lasts: true},
	{name: "short", err: io.ErrShortWrite, ops: []string{"Write", "WriteAt"}},
}

// A kthRun is one run of an operation whose k-th step fails.
type kthRun struct {
	*history
	op         kthOperation
	fault      kthFault
	k          int
	round      int // of writing: each round writes different bodies
	fs         *faultfs.FS
	hit        *faultfs.Step // the first step that failed
	compacting bool
	within     bool // hit was in a compaction
	reopened   bool // the map required a reopen
	killed     bool // before a reopen the process is killed, instead of a power cut
}

// newKthRun opens a map on a copy of the disk of base.
func newKthRun(t testing.TB, op kthOperation, f kthFault, k int, base *kthRun) *kthRun {
	t.Helper()
	r := &kthRun{history: newHistory(t, 1), op: op, fault: f, k: k, fs: faultfs.New()}
	r.options.Compression = None
	if base != nil {
		r.fs = base.fs.Crash(faultfs.Best)
		r.known, r.pending, r.round = base.known, base.known, base.round
	}
	r.mustOpen(r.fs)
	return r
}

// failed runs the operation and checks the map afterwards. It returns false if
// no step was left to fail.
func (r *kthRun) failed() bool {
	r.t.Helper()
	defer func() {
		if r.t.Failed() {
			r.t.Logf("%s at step %d (%+v)", r.fault.name, r.k, r.hit)
		}
	}()
	r.fs.Fail(r.steps())
	err := r.op.run(r)
	if r.hit != nil && r.fault.lasts && r.usable() {
		r.compareNow("during the fault")
		r.wantFault(r.op.run(r))
	}
	r.fs.Fail(nil)
	if err == nil && r.hit == nil {
		r.compareNow("without a fault")
		return false
	}
	r.wantFault(err)
	r.compareNow("in the same process")
	cut := r.reopenIfNeeded()
	if err := r.op.run(r); err != nil {
		r.t.Fatalf("repeated: %v", err)
	}
	r.compareNow("repeated")
	if cut {
		r.fs = r.fs.Crash(faultfs.Worst)
		r.mustOpen(r.fs)
		r.compareNow("after a power cut")
	}
	if err := r.m.Close(); err != nil {
		r.t.Fatalf("Close: %v", err)
	}
	r.mustOpen(r.fs)
	r.compareNow("opened again")
	return true
}

// wantCompaction expects a rewritten segment after an operation that compacts.
func (r *kthRun) wantCompaction() {
	r.t.Helper()
	rewritten := func(s *segment) bool { return s.rewrite > 0 }
	if r.op.compacts && !slices.ContainsFunc(*r.m.order.Load(), rewritten) {
		r.t.Fatal("got no rewritten segment, want some")
	}
}

// steps fails the k-th step that can fail so, and later ones if the fault lasts.
func (r *kthRun) steps() func(faultfs.Step) error {
	n := 0
	return func(s faultfs.Step) error {
		if len(r.fault.ops) > 0 && !slices.Contains(r.fault.ops, s.Op) {
			return nil
		}
		if n++; n != r.k && !(r.fault.lasts && n > r.k) {
			return nil
		}
		if r.hit == nil {
			r.hit, r.within = &s, r.compacting
		}
		return r.fault.err
	}
}

// wantFault expects an error, if there is one, to be the fault in one line.
func (r *kthRun) wantFault(err error) {
	r.t.Helper()
	if err != nil && (!errors.Is(err, r.fault.err) || strings.Contains(err.Error(), "\n")) {
		r.t.Fatalf("got %q, want one line with %q", err, r.fault.err)
	}
}

func (r *kthRun) usable() bool { return r.m != nil && !r.m.closed.Load() && r.m.Err() == nil }

// reopenIfNeeded opens the map again if it is not usable, after a power cut or a
// kill. It reports whether a power cut may follow: after a kill readers have data
// of a failed sync, which a later power cut loses (docs/correctness.md, known limits).
func (r *kthRun) reopenIfNeeded() bool {
	r.t.Helper()
	if r.usable() {
		return true
	}
	if r.m != nil && !r.m.closed.Load() {
		if err := r.m.Close(); err == nil {
			r.t.Fatal("Close of a failed map: got no error")
		}
	}
	r.reopened = true
	if !r.killed {
		r.fs = r.fs.Crash(faultfs.Worst)
	}
	r.mustOpen(r.fs)
	r.compareNow("reopened")
	return !r.killed || r.hit.Op != "Sync"
}

// compareNow compares the map with what is known, and then takes for known what
// there is of the running operation.
func (r *kthRun) compareNow(when string) {
	r.t.Helper()
	if r.m == nil || r.m.closed.Load() {
		return
	}
	defer func() {
		if r.t.Failed() {
			r.t.Log(when)
		}
	}()
	compare(r.t, r.m, r.known, r.pending)
	if !r.usable() {
		return // a reopen may show more of the running operation
	}
	adopted := newModel(1)
	for _, model := range []*model{r.known, r.pending} {
		for oid := range model.pages {
			if got := bodies(r.t, r.m, oid); got != nil {
				adopted.pages[oid] = got
			}
		}
	}
	r.known, r.pending = adopted, adopted
}

// A kthOperation is an operation that a fault interrupts.
type kthOperation struct {
	name     string
	before   func(*kthRun) error // prepares the disk
	run      func(*kthRun) error
	compacts bool
}

var kthOperations = []kthOperation{
	{name: "put", before: func(r *kthRun) error { return r.write(upTo(8)...) }, run: (*kthRun).puts},
	{name: "grow", before: func(*kthRun) error { return nil }, run: (*kthRun).grows},
	{name: "compaction", before: (*kthRun).fills, run: (*kthRun).compacts, compacts: true},
	{name: "reopen", before: (*kthRun).fills, run: (*kthRun).reopens},
}

// write puts pages with new bodies of some hundred bytes.
func (r *kthRun) write(numbers ...int) error {
	r.round++
	var pages []doc.Page
	for _, n := range numbers {
		pages = append(pages, testPage(n, fmt.Sprintf("%d of round %d %s", n, r.round, strings.Repeat("x", 100+n%7*50))))
	}
	return r.putPages(pages...)
}

// fills leaves several segments, the first of them closed.
func (r *kthRun) fills() error {
	return first(
		func() error { return r.write(upTo(12)...) },
		func() error { return r.write(upTo(24)[12:]...) },
		func() error { return r.write(upTo(30)[20:]...) },
		func() error { return r.m.saveIndex() },
	)
}

// puts replaces and adds pages across the ends of segments.
func (r *kthRun) puts() error {
	for round := range 4 {
		if err := r.write(upTo(6 + 4*round)[2*round:]...); err != nil {
			return err
		}
	}
	return r.m.saveIndex()
}

// grows puts pages into two shards only, so that each shard grows several times,
// and saves them each time.
func (r *kthRun) grows() error {
	var crowded []int
	for n := 0; len(crowded) < 36; n++ {
		if hashOf(testOID(n))%shardCount < 2 {
			crowded = append(crowded, n)
		}
	}
	for batch := range slices.Chunk(crowded, 12) {
		if err := first(func() error { return r.write(batch...) }, r.m.saveIndex); err != nil {
			return err
		}
	}
	return nil
}

// compacts deletes and replaces pages until segments are rewritten, by a round of
// the keeper and then all of them.
func (r *kthRun) compacts() error {
	compaction := func(compact func(*FileMap) error) func() error {
		return func() error {
			r.compacting = true
			defer func() { r.compacting = false }()
			return compact(r.m)
		}
	}
	return first(
		func() error { return r.deletePages(upTo(9)...) },
		func() error { return r.write(upTo(18)[9:]...) },
		compaction(func(m *FileMap) error { return m.maintain(m.life) }),
		func() error { return r.deletePages(10, 20, 25) },
		func() error { return r.write(1, 25) },
		compaction(compactAll),
	)
}

// reopens closes a map and opens it, with an address.idx and without.
func (r *kthRun) reopens() error {
	return first(
		func() error { return r.deletePages(3, 4) },
		func() error { return r.write(5) },
		func() error { return r.m.Close() },
		r.open,
		func() error { return r.write(6) },
		r.open, // as after a kill
	)
}

func upTo(n int) []int {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i
	}
	return numbers
}

// first runs steps until one fails.
func first(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
