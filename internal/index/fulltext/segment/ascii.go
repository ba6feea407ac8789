package segment

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"

	"indexerd/internal/index/analysis"
)

// A text is cut into parts of ASCII characters and others. A part of ASCII characters is
// read in blocks: first which of its characters are of words, without a branch for each
// character, then the words, whose first eight letters are read at once.
//
// A part ends behind a character between words, or with the text. So no word is cut, and
// an apostrophe, which can belong to a word, ends no part.

// blockSize is the number of characters of a block.
const blockSize = 64

const (
	lowBits  = 0x0101010101010101 // of each byte
	highBits = 0x80 * lowBits
)

// addText is addTokens for an analyzer with words of ASCII characters.
func (w *words) addText(a *analysis.Analyzer, text string, pos int) {
	for {
		n := asciiPart(text, endsFirst)
		pos = w.addASCII(a, text[:n], pos)
		if text = text[n:]; text == "" {
			return
		}
		n = otherPart(text, endsFirst)
		pos = w.addTokens(a, text[:n], pos)
		text = text[n:]
	}
}

// asciiPart returns the size of the part of ASCII characters at the start of a text, 0
// if there is none. ends reports whether a character can be the last of a part.
func asciiPart(text string, ends func(c byte) bool) int {
	at := 0
	for at+8 <= len(text) && eight(text[at:])&highBits == 0 {
		at += 8
	}
	for at < len(text) && text[at] < utf8.RuneSelf {
		at++
	}
	if at < len(text) {
		for at > 0 && !ends(text[at-1]) {
			at--
		}
	}
	return at
}

// otherPart returns the size of the part at the start of a text that has no part of
// ASCII characters there. It goes on to a word that begins with an ASCII character,
// behind its first other character.
func otherPart(text string, ends func(c byte) bool) int {
	other := false
	for at := 1; at < len(text); at++ {
		other = other || text[at-1] >= utf8.RuneSelf
		if other && ends(text[at-1]) && text[at] < utf8.RuneSelf && isWord(text[at]) {
			return at
		}
	}
	return len(text)
}

func endsFirst(c byte) bool { return c < utf8.RuneSelf && c != '\'' && !isWord(c) }

// eight returns the first eight bytes of a text as prefix does.
func eight(text string) uint64 {
	_ = text[7]
	return uint64(text[0])<<56 | uint64(text[1])<<48 | uint64(text[2])<<40 | uint64(text[3])<<32 |
		uint64(text[4])<<24 | uint64(text[5])<<16 | uint64(text[6])<<8 | uint64(text[7])
}

// littleEight returns the first eight bytes of a text, the first in the lowest byte.
func littleEight(text string) uint64 {
	_ = text[7]
	return uint64(text[0]) | uint64(text[1])<<8 | uint64(text[2])<<16 | uint64(text[3])<<24 |
		uint64(text[4])<<32 | uint64(text[5])<<40 | uint64(text[6])<<48 | uint64(text[7])<<56
}

// lowerPrefix returns the prefix of a word of so many ASCII characters, at the start
// of a text, in lower case.
func lowerPrefix(text string, size int) uint64 {
	var p uint64
	if len(text) >= prefixSize {
		p = eight(text)
	} else {
		p = prefix(text)
	}
	if size < prefixSize {
		p &^= 1<<(8*(prefixSize-size)) - 1
	}
	fromA, behindZ := p+(0x80-'A')*lowBits, p+(0x80-'Z'-1)*lowBits // in the high bit of each byte
	return p | fromA&^behindZ&highBits>>2
}

// addASCII is addTokens for a text of ASCII characters. It asks the analyzer once
// for each distinct word of the segment, and makes one pass over the text.
func (w *words) addASCII(a *analysis.Analyzer, text string, pos int) int {
	for at := 0; at < len(text); {
		block := text[at:min(at+blockSize, len(text))]
		of := wordsOf(block)
		next := at + len(block)
		for of != 0 {
			from := bits.TrailingZeros64(of)
			size := bits.TrailingZeros64(^(of >> from))
			if from+size == len(block) && next < len(text) {
				if next = at + from; from > 0 {
					break // the word may go on: it is first in the next block
				}
				size = wordSize(text[at:])
			}
			pos++
			if id, ok := w.meaning(a, w.findASCII(text[at+from:], size)); ok {
				w.occur(id, pos)
			}
			end := a.AfterWord(text, at+from+size)
			if end >= at+blockSize {
				next = max(next, end)
				break
			}
			of &= ^uint64(0) << (end - at)
		}
		at = next
	}
	return pos
}

// wordsOf returns a bit for each ASCII character of a block: 1 for those of words.
func wordsOf(block string) (of uint64) {
	at := 0
	for ; at+8 <= len(block); at += 8 {
		of |= wordsOfEight(littleEight(block[at:])) << at
	}
	if at < len(block) {
		var rest [8]byte
		copy(rest[:], block[at:])
		of |= wordsOfEight(littleEight(string(rest[:]))) << at
	}
	return of
}

// wordsOfEight is wordsOf for eight characters, the first in the lowest byte. It counts
// up to the high bit of each byte from the first character of a range, and from the one
// behind the last.
func wordsOfEight(c uint64) uint64 {
	lower := c | 0x20*lowBits
	letter := (lower + (0x80-'a')*lowBits) &^ (lower + (0x80-'z'-1)*lowBits)
	digit := (c + (0x80-'0')*lowBits) &^ (c + (0x80-'9'-1)*lowBits)
	underscore := highBits - (c ^ '_'*lowBits)
	const gather = 0x0102040810204080 // moves the lowest bits of all bytes into the highest byte
	return ((letter | digit | underscore) & highBits >> 7) * gather >> 56
}

func isWord(c byte) bool { return wordsOfEight(uint64(c))&1 != 0 }

func wordSize(text string) (size int) {
	for size < len(text) && isWord(text[size]) {
		size++
	}
	return size
}

// findASCII finds the lower case of a word of so many characters, at the start of a
// text.
func (w *words) findASCII(text string, size int) uint32 {
	p := lowerPrefix(text, size)
	if size <= prefixSize {
		return w.findShort(p, size)
	}
	size = min(size, analysis.MaxWord)
	w.token = w.token[:0]
	for at := 0; at < size; at += prefixSize {
		w.token = binary.BigEndian.AppendUint64(w.token, lowerPrefix(text[at:], size-at))
	}
	w.token = w.token[:size]
	return w.findLong(w.token, p)
}
