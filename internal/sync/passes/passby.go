package passes

import (
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/changes"
	"indexerd/timetrace"
)

// Most tables of many do nothing most of the time, and a pass that finds that out costs a
// thousand times what there is to do. So a job is passed by where a reading of the
// database, which another one took for all tables, shows that nothing was committed:
// marks move in memory as the pass would move them, and nothing waits. The rules are
// those of the passes: each has a PassBy that shares its tests with Run. Whatever is in
// doubt is left to Run: a table that is unverified, a mark that has to become durable, a
// clock or a server that changed, a reading that is too old, a pass that runs.

// passIncremental passes a window by. The caller holds the table's lane.
func (p *Passes) passIncremental() (doc.Report, bool) {
	if p.horizon == nil || p.LastHorizon().Quiet.IsZero() || p.marks().Unverified != "" {
		return doc.Report{}, false
	}
	h, ok := p.horizon.ready()
	if !ok || !h.Exact || p.note(h) != nil {
		return doc.Report{}, false
	}
	return p.Incremental.PassBy(doc.Moment{Now: h.Now, Seen: h.Now, Asked: h.Asked, Local: h.Local}, h.Quiet)
}

// passExact moves S without comparing. The caller holds the table's lane.
func (p *Passes) passExact() (doc.Report, bool) {
	if entries, _, _ := p.Tree.Stats(); entries > 0 || p.resting() || p.marks().Unverified != "" {
		return doc.Report{}, false
	}
	h, ok := p.horizon.ready()
	if !ok || h.Hidden {
		return doc.Report{}, false
	}
	began, before := time.Now(), p.marks().Settled
	report, ok := p.exact.PassBy(h)
	if !ok || p.note(h) != nil {
		return doc.Report{}, false
	}
	if p.marks().Settled.After(before) {
		p.moved = began
	}
	return report, true
}

// known returns a hint that was read for all tables.
func known(hints changes.Hints) (h doc.Hint, ok bool) {
	if k, can := hints.(interface{ Known() (doc.Hint, bool) }); can {
		h, ok = k.Known()
	}
	return h, ok && h.Version != ""
}

// KnownHint returns a hint that was read for all tables. It does not wait.
func (p *Passes) KnownHint() (doc.Hint, bool) { return known(p.Source.RecentHints()) }

// passComparer moves S if nothing was committed since the last comparison.
func (p *Passes) passComparer() (doc.Report, bool) { return doc.Report{}, p.comparer.passBy() }

func (c *comparer) passBy() bool {
	select {
	case c.slot <- struct{}{}:
	default:
		return false
	}
	defer func() { <-c.slot }()
	looked, clock := c.lastLook()
	marks := c.marks()
	if looked.IsZero() || marks.Unverified != "" || c.turn.since() >= compareAnyway {
		return false
	}
	h, ok := known(c.recent)
	back := h.At.Before(marks.Settled) || h.At.Before(clock)
	if !ok || h.Reason != "" || !c.unmoved(h) || back {
		return false
	}
	if !c.Trace.TryNote(c.Table.Name, func(m *timetrace.Table) { m.Settle(h.At, "compared") }) {
		return false
	}
	c.note(h, c.memory.Look(h))
	return !c.turn.Comes(changes.Unchanged)
}

// passSilent leaves a look out if nothing is to be compared.
func (p *Passes) passSilent() (doc.Report, bool) { return doc.Report{}, p.silent.passBy() }

func (s *silent) passBy() bool {
	if !s.using.TryLock() {
		return false
	}
	defer s.using.Unlock()
	if s.marks().Unverified != "" {
		return false
	}
	h, ok := known(s.hints)
	if !ok || s.memory.Look(h) != changes.Unchanged {
		return false
	}
	found, counted := s.explained(h)
	if s.judge(h, changes.Unchanged, Total{}, found, counted) != changes.Unchanged {
		return false
	}
	return !s.comes(h, changes.Unchanged, Total{})
}
