package sink

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// A guard that remembers what another one has kept admits no more in an hour than one
// guard does, and what can't be kept is not removed.
func TestAGuardThatTakesOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var kept []Removals
		var fault error
		h := newGuardedCount(1000, Limits{Count: 100})
		h.Keep = func(all []Removals) error {
			if fault == nil {
				kept = all
			}
			return fault
		}
		h.recordExempt(500)
		for range 4 {
			h.remove(t, 10, 10)
			time.Sleep(10 * time.Second)
		}
		time.Sleep(5 * time.Minute)
		h.remove(t, 20, 20)
		if len(kept) != 2 || kept[0].N != 40 || kept[1].N != 20 {
			t.Errorf("got %v, want 40 removals of one minute and 20 of another", kept)
		}
		fault = errors.New("etcd does not answer")
		if _, err := h.admit(5, 5); !errors.Is(err, fault) {
			t.Errorf("removals that can't be kept: got error %v, want %v", err, fault)
		}
		fault = nil

		next := newGuardedCount(h.size, Limits{Count: 100})
		for _, r := range kept {
			next.Remember(r.At, r.N)
		}
		for _, guard := range []*guardedCount{h, next} {
			if ok, err := guard.Admits(41); ok || err != nil {
				t.Errorf("41 removals after 60 of 100: got %v, error %v, want that they are held", ok, err)
			}
			if ok, err := guard.Admits(40); !ok || err != nil {
				t.Errorf("40 removals after 60 of 100: got %v, error %v, want that they are admitted", ok, err)
			}
		}
		time.Sleep(guardWindow)
		if got := next.remove(t, 100, 100); got != 100 {
			t.Errorf("an hour later: got %d removals, want 100", got)
		}
	})
}
