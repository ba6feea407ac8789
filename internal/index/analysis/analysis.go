// Package analysis splits text into the terms that an index stores and a query
// searches. Both use the same Analyzer, so a query finds what was indexed.
//
// An Analyzer makes one pass over a text. It does not change after New, and it
// is safe for concurrent use. It allocates a string for each term with letters to
// fold, unless it has the forms of the word in memory: up to 1 MB for all analyzers.
package analysis

import (
	"fmt"
	"maps"
	"slices"
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
	gap     kind = iota // separates words
	letter              // part of a word
	single              // a word by itself
	gram                // part of a run that is indexed in pairs
	emoji               // a word by itself, with what varies it
	ignored             // no part of the word that it is in
)

// An Analyzer splits text into the terms that are searched. All four analyzers
// make the same single pass over the text; they differ in the kinds of
// characters:
//
//	standard  words; scripts written without spaces character by character
//	en        as standard, with English words reduced to their stems
//	cjk       words; Chinese, Japanese and Korean in pairs of characters
//	ngram     letters and digits of any script in pairs
//
// A word is a run of letters, digits, marks and underscores, as delimited by
// PostgreSQL's \m and \M, in lower case. Stop words, of which there are none by
// default, are dropped, but their positions count, which phrases need.
//
// A run of n characters becomes n-1 pairs and its last character. So a single
// character is found as the prefix of a term, and longer text as the phrase of
// its pairs. One position after a run stays free, so that pairs of different
// runs are never adjacent.
type Analyzer struct {
	ascii [utf8.RuneSelf]kind
	words bool // ASCII letters, digits and underscores are of words
	other func(r rune) kind
	stop  map[string]bool // words to drop

	stem    bool // of version First: words are Porter's stems
	latest  bool
	stemmer analysis.TokenFilter // nil: words have no stems
}

// StemMark begins the term of a stem, as which no word is indexed. It is so long that no
// word is similar to such a term.
const StemMark = "~~~"

// MaxWord limits the bytes of a term. Longer words are not language but data,
// such as base64, and are cut.
const MaxWord = 256

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

// The versions of analyzers. An index has that of its time until it is rebuilt.
const (
	First  = 0
	Latest = 2
)

// A Spec describes an analyzer.
type Spec struct {
	Name      string   // standard, en, cjk or ngram
	Version   int      // First or Latest
	Language  string   // of the stems of words: one of Languages, "" for none; First ignores it
	Stopwords []string // words to drop, in any case
}

// New returns an analyzer.
func New(s Spec) (*Analyzer, error) {
	if s.Language != "" && stemmers[s.Language] == nil {
		return nil, fmt.Errorf("unknown language %q: write none or one of %s", s.Language, strings.Join(Languages(), ", "))
	}
	a := &Analyzer{stop: map[string]bool{}, latest: s.Version > First}
	for _, w := range s.Stopwords {
		if a.latest {
			a.stop[folded(w)] = true
		} else {
			a.stop[fold(lowerASCII(w))] = true
		}
	}
	choose := func(first, latest func(rune) kind) func(rune) kind {
		if a.latest {
			return latest
		}
		return first
	}
	switch s.Name {
	case "standard", "en":
		a.other = choose(standardKind, latestKinds.at)
		a.stem = s.Name == "en" && !a.latest
	case "cjk":
		a.other = choose(cjkKind, latestCJKs.at)
	case "ngram":
		a.other = choose(ngramKind, latestNgrams.at)
	default:
		return nil, fmt.Errorf("unknown analyzer %q: write standard, en, cjk or ngram", s.Name)
	}
	for r := range a.ascii {
		a.ascii[r] = a.other(rune(r))
	}
	a.words = a.ascii['a'] == letter
	if s.Name == "en" {
		s.Language = s.Name
	}
	if a.latest && a.words && s.Language != "" {
		a.stemmer = stemmers[s.Language]()
	}
	return a, nil
}

// English returns the stop words of English, in the order of bytes.
func English() []string {
	words := analysis.NewTokenMap()
	_ = words.LoadBytes(en.EnglishStopWords) // reading from memory does not fail
	return slices.Sorted(maps.Keys(words))
}

// WithoutStems returns an analyzer that neither drops nor stems words.
func (a *Analyzer) WithoutStems() *Analyzer {
	b := *a
	b.stop, b.stem = nil, false
	return &b
}

// A Form is the way a token was made.
type Form byte

