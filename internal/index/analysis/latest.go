package analysis

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// paired are the scripts without spaces whose words the analyzer standard finds by pairs of
// characters. Those of Chinese and Japanese it finds character by character.
var paired = []*unicode.RangeTable{unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

// The kinds of characters for each analyzer.
var (
	latestKinds  = classes[kind]{of: latestKindOf}
	latestCJKs   = classes[kind]{of: latestCJK}
	latestNgrams = classes[kind]{of: latestNgram}
)

// latestKind is the kind of a character for the analyzer standard.
func latestKind(r rune) kind {
	if uint32(r) < utf8.RuneSelf {
		return latestASCII[r]
	}
	return latestKinds.at(r)
}

func latestKindOf(r rune) kind {
	switch {
	case r < utf8.RuneSelf:
		return latestASCII[r]
	case isIgnored(r):
		return ignored
	case isJoiner(r): // some are letters
		return gap
	case isSound(r):
		return single
	case isEmoji(r):
		return emoji
	case !unicode.In(r, unicode.Letter, unicode.Mark, unicode.Nd, unicode.No, unicode.Nl):
		return gap
	case r < 0xE00:
		return letter
	case unicode.In(r, paired...):
		return gram
	case unicode.In(r, spaceless...):
		return single
	}
	return letter
}

// latestASCII has the kinds of ASCII characters.
var latestASCII = func() (kinds [utf8.RuneSelf]kind) {
	for c := range kinds {
		if asciiShapes[c] != noShape {
			kinds[c] = letter
		}
	}
	return kinds
}()

// isSound reports whether a character goes with the one of Japanese before it.
func isSound(r rune) bool {
	switch r {
	case '\u3099', '\u309A', '\u30FC', '\uFF70', '\uFF9E', '\uFF9F':
		return true
	}
	return false
}

func latestCJK(r rune) kind {
	k := latestKind(r)
	if k == single || k == letter && r >= 0x1100 && unicode.Is(unicode.Hangul, r) {
		return gram
	}
	return k
}

func latestNgram(r rune) kind {
	if k := latestKind(r); k == gap || k == ignored || k == emoji {
		return k
	}
	return gram
}

// eachLatest is Each for the version Latest.
func (a *Analyzer) eachLatest(text string, emit func(Token) bool) (pos int) {
	more := true
	for at := 0; at < len(text); {
		switch k, size := a.kind(text, at); k {
		case letter:
			if at, pos, more = a.Compound(text, at, pos, emit); !more {
				return pos
			}
		case gram:
			end := a.gramEnd(text, at)
			if pos, more = a.pairs(text, at, end, pos, emit); !more {
				return pos
			}
			at = end
		case single, emoji:
			end := at + unitSize(text[at:], size)
			if k == emoji {
				end = emojiEnd(text, at, at+size)
			}
			if term := folded(text[at:end]); term != "" {
				pos++
				if !a.stop[term] && !emit(Token{Term: term, Start: at, End: end, Pos: pos, Form: Sign}) {
					return pos
				}
			}
			at = end
		default:
			at += size
		}
	}
	return pos
}

// emojiEnd returns the end of an emoji: two halves of a flag are one, and a variation or a
// tone of the skin belongs to it.
func emojiEnd(text string, at, end int) int {
	if r, _ := utf8.DecodeRuneInString(text[at:]); isFlag(r) {
		if next, size := utf8.DecodeRuneInString(text[end:]); isFlag(next) {
			end += size
		}
	}
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		if !isIgnored(r) || r == '\u200D' {
			break
		}
		end += size
	}
	return end
}

// unitSize returns the size of the first character of a text with the marks that make
// another character of it, such as か and a voiced sound mark. size is that of the first
// rune.
func unitSize(text string, size int) int {
	if size == len(text) {
		return size
	}
	if r, _ := utf8.DecodeRuneInString(text[size:]); r < 0x300 || 0x2E80 <= r && r < 0x3099 || 0x30A0 <= r && r < 0xA000 {
		return size
	}
	if n := norm.NFKC.NextBoundaryInString(text, true); n > size {
		return n
	}
	return size
}

// gramEnd returns the end of the run of characters in pairs that starts at a byte offset.
func (a *Analyzer) gramEnd(text string, at int) int {
	end := at
	for at < len(text) {
		k, size := a.kind(text, at)
		if k != gram && k != ignored {
			break
		}
		if at += size; k == gram {
			end = at
		}
	}
	return end
}

// An element is a character of a folded run.
type element struct {
	term       string
	start, end int
}

// isText reports whether the term is that of the text.
func (e element) isText(text string) bool { return e.term == text[e.start:e.end] }

// pairs emits the tokens of the run text[from:to], as pairs of its folded characters.
func (a *Analyzer) pairs(text string, from, to, pos int, emit func(Token) bool) (last int, more bool) {
	var some [32]element
	all := some[:0]
	for at := from; at < to; {
		_, size := utf8.DecodeRuneInString(text[at:])
		end := min(to, at+unitSize(text[at:], size))
		for term := folded(text[at:end]); term != ""; {
			_, size := utf8.DecodeRuneInString(term)
			all = append(all, element{term[:size], at, end})
			term = term[size:]
		}
		at = end
	}
	for i, e := range all {
		pos++
		t := Token{Term: e.term, Start: e.start, End: e.end, Pos: pos, Form: Tail}
		switch {
		case i+1 < len(all):
			next := all[i+1]
			t.End, t.Form = next.end, Pair
			if e.end == next.start && e.isText(text) && next.isText(text) {
				t.Term = text[e.start:next.end]
			} else {
				t.Term = e.term + next.term
			}
		case i == 0:
			t.Form = Lone
		}
		if !emit(t) {
			return pos, false
		}
	}
	if len(all) == 0 {
		return pos, true
	}
	return pos + 1, true
}
