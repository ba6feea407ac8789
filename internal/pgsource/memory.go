package pgsource

import (
	"time"

	"indexerd/internal/doc"
)

// A moment is one reading of the database's clock. This machine's clock was
// read before and after.
type moment struct {
	sent, received time.Time
	clock          time.Time
}

// shownSince says what the clock showed just after an earlier moment, if that
// is when it was set back: at least low, at most high.
func (m moment) shownSince(last moment) (low, high time.Time) {
	return m.clock.Add(-m.received.Sub(last.sent)), m.clock.Add(-m.sent.Sub(last.received))
}

// A sample is one look at the transactions that are open. Its clock was read
// first: what the look missed began later.
type sample struct {
	moment
	ahead time.Duration // how far in the future a transaction began, by the same clock
	open  []openTx

	hidesState bool // some session keeps to itself when its transaction began, whoever asks
}

// An openTx is a session with an open transaction, or between two transactions
// of one message.
type openTx struct {
	pid         int
	vxid        string    // "" between two
	start       time.Time // it stamps nothing earlier; zero: hidden from this role
	waiting     bool      // for its client, so its next transaction comes with a new message
	user        string
	application string
}

// A preparedTx waits for nothing but COMMIT PREPARED.
type preparedTx struct {
	id    string // never used twice
	name  string
	user  string
	since time.Time
}

// A session is what earlier samples say of a process.
type session struct {
	vxid   string
	since  time.Time // its transaction stamps nothing earlier
	waited time.Time // and neither does its next one
	held   bool      // also if it shows a later start
}

// A memory turns samples into a horizon. Its times are lower bounds of what
// transactions stamp; the zero time, earlier than all others, says that there
// is none.
type memory struct {
	slack       time.Duration
	last        moment    // of the last sample, or of an earlier watch
	highest     time.Time // that the clock has shown since it was last set back
	begun       bool      // there was a sample
	sessions    map[int]session
	prepared    map[string]time.Time
	proven      time.Time     // bounds what was not prepared when it was last proved
	settled     time.Time     // S when the watch began, proven or assumed
	steppedBack time.Duration // steps of the clock in this reading
	floor       time.Time     // after them: bounds what was stamped since the last reading
}

func newMemory(slack time.Duration) *memory { return &memory{slack: slack} }

// continueFrom takes over what an earlier watch of this server proved.
func (m *memory) continueFrom(h doc.Horizon) {
	m.proven, m.settled, m.highest = h.At, later(h.At, h.Floor), later(h.Now, h.At.Add(m.slack))
	m.last = moment{sent: h.Local, received: h.Local, clock: h.Now}
}

// add learns from a sample. A transaction that the last sample did not have
// began after it. One that follows another in its process may have come with
// the same message, and now() is when the message came: so it stamps nothing
// earlier than when the process was last seen to wait for one, or than one that
// is seen.
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
		case !known.held: // a beginning that is seen is no earlier than its message
			known.waited = later(known.waited, tx.start)
		}
		sessions[tx.pid] = known
	}
	m.sessions = sessions
	m.watchClock(s)
	m.last, m.highest, m.begun = s.moment, later(m.highest, s.clock), true
}

// found is what bounds a transaction that was open when the watch began. It may
// have seen a step of the clock that only an earlier watch knew of. S went back
// with that step, so it bounds what the beginning does not, also where it was
// assumed. A beginning that is hidden has no bound but a proven one.
func (m *memory) firstSeen(tx openTx) session {
	bound := m.settled
	if tx.start.IsZero() {
		bound = m.proven
	}
	return session{vxid: tx.vxid, since: bound, waited: bound, held: !bound.IsZero()}
}

// watchClock looks for a step back. A transaction that is open at one may have
// begun before it and stamp after it: until it has ended its start bounds
// nothing, even when the clock has caught up. The slack covers small steps.
func (m *memory) watchClock(s sample) {
	var back time.Duration
	var floor time.Time
	if !m.last.clock.IsZero() {
		low, high := s.shownSince(m.last)
		back, floor = m.highest.Sub(high), low.Add(-m.slack)
	}
	if !m.begun && back <= m.slack/2 {
		back, floor = s.ahead, time.Time{} // it was before the watch, who knows when
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

// distrust gives up the bounds that rest on when a transaction was first seen.
func (m *memory) dropFirstSeenBounds() {
	for pid, known := range m.sessions {
		known.since, known.waited = time.Time{}, time.Time{}
		m.sessions[pid] = known
	}
}

// bound is the earliest that a transaction of the last sample may stamp.
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

// vague reports whether another sample may raise the horizon: what bounds a
// transaction below the given time is not its own beginning, and would not
// bound the next one of its process once that was seen to wait.
func (m *memory) canImprove(s sample, at time.Time) bool {
	for _, tx := range s.open {
		if (tx.start.IsZero() || m.sessions[tx.pid].held) && m.bound(tx).Before(at) {
			return true
		}
	}
	return false
}

// pin bounds the prepared transactions. One that is seen for the first time
// was open at the last reading, or began later. Its PREPARE, which the server
// tells, came after its stamps and bounds nothing. They are to be listed after
// the last sample: a transaction that was not open any more is listed then.
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

// prove bounds whatever can still be committed that is not prepared, and
// names the transaction of the last sample that sets the bound, if one does.
// What has once been proved of all that may come stays true, so the bound does
// not fall unless the clock does.
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
