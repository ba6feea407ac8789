// Package sampletext generates texts for tests: in an alphabet with spaces between
// words, and in Chinese without. The same number gives the same texts, and some
// words are far more frequent than others, as in a language.
package sampletext

import (
	"math/rand/v2"
	"strings"
)

// English returns n texts of about 400 bytes. Most words are invented.
func English(n int) []string {
	r := rand.New(rand.NewPCG(1, 2))
	words := []string{"the", "of", "a", "and", "it's", "user's", "git.exe", "x86-64", "foo_bar", "3.14", "naïve", "Café", "don’t", "e\u0301te\u0301"}
	for len(words) < 5000 {
		word := ""
		for range 1 + r.IntN(3) {
			word += string("bcdfghklmnprstvw"[r.IntN(16)]) + string("aeiouy"[r.IntN(6)])
		}
		words = append(words, word+[]string{"", "s", "n", "ing", "ed"}[r.IntN(5)])
	}
	return compose(r, n, words, []string{" ", " ", " ", " ", ", ", ". ", "\n", " (", ") ", "; "}, 65)
}

// Chinese returns n texts of about 80 characters.
func Chinese(n int) []string {
	r := rand.New(rand.NewPCG(3, 4))
	var words []string
	for c := '一'; c < '一'+1500; c++ {
		words = append(words, string(c))
	}
	words = append(words, "１２", "abc", "タワー", "서울")
	return compose(r, n, words, []string{"", "", "", "", "", "，", "。", " ", "《", "》\n"}, 80)
}

// compose joins words of a Zipf distribution by random separators.
func compose(r *rand.Rand, n int, words, separators []string, size int) []string {
	word := rand.NewZipf(r, 1.1, 8, uint64(len(words)-1))
	texts := make([]string, n)
	for i := range texts {
		var b strings.Builder
		for range size/2 + r.IntN(size) {
			w := words[word.Uint64()]
			if r.IntN(10) == 0 {
				w = strings.ToUpper(w)
			}
			b.WriteString(w + separators[r.IntN(len(separators))])
		}
		texts[i] = b.String()
	}
	return texts
}
