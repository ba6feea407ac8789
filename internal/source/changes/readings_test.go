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
