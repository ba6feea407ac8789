package compensate_test

import (
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
	"indexerd/timetrace"
)

// PassBy moves S where Run would compare nothing, and moves nothing else.
func TestPassBy(t *testing.T) {
	for name, c := range map[string]struct {
		later time.Duration // of the horizon than S; 1 s by default
		shows func(*doc.Horizon)
		want  bool
	}{
		"nothing was committed":       {want: true},
		"a commit, and a quiet table": {shows: func(h *doc.Horizon) { h.Version, h.Quiet = "other", h.Quiet.Add(-time.Hour) }, want: true},
		"a commit":                    {shows: func(h *doc.Horizon) { h.Version, h.Quiet = "other", time.Time{} }},
		"quiet since a later time":    {shows: func(h *doc.Horizon) { h.Version, h.Quiet = "other", h.At }},
		"a horizon that is assumed":   {shows: func(h *doc.Horizon) { h.Exact = false }},
		"a clock that went back":      {shows: func(h *doc.Horizon) { h.ClockBack = time.Second }},
		"another server":              {shows: func(h *doc.Horizon) { h.Server = "other" }},
		"an S to be durable":          {later: 11 * time.Second},
	} {
		w := newWorld(t)
		e := w.exact()
		w.Table.Advance(time.Minute)
		run(t, w.follow)
		runExact(t, e)
		w.Table.Advance(max(c.later, time.Second))
		run(t, w.follow)
		h, err := w.Table.Horizon(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		w.Update(t, func(m *timetrace.Table) { m.Server = "one" })
		before := w.Marks()
		h.Quiet, h.Server = before.Settled, "one"
		if c.shows != nil {
			c.shows(&h)
		}
		_, got := e.PassBy(h)
		after := w.Marks()
		if got != c.want || after.Settled.Equal(before.Settled) == c.want || after.Rewinds != before.Rewinds {
			t.Errorf("%s: passed is %v, and S moved from %v to %v, want %v", name, got, before.Settled, after.Settled, c.want)
		}
		x := w.Table.Begin()
		x.Put(fakeworld.Key(1), "after it")
		x.Commit()
		w.Table.Advance(time.Second)
		runExact(t, e)
		w.WantAll(t)
		w.wantHonest(t)
	}
}
