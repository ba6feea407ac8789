package analysis

import (
	"hash/maphash"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The forms of a word take microseconds to make. Most words need none of that: they are their
// own forms, or were read before.

// folded returns the folded form of a word, "" if nothing of it is left.
func folded(word string) string {
	if isPlain(word) {
		return lowerASCII(word)
	}
	return readBefore.of(word).folded
}

// exact returns the exact form of a word.
func exact(word string) string {
	if isPlain(word) {
		return lowerASCII(word)
	}
	return readBefore.of(word).exact
}

// isPlain reports whether a word is its own forms but for the case of ASCII letters. All
// ASCII is, and what has no character that is changed or changes another one.
func isPlain(word string) bool {
	for at := 0; at < len(word); at++ {
		if word[at] < utf8.RuneSelf {
			continue
		}
		for _, r := range word {
			if plainness.at(r) != plain {
				return false
			}
		}
		return true
	}
	return true
}

type plainnessOf byte

const (
	changed plainnessOf = iota // by itself, or with the characters before it
	plain
)

var plainness = classes[plainnessOf]{of: func(r rune) plainnessOf {
	switch text := string(r); {
	case 0x4E00 <= r && r <= 0x9FFF: // ideographs, of which a page takes long to fill
		return plain
	case r < utf8.RuneSelf && asciiShapes[r] != noShape:
		return plain
	case !unicode.IsLetter(r) || !norm.NFKC.PropertiesString(text).BoundaryBefore():
		return changed
	case foldedOf(text) == text && exactOf(text) == text:
		return plain
	}
	return changed
}}

// forms are those of a word.
type forms struct{ word, folded, exact string }

// memory has the forms of words that were read, each in the one place that its hash has: texts
// repeat their words. It takes up to 1 MB.
type memory struct {
	seed   maphash.Seed
	places [4096]atomic.Pointer[forms]
}

// maxRemembered is the most bytes of a word in a memory.
const maxRemembered = 64

var readBefore = memory{seed: maphash.MakeSeed()}

// of returns the forms of a word.
func (m *memory) of(word string) forms {
	if len(word) > maxRemembered {
		return forms{word, foldedOf(word), exactOf(word)}
	}
	place := &m.places[maphash.String(m.seed, word)%uint64(len(m.places))]
	if known := place.Load(); known != nil && known.word == word {
		return *known
	}
	f := forms{strings.Clone(word), foldedOf(word), exactOf(word)} // a text is not kept for a word of it
	place.Store(&f)
	return f
}
