package hits

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"sync"

	"indexerd/internal/index/fulltext/plan"
	"indexerd/internal/index/fulltext/segment"
)

// A boundsRange is a search in some documents of one part of the index that leaves out
// documents.
type boundsRange struct {
	*bounds
	found    *found
	from, to uint32       // multiples of 64, or the end of the part
	left     segment.Bits // documents of the part that can be among the first hits
	words    []partWord   // those that the part has
	each     float64      // documents of all words, for each document of the part
	rise     []float32    // scores of those before the current window, in order
}

// A rangeScorer computes the scores of one range after another in one goroutine.
type rangeScorer struct {
	*boundsRange // the current one
	win          *plan.Window
	sums         []boundSums // memory of leaveOut
	tried        float64     // least score at which too few documents were left out, or 0
}

// raised is how much higher the least score must be until leaving out is tried again.
const raised = 1.1

// dense is the share of documents that words have from which it takes less time to add up
// their bounds than their scores.
const dense = 1.0 / 8

// A partWord is a word that a part has.
type partWord struct {
	most   float64
	in     segment.Bits
	scores plan.WordScores
}

// fewLeft is the share of a window up to which it takes less time to skip the other documents
// than to read them.
const fewLeft = 32

// clearing is how many scores are cleared in the time in which one document is skipped.
const clearing = 256

// mostRanges is the number of ranges of a part at most. Each passes over the documents of
// those before.
const mostRanges = 8

// ranges divides the parts into ranges of so many words of a set or more, the largest first,
// if all words are listed there, or else takes them one by one.
func (b *bounds) ranges(all []*found, stretch int) (ranges []*boundsRange, listed bool) {
	listed = true
	for _, f := range all {
		listed = listed && !slices.ContainsFunc(b.words, func(w boundedWord) bool { return !w.Listed(f.Part) })
	}
	for _, f := range all {
		if f.scored || f.Count == 0 {
			continue
		}
		left, docs := f.Part.CopyOf(f.Docs), uint32(f.Part.Docs())
		size := docs
		if listed {
			size = uint32(64 * stretch * (1 + f.Part.Docs()/mostRanges/(64*stretch)))
			size += uint32(b.window-1) - (size-1)%uint32(b.window)
		}
		for from := uint32(0); from < docs; from += size {
			ranges = append(ranges, &boundsRange{bounds: b, found: f, left: left, from: from, to: min(docs, from+size)})
		}
	}
	if listed {
		slices.SortStableFunc(ranges, func(a, b *boundsRange) int { return cmp.Compare(b.to-b.from, a.to-a.from) })
	}
	return ranges, listed
}

// keepRanges has the parts keep the scores that are left.
func keepRanges(ranges []*boundsRange) {
	slices.SortFunc(ranges, func(a, b *boundsRange) int {
		return cmp.Or(cmp.Compare(a.found.Part.Base, b.found.Part.Base), cmp.Compare(a.from, b.from))
	})
	for i, n := 0, 0; i < len(ranges); i = n {
		f, scores := ranges[i].found, ranges[i].rise
		for n = i + 1; n < len(ranges) && ranges[n].found == f; n++ {
			scores = append(scores, ranges[n].rise...)
		}
		f.keepScores(ranges[i].left, scores)
	}
}

func (b *bounds) newScorer() *rangeScorer { return &rangeScorer{win: plan.OpenWindow(b.window)} }

// compute computes the scores of one range, a window of documents after another. The matches
// without those that are left out remain.
func (p *rangeScorer) compute(end *plan.Deadline, r *boundsRange, opened bool) error {
	p.boundsRange = r
	if !opened {
		if err := r.open(); err != nil {
			return err
		}
	}
	defer r.release()
	win := p.win
	win.Start(r.left, r.from)
	for win.To < r.to {
		win.Next()
		if p.each > dense*float64(len(p.words)) {
			p.leaveOut(win)
		}
		n := p.window(win).Count()
		if n == 0 {
			continue // the words pass over it later
		}
		win.All = n > len(win.Sums)/clearing && float64(n*fewLeft) > min(1, p.each)*float64(len(win.Sums))
		for i := range p.words {
			if err := p.words[i].scores.Add(win); err != nil {
				return err
			}
		}
		p.keep(win)
		if win.All {
			clear(win.Sums) // also those of documents that are not left
		}
		if err := end.Check(); err != nil {
			return err
		}
	}
	return nil
}

// open opens the words that the part has. Each of them is asked for its scores, also where no
// document is left: a cursor has the numbers that it reads.
func (r *boundsRange) open() error {
	r.words = partWords(len(r.bounds.words))
	for _, w := range r.bounds.words {
		in := w.KeptIn(r.found.Part)
		if !in.Any() {
			continue
		}
		n := len(r.words)
		r.words = append(r.words, partWord{most: w.most, in: in})
		ok, err := w.ScoresIn(r.found.Part, r.left, &r.words[n].scores)
		if err != nil {
			return err
		}
		if !ok {
			r.words = r.words[:n]
			continue
		}
		r.each += float64(r.words[n].scores.Docs()) / float64(r.found.Part.Docs())
	}
	return nil
}

func (r *boundsRange) release() {
	for i := range r.words {
		r.words[i].scores.Release()
	}
	clear(r.words)
	words := r.words
	r.words = nil
	freeWords.Put(&words)
}

// freeWords has memory for the words of a range.
var freeWords sync.Pool

// partWords returns memory for n words.
func partWords(n int) []partWord {
	if words, ok := freeWords.Get().(*[]partWord); ok && cap(*words) >= n {
		return (*words)[:0]
	}
	return make([]partWord, 0, n)
}

// window returns the documents of a window that are left.
func (r *boundsRange) window(win *plan.Window) segment.Bits {
	return r.left[win.From/64 : min(int(win.To/64), len(r.left))]
}

// keep keeps the scores of a window, which are 0 then, and leaves out the documents whose
// scores are too low.
func (p *rangeScorer) keep(win *plan.Window) {
	best, least := p.bestLeast(), p.least()
	left := p.window(win)
	for word, rest := range left {
		if rest == 0 {
			continue
		}
		sums := (*[64]float64)(win.Sums[word*64:])
		kept := rest
		for ; rest != 0; rest &= rest - 1 {
			at := bits.TrailingZeros64(rest) % 64
			sum := sums[at]
			sums[at] = 0
			if sum < least*unrounded || float64(float32(sum)) < least {
				kept &^= rest & -rest
				continue
			}
			score := float32(sum)
			p.rise = append(p.rise, score)
			if score > best && p.sure(score) {
				p.keepBest(score)
				best, least = p.bestLeast(), p.least()
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
func (p *rangeScorer) leaveOut(win *plan.Window) {
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
