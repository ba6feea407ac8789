package fulltext

import (
	"unicode/utf8"

	"indexerd/internal/nearest"
)

// automaticEdits is how many edits a fuzzy word of this length allows where it
// does not say.
func automaticEdits(word string) int {
	const short = 5
	if utf8.RuneCountInString(word) <= short {
		return 1
	}
	return 2
}

// within reports whether two words differ by no more edits than that.
func within(edits int, a, b string) bool {
	if d := utf8.RuneCountInString(a) - utf8.RuneCountInString(b); d > edits || -d > edits {
		return false
	}
	return nearest.Distance(a, b) <= edits
}
