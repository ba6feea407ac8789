package hits

import (
	"cmp"
	"math/bits"
	"sync"
	"sync/atomic"

	"indexerd/internal/base/giveway"
	"indexerd/internal/index/fulltext/plan"
)

// A search finds, scores and sorts many documents with as many goroutines as there are idle
// processors: among as many searches as processors, each has one goroutine. The result is the
// same: a part has the same matches and scores in any goroutine, and the order of matches is
// total, so the first of all are the first of those of each goroutine.

// Processors are those that searches and their goroutines may use.
type Processors struct {
	n    int64
	used atomic.Int64 // searches and their other goroutines
}

// NewProcessors returns n processors, none of which is in use.
func NewProcessors(n int) *Processors { return &Processors{n: int64(n)} }

// use takes a processor for a search, also if none is idle.
func (p *Processors) use() (release func()) {
	p.used.Add(1)
	return func() { p.used.Add(-1) }
}

// A stretch is some words of the set of matches of one part.
type stretch struct {
	*found
	from, to int
}

// addAll keeps the first of all matches.
func (c *collector) addAll(s *plan.Session, all []*found) error {
	work, matches := stretches(all, c.limits.Stretch), 0
	for _, f := range all {
		matches += f.Count
	}
	most := len(work)
	if c.collapse != nil || matches <= c.limits.Alone {
		most = 1
	}
	others, release := c.limits.Processors.take(most)
	defer release()
	return c.addBy(s, work, others)
}

// take takes idle processors for the other goroutines of a search, which are fewer than most.
func (p *Processors) take(most int) (others int, release func()) {
	for others+1 < most {
		used := p.used.Load()
		if used >= p.n {
			break
		}
		if p.used.CompareAndSwap(used, used+1) {
			others++
		}
	}
	return others, func() { p.used.Add(-int64(others)) }
}

// stretches divides the matches into sets of so many words.
func stretches(all []*found, words int) (work []stretch) {
	for _, f := range all {
		if f.Count == 0 {
			continue
		}
		if f.before == nil {
			f.before = f.Docs.Ranks()
		}
		for from := 0; from < len(f.Docs); from += words {
			work = append(work, stretch{f, from, min(from+words, len(f.Docs))})
		}
	}
	return work
}

// addBy keeps the first matches with so many other goroutines.
func (c *collector) addBy(s *plan.Session, work []stretch, others int) error {
	var next atomic.Int64
	parts := make([]*collector, others)
	for i := range parts {
		parts[i] = c.fork(s)
	}
	err := together(s, others, func(i int, end *plan.Deadline) error {
		if i == others {
			return c.addWork(end, work, &next)
		}
		return parts[i].addWork(end, work, &next)
	})
	for _, part := range parts {
		if err == nil {
			err = c.join(part)
		}
	}
	return err
}

// together calls f in so many other goroutines, by their numbers, and in this one with the
// number behind theirs. f takes work until there is none: a goroutine that has not begun when
// this one ends does not call f. together returns when all that have begun have ended. A panic
// in one of them is one of the caller.
func together(s *plan.Session, others int, f func(i int, end *plan.Deadline) error) error {
	var running sync.WaitGroup
	begun := make([]atomic.Bool, others) // or too late
	running.Add(others)
	wait := func() {
		for i := range begun {
			if !begun[i].Swap(true) {
				running.Done()
			}
		}
		running.Wait()
	}
	defer wait() // also at a panic: they use the memory of the session
	faults, panics := make([]error, others), make([]any, others)
	for i := range others {
		go func() {
			own := giveway.Search()
			defer own.End()
			if begun[i].Swap(true) {
				return
			}
			defer running.Done()
			defer func() { panics[i] = recover() }()
			faults[i] = f(i, s.Again(own))
		}()
	}
	err := f(others, &s.Deadline)
	wait()
	for i := range others {
		if panics[i] != nil {
			panic(panics[i])
		}
		err = cmp.Or(err, faults[i])
	}
	return err
}

// fork returns a collector that keeps matches for this one.
func (c *collector) fork(s *plan.Session) *collector {
	part := &collector{order: c.order, current: *c.order.Candidate(), after: c.after, size: c.size, limits: c.limits}
	if fields := c.fields(); len(fields) > 0 {
		part.values = s.Values(fields)
	}
	return part
}

// join keeps the matches that another one has kept.
func (c *collector) join(part *collector) error {
	c.more = c.more || part.more
	for _, k := range part.kept {
		c.current = *k
		if err := c.keep(); err != nil {
			return err
		}
	}
	return part.err
}

// addWork adds the matches of stretches until there are no more.
func (c *collector) addWork(end *plan.Deadline, work []stretch, next *atomic.Int64) error {
	for {
		i := int(next.Add(1)) - 1
		if i >= len(work) {
			return end.Check()
		}
		w := work[i]
		at := int(w.before[w.from])
		for word := w.from; word < w.to; word++ {
			for left := w.Docs[word]; left != 0; left &= left - 1 {
				doc := uint32(word*64 + bits.TrailingZeros64(left))
				if err := cmp.Or(end.Step(), c.add(w.found, doc, w.Score(at))); err != nil {
					return err
				}
				at++
			}
		}
	}
}
