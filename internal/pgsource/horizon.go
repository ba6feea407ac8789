package pgsource

import (
	"fmt"
	"slices"
	"time"

	"indexerd/internal/doc"
)

// A serverState is what a server reports beside its transactions.
type serverState struct {
	server       string // its identity
	version      string // of all that has been committed
	standby      bool
	seenUntil    time.Time // on a standby: what was committed by then is visible; else zero
	subscription string    // one that replicates rows into this database; "": none
	seesAll      bool      // the role sees when other roles' transactions began
	canPrepare   bool      // transactions can be prepared
	tableReason  string    // why the rows of the watch's table have no exact horizon; "": they may have
	function     string    // that uses statement_timestamp(), unless every start is visible; "": none
}

// inexactReason returns why no horizon is exact here, and what to do; "": it
// may be exact.
func (f serverState) inexactReason() string {
	switch {
	case f.standby:
		return "the server is a standby, which does not show its primary's transactions: name the primary in dsn, or set horizon: timeout"
	case f.subscription != "":
		return fmt.Sprintf("subscription %q replicates rows whose updateTimes another server set: set horizon: timeout", f.subscription)
	case f.tableReason != "":
		return f.tableReason
	case f.function != "":
		return fmt.Sprintf("%s uses statement_timestamp(), and when a statement began can't be seen: %s", f.function, f.remedy())
	}
	return ""
}

// remedy is what makes hidden transactions visible.
func (f serverState) remedy() string {
	if f.seesAll {
		return "turn track_activities on in every session"
	}
	return "GRANT pg_read_all_stats to the daemon's role"
}

// A reading is what was read for one horizon: its samples, of which the last is
// embedded, and the transactions that were prepared after it.
type reading struct {
	serverState
	sample
	samples  []sample
	prepared []preparedTx
}

// horizon returns what a reading proves. The memory already has the reading's
// samples.
func (m *memory) horizon(r reading) doc.Horizon {
	defer func() { m.steppedBack = 0 }() // each step is reported once
	h := doc.Horizon{Now: r.clock, Seen: r.seenUntil, Local: r.received, Server: r.server, Version: r.version, ClockBack: m.steppedBack, Reason: r.inexactReason()}
	if m.steppedBack > 0 {
		h.Floor = m.floor
	}
	h.Hidden = slices.ContainsFunc(r.open, func(tx openTx) bool { return tx.start.IsZero() })
	m.addPrepared(r.prepared)
	if r.function != "" {
		m.dropFirstSeenBounds()
	}
	if h.Reason != "" {
		return h
	}
	at, holder := m.prove(r.sample)
	if holder != nil {
		h.Pin = &doc.Pin{PID: holder.pid, User: holder.user, Application: holder.application, Age: r.age(m.bound(*holder))}
	}
	if at.IsZero() {
		h.Reason = r.noBoundReason(holder)
	}
	for _, tx := range r.prepared {
		bound := m.prepared[tx.id]
		if !bound.Before(at) {
			continue
		}
		at = bound
		h.Pin = &doc.Pin{User: tx.user, Application: fmt.Sprintf("prepared transaction %q", tx.name), Age: r.age(tx.since)}
		if at.IsZero() {
			h.Reason = fmt.Sprintf("transaction %q was prepared before the daemon watched the database, and its start is unknown: commit it or roll it back", tx.name)
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
func (r reading) noBoundReason(holder *openTx) string {
	if holder == nil {
		return "the server's clock was set back: wait for the next reading"
	}
	who := fmt.Sprintf("pid %d (%s)", holder.pid, holder.application)
	if !holder.start.IsZero() {
		return "the server's clock was set back while " + who + " had a transaction open: wait until it ends"
	}
	return who + " hides the start of its transaction, which was before the daemon watched the database: " + r.remedy() + ", or wait until it ends"
}

func (r reading) age(since time.Time) time.Duration {
	if since.IsZero() {
		return 0
	}
	return r.clock.Sub(since)
}
