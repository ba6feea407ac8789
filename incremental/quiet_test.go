package incremental_test

import (
	"context"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
)

// A window that is known to be empty is passed without a statement, and leaves the
// marks that reading it would leave. In any other case the window is read.
func TestQuietWindow(t *testing.T) {
	for _, c := range []struct {
		name  string
		since func(begin time.Time) time.Time // of the window
		older time.Duration                   // of the reading than the clock
		back  time.Duration                   // by which the clock is set back
		reads bool
	}{
		{"quiet since the window's begin", func(b time.Time) time.Time { return b }, 0, 0, false},
		{"quiet since long", func(b time.Time) time.Time { return b.Add(-time.Hour) }, 0, 0, false},
		{"unknown", func(time.Time) time.Time { return time.Time{} }, 0, 0, true},
		{"quiet since a time in the window", func(b time.Time) time.Time { return b.Add(time.Microsecond) }, 0, 0, true},
		{"a reading older than the mark", func(b time.Time) time.Time { return b }, 1500 * time.Millisecond, 0, true},
		{"the clock was set back", func(b time.Time) time.Time { return b.Add(-time.Hour) }, 0, 10 * time.Second, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, twin := newWorld(t), newWorld(t)
			w.run(t)
			twin.run(t)
			w.Table.Advance(6 * c.back) // the clock is past the mark again
			twin.Table.Advance(6 * c.back)
			statements := 0
			w.Table.Before = func(string) error { statements++; return nil }
			w.pass.Quiet = func(context.Context) (doc.Moment, time.Time) {
				now, err := w.Table.Moment(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				statements = 0
				now.Now, now.Seen = now.Now.Add(-c.older-c.back), now.Seen.Add(-c.older-c.back)
				now.Asked, now.Local = now.Asked.Add(-c.older), now.Local.Add(-c.older)
				return now, c.since(w.pass.Since())
			}
			w.run(t)
			twin.run(t)
			if got := statements > 0; got != c.reads {
				t.Errorf("got %d statements, want some: %v", statements, c.reads)
			}
			got, want := w.Marks(), twin.Marks()
			if span := got.Incremental.Sub(want.Incremental).Abs(); span > 100*time.Millisecond || got.Read.IsZero() {
				t.Errorf("got marks %+v, want those of a window that was read, %+v", got, want)
			}
			w.pass.Quiet = nil
			w.put(1, 3, "new")
			if got, want := w.run(t), (fakeworld.Counts{Read: 3, Added: 3}); got.Added != want.Added {
				t.Errorf("after it: got %+v, want %+v", got, want)
			}
		})
	}
}
