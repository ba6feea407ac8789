package horizon

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"indexerd/internal/base/doc"
	_ "indexerd/internal/test/nofailfile"
)

// smallStep is the greatest step back of the clock that a memory with a slack of a
// second does not report.
const smallStep = 500 * time.Millisecond

// A modelRow is stamped when written and visible when its transaction has
// ended.
type modelRow struct {
	stamp           time.Time
	committed, seen bool
}

// A modelSession executes messages of one or several transactions.
type modelSession struct {
	hidden    bool
	id        int // of the transaction
	inTx      bool
	executing bool      // a message
	message   time.Time // when it came
	procedure bool      // the message is a CALL: now() is each transaction's own start
	start     time.Time // of the transaction, what now() shows
	rows      []*modelRow
}

// A modelWorld is a server with its sessions and a caller that settles as far
// as a watch allows.
type modelWorld struct {
	real     time.Duration // this machine's clock, which only advances
	offset   time.Duration // of the server's
	stepped  bool          // since the last reading
	sessions [4]modelSession
	rows     []*modelRow
	prepared map[string][]*modelRow
	named    int
	memory   *memory
	durable  doc.Horizon // the last exact one; At is S
	shared   *reading    // taken by another watch; nil: none since the last
}

func (w *modelWorld) local() time.Time { return second(0).Add(w.real) }
func (w *modelWorld) clock() time.Time { return second(0).Add(w.real + w.offset) }

// begin begins a transaction. Its time is taken a little before it is visible.
func (w *modelWorld) begin(s *modelSession, start time.Time) {
	s.id++
	s.inTx, s.start = true, start
}

func (w *modelWorld) end(s *modelSession, commit bool) {
	for _, row := range s.rows {
		row.committed = commit
	}
	s.rows, s.inTx = nil, false
}

func (w *modelWorld) sample() Sample {
	s := Sample{Moment: Moment{Sent: w.local(), Received: w.local(), Clock: w.clock()}}
	for i := range w.sessions {
		session := &w.sessions[i]
		if !session.inTx {
			continue
		}
		tx := Tx{PID: i + 1, ID: fmt.Sprintf("%d/%d", i, session.id), Waiting: !session.executing}
		if !session.hidden {
			tx.Start = session.start
			if session.executing {
				tx.Start = earlier(session.start, session.message)
			}
			s.Ahead = max(s.Ahead, session.start.Sub(w.clock()))
		}
		s.Open = append(s.Open, tx)
	}
	return s
}

func (w *modelWorld) reading() reading {
	w.stepped = false
	r := reading{Sample: w.sample()}
	for name := range w.prepared {
		r.Prepared = append(r.Prepared, PreparedTx{ID: name, Name: name})
	}
	return r
}

// read reads a horizon and judges it.
func (w *modelWorld) read(t *rapid.T) {
	w.share(t)
	w.judge(t, w.reading())
}

// share judges a reading of another watch, however old.
func (w *modelWorld) share(t *rapid.T) {
	if w.shared != nil {
		w.judge(t, *w.shared)
		w.shared = nil
	}
}

// judge takes a snapshot and compares its rows from S on, as the exact pass
// does. A row that appears below S is lost.
func (w *modelWorld) judge(t *rapid.T, r reading) {
	w.memory.add(r.Sample)
	h := w.memory.horizon(r)
	from := w.durable.At
	if h.ClockBack > 0 {
		from = earlier(from, h.EarliestSinceStep()) // a rewind
	}
	for _, row := range w.rows {
		if row.stamp.Before(from) && w.stepped {
			continue // the clock was set back since the reading; the next reading reports it
		}
		if row.committed && !row.seen && row.stamp.Before(from) {
			t.Fatalf("a row stamped %v was committed after %v was settled", row.stamp, from)
		}
		row.seen = row.seen || row.committed
	}
	if h.Exact {
		if h.ClockBack == 0 && h.At.Before(w.durable.At.Add(-smallStep)) {
			t.Fatalf("got %v after %v, want it to fall by a small step of the clock at most", h.At, w.durable.At)
		}
		h.At = later(h.At, from) // marks move forward only, but for a rewind
		w.durable = h
	} else {
		w.durable.At = from
	}
}

