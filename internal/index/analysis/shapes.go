package analysis

import (
	"unicode"
	"unicode/utf8"
)

// shapes are those of the characters of a word.
type shapes struct {
	letters               int // characters
	changes               int // where it may be cut
	hasDigits, hasLetters bool
}

// A shape is what a character of a word is.
type shape byte

const (
	noShape shape = iota // a mark, which goes with the character before
	lower
	upper
	uncased
	digit
)

// asciiShapes has the shapes of ASCII characters.
var asciiShapes = func() (shapes [utf8.RuneSelf]shape) {
	for c := range shapes {
		switch {
		case 'a' <= c && c <= 'z':
			shapes[c] = lower
		case 'A' <= c && c <= 'Z':
			shapes[c] = upper
		case '0' <= c && c <= '9':
			shapes[c] = digit
		}
	}
	return shapes
}()

func shapeOf(r rune) shape {
	if uint32(r) < utf8.RuneSelf {
		return asciiShapes[r]
	}
	return otherShapes.at(r)
}

var otherShapes = classes[shape]{of: shapeOfOther}

func shapeOfOther(r rune) shape {
	switch {
	case unicode.IsLower(r):
		return lower
	case unicode.In(r, unicode.Lu, unicode.Lt):
		return upper
	case unicode.In(r, unicode.Nd, unicode.No):
		return digit
	case unicode.In(r, unicode.Letter, unicode.Nl):
		return uncased
	}
	return noShape
}

// changes reports whether a piece ends between two characters.
func changes(before, s shape) bool {
	return before != noShape && s != noShape && ((before == digit) != (s == digit) || before == lower && s == upper)
}

// wordEnd returns the end of the word that starts at a byte offset.
func wordEnd(text string, at int) (end int, s shapes) {
	end = at
	before := noShape
	for at < len(text) {
		if c := text[at]; c < utf8.RuneSelf {
			now := asciiShapes[c]
			if now == noShape {
				break
			}
			if s.letters++; changes(before, now) {
				s.changes++
			}
			s.hasDigits, s.hasLetters = s.hasDigits || now == digit, s.hasLetters || now != digit
			before, at = now, at+1
			end = at
			continue
		}
		r, size := utf8.DecodeRuneInString(text[at:])
		k := latestKind(r)
		if k != letter && k != ignored {
			break
		}
		if at += size; k != letter {
			continue
		}
		end = at
		s.letters++
		now := shapeOf(r)
		if changes(before, now) {
			s.changes++
		}
		if now != noShape {
			before = now
			s.hasDigits, s.hasLetters = s.hasDigits || now == digit, s.hasLetters || now != digit
		}
	}
	return end, s
}

func runeAt(text string, at int) (rune, int) {
	if c := text[at]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	return utf8.DecodeRuneInString(text[at:])
}
