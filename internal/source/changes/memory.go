package changes

import "indexerd/internal/base/doc"

// A Due is whether a table has to be compared again.
type Due int

const (
	Unchanged Due = iota // nothing changed since the last comparison
	Unproven             // something was committed, and the counters, which prove nothing, did not move
	Unknown              // something was committed, and the counters are not due
	Changed              // the counters moved, or no hint shows that they did not
)

// A Memory finds from the hints of a table whether it has to be compared. It is
// lost with the process: the first hint is a change.
//
// Counters that did not move prove that nothing changed only if they were read when
// they were due, and are not weak. Until then Due is Unknown. A move is remembered until a comparison
// ends, also if the hint goes back.
type Memory struct {
	Removals bool // only changes that may remove rows count

	last  doc.Hint
	known bool // there is a last hint
	due   Due
}

// Look takes a hint that was just read.
func (m *Memory) Look(h doc.Hint) Due {
	switch {
	case !m.known || h.Version == "" || m.part(h) != m.part(m.last):
		m.due = Changed
	case h.Version != m.last.Version:
		m.due = max(m.due, Unknown)
	}
	switch {
	case m.due != Unknown || !h.Counted:
	case h.Weak:
		m.due = Unproven
	default:
		m.due = Unchanged
	}
	m.last, m.known = h, true
	return m.due
}

// Compared reports that a comparison has ended that began after the last Look.
func (m *Memory) Compared() { m.due = Unchanged }

func (m *Memory) part(h doc.Hint) string {
	if m.Removals {
		return h.Removals
	}
	return h.Counters
}
