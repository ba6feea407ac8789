// Package tierplan computes the cost of compensation tiers over a span of time:
// visits to the database, rows read, stamps compared and kept in memory, and the
// worst delay until a row is found.
//
// A tier with period P, timeout TO and end E (0 for latest, TO for settled) reads
// at each visit the window from TO before the last incremental mark at its previous
// visit, to E before the mark at this visit:
//
//	visits       span / P
//	read         span / P * (P + TO - E), in minutes of the table's changes
//	compared     as read: each stamp is compared with one that is kept
//	memory       TO + one incremental period for each tier, if each has a tree;
//	             the largest of them in the tree that all tiers share
//	worst delay  P; if E > 0, P + (E - the next shorter timeout, if E is longer)
//	             + one incremental period
//
// The worst delay counts from the commit, for the rows that commit within the
// tier's timeout and not within a shorter one. With an end before the mark, such a
// row also waits for a mark that is E after its updateTime. The delay is an upper
// bound: with an end, the actual one may be an incremental period less.
//
// Sums are exact fractions, so that three thirds of a visit are one visit.
package tierplan

import (
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"
	"text/tabwriter"
	"time"

	"indexerd/internal/base/doc"
)

// A Tier is one compensation schedule. Its windows end End before the last
// incremental mark: 0 for latest, Timeout for settled.
type Tier struct {
	Every   time.Duration
	Timeout time.Duration
	End     time.Duration
}

// A Plan is the cost of tiers over a span. Times are in minutes.
type Plan struct {
	Span         float64 `json:"span_min"`
	Tiers        []Cost  `json:"tiers"`
	Visits       int64   `json:"visits"`
	Read         float64 `json:"read_min"`
	Compared     float64 `json:"compared_min"`
	Memory       float64 `json:"memory_min"`
	MemoryShared float64 `json:"memory_shared_min"`
}

// A Cost is the cost of one tier.
type Cost struct {
	Every    float64 `json:"every_min"`
	Timeout  float64 `json:"timeout_min"`
	End      string  `json:"end"`
	Visits   int64   `json:"visits"`
	Read     float64 `json:"read_min"`
	DelayMax float64 `json:"delay_max_min"`
}

// Compute returns the cost of tiers over a span, with the given incremental period.
func Compute(tiers []Tier, span, incremental time.Duration) Plan {
	plan := Plan{Span: minutes(span), Tiers: []Cost{}}
	visits, read, memory := new(big.Rat), new(big.Rat), new(big.Rat)
	var largest time.Duration
	for _, t := range tiers {
		v := big.NewRat(int64(span), int64(t.Every))
		r := new(big.Rat).Mul(v, big.NewRat(int64(t.Every+t.Timeout-t.End), 1))
		visits.Add(visits, v)
		read.Add(read, r)
		memory.Add(memory, big.NewRat(int64(t.Timeout+incremental), 1))
		largest = max(largest, t.Timeout+incremental)
		plan.Tiers = append(plan.Tiers, Cost{
			Every:    minutes(t.Every),
			Timeout:  minutes(t.Timeout),
			End:      t.end(),
			Visits:   floor(v),
			Read:     ratMinutes(r),
			DelayMax: minutes(t.delay(tiers, incremental)),
		})
	}
	plan.Visits = floor(visits)
	plan.Read = ratMinutes(read)
	plan.Compared = plan.Read
	plan.Memory = ratMinutes(memory)
	plan.MemoryShared = minutes(largest)
	return plan
}

// delay returns the worst delay of the rows that commit within the tier's timeout
// and not within a shorter one.
func (t Tier) delay(tiers []Tier, incremental time.Duration) time.Duration {
	if t.End == 0 {
		return t.Every
	}
	var shorter time.Duration
	for _, other := range tiers {
		if other.Timeout < t.Timeout {
			shorter = max(shorter, other.Timeout)
		}
	}
	return t.Every + max(0, t.End-shorter) + incremental
}

// end returns the end as users write it.
func (t Tier) end() string {
	switch t.End {
	case 0:
		return latest
	case t.Timeout:
		return settled
	}
	return doc.ShortDuration(t.End)
}

func floor(r *big.Rat) int64 { return new(big.Int).Quo(r.Num(), r.Denom()).Int64() }

func minutes(d time.Duration) float64 { return ratMinutes(big.NewRat(int64(d), 1)) }

// ratMinutes returns nanoseconds in minutes, with six decimals.
func ratMinutes(nanoseconds *big.Rat) float64 {
	f, _ := new(big.Rat).Quo(nanoseconds, big.NewRat(int64(time.Minute), 1)).Float64()
	return math.Round(f*1e6) / 1e6
}

// Write prints a plan as a table.
func Write(w io.Writer, p Plan) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "every\ttimeout\tend\tvisits\tread\tcompared\tworst delay\t\n")
	worst := 0.0
	for _, c := range p.Tiers {
		worst = max(worst, c.DelayMax)
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%s\t%s\t%s\t\n", show(c.Every), show(c.Timeout), c.End, c.Visits, show(c.Read), show(c.Read), show(c.DelayMax))
	}
	fmt.Fprintf(t, "in %s\t\t\t%d\t%s\t%s\t%s\t\n", show(p.Span), p.Visits, show(p.Read), show(p.Compared), show(worst))
	if err := t.Flush(); err != nil {
		return fmt.Errorf("print the plan: %w", err)
	}
	_, err := fmt.Fprintf(w, `
Stamps in memory: of %s in the tree that all tiers share; of %s if each had its own.
Worst delay: from its commit until a row is found that commits within this timeout
and not within a shorter one. Rows that commit later than every timeout wait for
the sweep.
`, show(p.MemoryShared), show(p.Memory))
	if err != nil {
		return fmt.Errorf("print the plan: %w", err)
	}
	return nil
}

// show formats minutes with at most two decimals.
func show(minutes float64) string {
	return strconv.FormatFloat(math.Round(minutes*100)/100, 'f', -1, 64) + " min"
}
