package hits

import (
	"math"
	"math/bits"
	"slices"

	"indexerd/internal/index/fulltext/plan"
	"indexerd/internal/index/fulltext/segment"
)

// A partBounds is a search in one part of the index that leaves out documents.
type partBounds struct {
	*bounds
	found *found
	words []partWord   // those that the part has
	left  segment.Bits // documents that can be among the first hits
	rise  []float32    // scores of those before the current window, in order
	sums  []boundSums  // memory of leaveOut
	each  float64      // documents of all words, for each document of the part
}

// raised is how much higher the least score must be until leaving out is tried again.
const raised = 1.1

// dense is the share of documents that words have from which it takes less time to add up
// their bounds than their scores.
const dense = 1.0 / 16

// A partWord is a word that a part has.
type partWord struct {
	most   float64
	in     segment.Bits
	scores *plan.WordScores
}

// fewLeft is the share of a window up to which it takes less time to skip the other documents
// than to read them.
const fewLeft = 16

// compute computes the scores of one part, a window of documents after another. The matches
// without those that are left out remain.
func (b *bounds) compute(s *plan.Session, f *found) error {
	p := &partBounds{bounds: b, found: f, left: slices.Clone(f.Docs)}
	defer p.release()
	if err := p.open(); err != nil {
		return err
	}
	win := plan.OpenWindow(min(b.window, len(p.left)*64), p.left)
	for int(win.To) < f.Part.Docs() {
		win.Next()
		if p.each > dense*float64(len(p.words)) {
			p.leaveOut(win)
		}
		n := p.window(win).Count()
		if n == 0 {
			continue // the words pass over it later
		}
		win.All = float64(n*fewLeft) > min(1, p.each)*float64(len(win.Sums))
		for i := range p.words {
			if err := p.words[i].scores.Add(win); err != nil {
				return err
			}
		}
		p.keep(win)
		if err := s.Check(); err != nil {
			return err
		}
	}
	win.Release()
	f.keepScores(p.left, p.rise)
	return nil
}

// open opens the words that the part has. Each of them is asked for its scores, also where no
// document is left: a cursor has the numbers that it reads.
func (p *partBounds) open() error {
	for _, w := range p.bounds.words {
		in := w.KeptIn(p.found.Part)
		if !in.Any() {
			continue
		}
		scores, err := w.ScoresIn(p.found.Part, p.left)
		if err != nil {
			return err
		}
		if scores != nil {
			p.words = append(p.words, partWord{w.most, in, scores})
			p.each += float64(scores.Docs()) / float64(p.found.Part.Docs())
		}
	}
	return nil
}

func (p *partBounds) release() {
	for i := range p.words {
		p.words[i].scores.Release()
	}
}

// least returns the least score without pairs of one of the first hits.
func (p *partBounds) least() float64 { return float64(p.best.least(p.want)) / p.share }

// window returns the documents of a window that are left.
func (p *partBounds) window(win *plan.Window) segment.Bits {
	return p.left[win.From/64 : min(int(win.To/64), len(p.left))]
}

// keep keeps the scores of a window, and leaves out the documents whose scores are too low.
func (p *partBounds) keep(win *plan.Window) {
	best, least := p.best.least(p.want), p.least()
	left := p.window(win)
	for word, rest := range left {
		if rest == 0 {
			continue
		}
		sums := (*[64]float64)(win.Sums[word*64:])
		kept := rest
		for ; rest != 0; rest &= rest - 1 {
			sum := sums[bits.TrailingZeros64(rest)%64]
			if sum < least*unrounded || float64(float32(sum)) < least {
				kept &^= rest & -rest
				continue
			}
			score := float32(sum)
			p.rise = append(p.rise, score)
			if score > best && p.sure(score) {
				p.best.keep(score, p.want)
				best, least = p.best.least(p.want), p.least()
			}
		}
		left[word] = kept
	}
}

// unrounded is a share of a sum that is less than any rounding of it.
const unrounded = 1 - 1e-6

// A sum of bounds has four bits in units of a 16th of the least score, and one for sums that
// reach it.
const (
	sumBits = 4
	sumFull = 1 << sumBits
)

// leaveOut leaves out documents of a window whose words add up to less than the least score.
// It adds up the bounds of 64 documents at a time: a number has their bits of one value.
func (p *partBounds) leaveOut(win *plan.Window) {
	least := p.least()
	if least <= p.tried*raised {
		return
	}
	units, any := make([]uint, len(p.words)), uint(0)
	for i := range p.words {
		units[i] = uint(min(sumFull, math.Ceil(p.words[i].most/least*sumFull)))
		any += units[i]
	}
	if any < sumFull {
		clear(p.window(win))
		return
	}
	if slices.Min(units) == sumFull {
		return
	}
	left, first := p.window(win), int(win.From/64)
	defer func() {
		if left.Count() > len(win.Sums)/fewLeft {
			p.tried = least
		}
	}()
	p.sums = slices.Grow(p.sums[:0], len(left))[:len(left)]
	clear(p.sums)
	for i, n := range units {
		in := p.words[i].in[first : first+len(left)]
		for at, with := range in {
			if with &= left[at]; with != 0 {
				p.sums[at].add(with, n)
			}
		}
	}
	for at := range left {
		left[at] &= p.sums[at].full
	}
}

// boundSums are the sums of the bounds of 64 documents.
type boundSums struct {
	bits [sumBits]uint64
	full uint64 // those that reach the least score
}

// add adds a number to the sums of some documents.
func (s *boundSums) add(with uint64, n uint) {
	if n == sumFull {
		s.full |= with
		return
	}
	for bit := range sumBits {
		carry := with & -uint64(n>>bit&1)
		for at := bit; at < sumBits && carry != 0; at++ {
			s.bits[at], carry = s.bits[at]^carry, s.bits[at]&carry
		}
		s.full |= carry
	}
}
