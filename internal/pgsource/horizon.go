package pgsource

import (
	"fmt"
	"time"

	"indexerd/internal/doc"
)

// A moment is one reading of the database's clock. This machine's clock was
// read before and after.
type moment struct {
	sent, received time.Time
	clock          time.Time
}

// stepBack says how far the database's clock was set back between two moments,
// at least, and what it showed at its lowest in between, at least.
func stepBack(last, now moment) (back time.Duration, lowest time.Time) {
	back = last.clock.Add(now.sent.Sub(last.received)).Sub(now.clock)
	return back, now.clock.Add(-now.received.Sub(last.sent))
}

// A sample is one look at the transactions that are open. The clock was read
// first: what the look missed began later.
type sample struct {
	moment
	ahead time.Duration // how far a transaction began after the present, by its own clock
	open  []openTx
}

// An openTx is a session with an open transaction, or between two transactions
// of one message.
type openTx struct {
	pid     int
	vxid    string    // "" between two
	start   time.Time // nothing it commits is stamped earlier; zero: the role may not see
	waiting bool      // for its client: its next transaction comes with a message that is still to come
	user    string
	program string
}

// A preparedTx is a transaction that only waits for COMMIT PREPARED.
type preparedTx struct {
	id    string // never used twice
	gid   string
	user  string
	since time.Time
}

// A session is what earlier samples say of a process.
type session struct {
	vxid   string
	since  time.Time // its transaction stamps nothing earlier; zero: not known
	waited time.Time // nor does the next one
	held   bool      // the start it shows is not to be trusted
}

// A memory makes horizons of samples. All bounds in it are lower bounds of
// what a transaction stamps; the zero time, which is before all others, says
// that none is known.
type memory struct {
	slack    time.Duration
	last     moment // of the last sample
	begun    bool   // there was a sample
	sessions map[int]session
	prepared map[string]time.Time
	proven   time.Time // bound of everything that was not prepared at the last horizon
	floor    time.Time // bound of everything, when the clock was set back since then
	back     time.Duration
}

// forget drops what is known of transactions. The clock goes on.
func (m *memory) forget() {
	*m = memory{slack: m.slack, last: m.last, back: m.back}
}

// add learns from a sample. A transaction that was not in the sample before
// began after it. One that follows another in the same process may belong to
// the same message, whose arrival is what now() shows in all of them: so it
// began after the process was last seen waiting for a message.
func (m *memory) add(s sample) {
	fresh := m.last.clock
	if !m.begun {
		fresh = m.proven
	}
	sessions := make(map[int]session, len(s.open))
	for _, tx := range s.open {
		known, ok := m.sessions[tx.pid]
		switch {
		case !ok:
			// What a watch finds at its beginning may have begun before a step of
			// the clock that only an earlier watch has seen.
			known = session{vxid: tx.vxid, since: fresh, waited: fresh, held: !m.begun && !fresh.IsZero()}
		case known.vxid != tx.vxid:
			known = session{vxid: tx.vxid, since: known.waited, waited: known.waited}
		}
		if tx.waiting {
			known.waited = s.clock
		}
		sessions[tx.pid] = known
	}
	m.sessions = sessions
	m.checkClock(s)
	m.last, m.begun = s.moment, true
}

// checkClock looks for a step back. What is open at one may have begun before
// it and stamp after it, so its start bounds nothing until it has ended, not
// even once the clock has caught up. Steps below half of the slack are covered
// by the slack.
func (m *memory) checkClock(s sample) {
	back, lowest := s.ahead, time.Time{}
	if !m.last.clock.IsZero() {
		back, lowest = stepBack(m.last, s.moment)
	} else if m.begun {
		return
	}
	if back <= m.slack/2 {
		return
	}
	floor := lowest
	if !floor.IsZero() {
		floor = earlier(lowest, m.bound(s).Add(-m.slack))
	}
	_ = floor
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

var _ = fmt.Sprint
var _ doc.Horizon
