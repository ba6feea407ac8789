package hits

import (
	"math/bits"
	"slices"

	"indexerd/internal/index/fulltext/plan"
	"indexerd/internal/index/fulltext/segment"
)

// A partBounds is a search in one part of the index that leaves out documents.
type partBounds struct {
	*bounds
	part  *plan.Part
	words []boundedWord // those that the part has
	left  segment.Bits  // documents that can be among the first hits
	sums  *plan.Scores  // of the documents that were left by their words
	rest  []float64     // for each of sums, the bounds of its words that are not scored yet
	best  scoreHeap     // least scores, in all parts
}

// compute computes the scores of one part. The matches without those that are left out
// remain.
func (b *bounds) compute(f *found) error {
	p := &partBounds{bounds: b, part: f.Part, left: f.Docs, best: slices.Clone(b.best)}
	for _, w := range b.words {
		if w.KeptIn(f.Part).Any() {
			p.words = append(p.words, w)
		}
	}
	seeds, narrow := p.seeds(f.Count)
	seeded := 0
	if narrow {
		var err error
		if seeded, err = p.scoreSeeds(seeds); err != nil {
			return err
		}
		p.leaveOutByWords()
	}
	p.sums = plan.NewScores(slices.Clone(p.left))
	defer p.sums.Release()
	p.sums.Open()
	if seeds != nil {
		defer seeds.Release()
		p.sums.AddSome(seeds)
	}
	if narrow {
		rest := plan.NewScores(p.sums.Docs)
		defer rest.Release()
		rest.Open()
		p.rest = rest.Sums
		for i := range p.words {
			p.addRest(i, p.words[i].most)
		}
	}
	for i := range p.words {
		docs := slices.Clone(p.left)
		if i < seeded {
			docs.AndNot(seeds.Docs)
		}
		if docs.Any() {
			docs.And(p.words[i].KeptIn(f.Part))
			if err := p.score(i, docs); err != nil {
				return err
			}
		}
		if narrow && i+1 < len(p.words) {
			p.addRest(i, -p.words[i].most)
			p.leaveOutByScore()
		}
	}
	f.keepSums(p.sums, p.left)
	least := b.best.least(b.want)
	f.scan(&least, func(_ int, score float32) {
		if b.sure(score) {
			b.best.keep(score, b.want)
			least = b.best.least(b.want)
		}
	})
	return nil
}

// seeds returns documents that have as many words as possible, whose scores are likely
// among the best, or nil if most matches have as many. It reports whether it is worth
// while to leave out documents at all.
func (p *partBounds) seeds(count int) (seeds *plan.Scores, narrow bool) {
	if count < p.least || len(p.words) < 2 {
		return nil, false
	}
	docs, n := slices.Clone(p.left), count
	for _, w := range p.words {
		with := slices.Clone(docs)
		with.And(w.KeptIn(p.part))
		if having := with.Count(); having >= p.want {
			docs, n = with, having
		}
	}
	if 2*n > count {
		return nil, p.first && p.addsLittle(p.words[len(p.words)-1])
	}
	for batch := range docs.Batches(boundedSeeds) {
		return plan.NewScores(slices.Clone(batch)), true
	}
	return nil, false
}

// addsLittle reports whether a word adds little to the score of a document that has the
// word with the highest bound.
func (p *partBounds) addsLittle(w boundedWord) bool { return w.most < boundedSmall*p.words[0].most }

// scoreSeeds scores the seeds, and returns in how many words. Where the score in some
// words is of use, those that add little are left for later.
func (p *partBounds) scoreSeeds(seeds *plan.Scores) (words int, err error) {
	if seeds == nil {
		return 0, nil
	}
	seeds.Open()
	for _, w := range p.words {
		if p.first && p.addsLittle(w) {
			break
		}
		if err := w.Score(p.part, seeds); err != nil {
			return 0, err
		}
		words++
	}
	p.offer(seeds, seeds.Docs)
	return words, nil
}

