package nearest

import (
	"slices"
	"strings"
	"unicode"
)

// Same reports whether names differ in nothing but case, underscores and quotes. A
// name without letters and digits is the same as none.
func Same(a, b string) bool {
	x, y := letters(a), letters(b)
	return len(x) > 0 && slices.Equal(x, y)
}

func letters(name string) (all []rune) {
	for _, r := range strings.ToLower(name) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			all = append(all, r)
		}
	}
	return all
}
