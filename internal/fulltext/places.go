package fulltext

import "slices"

// places are, for each slot of a phrase, the positions at which what it wants
// stands, ascending; nil where any word does. The first and the last are not
// nil.
//
// A match begins at a position, start, and gives each slot a position of its
// own: slot i one from start+i to start+i+slop. So without slop the slots stand
// side by side, and each step of slop lets one more word come between, or
// brings words that have changed places one step nearer to each other.
type places [][]int

// each goes through the matches: from each position where one could begin, what
// stands nearest. chosen holds the position of each slot, 0 for any, and is
// valid until see returns; width is the slop that it takes. It ends where see
// returns false.
func (pl places) each(slop int, step func() error, see func(chosen []int, width int) bool) error {
	chosen := make([]int, len(pl))
	for _, start := range pl.starts(slop) {
		if err := step(); err != nil {
			return err
		}
		if width, ok := pl.at(start, slop, chosen); ok && !see(chosen, width) {
			return nil
		}
	}
	return nil
}

// starts returns where a match can begin: where at least one slot stands just
// where it belongs.
func (pl places) starts(slop int) []int {
	if slop == 0 {
		return pl[0]
	}
	var starts []int
	for i, positions := range pl {
		for _, p := range positions {
			starts = append(starts, p-i)
		}
	}
	slices.Sort(starts)
	return slices.Compact(starts)
}

// at gives each slot the first position that is free. Slots that want the same
// word want it in their own order, so no other choice takes less slop.
func (pl places) at(start, slop int, chosen []int) (width int, ok bool) {
	for i, positions := range pl {
		chosen[i] = 0
		if positions == nil {
			continue
		}
		k, _ := slices.BinarySearch(positions, start+i)
		for slop > 0 && k < len(positions) && slices.Contains(chosen[:i], positions[k]) {
			k++
		}
		if k == len(positions) || positions[k] > start+i+slop {
			return 0, false
		}
		chosen[i] = positions[k]
		width = max(width, positions[k]-start-i)
	}
	return width, true
}