// Whatever sessions do and however the clock steps, no row is committed below
// S.
func TestHorizonModel(t *testing.T) {
	t.Parallel()
	rounds := 50
	if testing.Short() {
		rounds = 5
	}
	for range rounds {
		rapid.Check(t, checkHistory)
	}
}

// checkHistory draws a history of sessions, clock and watch.
func checkHistory(t *rapid.T) {
	w := &modelWorld{memory: newMemory(time.Second), prepared: map[string][]*modelRow{}}
	for i := range w.sessions {
		w.sessions[i].hidden = rapid.Bool().Draw(t, "hidden")
	}
	w.read(t) // steps before the first reading are unknown
	session := func() *modelSession { return &w.sessions[rapid.IntRange(0, len(w.sessions)-1).Draw(t, "session")] }
	delay := func() time.Duration {
		return time.Duration(rapid.IntRange(0, 400).Draw(t, "delay ms")) * time.Millisecond
	}
	t.Repeat(map[string]func(*rapid.T){
		"pass": func(t *rapid.T) {
			w.real += time.Duration(rapid.IntRange(1, 3000).Draw(t, "ms")) * time.Millisecond
		},
		"read":  w.read,
		"share": w.share,
		"another watch reads": func(*rapid.T) {
			if w.shared == nil {
				r := w.reading()
				w.shared = &r
			}
		},
		"message": func(t *rapid.T) {
			s := session()
			if s.executing {
				t.Skip("busy")
			}
			s.executing, s.message, s.procedure = true, w.clock().Add(-delay()), false
			if !s.inTx {
				s.procedure = rapid.Bool().Draw(t, "procedure")
				w.begin(s, s.message)
			}
		},
		"write": func(t *rapid.T) {
			s := session()
			if !s.executing {
				t.Skip("idle")
			}
			stamps := []time.Time{s.start, s.message, w.clock()}
			row := &modelRow{stamp: rapid.SampledFrom(stamps).Draw(t, "stamp")}
			s.rows, w.rows = append(s.rows, row), append(w.rows, row)
		},
		"wait for another message": func(t *rapid.T) {
			if s := session(); !s.procedure { // whose last transaction ends with it
				s.executing = false
			}
		},
		"next transaction of the message": func(t *rapid.T) {
			s := session()
			if !s.executing {
				t.Skip("idle")
			}
			w.end(s, rapid.Bool().Draw(t, "commit"))
			start := s.message
			if s.procedure {
				start = w.clock()
			}
			w.begin(s, start)
		},
		"end": func(t *rapid.T) {
			s := session()
			if s.executing {
				w.end(s, rapid.Bool().Draw(t, "commit"))
				s.executing = false
			}
		},
		"prepare": func(t *rapid.T) {
			s := session()
			if !s.executing {
				t.Skip("idle")
			}
			w.named++
			w.prepared[fmt.Sprint(w.named)], s.rows = s.rows, nil
			w.end(s, false)
			s.executing = false
		},
		"commit prepared": func(t *rapid.T) {
			for name, rows := range w.prepared {
				for _, row := range rows {
					row.committed = true
				}
				delete(w.prepared, name)
			}
		},
		// Two opposite steps between two readings can't be seen.
		"clock steps": func(t *rapid.T) {
			if !w.stepped {
				w.offset += time.Duration(rapid.IntRange(-60_000, 60_000).Draw(t, "ms")) * time.Millisecond
				w.stepped = true
			}
		},
		"hide or show starts": func(t *rapid.T) { s := session(); s.hidden = !s.hidden },
		"restart the watch": func(t *rapid.T) {
			if w.durable.At.IsZero() {
				t.Skip("nothing durable: the new one could not know of a step")
			}
			w.share(t)
			w.memory = newMemory(time.Second)
			w.memory.continueFrom(w.durable)
		},
	})
}
