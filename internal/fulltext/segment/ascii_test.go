package segment

import (
	"math/rand/v2"
	"testing"
	"unicode"
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
