package simtest

import (
	"context"
	"fmt"
	"sort"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/changes"
)

// A hint is a kind of hints of changes.
type hint int

const (
	noHint   hint = iota // the database shows nothing
	exact                // the version moves with every commit
	late                 // so it does, and the counters come up to countersLate after it
	backward             // the version goes back at times, and is not exact
	lying                // neither moves ever, and the version is not exact
	hints                // number of kinds
)

const countersLate = 11 * time.Second

// Hints implements passes.Source. Horizon and tiers move the S of a table with
// updateTimes.
func (s serial) Hints() changes.Hints {
	if s.hint == noHint || !s.timeless {
		return nil
	}
	return s.process
}

// watched reports whether a table with updateTimes is compared between its sweeps.
func (c *conditions) watched() bool { return c.hint != noHint && !c.timeless }

// RecentHints implements passes.Source.
func (s serial) RecentHints() changes.Hints {
	if !s.watched() {
		return nil
	}
	return s.process
}

// Maintained implements passes.Source.
func (s serial) Maintained(context.Context) (bool, error) { return s.maintained, nil }

// Hint implements changes.Hints.
func (p *process) Hint(context.Context) (doc.Hint, error) {
	p.catchUp()
	at := p.Table.Clock()
	if err := p.stepQuery("hint"); err != nil {
		return doc.Hint{}, err
	}
	commits := len(p.db.commits)
	version := func(n int) string { return fmt.Sprintf("%s %d", p.db.serverName(), n) }
	h := doc.Hint{At: at, Version: version(commits), Exact: true, Counters: version(commits), Counted: true}
	counted := commits
	switch p.hint {
	case late:
		then := p.now - p.db.upTo(countersLate)
		counted = sort.Search(commits, func(i int) bool { return p.db.commits[i] > then })
		h.Counters = version(counted)
		h.Counted = commits == 0 || p.now-p.db.commits[commits-1] > countersLate
	case backward:
		h.Version, h.Exact = version(max(commits-p.dice.IntN(4), 0)), false
		h.Counters = h.Version
	case lying:
		h.Version, h.Counters, h.Exact = "the same", "the same", false
	}
	if p.plain {
		h.Plain, h.Changes = p.db.serverName(), p.db.changed(counted)
	}
	return h, nil
}
