package compensate_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
	"indexerd/internal/test/faultfs"
	"indexerd/timetrace"
)

// A fakeHorizon is a horizon that a test chooses.
type fakeHorizon func() (doc.Horizon, error)

func (f fakeHorizon) Horizon(context.Context) (doc.Horizon, error) { return f() }

// fixed is a horizon that is always the same.
func fixed(h doc.Horizon) fakeHorizon { return func() (doc.Horizon, error) { return h, nil } }

// changed is the table's horizon, edited by f.
func (w *world) changed(f func(*doc.Horizon)) fakeHorizon {
	return func() (doc.Horizon, error) {
		h, err := w.Table.Horizon(context.Background())
		f(&h)
		return h, err
	}
}

// [S, max(Last(N), H)) is compared, and S moves to H and only to H.
func TestExactWindow(t *testing.T) {
	type minutes = float64
	tests := []struct {
		name             string
		settled, last, h minutes
		tick             time.Duration
		to, wantS        minutes
	}{
		{name: "H behind Last(N)", settled: 1, last: 5, h: 4, to: 5, wantS: 4},
		{name: "H beyond Last(N)", settled: 1, last: 5, h: 7, to: 7, wantS: 7},
		{name: "pinned", settled: 3, last: 5, h: 3, to: 5, wantS: 3},
		{name: "H below S", settled: 3, last: 5, h: 2, to: 5, wantS: 3},
		{name: "all below S", settled: 6, last: 5, h: 6, to: 6, wantS: 6},
		{name: "coarse updateTime", settled: 1, last: 5, h: 4, tick: 30 * time.Second, to: 5, wantS: 3.5},
		{name: "coarse updateTime, H beyond Last(N)", settled: 1, last: 5, h: 7, tick: time.Minute, to: 6, wantS: 6},
		{name: "fine updateTime", settled: 1, last: 5, h: 4, tick: time.Microsecond, to: 5, wantS: 4},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			w.Update(t, func(m *timetrace.Table) { m.Settled, m.Incremental = w.at(test.settled), w.at(test.last) })
			e := w.exact()
			e.Tick, e.Horizon = test.tick, fixed(doc.Horizon{At: w.at(test.h), Now: w.at(8), Exact: true})
			report := runExact(t, e)
			if want := (doc.Window{From: w.at(test.settled), To: w.at(test.to)}); report.Window != want {
				t.Errorf("window: got %v, want %v", report.Window, want)
			}
			if got, want := w.Marks().Settled, w.at(test.wantS); !got.Equal(want) {
				t.Errorf("S: got %v, want %v", got, want)
			}
		})
	}
}

// While a transaction is open S waits for it, and the next run still finds rows
// of other transactions that commit late.
func TestPinnedHorizonDelaysOnlyS(t *testing.T) {
	w := newWorld(t)
	e := w.exact()
	w.Table.Advance(time.Minute)
	pin := w.Table.Begin()
	pin.Put(fakeworld.Key(1), "pin")
	began := w.Table.Clock()
	for n := range 360 {
		w.late(t, 10+n, "late")
		if len(w.Missing()) == 0 {
			t.Fatal("incremental found the late row: this test proves nothing")
		}
		runExact(t, e)
		w.WantAll(t)
	}
	if got := w.Marks().Settled; !got.Equal(began) {
		t.Errorf("S after %v: got %v, want where the transaction began, %v", w.Table.Clock().Sub(began), got, began)
	}
	pin.Commit()
	runExact(t, e)
	w.WantAll(t)
	if got, want := w.Marks().Settled, w.Table.Clock(); !got.Equal(want) {
		t.Errorf("S after the commit: got %v, want %v", got, want)
	}
}

