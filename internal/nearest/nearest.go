// Package nearest says how far apart two spellings are, and finds the name that
// was meant where a name was misspelt.
package nearest

import "strings"

// Name returns the one of names that name was most likely meant to be, or
// "" when none is close: about one letter in three may be wrong, case aside.
func Name(name string, names []string) string {
	best, least := "", max(len([]rune(name))/3, 1)+1
	for _, n := range names {
		if d := Distance(strings.ToLower(name), strings.ToLower(n)); d < least {
			best, least = n, d
		}
	}
	return best
}

// Distance counts the letters that must be left out, added or replaced to make
// b of a, or swapped with their neighbour, and no letter twice.
func Distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	// Rows of the usual table: the one before the last, the last, and this one.
	older, last, row := make([]int, len(to)+1), make([]int, len(to)+1), make([]int, len(to)+1)
	for j := range last {
		last[j] = j
	}
	for i := range from {
		row[0] = i + 1
		for j := range to {
			replaced := last[j]
			if from[i] != to[j] {
				replaced++
			}
			row[j+1] = min(replaced, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && from[i] == to[j-1] && from[i-1] == to[j] {
				row[j+1] = min(row[j+1], older[j-1]+1)
			}
		}
		older, last, row = last, row, older
	}
	return last[len(to)]
}
