package deletecheck_test

import (
	"testing"
	"testing/synctest"
	"time"
)

// A row that changes after it was read is a doubt again, although S has passed the
// time at which it was first read.
func TestRowThatChangedStaysInDoubt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := loaded(t, 5)
		w.Table.LetClockRun()
		w.put(6)
		go func() {
			time.Sleep(3 * time.Second)
			w.settle(t) // S passes the first version, which is in doubt
			w.Table.Put(w.key(6), "another version")
			time.Sleep(3 * time.Second)
			w.load(t)
		}()
		v := w.verify()
		v.Live, v.Wait = true, 30*time.Second
		if got := runVerify(t, v); got.Different()+got.Unsettled > 0 {
			t.Errorf("got %+v, want it equal once the row has come in", got)
		}
	})
}

// Verify does not wait for S to count a ghost: S covers rows only.
func TestGhostsDoNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := loaded(t, 5)
		w.Table.Delete(w.key(3))
		began := time.Now()
		v := w.verify()
		v.Live, v.Wait = true, 30*time.Second
		if got := runVerify(t, v); got.Pending != 1 || !time.Now().Equal(began) {
			t.Errorf("got %+v after %v, want 1 pending at once", got, time.Since(began))
		}
	})
}

// A document and a page of different writes may be in flight only while a daemon
// writes.
func TestTornInFlight(t *testing.T) {
	for _, live := range []bool{false, true} {
		w := loaded(t, 5)
		w.put(7)
		row := w.Table.Rows()[w.key(2)]
		row.Updated = w.Table.Clock().Add(time.Hour)
		w.Table.PutRow(w.key(2), row)
		w.removePage(t, w.key(2))
		v := w.verify()
		v.Live = live
		got := runVerify(t, v)
		if torn := !live; (got.Torn == 1) != torn || got.Torn+got.Unsettled != 2 {
			t.Errorf("live %t: got %+v, want row 2 torn only without a daemon, and row 7 unsettled", live, got)
		}
	}
}

// A repair also fetches rows that stay unsettled.
func TestRepairFetchesUnsettledRows(t *testing.T) {
	w := loaded(t, 5)
	w.put(7)
	v := w.verify()
	v.Repair = true
	if got := runVerify(t, v); got.Unsettled != 0 || got.Repaired != 0 || !got.Equal() {
		t.Errorf("got %+v, want it equal", got)
	}
	w.wantEqual(t)
}
