package clients

import (
	"context"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"
)

func TestRepeatedFailuresAreDelayed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := NewFailures(5)
		a, b := clientAt(1), clientAt(2)
		fail := func(client netip.Prefix) (answered bool, took time.Duration) {
			began := time.Now()
			answered = f.Failed(t.Context(), client)
			return answered, time.Since(began)
		}
		want := []time.Duration{0, 0, 0, 100e6, 200e6, 400e6, 800e6, 1600e6, 2e9, 2e9}
		for i, w := range want {
			if ok, took := fail(a); !ok || took != w {
				t.Errorf("failure %d: got %t after %v, want true after %v", i+1, ok, took, w)
			}
		}
		if ok, took := fail(b); !ok || took != 0 {
			t.Errorf("another client's first failure: got %t after %v, want true at once", ok, took)
		}
		for range maxClientDelays {
			go fail(a)
		}
		synctest.Wait()
		if ok, took := fail(a); ok || took != 0 {
			t.Errorf("with %d answers delayed: got %t after %v, want false at once", maxClientDelays, ok, took)
		}
		for range freeFailures {
			fail(b)
		}
		go fail(b) // the fifth delayed answer, which is the limit
		synctest.Wait()
		if ok, _ := fail(b); ok {
			t.Error("at the limit of delayed answers: got true, want false")
		}
		if ok, took := fail(clientAt(3)); !ok || took != 0 {
			t.Errorf("first failure of a third client at the limit: got %t after %v, want true at once", ok, took)
		}
		time.Sleep(resetAfter + maxDelay + time.Second)
		if ok, took := fail(a); !ok || took != 0 {
			t.Errorf("after resetAfter without a failure: got %t after %v, want true at once", ok, took)
		}
		ctx, cancel := context.WithCancel(t.Context())
		for range freeFailures {
			fail(a)
		}
		cancel()
		if began := time.Now(); !f.Failed(ctx, a) || time.Since(began) != 0 {
			t.Errorf("cancelled context: waited %v, want no delay", time.Since(began))
		}
	})
}

func TestFailuresRemembersTheMostRecentClients(t *testing.T) {
	f := NewFailures(1)
	for i := range 3 * maxClients {
		for _, client := range []netip.Prefix{clientAt(i), clientAt(0)} {
			if one, _ := f.enter(client); one != nil {
				f.leave(one)
			}
		}
	}
	if len(f.clients) != maxClients || f.order.Len() != maxClients {
		t.Errorf("got %d clients in the map and %d in the list, want %d", len(f.clients), f.order.Len(), maxClients)
	}
	if got := f.remember(clientAt(0)).times; got < 3*maxClients {
		t.Errorf("got %d failures of the client that fails all the time, want at least %d", got, 3*maxClients)
	}
	if f.clients[clientAt(0)] == nil || f.clients[clientAt(1)] != nil {
		t.Error("got the oldest client remembered or the latest forgotten")
	}
}

// clientAt returns the i-th of many clients.
func clientAt(i int) netip.Prefix {
	return Of(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}))
}
