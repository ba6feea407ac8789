// Package rarely is a handler of logs that leaves out what it has logged a moment ago:
// a message that differs in numbers only is shown once a minute, with how often it came.
package rarely

import (
	"context"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"time"
)

// every is how often a failure that repeats is logged.
const every = time.Minute

// Handler logs a failure that repeats once a minute, with how often it came
// since. What differs only in numbers, such as a pause or the port of a
// connection, is the same. Lines below a warning always pass.
type Handler struct {
	slog.Handler
	about string // the attributes of its logger
	seen  *sightings
}

// sightings is shared by all loggers of one origin.
type sightings struct {
	mu sync.Mutex
	of map[string]*sighting
}

type sighting struct {
	logged  time.Time
	skipped int
}

// New returns a handler that logs rarely to another one.
func New(h slog.Handler) Handler {
	return Handler{Handler: h, seen: &sightings{of: map[string]*sighting{}}}
}

var anyNumber = regexp.MustCompile(`[0-9]+`)

// Handle implements slog.Handler.
func (q Handler) Handle(ctx context.Context, r slog.Record) error {
	if r.Level < slog.LevelWarn {
		return q.Handler.Handle(ctx, r)
	}
	skipped, due := q.seen.see(q.what(r), r.Time)
	if !due {
		return nil
	}
	if skipped > 0 {
		r = r.Clone()
		r.AddAttrs(slog.Int("times_since_the_last_line", skipped+1))
	}
	return q.Handler.Handle(ctx, r)
}

// what returns a record's text without its numbers and durations.
func (q Handler) what(r slog.Record) string {
	var b strings.Builder
	b.WriteString(q.about + r.Message)
	r.Attrs(func(a slog.Attr) bool {
		if a.Value.Kind() != slog.KindDuration {
			b.WriteString(" " + a.String())
		}
		return true
	})
	return anyNumber.ReplaceAllString(b.String(), "#")
}

// see reports whether a line is due, and how many were left out since the last.
func (s *sightings) see(what string, at time.Time) (skipped int, due bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.of[what]
	if one != nil && at.Sub(one.logged) < every {
		one.skipped++
		return 0, false
	}
	if one != nil {
		skipped = one.skipped
	}
	for other, o := range s.of { // what has not come for long is new when it comes again
		if at.Sub(o.logged) >= 10*every {
			delete(s.of, other)
		}
	}
	s.of[what] = &sighting{logged: at}
	return skipped, true
}

// WithAttrs implements slog.Handler.
func (q Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	q.Handler = q.Handler.WithAttrs(attrs)
	for _, a := range attrs {
		q.about += a.String() + " "
	}
	return q
}

// WithGroup implements slog.Handler.
func (q Handler) WithGroup(name string) slog.Handler {
	q.Handler = q.Handler.WithGroup(name)
	q.about += name + "."
	return q
}
