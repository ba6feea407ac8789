package fulltext

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/analysis/token/porter"
)

// A kind is how an analyzer treats a character.
type kind byte

const (
	gap    kind = iota // separates words
	letter             // part of a word
	single             // a word by itself
	gram               // part of a run that is indexed in pairs
)

// An analyzer splits text into the terms that are searched. All four analyzers
// make the same single pass over the text; they differ in the kinds of
// characters:
//
//	standard  words; scripts written without spaces character by character
//	en        as standard, with English words reduced to their stems
//	cjk       words; Chinese, Japanese and Korean in pairs of characters
//	ngram     letters and digits of any script in pairs
//
// A word is a run of letters, digits, marks and underscores, as delimited by
// PostgreSQL's \m and \M, in lower case. standard and en drop English stop
// words, but count their positions, which phrases need.
//
// A run of n characters becomes n-1 pairs and its last character. So a single
// character is found as the prefix of a term, and longer text as the phrase of
// its pairs. One position after a run stays free, so that pairs of different
// runs are never adjacent.
type analyzer struct {
	ascii [utf8.RuneSelf]kind
	other func(r rune) kind
	stop  analysis.TokenMap // words to drop
	stem  bool
}

// maxTerm limits the bytes of a term. Longer words are not language but data,
// such as base64.
const maxTerm = 256

// spaceless are the scripts without separators between words.
var spaceless = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

var cjk = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul}

func isWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_'
}

func standardKind(r rune) kind {
	switch {
	case !isWord(r):
		return gap
	case unicode.In(r, spaceless...):
		return single
	}
	return letter
}

func cjkKind(r rune) kind {
	if k := standardKind(r); k == gap || !unicode.In(r, cjk...) {
		return k
	}
	return gram
}

func ngramKind(r rune) kind {
	if r == '_' || !isWord(r) {
		return gap
	}
	return gram
}

func newAnalyzer(name string) (*analyzer, error) {
	a := &analyzer{}
	switch name {
	case "standard", "en":
		a.other = standardKind
		a.stop = analysis.NewTokenMap()
		if err := a.stop.LoadBytes(en.EnglishStopWords); err != nil {
			return nil, fmt.Errorf("analyzer %s: %w", name, err)
		}
		a.stem = name == "en"
	case "cjk":
		a.other = cjkKind
	case "ngram":
		a.other = ngramKind
	default:
		return nil, fmt.Errorf("unknown analyzer %q: write standard, en, cjk or ngram", name)
	}
	for r := range a.ascii {
		a.ascii[r] = a.other(rune(r))
	}
	return a, nil
}

// withoutStems returns an analyzer that neither drops nor stems words.
func (a *analyzer) withoutStems() *analyzer {
	b := *a
	b.stop, b.stem = nil, false
	return &b
}

// A form is the way a token was made.
type form byte

const (
	whole form = iota // a word
	pair              // two characters of a run
	tail              // the last character of a run
	lone              // the only character of a run
)

// A token is one term of a text.
type token struct {
	term       string
	start, end int // byte offsets in the text
	pos        int // in words, from 1
	form       form
}

// tokens appends the tokens of a text to dst.
func (a *analyzer) tokens(dst []token, text string) []token {
	a.each(text, func(t token) bool { dst = append(dst, t); return true })
	return dst
}

// each calls emit with the tokens of a text in order, until emit returns false.
func (a *analyzer) each(text string, emit func(token) bool) {
	lower := lowerASCII(text)
	pos := 0
	for at := 0; at < len(lower); {
		switch k, size := a.kind(lower, at); k {
		case gap:
			at += size
		case single:
			pos++
			if !emit(token{term: fold(lower[at : at+size]), start: at, end: at + size, pos: pos}) {
				return
			}
			at += size
		case letter:
			end := a.run(lower, at, k)
			pos++
			if term, ok := a.word(lower[at:end]); ok && !emit(token{term: term, start: at, end: end, pos: pos}) {
				return
			}
			at = a.possessive(lower, end)
		case gram:
			end, more := a.run(lower, at, k), true
			if pos, more = pairs(lower, at, end, pos, emit); !more {
				return
			}
			at = end
		}
	}
}

// kind returns the kind and the size of the character at a byte offset.
func (a *analyzer) kind(text string, at int) (kind, int) {
	if c := text[at]; c < utf8.RuneSelf {
		return a.ascii[c], 1
	}
	r, size := utf8.DecodeRuneInString(text[at:])
	return a.other(r), size
}

// run returns the end of the run of one kind that starts at from.
func (a *analyzer) run(text string, from int, want kind) int {
	at := from
	for at < len(text) {
		k, size := a.kind(text, at)
		if k != want {
			break
		}
		at += size
	}
	return at
}

// word returns the term of a word, or false if it is a stop word.
func (a *analyzer) word(text string) (string, bool) {
	term := fold(text)
	if len(term) > maxTerm {
		end := maxTerm
		for !utf8.RuneStart(term[end]) {
			end--
		}
		term = term[:end]
	}
	if a.stop[term] {
		return "", false
	}
	if a.stem {
		term = stem(term)
	}
	return term, true
}

// possessive skips an English 's, which belongs to the preceding word.
func (a *analyzer) possessive(text string, at int) int {
	if !a.stem {
		return at
	}
	for _, s := range []string{"'s", "’s"} {
		if end := at + len(s); strings.HasPrefix(text[at:], s) && a.run(text, end, letter) == end {
			return end
		}
	}
	return at
}

func stem(word string) string {
	stream := analysis.TokenStream{{Term: []byte(word)}}
	return string(porter.NewPorterStemmer().Filter(stream)[0].Term)
}

// pairs emits the tokens of the run text[from:to]. It returns the last position
// used, and the last result of emit.
func pairs(text string, from, to, pos int, emit func(token) bool) (last int, more bool) {
	form := lone
	for at := from; at < to; {
		_, size := utf8.DecodeRuneInString(text[at:])
		next := at + size
		pos++
		if next == to {
			return pos + 1, emit(token{term: fold(text[at:to]), start: at, end: to, pos: pos, form: form})
		}
		_, second := utf8.DecodeRuneInString(text[next:])
		if !emit(token{term: fold(text[at : next+second]), start: at, end: next + second, pos: pos, form: pair}) {
			return pos, false
		}
		at, form = next, tail
	}
	return pos + 1, true
}

// lowerASCII converts ASCII letters to lower case. It keeps all offsets, so most
// terms are substrings of its result and need no memory.
func lowerASCII(text string) string {
	for i := 0; i < len(text); i++ {
		if c := text[i]; 'A' <= c && c <= 'Z' {
			return lowerFrom(text, i)
		}
	}
	return text
}

func lowerFrom(text string, i int) string {
	b := []byte(text)
	for ; i < len(b); i++ {
		if c := b[i]; 'A' <= c && c <= 'Z' {
			b[i] = c + ('a' - 'A')
		}
	}
	return string(b)
}

// fold converts the other letters to lower case, and full-width forms to
// ordinary ones. Its argument is a result of lowerASCII.
func fold(text string) string {
	for _, r := range text {
		if r >= utf8.RuneSelf && foldRune(r) != r {
			return strings.Map(foldRune, text)
		}
	}
	return text
}

func foldRune(r rune) rune {
	if '！' <= r && r <= '～' {
		r -= '！' - '!'
	}
	return unicode.ToLower(r)
}
