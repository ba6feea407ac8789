package passes

import (
	"context"
	"errors"
	"sync"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/changes"
)

// A table with updateTimes is compared too, for what no window shows: an UPDATE that
// leaves updateTime alone, a row without one, a joined table that changed. Each look
// reads a hint:
//
//	unchanged  nothing is compared
//	explained  all changes that the database counts show in documents that were written
//	           or removed since, and the counters are complete: nothing is compared for
//	           ten minutes, after which the table is compared if anything was committed
//	partly     windows found at least half of them, so that the others may be theirs
//	           too, or all, and counters may be missing: the table is compared less often
//	otherwise  the table is compared as soon as its share of the time allows
//
// Traffic that moves updateTimes is found sooner than it is counted: a session that is
// busy reports its counters once a second, one that idles after a commit 10 s later.
// Meanwhile a silent change can't be told apart, so a table with traffic is compared as
// one that counts nothing. A table that is compared rarely waits for the counters first.
//
// A comparison moves no mark: S is that of the other passes, and what it finds was
// promised by none of them, but for rows that the next window reads anyway.
const (
	// unknownAgain is how long a table is left alone that was compared because something
	// was committed, and had not changed: by then counters show it.
	unknownAgain = 10 * time.Second
	// countersCome is how long after a commit a look has counters that are complete, if
	// nothing else was committed.
	countersCome = 13 * time.Second
	// patience is how long the next window may take to explain a change.
	patience = 5 * time.Second
)

// ErrNotNow is the error of a Compare that is not made now: in quiet hours, and while
// a sweep compares the table.
var ErrNotNow = errors.New("the table is not compared now")

// A silent follows what no window of a table shows.
type silent struct {
	*Passes
	hints  changes.Hints
	memory changes.Memory
	turn   Turn
	using  sync.Mutex // held by a look; guards all but what mu does

	base    doc.Hint  // before the last comparison
	removed int64     // documents that were removed when it ended
	held    bool      // the guard held removals then
	vain    bool      // it was made because something was committed, and found nothing
	doubted time.Time // since when something is not explained; zero: everything is
	doubt   time.Time // the same by the database's clock
	known   bool      // whether the database maintains updateTime
	rarely  bool      // it does

	mu    sync.Mutex
	shown Comparison
}

// A Comparison is when a table is compared between two sweeps.
type Comparison struct {
	Takes time.Duration // of the database's time; 0: none was made
	Every time.Duration // the interval while something changes

	due bool
	at  time.Time // everything that was committed before is compared
}

func newSilent(p *Passes) *silent {
	hints := p.Source.RecentHints()
	if hints == nil || p.Table.RowKey {
		return nil
	}
	return &silent{Passes: p, hints: hints, turn: Turn{Share: p.Share, Name: p.Table.Name}}
}

// Loaded notes a hint from before the first row of a load that has ended, and from whose
// time on the sink counts what it explains. A table that did not change since is not
// compared.
func (p *Passes) Loaded(h doc.Hint) {
	s := p.silent
	if s == nil {
		return
	}
	s.memory.Look(h)
	s.memory.Compared()
	s.base = h
	s.turn.Began(time.Now())
}

// run looks for changes that no window shows, and compares if there may be some and
// the time allows it.
func (s *silent) run(ctx context.Context) (doc.Report, error) {
	s.using.Lock()
	defer s.using.Unlock()
	if s.marks().Unverified != "" {
		return doc.Report{}, nil // a sweep is due
	}
	h, err := s.hints.Hint(ctx)
	if err := s.Fail("compare", err); err != nil || h.Version == "" {
		return doc.Report{}, err
	}
	due := s.memory.Look(h)
	if due != changes.Unchanged && !s.known {
		s.rarely, err = s.Source.Maintained(ctx)
		if err := s.Fail("compare", err); err != nil {
			return doc.Report{}, err
		}
		s.known = true
	}
	var total Total
	if due == changes.Unknown {
		total, err = s.Total(ctx)
		if err := s.Fail("compare", err); err != nil {
			return doc.Report{}, err
		}
	}
	if !s.comes(h, due, total) {
		return doc.Report{}, nil
	}
	return s.compare(ctx, h, due)
}

