package analysis

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// An engine of another language may split texts itself, if its words are the matches of
// Pattern, each in lower case, cut after MaxWord characters, and without Stopwords. Then
// its terms are those of the analyzer standard of version First, at the same positions, for every text that
// Plain returns. No other analyzer has a Pattern.

// Pattern returns a regular expression that matches words, as an alternative of two
// classes of characters. "" if the analyzer has words of another kind.
//
// The classes are short, because a cluster makes an automaton of them for each index: they
// have some characters between words too, which are rare or not assigned. Plain replaces
// these.
func (a *Analyzer) Pattern() string {
	if a.latest || a.stem || !a.words || a.other('今') != single {
		return ""
	}
	return class(standardRanges(), letter) + "+|" + class(standardRanges(), single)
}

// A wordRange is a range of the characters of words of one kind in Pattern.
type wordRange struct {
	first, last rune
	kind        kind
}

// standardRanges are in order.
var standardRanges = sync.OnceValue(func() (all []wordRange) {
	for _, r := range wordRunes() {
		k := standardKind(r)
		if n := len(all) - 1; n >= 0 && all[n].kind == k && mayJoin(all[n].last, r) {
			all[n].last = r
		} else {
			all = append(all, wordRange{r, r, k})
		}
	}
	return all
})

// mayJoin reports whether no character between two can be expected in a text.
func mayJoin(from, to rune) bool {
	for r := from + 1; r < to; r++ {
		if !isRare(r) && (unicode.IsGraphic(r) || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co)) {
			return false
		}
	}
	return true
}

// isRare reports whether a character is in the blocks of scripts of few texts.
func isRare(r rune) bool {
	return 0x2C00 <= r && r < 0x2E00 || 0xA000 <= r && r < 0xE000 || 0x10000 <= r && r < 0x1F000
}

// wordRunes returns the characters of words in order.
func wordRunes() []rune {
	all := []rune{'_'}
	for _, table := range []*unicode.RangeTable{unicode.Letter, unicode.Digit, unicode.Mark} {
		for _, r := range table.R16 {
			for c := rune(r.Lo); c <= rune(r.Hi); c += rune(r.Stride) {
				all = append(all, c)
			}
		}
		for _, r := range table.R32 {
			for c := rune(r.Lo); c <= rune(r.Hi); c += rune(r.Stride) {
				all = append(all, c)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// class writes the ranges of a kind. None of the characters has a meaning in one.
func class(all []wordRange, k kind) string {
	var b strings.Builder
	b.WriteByte('[')
	for _, r := range all {
		if r.kind != k {
			continue
		}
		if b.WriteRune(r.first); r.last > r.first {
			b.WriteByte('-')
			b.WriteRune(r.last)
		}
	}
	b.WriteByte(']')
	return b.String()
}

// patternKind returns what Pattern takes a character for.
func patternKind(r rune) kind {
	all := standardRanges()
	i, found := slices.BinarySearchFunc(all, r, func(w wordRange, r rune) int { return cmp.Compare(w.last, r) })
	if found || i < len(all) && all[i].first <= r {
		return all[i].kind
	}
	return gap
}

// Stopwords returns the terms that are dropped, in the order of bytes.
func (a *Analyzer) Stopwords() []string { return slices.Sorted(maps.Keys(a.stop)) }

// HasTerm reports whether a text has any term.
func (a *Analyzer) HasTerm(text string) (has bool) {
	if len(a.stop) == 0 {
		for at := 0; at < len(text); {
			k, size := a.kind(text, at)
			if k != gap {
				return true
			}
			at += size
		}
		return false
	}
	a.Each(text, func(Token) bool { has = true; return false })
	return has
}

// Plain returns a text with the same terms at the same positions, for which Pattern is
// exact, and which any Unicode since 13.0 makes lower case alike. That is the text itself,
// unless it has a full-width letter, a capital letter or a sign of a rare script, or a long
// word whose bytes are not its characters. Then it is folded.
func (a *Analyzer) Plain(text string) string {
	for i := 0; i < len(text); i++ {
		if text[i] >= utf8.RuneSelf {
			if !a.plainFrom(text) {
				return a.folded(lowerASCII(text))
			}
			return text
		}
	}
	return text
}

// lastCommon is the last of the characters whose lower case has not changed since
// Unicode 13.0.
const lastCommon = 0x2BFF

// maxPlain is the size of a word that is not longer than MaxWord in lower case, which
// may need half as many bytes more.
const maxPlain = MaxWord * 2 / 3

func (a *Analyzer) plainFrom(text string) bool {
	start, others := 0, false // of the word
	for at, r := range text {
		ascii := r < utf8.RuneSelf
		k := a.ascii[r&0x7F]
		if !ascii {
			k = a.other(r)
			if k != patternKind(r) || k != gap && r > lastCommon && foldRune(r) != r {
				return false
			}
		}
		if k != letter {
			start, others = at+1, false
			continue
		}
		if others = others || !ascii; others && at-start >= maxPlain {
			return false
		}
	}
	return true
}

// folded returns a text with its words as terms, those that are dropped too.
func (a *Analyzer) folded(lower string) string {
	var b strings.Builder
	for at := 0; at < len(lower); {
		k, size := a.kind(lower, at)
		end := at + size
		switch k {
		case letter:
			end = a.run(lower, at, k)
			b.WriteString(cut(fold(lower[at:end])))
		case gap:
			b.WriteByte(' ')
		default:
			b.WriteString(fold(lower[at:end]))
		}
		at = end
	}
	return b.String()
}
