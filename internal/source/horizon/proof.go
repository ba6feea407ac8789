package horizon

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"indexerd/internal/base/doc"
)

// horizon returns what a reading proves. The memory already has the reading's
// samples.
func (m *memory) horizon(r reading) doc.Horizon {
	defer func() { m.steppedBack = 0 }() // each step is reported once
	h := doc.Horizon{Now: r.Clock, Seen: r.Seen, Local: r.Received, Asked: r.Sent, Server: r.server, Version: r.Version, ClockBack: m.steppedBack, Reason: cmp.Or(r.Reason, r.scopeReason, r.Unbounded)}
	if m.steppedBack > 0 {
		h.Floor = m.floor
	}
	h.Hidden = slices.ContainsFunc(r.Open, func(tx Tx) bool { return tx.Start.IsZero() })
	m.addPrepared(r.Prepared)
	if r.Unbounded != "" {
		m.dropFirstSeenBounds()
	}
	if h.Reason != "" {
		return h
	}
	at, holder := m.prove(r.Sample)
	if holder != nil {
		h.Pin = &doc.Pin{PID: holder.PID, User: holder.User, Application: holder.Application, Age: r.age(m.bound(*holder))}
	}
	if at.IsZero() {
		h.Reason = r.noBoundReason(holder)
	}
	for _, tx := range r.Prepared {
		bound := m.prepared[tx.ID]
		if !bound.Before(at) {
			continue
		}
		at = bound
		h.Pin = &doc.Pin{User: tx.User, Application: fmt.Sprintf("prepared transaction %q", tx.Name), Age: r.age(tx.Since)}
		if at.IsZero() {
			h.Reason = fmt.Sprintf("transaction %q was prepared before the daemon watched the database, and its start is unknown: commit it or roll it back", tx.Name)
		}
	}
	h.At, h.Exact = at, !at.IsZero()
	if h.Exact && h.Pin != nil && h.Pin.Age <= m.slack {
		h.Pin = nil // the slack alone holds the horizon back as much
	}
	return h
}

// noBoundReason returns why there is no bound: holder has none or, if holder is
// nil, the clock was set back.
func (r reading) noBoundReason(holder *Tx) string {
	if holder == nil {
		return "the server's clock was set back: wait for the next reading"
	}
	who := fmt.Sprintf("pid %d (%s)", holder.PID, holder.Application)
	if !holder.Start.IsZero() {
		return "the server's clock was set back while " + who + " had a transaction open: wait until it ends"
	}
	return who + " hides the start of its transaction, which was before the daemon watched the database: " + r.Remedy + ", or wait until it ends"
}

func (r reading) age(since time.Time) time.Duration {
	if since.IsZero() {
		return 0
	}
	return r.Clock.Sub(since)
}
