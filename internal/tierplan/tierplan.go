// Package tierplan computes what a plan of compensation tiers costs over a
// span of time: visits to the database, rows read, stamps compared and held in
// memory, and how late a row is found at worst.
//
// A tier with period P, timeout TO and end E (0 is latest, TO is settled) reads
// at each visit the window from the last incremental mark at its previous
// visit less TO to the mark at this one less E:
//
//	visits       span / P
//	read         span / P * (P + TO - E), in minutes of the table's changes
//	compared     as read: each stamp read is held against one that is kept
//	memory       TO + one incremental period for each tier that had a tree of
//	             its own; in the one tree that all share, the largest of them
//	worst delay  P; where E > 0, P + (E - the next shorter timeout, if E is
//	             longer) + one incremental period
//
// The worst delay counts from the commit, for the rows that the tier is there
// for: those that commit within its timeout and not within a shorter one. With
// an end before the mark, such a row also waits for a mark that is E beyond its
// updateTime. No row waits longer; with an end, perhaps none waits that last
// incremental period.
//
// Cost: none worth stating. Sums are exact fractions, so that three thirds of
// a visit are a visit.
package tierplan

import (
	"math"
	"math/big"
	"time"
)

// A Tier is one compensation schedule. Its windows end End before the last
// incremental mark: 0 is latest, Timeout is settled.
type Tier struct {
	Every   time.Duration
	Timeout time.Duration
	End     time.Duration
}

// A Plan is what tiers cost over a span. Times are in minutes.
type Plan struct {
	Span         float64 `json:"span_min"`
	Tiers        []Cost  `json:"tiers"`
	Visits       int64   `json:"visits"`
	Read         float64 `json:"read_min"`
	Compared     float64 `json:"compared_min"`
	Memory       float64 `json:"memory_min"`
	MemoryShared float64 `json:"memory_shared_min"`
}

// A Cost is the part of one tier.
type Cost struct {
	Every    float64 `json:"every_min"`
	Timeout  float64 `json:"timeout_min"`
	End      string  `json:"end"`
	Visits   int64   `json:"visits"`
	Read     float64 `json:"read_min"`
	DelayMax float64 `json:"delay_max_min"`
}

// Compute returns the costs of tiers as Parse returns them, over a span, with
// an incremental pass every so often.
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

// delay is how long after its commit a row is found at worst that commits
// within the tier's timeout and not within a shorter one.
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

// end is the end as users write it.
func (t Tier) end() string {
	switch t.End {
	case 0:
		return latest
	case t.Timeout:
		return settled
	}
	return short(t.End)
}

func floor(r *big.Rat) int64 { return new(big.Int).Quo(r.Num(), r.Denom()).Int64() }

func minutes(d time.Duration) float64 { return ratMinutes(big.NewRat(int64(d), 1)) }

// ratMinutes turns nanoseconds into minutes, to the sixth decimal.
func ratMinutes(nanoseconds *big.Rat) float64 {
	f, _ := new(big.Rat).Quo(nanoseconds, big.NewRat(int64(time.Minute), 1)).Float64()
	return math.Round(f*1e6) / 1e6
}
