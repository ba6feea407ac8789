package httpapi

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"
)

// searchFor runs a search of duration d, and returns when it got its slot.
func (l *searchLimit) searchFor(ctx context.Context, key limitKey, d time.Duration) (granted time.Time, err error) {
	err = l.do(ctx, key, func(ctx context.Context, _ *slot) error {
		granted = time.Now()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(d):
			return nil
		}
	})
	return granted, err
}

// checkIdle fails the test if a search runs or waits.
func (l *searchLimit) checkIdle(t *testing.T) {
	t.Helper()
	synctest.Wait()
	if len(l.running)+len(l.long) != 0 || len(l.waiting) != 0 {
		t.Errorf("got %d running, %d long and %d waiting searches, want none", len(l.running), len(l.long), len(l.waiting))
	}
}

// With two slots the third search waits for the first free slot. It is rejected
// if none is free in time.
func TestSearchWaitsForASlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &searchLimit{max: 2, perKey: 2, wait: 500 * time.Millisecond, within: 5 * time.Second}
		began := time.Now()
		go l.searchFor(t.Context(), limitKey{}, 300*time.Millisecond)
		go l.searchFor(t.Context(), limitKey{}, time.Minute)
		synctest.Wait()
		if granted, err := l.searchFor(t.Context(), limitKey{}, time.Second); err != nil || granted.Sub(began) != 300*time.Millisecond {
			t.Errorf("third search: got %v with a slot after %v, want success and 300ms", err, granted.Sub(began))
		}
		go l.searchFor(t.Context(), limitKey{}, time.Minute)
		synctest.Wait()
		began = time.Now()
		var busy *Error
		if _, err := l.searchFor(t.Context(), limitKey{}, 0); !errors.As(err, &busy) || busy.Status != http.StatusTooManyRequests || busy.Code != "busy" || time.Since(began) != 500*time.Millisecond {
			t.Errorf("beside two long searches: got %v after %v, want busy after 0.5s", err, time.Since(began))
		}
		time.Sleep(10 * time.Second) // the long searches end at their deadlines
		began = time.Now()
		if _, err := l.searchFor(t.Context(), limitKey{}, time.Minute); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 5*time.Second {
			t.Errorf("long search: got %v after %v, want its deadline after 5s", err, time.Since(began))
		}
		l.checkIdle(t)
	})
}

// A free slot goes to the key that holds the fewest, and no client or token gets
// all slots.
func TestSlotsAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &searchLimit{max: 4, perKey: 3, wait: time.Second, within: 5 * time.Second}
		rejected := make(chan error, 10)
		for i := range 10 { // one token from many addresses
			go func() {
				if _, err := l.searchFor(t.Context(), limitKey{address(byte(2 + i)), 1}, 600*time.Millisecond); err != nil {
					rejected <- err
				}
			}()
		}
		synctest.Wait()
		if n := len(l.running); n != 3 {
			t.Fatalf("got %d running searches with one token, want 3", n)
		}
		now := time.Now()
		if granted, _ := l.searchFor(t.Context(), limitKey{address(1), 2}, 0); !granted.Equal(now) {
			t.Errorf("another token: got a slot after %v, want at once", granted.Sub(now))
		}
		time.Sleep(time.Minute)
		l.checkIdle(t)
		if len(rejected) == 0 {
			t.Error("got no search with the first token rejected, want some")
		}
		l = &searchLimit{max: 2, perKey: 2, wait: time.Second, within: 5 * time.Second}
		for range 5 {
			go l.searchFor(t.Context(), limitKey{client: address(2)}, 100*time.Millisecond)
		}
		synctest.Wait()
		now = time.Now()
		if granted, _ := l.searchFor(t.Context(), limitKey{client: address(1)}, 0); granted.Sub(now) != 100*time.Millisecond {
			t.Errorf("behind the queue of another client: got a slot after %v, want the next slot, after 100ms", granted.Sub(now))
		}
		time.Sleep(time.Minute)
	})
}

// A search that has run for a moment leaves its slot to a shorter one, also of the same
// client, as long as there are not too many long ones.
func TestLongSearchesLeaveTheirSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &searchLimit{max: 4, maxLong: 3, perKey: 2, wait: 500 * time.Millisecond, within: 5 * time.Second}
		key, began := limitKey{address(2), 1}, time.Now()
		for range 2 {
			go l.searchFor(t.Context(), key, time.Minute)
		}
		synctest.Wait()
		if granted, err := l.searchFor(t.Context(), key, 0); err != nil || granted.Sub(began) != longAfter {
			t.Errorf("beside two long searches of its client: got %v with a slot after %v, want one after %v", err, granted.Sub(began), longAfter)
		}
		for i := range 20 {
			now := time.Now()
			if granted, err := l.searchFor(t.Context(), key, 10*time.Millisecond); err != nil || !granted.Equal(now) {
				t.Errorf("short search %d: got %v with a slot after %v, want one at once", i, err, granted.Sub(now))
			}
		}
		for range 2 { // the client's long slots are taken
			go l.searchFor(t.Context(), key, time.Minute)
		}
		synctest.Wait()
		var busy *Error
		if _, err := l.searchFor(t.Context(), key, 0); !errors.As(err, &busy) || busy.Code != "busy" {
			t.Errorf("beside four long searches of its client: got %v, want busy", err)
		}
		now := time.Now()
		if granted, err := l.searchFor(t.Context(), limitKey{address(3), 2}, 0); err != nil || !granted.Equal(now) {
			t.Errorf("another client beside them: got %v with a slot after %v, want one at once", err, granted.Sub(now))
		}
		time.Sleep(time.Minute)
		l.checkIdle(t)
	})
}

func address(n byte) netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{127, 0, 0, n}), 32)
}