// comes reports whether the table is to be compared now. A change that windows may find
// yet waits for the next window.
func (s *silent) comes(h doc.Hint, due changes.Due, total Total) bool {
	found, counted := s.explained(h)
	due = s.judge(h, due, total, found, counted)
	least, wait := s.interval(found, counted)
	passed := s.windowPassed(h, due) && time.Since(s.doubted) >= wait
	comes := s.turn.ComesAfter(due, least) && passed
	s.show(due)
	return comes
}

// judge finds whether something may have changed that windows did not find.
func (s *silent) judge(h doc.Hint, due changes.Due, total Total, found, counted int64) changes.Due {
	since := s.turn.since()
	switch {
	case since >= compareAnyway && h.Version != s.base.Version:
		return changes.Changed // counters may miss a change
	case due == changes.Unproven: // in ten minutes
		return changes.Unchanged
	case due == changes.Unknown && total.Known:
		return s.turn.resolve(due, total)
	case due == changes.Unknown && found > 0:
		return changes.Changed // windows found it, and perhaps not all of it
	case due == changes.Unknown && s.vain && since < unknownAgain:
		return changes.Unchanged
	case due == changes.Changed && h.Counted && found >= counted:
		return changes.Unchanged
	}
	return due
}

// interval returns the interval of comparisons, and how long a change waits that the
// windows may explain.
func (s *silent) interval(found, counted int64) (least, wait time.Duration) {
	switch {
	case s.rarely:
		least = changes.EveryMaintained(s.turn.cost.Median())
	case found > 0 && 2*found >= counted:
		least = changes.EveryBeside(s.Documents())
	}
	if found >= counted && least >= unknownAgain {
		wait = countersCome
	}
	return least, wait
}

// windowPassed reports whether a window ended after the hint that first showed something
// that is not explained, or long should have.
func (s *silent) windowPassed(h doc.Hint, due changes.Due) bool {
	switch {
	case due == changes.Unchanged:
		s.doubted = time.Time{}
		return false
	case s.doubted.IsZero():
		s.doubted, s.doubt = time.Now(), h.At
	}
	return s.marks().Incremental.After(s.doubt) || time.Since(s.doubted) > patience
}

// explained returns how many changes are found in what was written and removed since
// the last comparison, and how many the database counts. Where it does not count those
// of a document, there is one more than was found, and at least two.
func (s *silent) explained(h doc.Hint) (found, counted int64) {
	found, removed := s.Sink.Explained.Counts()
	if !s.held {
		found += removed - s.removed
	}
	if h.Plain == "" || h.Plain != s.base.Plain {
		return found, max(found+1, 2)
	}
	return found, h.Changes - s.base.Changes
}

// compare compares the whole table. What is written from now on explains what the
// database counts after the hint, if it is of a later time.
func (s *silent) compare(ctx context.Context, h doc.Hint, due changes.Due) (doc.Report, error) {
	began := time.Now()
	s.Sink.Explained.From(h.At)
	report, cost, err := s.Compare(ctx)
	if errors.Is(err, ErrNotNow) {
		return doc.Report{}, nil
	}
	s.turn.Began(began)
	if err != nil {
		return report, err
	}
	s.turn.Took(cost)
	s.memory.Compared()
	s.doubted = time.Time{}
	s.base, s.held = h, report.Held > 0
	_, s.removed = s.Sink.Explained.Counts()
	s.vain = due == changes.Unknown && report.Read+report.Deleted == 0
	s.show(changes.Unchanged)
	return report, nil
}

// show keeps when the table is compared, for others.
func (s *silent) show(due changes.Due) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown = Comparison{Takes: s.turn.cost.Median(), Every: s.turn.every, due: due != changes.Unchanged, at: s.base.At}
}

// Comparison returns what comparisons between two sweeps take.
func (p *Passes) Comparison() Comparison {
	if p.silent == nil {
		return Comparison{}
	}
	p.silent.mu.Lock()
	defer p.silent.mu.Unlock()
	return p.silent.shown
}

// Covers reports whether a comparison has removed the documents whose rows were gone at a
// hint.
func (c Comparison) Covers(h doc.Hint) bool { return !c.at.IsZero() && !h.At.After(c.at) }

// Comes reports whether a comparison is due, and made within a time.
func (c Comparison) Comes(within time.Duration) bool { return c.due && c.Every <= within }

func (p *Passes) lookForSilent(ctx context.Context) (doc.Report, error) { return p.silent.run(ctx) }
