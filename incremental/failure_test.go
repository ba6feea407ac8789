package incremental_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"indexerd/internal/test/fakeworld"
	"indexerd/internal/test/fakeworld/machine"
	"indexerd/internal/test/faultfs"
)

// Whichever step fails, the mark stays, and the next run reads the whole window
// again.
func TestFailedWindowIsReadAgain(t *testing.T) {
	for k := 1; ; k++ {
		w := newWorld(t)
		w.changes(t)
		begin := w.Marks().Incremental
		w.Before(machine.FailAt(k, syscall.EIO))
		_, err := w.pass.Run(t.Context())
		w.Before(nil)
		if err != nil {
			if !errors.Is(err, syscall.EIO) {
				t.Fatalf("step %d: got error %v, want %v", k, err, syscall.EIO)
			}
			if got := w.Marks().Incremental; !got.Equal(begin) {
				t.Errorf("mark: got %v, want %v", got, begin)
			}
			w.Table.Advance(time.Minute)
			report, err := w.pass.Run(t.Context())
			if want := begin.Add(-time.Second); err != nil || !report.Window.From.Equal(want) {
				t.Errorf("again: got window %v, %v, want it from %v", report.Window, err, want)
			}
		}
		w.wantEqual(t)
		if t.Failed() {
			t.Fatalf("after a fault at step %d", k)
		}
		if err == nil {
			return
		}
	}
}

// After a crash at any step all rows below the mark are in the index, and the next
// process continues from the mark.
func TestCrashAnywhere(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	for _, pick := range []func(int) int{faultfs.Worst, faultfs.Best, draw.IntN} {
		for k := 0; ; k++ {
			w := newWorld(t)
			w.changes(t)
			w.Before(fakeworld.NewCountdown(k).Before)
			_, err := w.pass.Run(t.Context())
			w.Crash(t, pick)
			w.pass = w.newPass()
			w.wantHonest(t)
			w.run(t)
			w.wantEqual(t)
			if t.Failed() {
				t.Fatalf("after a crash at step %d", k)
			}
			if err == nil {
				break
			}
		}
	}
}

// The mark of idle windows is written every ten seconds, and at once after a row.
func TestIdleWindowsRarelyWrite(t *testing.T) {
	w := newWorld(t)
	w.put(0, 1, "a")
	w.run(t)
	writes := 0
	w.Files.Fail(func(s faultfs.Step) error {
		if s.Op == "Rename" && strings.HasSuffix(s.Name, ".tmp") && !strings.Contains(s.Name, ".prev") {
			writes++
		}
		return nil
	})
	for range 60 {
		w.run(t)
	}
	if writes != 6 {
		t.Errorf("writes of the trace in an idle minute: got %d, want 6", writes)
	}
	writes = 0
	w.put(0, 1, "b")
	w.run(t)
	if got, want := w.Marks().Incremental, w.Table.Clock(); writes != 1 || !got.Equal(want) {
		t.Errorf("after a row: got %d writes, mark %v, want 1, %v", writes, got, want)
	}
}

// After a restart the windows since the durable mark are read again. Without a
// restart they are not.
func TestIdleWindowsAreNotReadAgain(t *testing.T) {
	w := newWorld(t)
	for range 5 {
		w.run(t)
	}
	w.Table.Advance(time.Second)
	report, err := w.pass.Run(t.Context())
	if got, want := report.Window.To.Sub(report.Window.From), 2*time.Second; err != nil || got != want {
		t.Errorf("window: got %v, %v, want %v", got, err, want)
	}
	w.restart(t)
	report, err = w.pass.Run(t.Context())
	if got, want := report.Window.To.Sub(report.Window.From), 7*time.Second; err != nil || got != want {
		t.Errorf("window after a restart: got %v, %v, want %v", got, err, want)
	}
}

// The next window begins at a mark that was set back.
func TestRewoundMarkIsObeyed(t *testing.T) {
	w := newWorld(t)
	begin := w.Table.Clock()
	for range 15 {
		w.run(t)
	}
	w.mark(t, begin)
	w.Table.Advance(time.Second)
	report, err := w.pass.Run(t.Context())
	if want := begin.Add(-time.Second); err != nil || !report.Window.From.Equal(want) {
		t.Errorf("got window %v, %v, want it from %v", report.Window, err, want)
	}
}
