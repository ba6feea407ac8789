package changes

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"indexerd/internal/base/doc"
)

// While nothing is committed, a table that comes is the only one whose counters are read;
// all are read again when they may have moved.
func TestCountersOfTablesThatCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{counts: true, late: late}
		r := NewReadings(f)
		of := func(id string) *Watch {
			return r.Watch((&fakeTable{footprint: doc.Footprint{Tables: []doc.BaseTable{{ID: id}}}}).find)
		}
		a, b := of("a"), of("b")
		hint(t, a)
		time.Sleep(time.Hour)
		hint(t, a)
		f.counted = nil
		if h := hint(t, b); h.Counters != "b:0,7,0,file " || !h.Counted {
			t.Errorf("got counters %q, counted %t, want those of b, true", h.Counters, h.Counted)
		}
		if h := hint(t, a); h.Counters != "a:0,7,0,file " || !h.Counted {
			t.Errorf("got counters %q, counted %t, want those of a, true", h.Counters, h.Counted)
		}
		if got, want := fmt.Sprint(f.counted), "[[b]]"; got != want {
			t.Errorf("counters were read of %v, want %s", got, want)
		}
		f.commit()
		hint(t, b)
		last := slices.Sorted(slices.Values(f.counted[len(f.counted)-1]))
		if got, want := fmt.Sprint(last), "[a b]"; got != want {
			t.Errorf("after a commit counters were read of %v, want %s", got, want)
		}
	})
}

// A hint is known where a reading that was taken for all tables has all of it. Such readings
// are taken only while hints are asked for so.
func TestKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{counts: true, late: late, catalog: "c"}
		r, table := NewReadings(f), newFakeTable()
		w := r.Watch(table.find)
		hints := w.Within(time.Second).(interface{ Known() (doc.Hint, bool) })
		refresh := func() {
			t.Helper()
			if err := r.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		want := func(when string, known bool) {
			t.Helper()
			readings := f.readings
			h, got := hints.Known()
			if got != known || f.readings != readings || got && (h.Version == "" || !h.Exact) {
				t.Errorf("%s: got %+v, %v, want %v and no reading", when, h, got, known)
			}
		}
		refresh() // no table has asked
		want("without a reading", false)
		if f.readings != 0 {
			t.Errorf("got %d readings that no table had asked for", f.readings)
		}
		refresh()
		want("before the table's footprint is found", false)
		hint(t, w)
		time.Sleep(time.Minute)
		want("with a reading that is old", false)
		refresh()
		want("after a reading", true)
		f.commit()
		time.Sleep(time.Second)
		refresh()
		want("after a commit", true)
		f.catalog = "d"
		time.Sleep(time.Second)
		refresh()
		want("after the catalog has changed", false)
		if table.found != 1 {
			t.Errorf("the footprint was found %d times, want once", table.found)
		}
	})
}
