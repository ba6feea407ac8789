package format

import (
	"unicode/utf16"
)

// UTF16Len returns the number of UTF-16 code units of a text.
func UTF16Len(text string) (n int) {
	for _, r := range text {
		n += max(utf16.RuneLen(r), 1)
	}
	return n
}
