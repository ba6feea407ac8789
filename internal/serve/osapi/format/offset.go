package osapi

import (
	"unicode/utf16"
)

// units returns the number of UTF-16 code units of a text.
func units(text string) (n int) {
	for _, r := range text {
		n += max(utf16.RuneLen(r), 1)
	}
	return n
}
