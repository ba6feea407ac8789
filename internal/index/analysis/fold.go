package analysis

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2/analysis/char/asciifolding"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// A word has two forms. Texts and queries meet in the folded one: NFKC, full case folding,
// decimal digits of all scripts as those of ASCII, and without the marks that readers leave
// out. The exact one is NFKC in lower case, with its marks.
//
// Marks are removed as ICU's folding and Lucene do, script by script:
//
//   - Latin and Greek: all. Latin letters that Unicode does not decompose are those of
//     Lucene's ASCIIFoldingFilter: ø is o, ł is l, æ is ae.
//   - Cyrillic: stress marks, and the points of ё. The marks of й, ї, ў, ѓ and others make
//     another letter, so they stay, as in the unicodeSetFilter that CirrusSearch and the
//     documents of icu_folding give for such alphabets.
//   - Hebrew points, and Arabic vowels with the hamza above or below a letter. The Arabic
//     tatweel is no letter, and letters of other keyboards are one. Lucene's
//     ArabicNormalizer and PersianNormalizer do so too.
//   - Other scripts: none. There a mark is a vowel or another consonant.
//
// The folded form of an exact form is that of the word, and a folded form is its own. So an
// exact form that differs from its folded form is no folded form of any word.

// foldedOf returns the folded form of a word, "" if nothing of it is left.
func foldedOf(word string) string {
	text := norm.NFKC.String(cases.Fold().String(norm.NFKC.String(word)))
	var b strings.Builder
	base := rune(0)
	for _, r := range norm.NFD.String(text) {
		switch {
		case !unicode.IsMark(r):
			if keepsInTerm(r) {
				base = r
			}
		case dropsMark(base, r):
			continue
		}
		if keepsInTerm(r) {
			b.WriteRune(foldedLetter(r))
		}
	}
	text = norm.NFC.String(b.String())
	if strings.IndexFunc(text, isExtraLatin) < 0 {
		return text
	}
	return lowerASCII(latin(text))
}

// latin replaces Latin letters that Unicode does not decompose.
func latin(text string) string {
	var b strings.Builder
	for _, r := range text {
		if isExtraLatin(r) {
			b.Write(asciifolding.New().Filter([]byte(string(r))))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isExtraLatin(r rune) bool { return r >= utf8.RuneSelf && unicode.Is(unicode.Latin, r) }

// exactOf returns the exact form of a word.
func exactOf(word string) string {
	text := strings.Map(func(r rune) rune {
		if !keepsInTerm(r) {
			return -1
		}
		if r = unicode.ToLower(r); r == 'ς' {
			return 'σ'
		}
		return r
	}, norm.NFKC.String(word))
	return norm.NFC.String(text)
}

const (
	fractionSlash = '\u2044'
	tatweel       = '\u0640'
)

// keepsInTerm reports whether a character of a normal form stands in a term. A few letters
// have forms with spaces in them.
func keepsInTerm(r rune) bool {
	return r != tatweel && !isIgnored(r) && (unicode.In(r, unicode.Letter, unicode.Number, unicode.Mark) || r == fractionSlash || isEmoji(r))
}

// foldedLetter returns the ASCII digit of a decimal digit, and the lower case of a letter
// whose folded form is upper case, as that of Cherokee.
func foldedLetter(r rune) rune {
	switch {
	case r >= utf8.RuneSelf && unicode.IsDigit(r):
		return '0' + digitOf(r)
	case 0x620 <= r && r < 0x700:
		return arabicLetter(r)
	}
	return unicode.ToLower(r)
}

// arabicLetter returns the letter as which Lucene's ArabicNormalizer or PersianNormalizer
// writes another one: keyboards of Arabic and of Persian have different ones.
func arabicLetter(r rune) rune {
	switch r {
	case '\u0649', '\u06CC', '\u06D2': // alef maksura, Persian and Urdu yeh
		return '\u064A'
	case '\u06A9': // keheh
		return '\u0643'
	case '\u0629', '\u06C0', '\u06C1': // teh marbuta, and other heh
		return '\u0647'
	case '\u0671': // alef wasla
		return '\u0627'
	}
	return r
}

// digitOf returns the value of a decimal digit. Unicode has them in runs of ten.
func digitOf(r rune) rune {
	for _, t := range unicode.Digit.R16 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return (r - rune(t.Lo)) % 10
		}
	}
	for _, t := range unicode.Digit.R32 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return (r - rune(t.Lo)) % 10
		}
	}
	return 0
}

// dropsMark reports whether the folded form lacks a mark behind a letter.
func dropsMark(base, mark rune) bool {
	switch {
	case base < utf8.RuneSelf, unicode.In(base, unicode.Latin, unicode.Greek):
		return unicode.In(mark, unicode.Mn, unicode.Me) && !unicode.In(mark, kept...)
	case unicode.Is(unicode.Cyrillic, base):
		return dropsCyrillic(base, mark)
	case unicode.Is(unicode.Hebrew, base):
		return unicode.Is(unicode.Hebrew, mark) || isCommonMark(mark)
	case unicode.Is(unicode.Arabic, base):
		return unicode.Is(unicode.Mn, mark)
	}
	return isCommonMark(mark) && !unicode.In(base, kept...)
}

// kept are the scripts whose marks stay.
var kept = append([]*unicode.RangeTable{
	unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada,
	unicode.Malayalam, unicode.Sinhala, unicode.Tibetan, unicode.Georgian, unicode.Ethiopic, unicode.Mongolian,
}, append(spaceless, unicode.Hangul)...)

// isCommonMark reports whether a mark is one of the accents of European scripts.
func isCommonMark(r rune) bool { return 0x300 <= r && r < 0x370 }

const (
	graveAccent = '\u0300'
	acuteAccent = '\u0301'
	diaeresis   = '\u0308'
)

// dropsCyrillic drops stress marks from vowels, and the points of ё.
func dropsCyrillic(base, mark rune) bool {
	switch mark {
	case graveAccent, acuteAccent:
		return base != 'г' && base != 'к'
	case diaeresis:
		return base == 'е'
	}
	return false
}

// isIgnored reports whether a character inside a word is no part of it: soft hyphens,
// joiners, variation selectors, marks of direction.
func isIgnored(r rune) bool {
	switch {
	case r < 0xAD:
		return false
	case r == 0xAD, r == 0x34F, r == 0x61C, r == 0xFEFF:
		return true
	}
	return 0x180B <= r && r <= 0x180E || 0x200C <= r && r <= 0x200F || 0x202A <= r && r <= 0x202E || 0x2060 <= r && r <= 0x206F ||
		0xFE00 <= r && r <= 0xFE0F || 0xE0000 <= r && r <= 0xE0FFF || isSkin(r)
}

// isSkin reports whether a character is the tone of the skin of an emoji.
func isSkin(r rune) bool { return 0x1F3FB <= r && r <= 0x1F3FF }

// isEmoji reports whether a character is a word by itself: an emoji or a sign that is used
// as one.
func isEmoji(r rune) bool {
	switch {
	case r < 0x2300:
		return false
	case r < 0x2400, 0x2600 <= r && r < 0x27C0, 0x2B00 <= r && r < 0x2C00:
		return unicode.Is(unicode.So, r)
	}
	return isFlag(r) || (0x1F000 <= r && r < 0x1F100 || 0x1F200 <= r && r < 0x1FB00) && unicode.Is(unicode.So, r)
}

// isFlag reports whether a character is half of a flag.
func isFlag(r rune) bool { return 0x1F1E6 <= r && r <= 0x1F1FF }
