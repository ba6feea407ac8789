// Package nearest finds the name that is most similar to a misspelt one, and whether two
// differ in their marks only. The cost is the product of the lengths for each pair of names.
package nearest

import "strings"

// Name returns the most similar of names, or "" if none is similar. About one
// letter in three may be wrong. Case is ignored.
func Name(name string, names []string) string {
	best, least := "", max(len([]rune(name))/3, 1)+1
	for _, n := range names {
		if d := Distance(strings.ToLower(name), strings.ToLower(n)); d < least {
			best, least = n, d
		}
	}
	return best
}

// Distance returns the number of edits that turn a into b: a letter is removed,
// added, replaced, or exchanged with the next. No letter is edited twice.
func Distance(a, b string) int { return distance(a, b, true) }

// WithoutSwaps is Distance without exchanged letters.
func WithoutSwaps(a, b string) int { return distance(a, b, false) }

func distance(a, b string, swaps bool) int {
	from, to := []rune(a), []rune(b)
	// Three rows of the table of distances: the last but one, the last, and this.
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
			if swaps && i > 0 && j > 0 && from[i] == to[j-1] && from[i-1] == to[j] {
				row[j+1] = min(row[j+1], older[j-1]+1)
			}
		}
		older, last, row = last, row, older
	}
	return last[len(to)]
}
