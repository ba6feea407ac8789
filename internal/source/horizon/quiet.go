package horizon

import (
	"context"
	"time"
)

// A Prober finds tables without recent rows, by few statements for many tables.
type Prober interface {
	// Quiet reports for each table that no row, own or a child's, has an updateTime
	// at or after a time.
	Quiet(context.Context, []Since) ([]bool, error)
}

// A Since is what a watch asks of its table.
type Since struct {
	Table any // Options.Table
	From  time.Time
}

const (
	probedAtOnce = 50 // tables by one call of a prober
	probeWithin  = 2 * time.Second
	probedAlone  = 4                // doubtful tables in a reading, each by itself
	restAfter    = 30 * time.Second // of a table that failed alone
	idleReadings = 30               // after which a watch that used none is not asked for
)

// A probe asks, right after each reading, which tables are quiet. A call that fails
// makes its tables doubtful: later readings ask for each alone, so that one that is
// locked or broken does not keep the others from being found quiet.
type probe struct {
	prober   Prober
	used     map[*Watch]uint64 // the reading that a watch used last
	doubtful map[*Watch]time.Time
	version  string // of the last reading
	quiet    map[*Watch]time.Time
}

func newProbe(p Prober) *probe {
	return &probe{prober: p, used: map[*Watch]uint64{}, doubtful: map[*Watch]time.Time{}}
}

// use notes that a watch uses a reading.
func (p *probe) use(w *Watch, number uint64) {
	if p.prober != nil && w.since != nil {
		p.used[w] = number
	}
}

// run returns since when no row of a watch's table was changed, in a snapshot that
// is taken now. A steady table that was quiet, after a reading of the same version,
// is quiet now: nothing was committed between that reading and this one.
func (p *probe) run(ctx context.Context, number uint64, now State) map[*Watch]time.Time {
	last, quiet := p.quiet, map[*Watch]time.Time{}
	if now.Version == "" || now.Version != p.version {
		last = nil
	}
	p.quiet, p.version = quiet, now.Version
	var together []*Watch
	alone := 0
	for w, used := range p.used {
		retry, doubtful := p.doubtful[w]
		since, was := last[w]
		switch {
		case number-used > idleReadings:
			delete(p.used, w)
			delete(p.doubtful, w)
		case was && w.scope.isSteady(now):
			quiet[w] = since
		case !doubtful:
			together = append(together, w)
		case alone < probedAlone && time.Now().After(retry):
			alone++
			p.ask(ctx, []*Watch{w}, quiet)
		}
	}
	for len(together) > 0 {
		n := min(probedAtOnce, len(together))
		p.ask(ctx, together[:n], quiet)
		together = together[n:]
	}
	return quiet
}

// ask adds the quiet tables of some watches.
func (p *probe) ask(ctx context.Context, watches []*Watch, quiet map[*Watch]time.Time) {
	var asked []*Watch
	var all []Since
	for _, w := range watches {
		if from := w.since(); !from.IsZero() {
			asked, all = append(asked, w), append(all, Since{w.table, from})
		}
	}
	if all == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, probeWithin)
	defer cancel()
	answers, err := p.prober.Quiet(ctx, all)
	for i, w := range asked {
		switch {
		case err == nil:
			delete(p.doubtful, w)
			if answers[i] {
				quiet[w] = all[i].From
			}
		case len(asked) > 1:
			p.doubtful[w] = time.Time{}
		default:
			p.doubtful[w] = time.Now().Add(restAfter)
		}
	}
}
