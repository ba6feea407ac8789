package segment

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"indexerd/internal/index/analysis"
	_ "indexerd/internal/test/nofailfile"
)

// TestWordsOf compares which characters of a block are of words with what unicode says
// of each, for every ASCII character and every length.
func TestWordsOf(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for c := range byte(unicode.MaxASCII + 1) {
		for n := 1; n <= blockSize; n++ {
			block := make([]byte, n)
			for i := range block {
				block[i] = byte(r.IntN(unicode.MaxASCII + 1))
			}
			block[r.IntN(n)] = c
			want := uint64(0)
			for i, c := range block {
				if r := rune(c); unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' {
					want |= 1 << i
				}
			}
			if of := wordsOf(string(block)); of != want {
				t.Fatalf("block %q: words %b, want %b", block, of, want)
			}
		}
	}
}

// TestShapesOf compares the shapes of a block with what is said of each character.
func TestShapesOf(t *testing.T) {
	isLower := func(c byte) bool { return 'a' <= c && c <= 'z' }
	isUpper := func(c byte) bool { return 'A' <= c && c <= 'Z' }
	isLetter := func(c byte) bool { return isLower(c) || isUpper(c) }
	isWord := func(c byte) bool { return isLetter(c) || isDigit(c) }
	rapid.Check(t, func(t *rapid.T) {
		block := rapid.StringOfN(rapid.SampledFrom([]rune("azAZ09mM5_ -.,'&+#(/:@[`{\x00\x7f")), 1, blockSize, -1).Draw(t, "block")
		at := func(i int) byte {
			if i < 0 {
				return ' '
			}
			return block[i]
		}
		var of, signs, cuts, hard uint64
		for i := range block {
			c, b, bb := at(i), at(i-1), at(i-2)
			if isWord(c) {
				of |= 1 << i
			}
			if strings.ContainsRune("&'+,-.#", rune(c)) {
				signs |= 1 << i
			}
			if isWord(b) && isWord(c) && isDigit(b) != isDigit(c) || isLower(b) && isUpper(c) {
				cuts |= 1 << i
			}
			if (b == '-' || b == '\'') && isWord(bb) && isWord(c) || b == '&' && isWord(bb) && isLetter(c) || (b == ',' || b == '.') && isDigit(bb) && isDigit(c) || b == '.' && isLetter(c) || isWord(b) && (c == '+' || c == '#') {
				hard |= 1 << i
			}
		}
		if got := shapesOf(block); got.words != of || got.signs != signs || got.cuts != cuts || got.hard != hard {
			t.Fatalf("%q:\ngot  %+v\nwant %b, %b, %b, %b", block, got, of, signs, cuts, hard)
		}
	})
}

// TestPartsOfATextHaveItsTokens compares the words of texts of ASCII characters and
// others with the tokens of the whole text.
func TestPartsOfATextHaveItsTokens(t *testing.T) {
	pieces := []string{"a", "The", "don", "x_7", "'", "'s", "’", "’s", "é", "É", "e\u0301", "\u0301", "中", "文", "ア", "ｆ", "ß", "\xff", " ", "  ", ".", "\n", "-", "&", ",", "+", "#", "12", "345", "B", "/", "_", ".txt", strings.Repeat("Long", 20), strings.Repeat("long", 20), strings.Repeat("é", 200)}
	for _, name := range analyzers {
		a := newSchema(t, name, true).Analyzer
		rapid.Check(t, func(t *rapid.T) {
			text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 40).Draw(t, "pieces"), "")
			type place struct {
				term string
				pos  uint32
			}
			var want, got []place
			a.Each(text, func(t analysis.Token) bool {
				want = append(want, place{t.Term, uint32(t.Pos)})
				return true
			})
			var w words
			w.reset(len(text))
			w.add(a, []string{text}, 100)
			pos := uint32(0)
			for occs := w.occs; len(occs) > 0; occs = occs[1:] {
				if pos++; occs[0] >= jump {
					pos = occs[1]
					got = append(got, place{string(w.text(occs[0] &^ jump)), pos})
					occs = occs[1:]
					continue
				}
				got = append(got, place{string(w.text(occs[0])), pos})
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s, %q: got %v, want %v", name, text, got, want)
			}
		})
	}
}
