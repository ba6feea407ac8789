// Package nearest finds the name that was meant where a name was misspelt.
package nearest

import "strings"

// Name returns the one of names that name was most likely meant to be, or
// "" when none is close: about one letter in three may be wrong, case aside.
func Name(name string, names []string) string {
	best, least := "", max(len([]rune(name))/3, 1)+1
	for _, n := range names {
		if d := distance(strings.ToLower(name), strings.ToLower(n)); d < least {
			best, least = n, d
		}
	}
	return best
}

// distance counts the letters to insert, delete or replace to make a into b
// (Levenshtein), two swapped neighbours counting as one.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	var before []int // the row before prev
	prev := make([]int, len(t)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := range s {
		row := make([]int, len(t)+1)
		row[0] = i + 1
		for j := range t {
			cost := 1
			if s[i] == t[j] {
				cost = 0
			}
			row[j+1] = min(prev[j+1]+1, row[j]+1, prev[j]+cost)
			if i > 0 && j > 0 && s[i] == t[j-1] && s[i-1] == t[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, prev = prev, row
	}
	return prev[len(t)]
}
