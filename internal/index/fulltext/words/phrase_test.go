package words

import (
	"math/rand/v2"
	"slices"
	"testing"

	"indexerd/internal/index/analysis"
)

func TestPhrase(t *testing.T) {
	for _, c := range []struct {
		analyzer, text string
		want           Phrase
	}{
		{"standard", "the", nil},
		{"standard", "drama", Phrase{{Term: "drama"}}},
		{"standard", "the man of the year and", Phrase{{Term: "man"}, {}, {}, {Term: "year"}}},
		{"cjk", "今", Phrase{{Term: "今", Prefix: true}}},
		{"cjk", "今夜", Phrase{{Term: "今夜"}}},
		{"cjk", "今夜月", Phrase{{Term: "今夜"}, {Term: "夜月"}}},
		{"cjk", "今 a", Phrase{{Term: "今"}, {}, {Term: "a"}}},
		{"cjk", "a 今", Phrase{{Term: "a"}, {Term: "今", Prefix: true}}},
		{"cjk", "今夜 月", Phrase{{Term: "今夜"}, {Term: "夜"}, {}, {Term: "月", Prefix: true}}},
	} {
		a, err := analysis.New(analysis.Spec{Name: c.analyzer, Stopwords: []string{"and", "of", "the"}})
		if err != nil {
			t.Fatal(err)
		}
		if got := (Analyzer{a}).Phrase(c.text); !slices.Equal(got, c.want) {
			t.Errorf("%s %q: got %v, want %v", c.analyzer, c.text, got, c.want)
		}
	}
}

// Adjacent finds what Each finds without slop.
func TestAdjacent(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		sp := make(Positions, 2+r.IntN(4))
		for i := range sp {
			if i > 0 && i < len(sp)-1 && r.IntN(4) == 0 {
				continue // any word
			}
			sp[i] = []int{}
			for p := range 12 {
				if r.IntN(2) == 0 {
					sp[i] = append(sp[i], p+1)
				}
			}
		}
		want := 0
		if err := sp.Each(0, func() error { return nil }, func([]int, int) bool { want++; return true }); err != nil {
			t.Fatal(err)
		}
		from := []int{9, 9, 9, 9, 9, 9}[:len(sp)]
		if got := sp.Adjacent(from, false); got != want {
			t.Fatalf("%v: got %d matches, want %d", sp, got, want)
		}
		if got := sp.Adjacent(from, true); got != min(want, 1) {
			t.Fatalf("%v: got %d of %d matches", sp, got, want)
		}
	}
}
