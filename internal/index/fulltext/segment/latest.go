package segment

import (
	"encoding/binary"
	"math/bits"

	"indexerd/internal/index/analysis"
)

// An analyzer of version Latest cuts words into parts and adds forms to them: see package
// analysis. Most words of ASCII characters have one part and one form. Their shapes tell so
// without a branch for each character; the analyzer reads the others.

// addLatest is addText for an analyzer of version Latest.
func (w *words) addLatest(a *analysis.Analyzer, text string, pos int) {
	for {
		n := asciiPart(text, endsLatest)
		pos = w.addLatestASCII(a, text[:n], pos)
		if text = text[n:]; text == "" {
			return
		}
		n = otherPart(text, endsLatest)
		pos = w.addTokens(a, text[:n], pos)
		text = text[n:]
	}
}

// endsLatest reports whether a character is part of no compound, nor of a sign beside one.
func endsLatest(c byte) bool { return c <= ' ' }

// addLatestASCII is addTokens for a text of ASCII characters.
func (w *words) addLatestASCII(a *analysis.Analyzer, text string, pos int) int {
	w.base = 0
	for at := 0; at < len(text); {
		block := text[at:min(at+blockSize, len(text))]
		b := shapesOf(block)
		next := at + len(block)
		for of := b.words; of != 0; {
			from := bits.TrailingZeros64(of)
			size := bits.TrailingZeros64(^(of >> from))
			end := at + from + size
			isCut := from+size+1 >= len(block) && next < len(text)
			if isCut && from > 1 {
				next = at + from - 1 // what is behind the word is in the next block, with the character before it
				break
			}
			around := bitsOf(from, size+2)
			switch begun := from == 0 && at > 0; {
			case isCut || begun && text[at-1] == '.':
				end, pos, _ = a.Compound(text, at+from, pos, w.take)
			case b.hard&around == 0 && isWhole(text[at+from:], size, b.cuts&bitsOf(from, size)):
				pos++
				w.occurWord(a, w.findASCII(text[at+from:], size), pos)
			default:
				chunk := bits.TrailingZeros64(^((b.words | b.signs) >> from))
				if from+chunk >= len(block) && next < len(text) {
					if from > 1 {
						next = at + from - 1
						of = 0
						continue
					}
					end, pos, _ = a.Compound(text, at+from, pos, w.take)
					break
				}
				end, pos = w.addCompound(a, text, at+from, at+from+chunk, pos)
			}
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

// bitsOf returns n bits from one on.
func bitsOf(from, n int) uint64 {
	if n >= blockSize {
		return ^uint64(0) << from
	}
	return (1<<n - 1) << from
}

// isWhole reports whether a word of so many characters at the start of a text has no pieces.
func isWhole(text string, size int, cuts uint64) bool {
	return cuts == 0 || analysis.IsWhole(size, bits.OnesCount64(cuts), isDigit(text[0]))
}

// A knownCompound is a compound that was read before.
type knownCompound struct {
	from, to int // of steps
	size     int // in bytes
	words    int // positions that it takes
}

// A step is a term of a compound.
type step struct {
	id   uint32
	pos  int32 // from that before the compound
	form analysis.Form
}

// addCompound appends the compound that starts at from. It returns its end and the position
// of its last word. Letters, digits and signs go on to to. The analyzer reads a compound once
// in a segment.
func (w *words) addCompound(a *analysis.Analyzer, text string, from, to, pos int) (end, last int) {
	before := 0
	if from > 0 && text[from-1] == '.' {
		before = min(from, 2)
	}
	if to == len(text) || text[to] != '_' && text[to] != '@' { // else the dot before a word is not of it
		for !isWord(text[to-1]) && text[to-1] != '+' && text[to-1] != '#' {
			to--
		}
	} else {
		to++
	}
	text = text[from-before : to]
	if len(w.known) == 0 {
		w.compounds.reset() // it has those of the segment before
	}
	w.token = append(append(w.token[:0], byte(before)), text...)
	id := w.compounds.find(w.token)
	if int(id) == len(w.known) {
		w.known = append(w.known, w.readCompound(a, text, before))
	}
	k := w.known[id]
	for _, s := range w.steps[k.from:k.to] {
		if w.occur(s.id, pos+int(s.pos)); s.form.Extra() {
			w.extra++
		}
	}
	return from + k.size, pos + k.words
}

func (w *words) readCompound(a *analysis.Analyzer, text string, before int) knownCompound {
	k := knownCompound{from: len(w.steps)}
	end, words, _ := a.Compound(text, before, 0, w.takeStep)
	k.to, k.size, k.words = len(w.steps), end-before, words
	return k
}

// addStep appends a token of a compound that is read.
func (w *words) addStep(t analysis.Token) bool {
	w.token = append(w.token[:0], t.Term...)
	w.steps = append(w.steps, step{w.find(w.token), int32(t.Pos), t.Form})
	return true
}

// What is known of a word.
const (
	unknownWord byte = iota
	indexedWord
	stemmedWord // it has a stem beside it
	stopWord
)

// occurWord appends an occurrence of a word that has one part, with its stem.
func (w *words) occurWord(a *analysis.Analyzer, word uint32, pos int) {
	if int(word) >= len(w.learned) || w.learned[word] == unknownWord {
		w.learn(a, word)
	}
	switch w.learned[word] {
	case indexedWord:
		w.occur(word, pos)
	case stemmedWord:
		w.occur(word, pos)
		w.beside(uint32(w.terms[word].means), pos)
	}
}

// learn asks the analyzer once for each distinct word of the segment.
func (w *words) learn(a *analysis.Analyzer, word uint32) {
	for len(w.learned) <= int(word) {
		w.learned = append(w.learned, unknownWord)
	}
	text := string(w.text(word))
	if a.Stops(text) {
		w.learned[word] = stopWord
		return
	}
	w.learned[word] = indexedWord
	if !a.HasStems() {
		return
	}
	if s := a.Stem(text); s != "" && s != text {
		w.token = append(append(w.token[:0], analysis.StemMark...), s...)
		stem := w.find(w.token)
		w.terms[word].means, w.learned[word] = int32(stem), stemmedWord
	}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// takeToken appends a token of the analyzer.
func (w *words) takeToken(t analysis.Token) bool {
	w.token = append(w.token[:0], t.Term...)
	id := w.find(w.token)
	if t.Form.Extra() {
		w.beside(id, w.base+t.Pos)
	} else {
		w.occur(id, w.base+t.Pos)
	}
	return true
}

// beside appends an occurrence that does not count as a word of the row.
func (w *words) beside(id uint32, pos int) {
	w.occur(id, pos)
	w.extra++
}

// blockShapes has bits for each character of a block of ASCII characters.
type blockShapes struct {
	words uint64 // letters and digits
	signs uint64 // & ' + , - . #
	cuts  uint64 // where a piece of a word begins: the second of aB, a1, 1a
	hard  uint64 // at which a word may have other forms
}

// shapesOf returns the shapes of a block. The bit of hard is 1 where
//
//   - the word may go on there behind a sign: the last of a-b, a'b, a&b, 1,2;
//   - it begins behind a dot: the second of .a;
//   - it ends before a sign: the second of a+ and a#.
func shapesOf(block string) blockShapes {
	var letters, digits, uppers, signs uint64
	at := 0
	for ; at+8 <= len(block); at += 8 {
		letter, digit, upper, sign := classesOf(littleEight(block[at:]))
		letters, digits, uppers, signs = letters|letter<<at, digits|digit<<at, uppers|upper<<at, signs|sign<<at
	}
	if at < len(block) {
		var rest [8]byte
		copy(rest[:], block[at:])
		letter, digit, upper, sign := classesOf(binary.LittleEndian.Uint64(rest[:]))
		letters, digits, uppers, signs = letters|letter<<at, digits|digit<<at, uppers|upper<<at, signs|sign<<at
	}
	words, lowers := letters|digits, letters&^uppers
	b := blockShapes{words: words, cuts: words<<1&words&(digits<<1^digits) | lowers<<1&uppers}
	for ; signs != 0; signs &= signs - 1 {
		i := bits.TrailingZeros64(signs)
		sign, behind := uint64(1)<<i, uint64(2)<<i
		switch before := words&(sign>>1) != 0; block[i] {
		case '-', '\'':
			if before {
				b.hard |= words & behind
			}
		case '&':
			if before {
				b.hard |= letters & behind
			}
		case '.':
			b.hard |= letters & behind
			fallthrough
		case ',':
			if digits&(sign>>1) != 0 {
				b.hard |= digits & behind
			}
		case '+', '#':
			if before {
				b.hard |= sign
			}
		default:
			continue
		}
		b.signs |= sign
	}
	return b
}

// classesOf returns a bit for each of eight characters, the first in the lowest byte and
// bit: those of letters, digits, upper-case letters, and of what is between # and . in ASCII.
// It counts as wordsOfEight does.
func classesOf(c uint64) (letter, digit, upper, sign uint64) {
	folded := c | 0x20*lowBits
	letter = (folded + (0x80-'a')*lowBits) &^ (folded + (0x80-'z'-1)*lowBits) & highBits
	digit = (c + (0x80-'0')*lowBits) &^ (c + (0x80-'9'-1)*lowBits) & highBits
	upper = letter &^ (c << 2) // 0x20 is the bit of lower case
	sign = (c + (0x80-'#')*lowBits) &^ (c + (0x80-'.'-1)*lowBits) & highBits
	return gather(letter), gather(digit), gather(upper), gather(sign)
}

// gather moves the high bits of all bytes into the lowest byte.
func gather(c uint64) uint64 {
	const lowest = 0x0102040810204080 // moves the lowest bits of all bytes into the highest byte
	return (c >> 7) * lowest >> 56
}