// score adds the scores in one word to documents that have it. Without any the word is asked
// too: a cursor has the numbers that it reads, which must not depend on what is left.
func (p *partBounds) score(i int, docs segment.Bits) error {
	if docs.Count() == len(p.sums.Sums) {
		return p.words[i].Score(p.part, p.sums)
	}
	own := plan.NewScores(docs)
	defer own.Release()
	own.Open()
	if err := p.words[i].Score(p.part, own); err != nil {
		return err
	}
	p.sums.AddSome(own)
	return nil
}

// addRest adds to the bounds of the documents that are left and have a word.
func (p *partBounds) addRest(i int, most float64) {
	with, docs, ranks := p.words[i].KeptIn(p.part), p.sums.Docs, p.sums.Ranks
	for word, left := range p.left {
		for w := left & with[word]; w != 0; w &= w - 1 {
			below := w&-w - 1
			p.rest[int(ranks[word])+bits.OnesCount64(docs[word]&below)] += most
		}
	}
}

// offer keeps the scores of some documents if they are among the best.
func (p *partBounds) offer(sc *plan.Scores, docs segment.Bits) {
	least := p.best.least(p.want)
	for doc := range docs.All {
		at, _ := sc.Place(doc)
		if score := float32(sc.Sums[at]); score > least && p.sure(score) {
			p.best.keep(score, p.want)
			least = p.best.least(p.want)
		}
	}
}

// tooLow reports whether a score stays below so many of the best.
func (p *partBounds) tooLow(most float64) bool { return most*p.share < float64(p.best.least(p.want)) }

// leaveOutByWords leaves out documents with words whose bounds are too low together. It
// looks for the least sets of words that are enough.
func (p *partBounds) leaveOutByWords() {
	words := p.words[:min(len(p.words), boundedSets)]
	others := 0.0
	for _, w := range p.words[len(words):] {
		others += w.most
	}
	if !p.tooLow(others) {
		return
	}
	most := make([]float64, 1<<len(words)) // of documents with these words
	enough := segment.NewBits(p.part.Docs())
	for set := range most {
		most[set] = others
		for i, w := range words {
			if set>>i&1 == 1 {
				most[set] += w.most
			}
		}
		least := !p.tooLow(most[set]) // no smaller set is enough
		for i := range words {
			least = least && (set>>i&1 == 0 || p.tooLow(most[set&^(1<<i)]))
		}
		if least {
			enough.Or(p.withWords(words, set))
		}
	}
	p.left.And(enough)
}

// withWords returns the documents that have all words of a set.
func (p *partBounds) withWords(words []boundedWord, set int) segment.Bits {
	docs := slices.Clone(p.left)
	for i, w := range words {
		if set>>i&1 == 1 {
			docs.And(w.KeptIn(p.part))
		}
	}
	return docs
}

// leaveOutByScore leaves out documents that the bounds of the words that are not scored yet
// can't bring among the best.
func (p *partBounds) leaveOutByScore() {
	if p.first { // each word only adds to these scores
		p.best = append(p.best[:0], p.bounds.best...)
		least := p.best.least(p.want)
		for _, sum := range p.sums.Sums { // one that was left out is not among the best
			if score := float32(sum); score > least {
				p.best.keep(score, p.want)
				least = p.best.least(p.want)
			}
		}
	}
	if !p.tooLow(0) {
		return
	}
	docs, ranks := p.sums.Docs, p.sums.Ranks
	least := float64(p.best.least(p.want)) / p.share
	for word, left := range p.left {
		for w := left; w != 0; w &= w - 1 {
			bit := w & -w
			at := int(ranks[word]) + bits.OnesCount64(docs[word]&(bit-1))
			if p.sums.Sums[at]+p.rest[at] < least {
				left &^= bit
			}
		}
		p.left[word] = left
	}
}
