package initial_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/progress"
	"indexerd/internal/test/fakeworld"
	"indexerd/internal/test/fakeworld/machine"
)

func TestLoad(t *testing.T) {
	for _, rows := range []int{0, 1, batch, batch + 1, 10*batch + 3} {
		t.Run(fmt.Sprintf("%d rows", rows), func(t *testing.T) {
			w := newWorld(t, rows)
			at := w.Table.Clock()
			report := w.mustLoad(t)
			if want := (fakeworld.Counts{Read: rows, Added: rows}); fakeworld.CountsOf(report) != want {
				t.Errorf("got %+v, want %+v", report, want)
			}
			w.wantLoaded(t)
			m := w.Marks()
			if !m.Load.Equal(at) || !m.Incremental.Equal(at) || !m.Settled.Equal(at.Add(-timeout)) || m.Mode != "assumed" || m.Server != "first" || m.Clock.IsZero() || m.Clock.Sub(m.Local) != time.Hour {
				t.Errorf("got marks %+v, want load and incremental at %v, settled %v earlier, assumed", m, at, timeout)
			}
		})
	}
}

// Ranges have no condition on updateTime: rows without one and rows of the future
// are loaded.
func TestLoadsRowsWithAnyUpdateTime(t *testing.T) {
	w := newWorld(t, 3)
	x := w.Table.Begin()
	x.PutAt(fakeworld.Key(100), "without", time.Time{})
	x.PutAt(fakeworld.Key(101), "of the future", w.Table.Clock().AddDate(100, 0, 0))
	x.PutAt(fakeworld.Key(102), "very old", time.Unix(0, 0))
	x.Commit()
	w.mustLoad(t)
	w.wantLoaded(t)
}

// A row that can't become a document is quarantined, and the load succeeds.
func TestUnfitRowsDoNotStopTheLoad(t *testing.T) {
	w := newWorld(t, 3*batch)
	w.Table.Put(fakeworld.Key(5), fakeworld.Unfit)
	report := w.mustLoad(t)
	if want := (fakeworld.Counts{Read: 3*batch + 1, Added: 3 * batch, Quarantined: 1}); fakeworld.CountsOf(report) != want {
		t.Errorf("got %+v, want %+v", report, want)
	}
	if reason := w.Quarantine.Reasons()[fakeworld.Key(5)]; reason == "" || !w.Marks().Loaded {
		t.Errorf("got reason %q, loaded %t, want a reason, and loaded", reason, w.Marks().Loaded)
	}
}

// The clock is read before anything else of the database.
func TestClockComesFirst(t *testing.T) {
	w := newWorld(t, batch)
	var steps []string
	var mu sync.Mutex
	w.Table.Before = func(step string) error {
		mu.Lock()
		defer mu.Unlock()
		steps = append(steps, step)
		return nil
	}
	w.mustLoad(t)
	if len(steps) == 0 || steps[0] != "now" {
		t.Errorf("got steps %v, want the clock first", steps)
	}
}

func TestErrorsNameTheTable(t *testing.T) {
	tests := map[string]string{
		"now":         "load film: ",
		"count":       "load film: count rows: ",
		"breakpoints": "load film: read breakpoints: ",
		"range":       "load film: ",
		"Rename":      "write data/film/load.jsonl: ",
	}
	for step, want := range tests {
		w := newWorld(t, 2*batch)
		w.Before(func(s string) error {
			if s == step {
				return doc.ErrUnavailable
			}
			return nil
		})
		_, err := w.load().Run(t.Context())
		if !errors.Is(err, doc.ErrUnavailable) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s fails: got error %v, want one that begins %q and is %v", step, err, want, doc.ErrUnavailable)
		}
		if w.Marks().Loaded {
			t.Errorf("%s fails: the table is marked as loaded", step)
		}
	}
}

func TestWorkers(t *testing.T) {
	for _, n := range []int{0, 1, 3} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, 12*batch)
			w.Table.Before = func(step string) error {
				if step == "range" {
					time.Sleep(time.Second)
				}
				return nil
			}
			load := w.load()
			load.Workers = n
			began := time.Now()
			if _, err := load.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got, want := time.Since(began), time.Duration(12/max(n, 1))*time.Second; got != want {
				t.Errorf("%d workers: got %v for 12 ranges of 1s, want %v", n, got, want)
			}
		})
	}
}

// A cancelled load returns within the current batch, and the next one continues.
func TestCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 20*batch)
		slow := func(step string) error {
			if step == "rows" {
				time.Sleep(time.Second)
			}
			return nil
		}
		var steps machine.Counter
		w.Table.Before = steps.Before(slow)
		ctx, cancel := context.WithTimeout(t.Context(), 3500*time.Millisecond)
		defer cancel()
		began := time.Now()
		report, err := w.load().Run(ctx)
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 4*time.Second {
			t.Errorf("got %v after %v, want %v within the batch in hand", err, time.Since(began), context.DeadlineExceeded)
		}
		if want := 3 * workers * batch; report.Added != want {
			t.Errorf("got %d rows before the end, want %d", report.Added, want)
		}
		again := w.mustLoad(t)
		w.wantLoaded(t)
		if want := 20*batch - 3*workers*batch; again.Read != want {
			t.Errorf("the rest: got %d rows, want %d", again.Read, want)
		}
		if got, most := steps.Of("range"), 20+workers; got > most {
			t.Errorf("ranges read: got %d, want at most %d", got, most)
		}
	})
}

// Progress counts the rows of all runs of a load. Its rate is that of this run.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 10*batch)
		if got := w.progress.Reading(); got != (progress.Reading{}) {
			t.Errorf("before: got %+v, want none", got)
		}
		var down atomic.Bool
		w.Table.Before = func(step string) error {
			if step == "range" {
				if down.Load() {
					return doc.ErrUnavailable
				}
				time.Sleep(time.Second)
			}
			return nil
		}
		run := func() error {
			load := w.load()
			load.Workers = 1
			_, err := load.Run(t.Context())
			return err
		}
		check := func(when string, want progress.Reading) {
			t.Helper()
			if got := w.progress.Reading(); got != want {
				t.Errorf("%s: got %+v, want %+v", when, got, want)
			}
		}
		ended := make(chan error)
		go func() { ended <- run() }()
		time.Sleep(4*time.Second + time.Millisecond) // the fifth range is read
		down.Store(true)
		if err := <-ended; !errors.Is(err, doc.ErrUnavailable) {
			t.Fatalf("got %v, want %v", err, doc.ErrUnavailable)
		}
		check("half-way", progress.Reading{Running: true, Unit: "rows", Done: 5 * batch, Of: 10 * batch, Rate: batch, Left: 5 * time.Second})

		down.Store(false)
		time.Sleep(time.Hour)
		x := w.Table.Begin()
		for i := range batch {
			x.Put(fakeworld.Key(1000+i), "born during the load")
		}
		x.Commit()
		go func() { ended <- run() }()
		time.Sleep(2*time.Second + time.Millisecond)
		got := w.progress.Reading()
		if got.Done != 7*batch || got.Rate < batch*0.99 || got.Rate > batch {
			t.Errorf("in the second run: got %+v, want %d done at a rate of %d", got, 7*batch, batch)
		}
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		want := progress.Reading{Unit: "rows", Done: 11 * batch, Of: 11 * batch, Rate: 6.0 / 5 * batch}
		check("at the end", want)
		time.Sleep(time.Hour)
		check("long after", want)
	})
}
