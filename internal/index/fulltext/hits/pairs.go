package hits

import (
	"indexerd/internal/index/fulltext/plan"
	"indexerd/internal/index/fulltext/segment"
)

// pairs complete scores with the pairs of words that are near each other. They read the
// positions of those documents only that the pairs can bring among the first hits.
type pairs struct{ *plan.Near }

// most returns the most that a score can be with the pairs. It allows for a score being
// rounded.
func (p pairs) most(score float32) float64 { return float64(score) * (1 + p.Share()) * (1 + 1e-6) }

// mostOf is most for the words that a document has.
func (p pairs) mostOf(f *found, at int, score float32) float64 {
	return float64(score) * (1 + p.ShareIn(f.Part, f.doc(at))) * (1 + 1e-6)
}

// least returns a score that is not above the least that the pairs can bring to another.
func (p pairs) least(score float32) float32 {
	return float32(float64(score) / (1 + p.Share()) * (1 - 1e-5))
}

// addPairs adds the pairs to all scores that they can bring among the want best below a
// score, and to the best of all.
func (p pairs) addPairs(all []*found, want int, below float64) error {
	best := float32(0)
	for _, f := range all {
		f.complete = segment.NewBits(f.Count)
		best = max(best, f.best())
	}
	bar := p.last(all, want, below)
	reaches := func(f *found, at int, score float32) bool {
		reach := func(most float64) bool {
			return most >= float64(best) || most >= float64(bar) && float64(score) <= below
		}
		return reach(p.most(score)) && reach(p.mostOf(f, at, score))
	}
	chosen, n := p.choose(all, min(bar, best), reaches)
	if n > fewPairs {
		first, _ := p.choose(all, min(bar, best), func(_ *found, _ int, score float32) bool { return score >= bar && float64(score) <= below })
		if err := p.addTo(first); err != nil {
			return err
		}
		bar = p.last(all, want, below) // with the pairs of the first
		chosen, _ = p.choose(all, min(bar, best), reaches)
	}
	return p.addTo(chosen)
}

// fewPairs is the number of documents up to which the positions of all are read at once.
// Of more, the best are read first, which leaves fewer of the others.
const fewPairs = 100

// chosenScores are scores of a part that lack their pairs.
type chosenScores struct {
	found  *found
	docs   []uint32
	places []int // of docs in the scores
}

// choose chooses n incomplete scores that the pairs can bring to bar.
func (p pairs) choose(all []*found, bar float32, isChosen func(f *found, at int, score float32) bool) (chosen []chosenScores, n int) {
	for _, f := range all {
		if f.Scores == nil {
			continue
		}
		one, least := chosenScores{found: f}, p.least(bar)
		f.scan(&least, func(at int, score float32) {
			if !f.complete.Has(uint32(at)) && isChosen(f, at, score) {
				one.docs, one.places = append(one.docs, f.doc(at)), append(one.places, at)
			}
		})
		if len(one.docs) > 0 {
			chosen, n = append(chosen, one), n+len(one.docs)
		}
	}
	return chosen, n
}

// last returns the least that the last of the want best scores below a score can be, 0 if
// there are fewer.
func (p pairs) last(all []*found, want int, below float64) float32 {
	var best scoreHeap
	for _, f := range all {
		least := best.least(want)
		f.scan(&least, func(at int, score float32) {
			if f.complete.Has(uint32(at)) && float64(score) < below || p.most(score) < below {
				best.keep(score, want)
				least = best.least(want)
			}
		})
	}
	if len(best) < want {
		return 0
	}
	return best[0]
}

// addTo adds the pairs to scores.
func (p pairs) addTo(chosen []chosenScores) error {
	for _, of := range chosen {
		i := 0
		err := p.Sums(of.found.Part, of.docs, func(sum float64) {
			of.found.addScore(of.places[i], sum)
			of.found.complete.Set(uint32(of.places[i]))
			i++
		})
		if err != nil {
			return err
		}
	}
	return nil
}
