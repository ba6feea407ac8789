package search

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// borders returns where the sentences of a text end, as far as to the one that
// ends at upTo or after it.
func borders(text string, upTo int) []int {
	var ends []int
	for at := 0; at < upTo; {
		at = sentence(text, at)
		ends = append(ends, at)
	}
	return ends
}

// sentence returns the end of the sentence that begins at from, with the white
// space after it.
//
// A sentence ends after . ! ? or an ellipsis that white space follows, after 。
// ！ ？ whatever follows, and at an empty line. Closing quotes and parentheses
// belong to it. A full stop after a single letter, or before a small one, ends
// nothing: it is part of an abbreviation.
func sentence(text string, from int) int {
	for at := from; at < len(text); {
		if c := text[at]; c < utf8.RuneSelf && c != '.' && c != '!' && c != '?' && c != '\n' {
			at++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[at:])
		next := at + size
		switch {
		case r == '\n':
			if rest := strings.TrimLeft(text[next:], " \t\r"); strings.HasPrefix(rest, "\n") {
				return pastSpace(text, next)
			}
		case strings.ContainsRune("。！？｡", r):
			return pastSpace(text, pastClosing(text, next))
		case strings.ContainsRune(".!?…", r):
			end := pastClosing(text, next)
			after := pastSpace(text, end)
			if after == len(text) || after > end && !(r == '.' && abbreviated(text[from:at], text[after:])) {
				return after
			}
			next = end
		}
		at = next
	}
	return len(text)
}

// pastClosing skips what closes a sentence after its last word.
func pastClosing(text string, at int) int {
	return len(text) - len(strings.TrimLeft(text[at:], `.!?…。！？｡"')]}»”’」』）】》`))
}

func pastSpace(text string, at int) int {
	return len(text) - len(strings.TrimLeftFunc(text[at:], unicode.IsSpace))
}

// abbreviated reports whether the full stop between two texts is no end.
func abbreviated(before, after string) bool {
	next, _ := utf8.DecodeRuneInString(after)
	last, size := utf8.DecodeLastRuneInString(before)
	earlier, _ := utf8.DecodeLastRuneInString(before[:len(before)-size])
	return unicode.IsLower(next) || unicode.IsLetter(last) && !unicode.IsLetter(earlier) && !unicode.IsDigit(earlier)
}