// Rows of the tick that H lies in may still commit, so S stays below that tick.
func TestCoarseUpdateTime(t *testing.T) {
	for _, tick := range []time.Duration{0, time.Second} {
		w := newWorld(t)
		w.Table.Precision = time.Second
		w.Table.Advance(999 * time.Millisecond)
		x := w.Table.Begin() // has a time almost a second earlier
		x.Put(fakeworld.Key(1), "late")
		w.Table.Advance(time.Minute)
		run(t, w.follow)
		e := w.exact()
		e.Tick = tick
		runExact(t, e)
		x.Commit()
		if got, want := len(w.broken()) > 0, tick == 0; got != want {
			t.Errorf("tick %v: got a promise broken %t, want %t", tick, got, want)
		}
		runExact(t, e)
		if got, want := len(w.Missing()) > 0, tick == 0; got != want {
			t.Errorf("tick %v: got a row lost %t, want %t", tick, got, want)
		}
	}
}

// Without an exact horizon no mark moves, and the reason is returned.
func TestNoHorizon(t *testing.T) {
	fault := errors.New("no connection")
	tests := []struct {
		name    string
		horizon fakeHorizon
		want    error
	}{
		{"not exact", fixed(doc.Horizon{Reason: "a standby"}), nil},
		{"fault", func() (doc.Horizon, error) { return doc.Horizon{}, fault }, fault},
	}
	for _, test := range tests {
		w := newWorld(t)
		w.Table.Advance(hour)
		w.late(t, 1, "late")
		e := w.exact()
		e.Horizon = test.horizon
		before := w.Marks()
		h, report, err := e.Run(t.Context())
		if !errors.Is(err, test.want) || report.Compared > 0 {
			t.Errorf("%s: got %+v, %v, want nothing compared, %v", test.name, report, err, test.want)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "compensate film, horizon: ") {
			t.Errorf("%s: got error %q, want it to begin with compensate film, horizon", test.name, err)
		}
		if err == nil && h.Reason != "a standby" {
			t.Errorf("%s: got reason %q, want the horizon's", test.name, h.Reason)
		}
		if got := w.Marks(); !got.Settled.Equal(before.Settled) || got.Mode != before.Mode {
			t.Errorf("%s: got marks %+v, want them as they were", test.name, got)
		}
	}
}

// An assumed S stays assumed until a sweep has ended.
func TestAssumedStaysAssumed(t *testing.T) {
	w := assumed(t)
	w.Table.Advance(hour)
	run(t, w.follow)
	runExact(t, w.exact())
	if m := w.Marks(); m.Mode != "assumed" || !m.Settled.Equal(w.Table.Clock()) {
		t.Errorf("got S %v, %s, want %v, assumed", m.Settled, m.Mode, w.Table.Clock())
	}
}

// While no row is found S is written every ten seconds, and at once after a row.
func TestIdleSIsRarelyWritten(t *testing.T) {
	w := newWorld(t)
	w.crawl(t, nil) // numbers are reserved now
	e := w.exact()
	w.Table.Advance(2 * time.Second)
	runExact(t, e)
	updates := 0
	w.Files.Fail(func(s faultfs.Step) error {
		if s.Op == "Rename" && strings.HasSuffix(s.Name, ".tmp") && !strings.Contains(s.Name, ".prev") {
			updates++
		}
		return nil
	})
	for range 30 {
		w.Table.Advance(2 * time.Second)
		runExact(t, e)
	}
	if updates != 6 {
		t.Errorf("updates of the trace in an idle minute: got %d, want 6", updates)
	}
	x := w.Table.Begin()
	x.Put(fakeworld.Key(1), "row")
	x.Commit()
	w.Table.Advance(2 * time.Second)
	updates = 0
	runExact(t, e)
	if updates != 1 {
		t.Errorf("updates of the trace after a row: got %d, want 1", updates)
	}
	w.crash(t, faultfs.Worst)
	if got, want := w.Marks().Settled, w.Table.Clock(); !got.Equal(want) {
		t.Errorf("S after a restart: got %v, want %v", got, want)
	}
}
