package segment

import (
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
	w.token = append(append(w.token[:0], 0, byte(before)), text...) // no term begins so
	key := w.find(w.token)
	if w.terms[key].means == 0 {
		w.known = append(w.known, w.readCompound(a, text, before))
		w.terms[key].means = int32(len(w.known))
	}
	k := w.known[w.terms[key].means-1]
	for _, s := range w.steps[k.from:k.to] {
		if w.occur(s.id, pos+int(s.pos)); s.form.Extra() {
			w.extra++
		}
	}
	return from + k.size, pos + k.words
}

func (w *words) readCompound(a *analysis.Analyzer, text string, before int) knownCompound {
	k := knownCompound{from: len(w.steps)}
	end, words, _ := a.Compound(text, before, 0, func(t analysis.Token) bool {
		w.token = append(w.token[:0], t.Term...)
		w.steps = append(w.steps, step{w.find(w.token), int32(t.Pos), t.Form})
		return true
	})
	k.to, k.size, k.words = len(w.steps), end-before, words
	return k
}

// occurWord appends an occurrence of a word that has one part, with its stem.
func (w *words) occurWord(a *analysis.Analyzer, word uint32, pos int) {
	if w.terms[word].means == 0 {
		w.learn(a, word)
	}
	if w.terms[word].means == stopped {
		return
	}
	w.occur(word, pos)
	if len(w.stems) > 0 {
		if stem := w.stems[word]; stem > 0 {
			w.beside(stem-1, pos)
		}
	}
}

// learn asks the analyzer once for each distinct word of the segment.
func (w *words) learn(a *analysis.Analyzer, word uint32) {
	text := string(w.text(word))
	if a.Stops(text) {
		w.terms[word].means = stopped
		return
	}
	w.terms[word].means = int32(word) + 1
	if !a.HasStems() {
		return
	}
	stem := uint32(0)
	if s := a.Stem(text); s != "" && s != text {
		w.token = append(append(w.token[:0], analysis.StemMark...), s...)
		stem = w.find(w.token) + 1
	}
	for len(w.stems) < len(w.terms) {
		w.stems = append(w.stems, 0)
	}
	w.stems[word] = stem
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
func shapesOf(block string) (b blockShapes) {
	var c shaped
	at := 0
	for ; at+8 <= len(block); at += 8 {
		b.add(c.next(littleEight(block[at:])), at)
	}
	if at < len(block) {
		var rest [8]byte
		copy(rest[:], block[at:])
		b.add(c.next(littleEight(string(rest[:]))), at)
	}
	return b
}

func (b *blockShapes) add(eight blockShapes, at int) {
	b.words, b.signs, b.cuts, b.hard = b.words|eight.words<<at, b.signs|eight.signs<<at, b.cuts|eight.cuts<<at, b.hard|eight.hard<<at
}

// shaped are the shapes of the eight characters before, in the high bit of each byte.
type shaped struct{ lower, digit, word, joiner, ampersand, point, dot uint64 }

// next returns the shapes of eight characters, the first in the lowest byte.
func (b *shaped) next(c uint64) blockShapes {
	folded := c | 0x20*lowBits
	letter := (folded + (0x80-'a')*lowBits) &^ (folded + (0x80-'z'-1)*lowBits) & highBits
	digit := (c + (0x80-'0')*lowBits) &^ (c + (0x80-'9'-1)*lowBits) & highBits
	upper := letter &^ (c << 2) // 0x20 is the bit of lower case
	dot := equal(c, '.')
	now := shaped{letter &^ upper, digit, letter | digit, equal(c, '-') | equal(c, '\''), equal(c, '&'), equal(c, ',') | dot, dot}
	end := equal(c, '+') | equal(c, '#')

	before, second := now.word<<8|b.word>>56, now.word<<16|b.word>>48 // the first and the second character before
	digitBefore, secondDigit := now.digit<<8|b.digit>>56, now.digit<<16|b.digit>>48
	cuts := before&now.word&(digitBefore^digit) | (now.lower<<8|b.lower>>56)&upper
	hard := (now.joiner<<8|b.joiner>>56)&second&now.word |
		(now.ampersand<<8|b.ampersand>>56)&second&letter |
		(now.point<<8|b.point>>56)&secondDigit&digit |
		(now.dot<<8|b.dot>>56)&letter |
		before&end
	*b = now
	return blockShapes{gather(now.word), gather(now.joiner | now.ampersand | now.point | end), gather(cuts), gather(hard)}
}

// equal returns the high bit of each byte that is an ASCII character.
func equal(c uint64, char byte) uint64 {
	return (highBits - (c ^ uint64(char)*lowBits)) & highBits
}

// gather moves the high bits of all bytes into the lowest byte.
func gather(c uint64) uint64 {
	const lowest = 0x0102040810204080 // moves the lowest bits of all bytes into the highest byte
	return (c >> 7) * lowest >> 56
}
