package analysis

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A compound is one word, or words joined by single connectors: wi-fi, O'Reilly, 1,234,
// AT&T. Each of its words takes a position. Other forms stand beside them:
//
//   - the pieces of a word, at its position. A word is cut where the case changes from lower
//     to upper, and between letters and digits: iPhone15 has i, phone, 15, and also iphone;
//   - the joined form of 2 to maxJoined words between which are hyphens or apostrophes:
//     wifi, oreilly. It stands at the position of its first and of its last word, so a
//     phrase finds it with the words before and behind;
//   - in the same way, a number without its thousands separators: 1234;
//   - a word with the English ending 's: dogs. The ending is no word, and takes no position.
//     A word such as don't is one, dont;
//   - words with signs that belong to them: c++, f#, at&t, .net.

// The limits of forms.
const (
	maxJoined      = 6 // words
	maxJoinedBytes = 64
	maxSign        = 12 // letters beside a sign
	maxFile        = 4  // letters of the ending of a file name
	maxWords       = 64 // of a compound; it ends behind them
	maxPieces      = 8

	maxRaw = 4 * MaxWord // bytes of a word from which its term is made
)

// A link is what is between a word and the one before.
type link byte

const (
	unlinked  link = iota
	joins          // a hyphen or an apostrophe
	ampersand      // between letters
	thousands      // between groups of digits
)

// A run is a word of a compound: letters, digits and marks.
type run struct {
	start, end int
	link       link
	shapes     shapes
	whole      string // the term, if it is not that of the text
}

// A form is another form of some words.
type form struct {
	first, last int
	Token
}

// A compound is read from a text.
type compound struct {
	text  string
	runs  []run
	forms []form
	end   int
}

// Compound calls emit with the tokens of the compound that starts at a byte offset, whose
// words come behind a position. It returns the end of the compound and the position of the
// last word; more is the last result of emit.
func (a *Analyzer) Compound(text string, at, pos int, emit func(Token) bool) (end, last int, more bool) {
	if r := firstRun(text, at); r.isAlone(text) {
		_, more = a.emitRun(text, r, pos+1, emit)
		return r.end, pos + 1, more
	}
	c := readCompound(text, at)
	if len(c.runs) > 1 {
		c.join()
	}
	for i, r := range c.runs {
		pos++
		term, more := a.emitRun(text, r, pos, emit)
		if !more {
			return c.end, pos, false
		}
		for _, f := range c.forms {
			if f.first != i && f.last != i || f.Term == term || f.Term == "" || a.stop[f.Term] {
				continue
			}
			f.Pos = pos
			if !emit(f.Token) {
				return c.end, pos, false
			}
		}
	}
	return c.end, pos, true
}

// emitRun emits the forms of one word that are of it alone, and returns the folded one, ""
// for a stop word.
func (a *Analyzer) emitRun(text string, r run, pos int, emit func(Token) bool) (term string, more bool) {
	raw := text[r.start:r.end]
	if len(raw) > maxRaw {
		raw = strings.ToValidUTF8(raw[:maxRaw], "")
	}
	t := Token{Term: cut(cmp.Or(r.whole, folded(raw))), Start: r.start, End: r.end, Pos: pos}
	if t.Term == "" || a.stop[t.Term] {
		return "", true
	}
	if !emit(t) {
		return t.Term, false
	}
	own, term := t.Term, t.Term
	if r.whole != "" {
		return term, true
	}
	if !isASCII(raw) {
		own = cut(exact(raw))
		if t.Term, t.Form = own, Exact; own != term && !emit(t) {
			return term, false
		}
	}
	if r.shapes.hasDigits || a.stemmer == nil {
		return term, true
	}
	if stem := a.Stem(own); stem != "" && stem != term {
		t.Term, t.Form = StemMark+stem, Stem
		return term, emit(t)
	}
	return term, true
}

