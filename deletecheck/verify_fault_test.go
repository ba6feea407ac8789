package deletecheck_test

import (
	"errors"
	"sync/atomic"
	"syscall"
	"testing"

	"indexerd/deletecheck"
	"indexerd/internal/sync/sink"
	"indexerd/internal/test/fakeworld/machine"
	"indexerd/timetrace"
)

// If any step of database, index, pages or files fails, Verify returns the error;
// if it returns none, its result is right.
func TestVerifyReturnsEveryError(t *testing.T) {
	for _, begin := range []func(testing.TB) *world{newWorld, newTextWorld} {
		for k := 1; ; k++ {
			w := begin(t)
			w.put(0, 1, 2, 3, 4, 5, 6, 7)
			w.load(t)
			w.limit(t, sink.Limits{})
			w.Table.Delete(w.key(1))
			w.Table.Delete(w.key(5))
			runSweep(t, w.sweep()) // the guard holds both
			if n, err := deletecheck.Held(w.Files, "data/film"); n != 2 || err != nil {
				t.Fatalf("held: got %d, %v, want 2", n, err)
			}
			w.removePage(t, w.key(2))
			w.removeDocument(t, w.key(3))
			w.Update(t, func(m *timetrace.Table) { m.Unverified = "restored" })
			v := w.verify()
			v.Repair = true
			fail := machine.FailAt(k, syscall.EIO)
			var failed atomic.Bool // steps run side by side
			w.Before(func(step string) error {
				err := fail(step)
				if err != nil {
					failed.Store(true)
				}
				return err
			})
			got, err := v.Run(t.Context())
			w.Before(nil)
			if err != nil && !errors.Is(err, syscall.EIO) {
				t.Fatalf("step %d fails: got error %v, want %v", k, err, syscall.EIO)
			}
			if err == nil && (got.Repaired != 4 || !got.Equal()) {
				t.Errorf("step %d fails: got %+v, want 4 differences repaired", k, got)
			}
			if !failed.Load() {
				break
			}
		}
	}
}

// An empty table is equal to an empty index. Documents of rows that were deleted
// since the last sweep are pending.
func TestVerifyOfAnEmptyTable(t *testing.T) {
	got, err := newWorld(t).verify().Run(t.Context())
	if err != nil || !got.Equal() || got.Compared != 0 {
		t.Errorf("empty: got %+v, %v, want equal", got, err)
	}
	w := loaded(t, 5)
	for n := range 5 {
		w.Table.Delete(w.key(n))
	}
	if got, err := w.verify().Run(t.Context()); err != nil || got.Pending != 5 {
		t.Errorf("emptied: got %+v, %v, want 5 pending", got, err)
	}
}
