package horizon

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"indexerd/internal/base/doc"
)

var errTooLong = errors.New("the reading took too long")

// A reading takes another sample as long as one may raise the horizon.
func TestSamplesOfAReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{}
		w := NewReadings(f, nil).Watch(Options{Slack: time.Nanosecond})
		for _, c := range []struct {
			name    string
			open    []Tx
			sampled func(n int)
			samples int
		}{
			{"no transaction", nil, nil, 1},
			{"a start that is visible", []Tx{shown(1, "1/1", 0)}, nil, 1},
			{"a start that is hidden", []Tx{hidden(2, "2/1")}, nil, maxSamples},
			{"a hidden transaction that ends", []Tx{hidden(3, "3/1")}, func(n int) {
				if n == 3 {
					f.open = nil
				}
			}, 4},
			{"a hidden session that waits before its next transaction", []Tx{waiting(hidden(4, "4/1"))}, func(n int) {
				if n == 3 {
					f.open = []Tx{hidden(4, "4/2")}
				}
			}, 4},
		} {
			exact(t, w) // hidden transactions began after it
			time.Sleep(time.Second)
			f.open, f.sampled = c.open, c.sampled
			began := time.Now()
			if exact(t, w); f.samples != c.samples || time.Since(began) != time.Duration(c.samples-1)*sampleInterval {
				t.Errorf("%s: got %d samples in %v, want %d", c.name, f.samples, time.Since(began), c.samples)
			}
			f.open, f.sampled = nil, nil
		}
	})
}

// A reading ends with its connection's context, also between two samples.
func TestReadingEndsWithItsConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{}
		w := NewReadings(f, nil).Watch(Options{})
		exact(t, w)
		f.open, f.within = []Tx{hidden(1, "1/1")}, sampleInterval/2
		time.Sleep(time.Second)
		if _, err := w.Horizon(t.Context()); !errors.Is(err, errTooLong) || f.samples != 1 {
			t.Errorf("got %v after %d samples, want %v after one", err, f.samples, errTooLong)
		}
	})
}

// Another server, or one that has restarted, has no bound of the server before.
func TestMemoryIsOfOneServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{identity: "a", open: []Tx{hidden(1, "1/1")}, state: State{Remedy: "ask"}}
		readings := NewReadings(f, nil)
		const hides = "pid 1 (hidden 1/1) hides the start of its transaction, which was before the daemon watched the database: ask, or wait until it ends"
		last := doc.Horizon{At: time.Now().Add(-time.Second), Now: time.Now(), Local: time.Now(), Server: "a"}
		time.Sleep(time.Minute)
		w := readings.Watch(Options{Last: last})
		if h := exact(t, w); !h.At.Equal(last.At) {
			t.Errorf("got %v after a restart of the watch, want %v as before", h.At, last.At)
		}
		sharing := readings.Watch(Options{Last: last, Fresh: time.Second})
		f.identity = "b"
		inexact(t, w, hides)
		if inexact(t, sharing, hides); f.readings != 2 {
			t.Errorf("got %d readings, want 2, the second shared", f.readings)
		}
		inexact(t, readings.Watch(Options{Last: last}), hides)
	})
}

// A server that does not show transactions has no exact horizon, and that is no
// error.
func TestRefusalIsAReason(t *testing.T) {
	w := NewReadings(&fakeServer{err: Refused("permission denied")}, nil).Watch(Options{})
	inexact(t, w, "permission denied")
}

// What a table's SQL reads is checked when something was committed since the
// last check and that is older than the slack, so that no horizon passes the
// last check.
func TestScopeIsChecked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{state: State{Version: "1"}}
		checks, reason, failure := 0, "", error(nil)
		scope := func(context.Context) (string, error) {
			checks++
			return reason, failure
		}
		w := NewReadings(f, nil).Watch(Options{Slack: time.Second, Scope: scope})
		want := func(n int) {
			t.Helper()
			if checks != n {
				t.Fatalf("got %d checks, want %d", checks, n)
			}
		}
		exact(t, w)
		want(1)
		time.Sleep(time.Minute)
		exact(t, w) // nothing was committed
		want(1)
		f.state.Version, f.state.Catalog = "2", "1"
		exact(t, w)
		want(2)
		time.Sleep(time.Minute)
		f.state.Version = "2, rows only"
		exact(t, w)
		want(2)
		f.state.Catalog = "2"
		exact(t, w)
		want(3)
		checks, f.state.Catalog = 2, ""
		checked := time.Now()
		f.state.Version, reason = "3", "the SQL reads a foreign table"
		time.Sleep(time.Second - 1)
		if h := exact(t, w); h.At.After(checked) {
			t.Errorf("got a horizon of %v, want at most %v, the last check", h.At, checked)
		}
		want(2)
		time.Sleep(time.Nanosecond)
		f.state.Unbounded = "a function"
		inexact(t, w, reason)
		f.state.Unbounded = ""
		want(3)
		inexact(t, w, reason)
		want(3)
		f.state.Version, failure = "4", errTooLong
		time.Sleep(time.Second)
		if _, err := w.Horizon(t.Context()); !errors.Is(err, errTooLong) {
			t.Errorf("got %v, want the failure of the check, %v", err, errTooLong)
		}
		reason, failure = "", nil
		exact(t, w)
		want(5)
		f.state.Version = "" // unknown
		exact(t, w)
		want(5)
		time.Sleep(time.Second)
		exact(t, w)
		want(6)
		time.Sleep(time.Second)
		exact(t, w)
		want(7)
		f.state.Version, f.ahead = "5", -time.Hour // the clock was set back
		exact(t, w)
		want(8)
	})
}