func isASCII(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// read reads the compound that starts at c.end.
func (c *compound) read() {
	for l := unlinked; ; {
		r := run{start: c.end, link: l}
		r.end, r.shapes = wordEnd(c.text, r.start)
		c.end = r.end
		c.runs = append(c.runs, r)
		if r.shapes.changes > 0 {
			c.cut(r)
		}
		if r.shapes.hasLetters && !r.shapes.hasDigits {
			c.sign(r)
		}
		if c.ending(r) || len(c.runs) >= maxWords {
			return
		}
		next, size := c.link(r)
		if next == unlinked {
			return
		}
		c.end, l = c.end+size, next
	}
}

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

func shapeOf(r rune) shape {
	switch {
	case r < utf8.RuneSelf:
		switch {
		case 'a' <= r && r <= 'z':
			return lower
		case 'A' <= r && r <= 'Z':
			return upper
		case '0' <= r && r <= '9':
			return digit
		}
		return noShape
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
		r, size := runeAt(text, at)
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

// IsWhole reports whether a word of so many characters has no pieces, which are cut in so
// many places. One of many short pieces is data, such as a key in hex; v2 and mp3 are short.
func IsWhole(letters, cuts int, digitFirst bool) bool {
	n := cuts + 1
	return letters <= 3 && !digitFirst || n > 3 && (n > maxPieces || 2*letters < 5*n)
}

// cut adds the pieces of a word.
func (c *compound) cut(r run) {
	if first, _ := runeAt(c.text, r.start); IsWhole(r.shapes.letters, r.shapes.changes, shapeOf(first) == digit) {
		return
	}
	piece, group := r.start, r.start // where the current one starts
	before, inCase := noShape, false // the case has changed in the group
	for at := r.start; at < r.end; {
		ch, size := runeAt(c.text, at)
		if now := shapeOf(ch); now != noShape {
			if changes(before, now) {
				c.add(len(c.runs)-1, len(c.runs)-1, piece, at, Piece)
				if piece = at; (before == digit) == (now == digit) {
					inCase = true
				} else {
					c.group(group, at, inCase, r)
					group, inCase = at, false
				}
			}
			before = now
		}
		at += size
	}
	c.add(len(c.runs)-1, len(c.runs)-1, piece, r.end, Piece)
	c.group(group, r.end, inCase, r)
}

// group adds the letters between digits whose case changes.
func (c *compound) group(start, end int, inCase bool, r run) {
	if inCase && end-start < r.end-r.start {
		c.add(len(c.runs)-1, len(c.runs)-1, start, end, Group)
	}
}

func (c *compound) add(first, last, start, end int, f Form) {
	if end-start == 1 && shapeOf(rune(c.text[start])) != digit {
		return // a letter is no word by itself
	}
	c.forms = append(c.forms, form{first, last, Token{Term: folded(c.text[start:end]), Start: start, End: end, Form: f}})
}

// link returns what is behind the compound if it goes on, and its size.
func (c *compound) link(last run) (link, int) {
	if c.end == len(c.text) {
		return unlinked, 0
	}
	r, size := runeAt(c.text, c.end)
	next := c.end + size
	if next == len(c.text) || !isJoiner(r) && r != '&' && !isThousands(r) {
		return unlinked, 0
	}
	behind, _ := runeAt(c.text, next)
	if latestKind(behind) != letter || shapeOf(behind) == noShape {
		return unlinked, 0
	}
	switch {
	case isJoiner(r):
		return joins, size
	case r == '&' && !last.shapes.hasDigits && shapeOf(behind) != digit:
		return ampersand, size
	case isThousands(r) && c.isGroup(last, r) && digits(c.text[next:]) == 3:
		return thousands, size
	}
	return unlinked, 0
}

// isJoiner reports whether a character between two words may make one of them.
func isJoiner(r rune) bool {
	switch r {
	case '-', '\u2010', '\u2011', // hyphens
		'\'', '’', '\uFF07', 'ʼ', // apostrophes
		'\u00B7',           // the middle dot of Catalan
		'\u05F3', '\u05F4': // geresh and gershayim
		return true
	}
	return false
}

func isThousands(r rune) bool {
	switch r {
	case ',', '.', '\u00A0', '\u2009', '\u202F':
		return true
	}
	return false
}

// isGroup reports whether a word is the first group of a number, of one to three digits, or
// a later one behind the same separator.
func (c *compound) isGroup(r run, sep rune) bool {
	if r.shapes.hasLetters || r.end-r.start > 3 || digits(c.text[r.start:]) != r.end-r.start {
		return false
	}
	if r.link == thousands {
		before, _ := runeAt(c.text, c.runs[len(c.runs)-2].end)
		return before == sep
	}
	return r.link == unlinked
}

// digits returns how many ASCII digits a text begins with, at most 4, or -1 if a letter
// follows.
func digits(text string) (n int) {
	for n < min(4, len(text)) && '0' <= text[n] && text[n] <= '9' {
		n++
	}
	if n < len(text) {
		if r, _ := runeAt(text, n); latestKind(r) == letter {
			return -1
		}
	}
	return n
}

// join adds the forms of several words.
func (c *compound) join() {
	for from := 0; from < len(c.runs); {
		to := from + 1
		for to < len(c.runs) && c.runs[to].link == c.runs[min(from+1, to)].link && c.runs[to].link != unlinked {
			to++
		}
		if to-from > 1 {
			c.joinRuns(from, to)
		}
		from = max(from+1, to-1)
	}
}

// joinRuns adds the form of words with links of one kind.
func (c *compound) joinRuns(from, to int) {
	first, last := c.runs[from], c.runs[to-1]
	if to-from > maxJoined || last.end-first.start > maxJoinedBytes {
		return
	}
	words := make([]string, 0, maxJoined)
	for _, r := range c.runs[from:to] {
		words = append(words, cmp.Or(r.whole, c.text[r.start:r.end]))
	}
	t := Token{Start: first.start, End: last.end, Form: Joined}
	if c.runs[to-1].link == ampersand {
		for i := range words {
			words[i] = folded(words[i])
		}
		t.Term, t.Form = strings.Join(words, "&"), Signed
	} else {
		t.Term = folded(strings.Join(words, ""))
	}
	c.forms = append(c.forms, form{from, to - 1, t})
}
