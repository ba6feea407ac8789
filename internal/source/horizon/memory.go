package horizon

import (
	"slices"
	"time"

	"indexerd/internal/base/doc"
)

// A session is what earlier samples showed of a session.
type session struct {
	id     string    // of its transaction
	since  time.Time // lower bound of what its transaction stamps
	waited time.Time // lower bound of what its next transaction stamps
	held   bool      // the bound stays, even if the session shows a later start
}

// A memory turns samples into a horizon. Its times are lower bounds of what
// transactions stamp. The zero time, earlier than all others, means no bound.
type memory struct {
	slack       time.Duration
	last        Moment    // of the last sample, or of an earlier watch
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
	m.last = Moment{Sent: h.Local, Received: h.Local, Clock: h.Now}
}

// add takes in a sample. A transaction that was not in the last sample began
// after it. A transaction that follows another in its session may have come
// with the same message, and may stamp the time of the message. So its lower
// bound is the last time at which the session was seen waiting for a message,
// or the start of a transaction that was seen.
func (m *memory) add(s Sample) {
	sessions := make(map[int]session, len(s.Open))
	for _, tx := range s.Open {
		known, ok := m.sessions[tx.PID]
		switch {
		case !ok && m.begun:
			known = session{id: tx.ID, since: m.last.Clock, waited: m.last.Clock}
		case !ok:
			known = m.firstSeen(tx)
		case known.id != tx.ID:
			known = session{id: tx.ID, since: known.waited, waited: known.waited, held: known.held && !known.waited.After(known.since)}
		}
		switch {
		case tx.Waiting:
			known.waited = s.Clock
		case !known.held: // a visible start is not earlier than its message
			known.waited = later(known.waited, tx.Start)
		}
		sessions[tx.PID] = known
	}
	m.sessions = sessions
	m.watchClock(s)
	m.last, m.highest, m.begun = s.Moment, later(m.highest, s.Clock), true
}

// firstSeen bounds a transaction that was open when the watch began. It may
// have been open at a step of the clock that only an earlier watch knew. S went
// back with that step, so S bounds the transaction even if S was assumed. A
// hidden start has only the proven bound.
func (m *memory) firstSeen(tx Tx) session {
	bound := m.settled
	if tx.Start.IsZero() {
		bound = m.proven
	}
	return session{id: tx.ID, since: bound, waited: bound, held: !bound.IsZero()}
}

// watchClock detects a step back of the clock. A transaction that is open at a
// step may have begun before it and stamp after it. Until the transaction has
// ended, its start is no bound, even after the clock has caught up. The slack
// covers small steps.
func (m *memory) watchClock(s Sample) {
	var back time.Duration
	var floor time.Time
	if !m.last.Clock.IsZero() {
		low, high := s.shownSince(m.last)
		back, floor = m.highest.Sub(high), low.Add(-m.slack)
	}
	if !m.begun && back <= m.slack/2 {
		back, floor = s.Ahead, time.Time{} // the step was before the watch, at an unknown time
	}
	if back <= m.slack/2 {
		return
	}
	m.highest = s.Clock
	if m.steppedBack == 0 {
		m.floor = floor
	}
	m.steppedBack += back
	m.floor = earlier(m.floor, floor)
	m.proven = earlier(m.proven, floor)
	for _, tx := range s.Open {
		bound := earlier(m.bound(tx), floor)
		m.sessions[tx.PID] = session{id: tx.ID, since: bound, waited: bound, held: true}
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
func (m *memory) bound(tx Tx) time.Time {
	known := m.sessions[tx.PID]
	switch {
	case tx.Start.IsZero():
		return known.since
	case known.held:
		return earlier(known.since, tx.Start)
	}
	return tx.Start
}

// canImprove reports whether another sample may raise the horizon: a
// transaction's bound below at is not its own start, and its session's next
// transaction would have a later bound once the session was seen waiting.
func (m *memory) canImprove(s Sample, at time.Time) bool {
	return slices.ContainsFunc(s.Open, func(tx Tx) bool {
		return (tx.Start.IsZero() || m.sessions[tx.PID].held) && m.bound(tx).Before(at)
	})
}

// addPrepared bounds the prepared transactions. A new one was open at the last
// reading or began later. The server reports the time of PREPARE, which came
// after the stamps and is no bound. The list must be read after the last
// sample, so that it has the transactions that are no longer open.
func (m *memory) addPrepared(listed []PreparedTx) {
	prepared := make(map[string]time.Time, len(listed))
	for _, tx := range listed {
		bound, ok := m.prepared[tx.ID]
		if !ok {
			bound = m.proven
		}
		prepared[tx.ID] = bound
	}
	m.prepared = prepared
}

// prove returns a lower bound of what transactions that are not prepared can
// still commit, and the transaction of the last sample that sets the bound, if
// one does. A bound once proved stays true, so the result does not fall unless
// the clock does.
func (m *memory) prove(s Sample) (at time.Time, holder *Tx) {
	low := s.Clock
	for i, tx := range s.Open {
		if b := m.bound(tx); b.Before(low) {
			low, holder = b, &s.Open[i]
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
