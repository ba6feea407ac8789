package pgsource

import (
	"time"

	"indexerd/internal/doc"
)

// A moment is one reading of the database's clock, with this machine's clock
// before and after.
type moment struct {
	sent, received time.Time
	clock          time.Time
}

// shownSince returns the least and the greatest time that the clock can have
// shown just after an earlier moment, if it was set back then.
func (m moment) shownSince(last moment) (low, high time.Time) {
	return m.clock.Add(-m.received.Sub(last.sent)), m.clock.Add(-m.sent.Sub(last.received))
}

// A sample is one reading of the open transactions. Its clock was read first: a
// transaction that the sample does not have began later.
type sample struct {
	moment
	ahead time.Duration // how far a transaction's start lies in the future of the same clock
	open  []openTx

	hidesState bool // some session has track_activities off, which hides its start from every role
}

// An openTx is a session with an open transaction, or between two transactions
// of one message.
type openTx struct {
	pid         int
	vxid        string    // the virtual transaction id; "" between two transactions
	start       time.Time // lower bound of what it stamps; zero: hidden from this role
	waiting     bool      // for its client, so that its next transaction comes with a new message
	user        string
	application string
}

// A preparedTx waits for COMMIT PREPARED.
type preparedTx struct {
	id    string // unique for ever
	name  string
	user  string
	since time.Time
}

// A session is what earlier samples showed of a process.
type session struct {
	vxid   string
	since  time.Time // lower bound of what its transaction stamps
	waited time.Time // lower bound of what its next transaction stamps
	held   bool      // the bound stays, even if the process shows a later start
}

// A memory turns samples into a horizon. Its times are lower bounds of what
// transactions stamp. The zero time, earlier than all others, means no bound.
type memory struct {
	slack       time.Duration
	last        moment    // of the last sample, or of an earlier watch
	highest     time.Time // time of the clock since it was last set back
	begun       bool      // there was a sample
	sessions    map[int]session
	prepared    map[string]time.Time
	proven      time.Time     // bound of everything that was not prepared, when last proved
	settled     time.Time     // S when the watch began, proven or assumed
	steppedBack time.Duration // by how much the clock was set back in this reading
	floor       time.Time     // after such a step: lower bound of what was stamped since the last reading
}

func newMemory(slack time.Duration) *memory { return &memory{slack: slack} }

// continueFrom starts from what an earlier watch of this server proved.
func (m *memory) continueFrom(h doc.Horizon) {
	m.proven, m.settled, m.highest = h.At, later(h.At, h.Floor), later(h.Now, h.At.Add(m.slack))
	m.last = moment{sent: h.Local, received: h.Local, clock: h.Now}
}

// add learns from a sample. A transaction that was not in the last sample began
// after it. A transaction that follows another in its process may have come
// with the same message, and now() is the time of the message. So its lower
// bound is the last time at which the process was seen waiting for a message,
// or the start of a transaction that was seen.
func (m *memory) add(s sample) {
	sessions := make(map[int]session, len(s.open))
	for _, tx := range s.open {
		known, ok := m.sessions[tx.pid]
		switch {
		case !ok && m.begun:
			known = session{vxid: tx.vxid, since: m.last.clock, waited: m.last.clock}
		case !ok:
			known = m.firstSeen(tx)
		case known.vxid != tx.vxid:
			known = session{vxid: tx.vxid, since: known.waited, waited: known.waited, held: known.held && !known.waited.After(known.since)}
		}
		switch {
		case tx.waiting:
			known.waited = s.clock
		case !known.held: // a visible start is not earlier than its message
			known.waited = later(known.waited, tx.start)
		}
		sessions[tx.pid] = known
	}
	m.sessions = sessions
	m.watchClock(s)
	m.last, m.highest, m.begun = s.moment, later(m.highest, s.clock), true
}

// firstSeen bounds a transaction that was open when the watch began. It may
// have been open at a step of the clock that only an earlier watch knew. S went
// back with that step, so S bounds the transaction even if S was assumed. A
// hidden start has only the proven bound.
func (m *memory) firstSeen(tx openTx) session {
	bound := m.settled
	if tx.start.IsZero() {
		bound = m.proven
	}
	return session{vxid: tx.vxid, since: bound, waited: bound, held: !bound.IsZero()}
}

// watchClock detects a step back of the clock. A transaction that is open at a
// step may have begun before it and stamp after it. Until the transaction has
// ended, its start is no bound, even after the clock has caught up. The slack
// covers small steps.
func (m *memory) watchClock(s sample) {
	var back time.Duration
	var floor time.Time
	if !m.last.clock.IsZero() {
		low, high := s.shownSince(m.last)
		back, floor = m.highest.Sub(high), low.Add(-m.slack)
	}
	if !m.begun && back <= m.slack/2 {
		back, floor = s.ahead, time.Time{} // the step was before the watch, at an unknown time
	}
	if back <= m.slack/2 {
		return
	}
	m.highest = s.clock
	if m.steppedBack == 0 {
		m.floor = floor
	}
	m.steppedBack += back
	m.floor = earlier(m.floor, floor)
	m.proven = earlier(m.proven, floor)
	for _, tx := range s.open {
		bound := earlier(m.bound(tx), floor)
		m.sessions[tx.pid] = session{vxid: tx.vxid, since: bound, waited: bound, held: true}
	}
}

// dropFirstSeenBounds removes the bounds derived from the sample in which a
// transaction first appeared.
func (m *memory) dropFirstSeenBounds() {
	for pid, known := range m.sessions {
		known.since, known.waited = time.Time{}, time.Time{}
		m.sessions[pid] = known
	}
}

// bound is the earliest time that a transaction of the last sample may stamp.
func (m *memory) bound(tx openTx) time.Time {
	known := m.sessions[tx.pid]
	switch {
	case tx.start.IsZero():
		return known.since
	case known.held:
		return earlier(known.since, tx.start)
	}
	return tx.start
}

// canImprove reports whether another sample may raise the horizon: a
// transaction's bound below at is not its own start, and its process's next
// transaction would have a later bound once the process was seen waiting.
func (m *memory) canImprove(s sample, at time.Time) bool {
	for _, tx := range s.open {
		if (tx.start.IsZero() || m.sessions[tx.pid].held) && m.bound(tx).Before(at) {
			return true
		}
	}
	return false
}

// addPrepared bounds the prepared transactions. A new one was open at the last
// reading or began later. The server reports the time of PREPARE, which came
// after the stamps and is no bound. The list must be read after the last
// sample, so that it has the transactions that are no longer open.
func (m *memory) addPrepared(listed []preparedTx) {
	prepared := make(map[string]time.Time, len(listed))
	for _, tx := range listed {
		bound, ok := m.prepared[tx.id]
		if !ok {
			bound = m.proven
		}
		prepared[tx.id] = bound
	}
	m.prepared = prepared
}

// prove returns a lower bound of what transactions that are not prepared can
// still commit, and the transaction of the last sample that sets the bound, if
// one does. A bound once proved stays true, so the result does not fall unless
// the clock does.
func (m *memory) prove(s sample) (at time.Time, holder *openTx) {
	low := s.clock
	for i, tx := range s.open {
		if b := m.bound(tx); b.Before(low) {
			low, holder = b, &s.open[i]
		}
	}
	if low.IsZero() {
		return low, holder
	}
	at = low.Add(-m.slack)
	if m.proven.After(at) {
		at = m.proven
	}
	if m.steppedBack > 0 {
		at = earlier(at, m.floor)
	}
	if !at.IsZero() {
		m.proven = at
	}
	return at, holder
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
