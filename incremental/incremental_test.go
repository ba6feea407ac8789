package incremental_test

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
	"indexerd/internal/test/fakeworld/machine"
)

func TestRun(t *testing.T) {
	w := newWorld(t)
	one, two, three := fakeworld.Key(1), fakeworld.Key(2), fakeworld.Key(3)
	steps := []struct {
		name   string
		change func()
		want   fakeworld.Counts
	}{
		{"nothing", func() {}, fakeworld.Counts{}},
		{"inserted", func() { w.Table.Put(one, "a"); w.Table.Put(two, "b") }, fakeworld.Counts{Read: 2, Compared: 2, Added: 2}},
		{"updated", func() { w.Table.Put(one, "A") }, fakeworld.Counts{Read: 1, Compared: 1, Updated: 1}},
		{"touched", func() { w.Table.Put(one, "A") }, fakeworld.Counts{Read: 1, Compared: 1, Skipped: 1}},
		{"deleted", func() { w.Table.Delete(two) }, fakeworld.Counts{}},
		{"unfit, and a row beside it", func() {
			w.Table.Put(one, fakeworld.Unfit)
			w.Table.Put(three, "c")
		}, fakeworld.Counts{Read: 2, Compared: 2, Added: 1, Quarantined: 1}},
	}
	for _, step := range steps {
		step.change()
		w.Table.Advance(time.Minute) // so that the overlap does not reach back
		if got := w.run(t); got != step.want {
			t.Errorf("%s: got %+v, want %+v", step.name, got, step.want)
		}
	}
	if got, want := w.Marks().Incremental, w.Table.Clock(); !got.Equal(want) {
		t.Errorf("mark: got %v, want the last window's end, %v", got, want)
	}
}

func TestWindow(t *testing.T) {
	w := newWorld(t)
	begin := w.Table.Clock()
	w.Table.Advance(time.Minute)
	report, err := w.pass.Run(t.Context())
	if want := (doc.Window{From: begin.Add(-time.Second), To: begin.Add(time.Minute)}); err != nil || report.Window != want {
		t.Errorf("got %v, %v, want %v", report.Window, err, want)
	}
	w.Table.Precision = 10 * time.Second // of updateTime: the overlap is two of it
	w.Table.Advance(time.Minute)
	report, err = w.pass.Run(t.Context())
	if want := (doc.Window{From: begin.Add(40 * time.Second), To: begin.Add(2 * time.Minute)}); err != nil || report.Window != want {
		t.Errorf("coarse updateTime: got %v, %v, want %v", report.Window, err, want)
	}
}

// Rows that share one updateTime fill many pages of stamps. Each page is read
// once, and the fetches are as few as pages and batches allow.
func TestRowsWithOneUpdateTimeAreReadOnce(t *testing.T) {
	w := newWorld(t)
	const rows = 500
	w.put(0, rows, "bulk")
	var steps machine.Counter
	w.Table.Before = steps.Before(nil)
	want := fakeworld.Counts{Read: rows, Compared: rows, Added: rows}
	if got := w.run(t); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	w.WantAll(t)
	if got, want := steps.Of("stamps"), rows/w.Table.Page+1; got != want {
		t.Errorf("pages of stamps: got %d, want %d", got, want)
	}
	if got, most := steps.Of("docs"), rows/batch+rows/w.Table.Page+1; got > most {
		t.Errorf("fetches: got %d, want at most %d", got, most)
	}
}

func TestOverlapFetchesNothing(t *testing.T) {
	w := newWorld(t)
	w.put(0, 3*batch, "a")
	w.run(t)
	var steps machine.Counter
	w.Table.Before = steps.Before(nil)
	report, err := w.pass.Run(t.Context())
	if got, want := fakeworld.CountsOf(report), (fakeworld.Counts{Compared: 3 * batch}); err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	if got := steps.Of("docs"); got != 0 {
		t.Errorf("fetches: got %d, want none", got)
	}
}