const (
	Whole Form = iota // a word
	Pair              // two characters of a run
	Tail              // the last character of a run
	Lone              // the only character of a run
	Sign              // a character that is a word by itself

	// Tokens of these forms stand at the position of another one, which is before
	// them. They do not count as words of a text.
	Exact  // the exact form of a word, if it differs from the folded one
	Stem   // the stem of a word behind StemMark, if it differs from the folded form
	Piece  // a part of a word: of letters or digits, in which the case does not change
	Group  // several pieces of letters
	Joined // several words of a compound, written as one
	Signed // words of a compound with signs that belong to them
)

// Extra reports whether tokens of the form stand beside another one.
func (f Form) Extra() bool { return f >= Exact }

// A Token is one term of a text.
type Token struct {
	Term       string
	Start, End int // byte offsets in the text
	Pos        int // in words, from 1
	Form       Form
}

// Tokens appends the tokens of a text to dst.
func (a *Analyzer) Tokens(dst []Token, text string) []Token {
	a.Each(text, func(t Token) bool { dst = append(dst, t); return true })
	return dst
}

// Each calls emit with the tokens of a text in order, until emit returns false. It
// returns the last position that the text takes: of a token, of a stop word, or free.
func (a *Analyzer) Each(text string, emit func(Token) bool) (pos int) {
	if a.latest {
		return a.eachLatest(text, emit)
	}
	lower := lowerASCII(text)
	for at := 0; at < len(lower); {
		switch k, size := a.kind(lower, at); k {
		case gap:
			at += size
		case single:
			pos++
			if term := fold(lower[at : at+size]); !a.stop[term] && !emit(Token{Term: term, Start: at, End: at + size, Pos: pos}) {
				return pos
			}
			at += size
		case letter:
			end := a.run(lower, at, k)
			pos++
			if term, ok := a.Term(lower[at:end]); ok && !emit(Token{Term: term, Start: at, End: end, Pos: pos}) {
				return pos
			}
			at = a.AfterWord(lower, end)
		case gram:
			end, more := a.run(lower, at, k), true
			if pos, more = pairs(lower, at, end, pos, emit); !more {
				return pos
			}
			at = end
		}
	}
	return pos
}

// InWord reports whether the character at a byte offset belongs to a word of
// letters.
func (a *Analyzer) InWord(text string, at int) bool {
	k, _ := a.kind(text, at)
	return k == letter
}

// ASCIIWords reports whether a text of ASCII characters is a list of words, whose
// terms Term returns: its runs of letters, digits and underscores.
func (a *Analyzer) ASCIIWords() bool { return a.words }

// IsLatest reports whether the analyzer has the version Latest.
func (a *Analyzer) IsLatest() bool { return a.latest }

// Stops reports whether a folded word is dropped.
func (a *Analyzer) Stops(word string) bool { return a.stop[word] }

// HasStems reports whether words have stems beside them.
func (a *Analyzer) HasStems() bool { return a.stemmer != nil }

// kind returns the kind and the size of the character at a byte offset.
func (a *Analyzer) kind(text string, at int) (kind, int) {
	if c := text[at]; c < utf8.RuneSelf {
		return a.ascii[c], 1
	}
	r, size := utf8.DecodeRuneInString(text[at:])
	return a.other(r), size
}

// run returns the end of the run of one kind that starts at from.
func (a *Analyzer) run(text string, from int, want kind) int {
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

// Term returns the term of a word, or false if it is a stop word. Its argument is
// a word of a result of lowerASCII.
func (a *Analyzer) Term(text string) (string, bool) {
	term := cut(fold(text))
	if a.stop[term] {
		return "", false
	}
	if a.stem {
		term = stem(term)
	}
	return term, true
}

// cut returns the first bytes of a term, at most MaxWord.
func cut(term string) string {
	if len(term) <= MaxWord {
		return term
	}
	end := MaxWord
	for !utf8.RuneStart(term[end]) {
		end--
	}
	return term[:end]
}

// AfterWord returns where the text goes on after a word that ends at at. It skips
// an English 's, which belongs to the word, in either case.
func (a *Analyzer) AfterWord(text string, at int) int {
	if !a.stem || at == len(text) || text[at] != "'"[0] && text[at] != "’"[0] {
		return at
	}
	for _, s := range []string{"'s", "’s", "'S", "’S"} {
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
func pairs(text string, from, to, pos int, emit func(Token) bool) (last int, more bool) {
	form := Lone
	for at := from; at < to; {
		_, size := utf8.DecodeRuneInString(text[at:])
		next := at + size
		pos++
		if next == to {
			return pos + 1, emit(Token{Term: fold(text[at:to]), Start: at, End: to, Pos: pos, Form: form})
		}
		_, second := utf8.DecodeRuneInString(text[next:])
		if !emit(Token{Term: fold(text[at : next+second]), Start: at, End: next + second, Pos: pos, Form: Pair}) {
			return pos, false
		}
		at, form = next, Tail
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
