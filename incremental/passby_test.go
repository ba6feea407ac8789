package incremental_test

import (
	"testing"
	"time"

	"indexerd/internal/base/doc"
)

// PassBy passes a window that is known to be empty, as Run does, and nothing else.
func TestPassBy(t *testing.T) {
	for name, c := range map[string]struct {
		later time.Duration                           // of the clock than the mark; 1 s by default
		read  func(now *doc.Moment, since *time.Time) // what a reading shows
		want  bool
	}{
		"quiet":                  {want: true},
		"unknown":                {read: func(_ *doc.Moment, since *time.Time) { *since = time.Time{} }},
		"a row in the window":    {read: func(_ *doc.Moment, since *time.Time) { *since = since.Add(time.Microsecond) }},
		"a reading that is old":  {read: func(now *doc.Moment, _ *time.Time) { now.Seen = now.Seen.Add(-time.Minute) }},
		"a clock that went back": {read: func(now *doc.Moment, _ *time.Time) { now.Now = now.Now.Add(-10 * time.Second) }},
		"a mark to be durable":   {later: 11 * time.Second},
	} {
		w := newWorld(t)
		w.run(t)
		w.Table.Advance(max(c.later, time.Second))
		now, err := w.Table.Moment(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		since, before := w.pass.Since(), w.Marks()
		if c.read != nil {
			c.read(&now, &since)
		}
		w.Table.Before = func(what string) error { t.Errorf("%s: the database was asked for %s", name, what); return nil }
		report, got := w.pass.PassBy(now, since)
		after := w.Marks()
		if got != c.want || after.Incremental.Equal(before.Incremental) == c.want {
			t.Errorf("%s: passed is %v, and the mark moved from %v to %v, want %v", name, got, before.Incremental, after.Incremental, c.want)
		}
		if c.want && (!report.Window.To.Equal(now.Seen) || !after.Incremental.Equal(now.Seen) || !after.Read.Equal(now.Now)) {
			t.Errorf("%s: got window %v and marks %+v, want them up to %v", name, report.Window, after, now.Seen)
		}
	}
}