// A transaction that commits after a window's end, with updateTimes in the
// window, is found if the next window's overlap reaches back to them.
func TestLateCommitsAreFoundWithinTheOverlap(t *testing.T) {
	tests := []struct {
		name      string
		precision time.Duration
		late      time.Duration // from updateTime to the end of the window that missed it
		found     bool
	}{
		{"at the boundary", time.Microsecond, 0, true},
		{"within the overlap", time.Microsecond, time.Second, true},
		// The documented limit: compensation finds such commits.
		{"beyond the overlap", time.Microsecond, time.Second + time.Microsecond, false},
		{"within two ticks", 10 * time.Second, 20 * time.Second, true},
		{"beyond two ticks", 10 * time.Second, 30 * time.Second, false},
	}
	for _, test := range tests {
		w := newWorld(t)
		w.Table.Precision = test.precision
		w.Table.Advance(time.Hour)
		w.Table.Advance(-time.Duration(w.Table.Clock().Nanosecond()))
		x := w.Table.Begin()
		x.PutAt(fakeworld.Key(1), "late", w.Table.Clock())
		w.Table.Advance(test.late)
		if _, err := w.pass.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		x.Commit()
		for range 5 {
			w.run(t)
		}
		if got := len(w.Missing()) == 0; got != test.found {
			t.Errorf("%s: got found %t, want %t", test.name, got, test.found)
		}
	}
}

// Any difference is fetched, also an older updateTime: a transaction that began
// earlier and wrote later sets updateTime back.
func TestOlderUpdateTimeIsFetched(t *testing.T) {
	one := fakeworld.Key(1)
	w := newWorld(t)
	older := w.Table.Begin()
	w.Table.Advance(500 * time.Millisecond)
	for _, change := range []func(){
		func() { w.Table.Put(one, "first") },
		func() { older.Put(one, "second"); older.Commit() },
	} {
		change()
		w.Table.Advance(time.Millisecond)
		if _, err := w.pass.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	w.WantAll(t)
}

// A fetch returns the row as it is then, not the version whose stamp was read.
func TestFetchesTheNewestVersion(t *testing.T) {
	w := newWorld(t)
	w.put(0, 2, "a")
	w.Table.Before = func(step string) error {
		if step == "docs" {
			w.put(0, 1, "b")
			w.Table.Delete(fakeworld.Key(1))
		}
		return nil
	}
	if got, want := w.run(t), (fakeworld.Counts{Read: 1, Compared: 2, Added: 1}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	w.WantAll(t)
}

func TestErrorsNameTheTable(t *testing.T) {
	faults := map[string]error{
		"now": doc.ErrUnavailable, "stamps": doc.ErrUnavailable, "docs": doc.ErrUnavailable, "left": doc.ErrUnavailable,
		"meta": syscall.EIO, "apply": syscall.EIO, "Rename": syscall.EIO,
	}
	for step, fault := range faults {
		w := newWorld(t)
		w.put(0, 3*batch, "a")
		before := w.Marks().Incremental
		w.Table.Advance(time.Second)
		w.Before(func(s string) error {
			if s == step {
				return fault
			}
			return nil
		})
		_, err := w.pass.Run(t.Context())
		if !errors.Is(err, fault) || errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), "incremental film: ") {
			t.Errorf("%s fails: got error %v, want the cause, prefixed with the table", step, err)
		}
		if got := w.Marks().Incremental; !got.Equal(before) {
			t.Errorf("%s fails: got mark %v, want it where it was, %v", step, got, before)
		}
	}
}

// A cancelled pass returns within the current batch and leaves the mark.
func TestCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.put(0, 100*batch, "a")
		w.Table.Advance(time.Second)
		w.Table.Before = func(step string) error {
			if step == "rows" {
				time.Sleep(time.Second)
			}
			return nil
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		began, before := time.Now(), w.Marks().Incremental
		_, err := w.pass.Run(ctx)
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 3*time.Second {
			t.Errorf("got %v after %v, want %v within the batch in hand", err, time.Since(began), context.DeadlineExceeded)
		}
		if got := w.Marks().Incremental; !got.Equal(before) {
			t.Errorf("mark: got %v, want %v", got, before)
		}
		w.Table.Before = nil
		w.run(t)
		w.WantAll(t)
	})
}
