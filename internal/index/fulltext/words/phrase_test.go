package fulltext

import (
	"slices"
	"testing"

	"indexerd/internal/index/analysis"
)

func TestPhrase(t *testing.T) {
	for _, c := range []struct {
		analyzer, text string
		want           phrase
	}{
		{"standard", "the", nil},
		{"standard", "drama", phrase{{term: "drama"}}},
		{"standard", "the man of the year and", phrase{{term: "man"}, {}, {}, {term: "year"}}},
		{"cjk", "今", phrase{{term: "今", prefix: true}}},
		{"cjk", "今夜", phrase{{term: "今夜"}}},
		{"cjk", "今夜月", phrase{{term: "今夜"}, {term: "夜月"}}},
		{"cjk", "今 a", phrase{{term: "今"}, {}, {term: "a"}}},
		{"cjk", "a 今", phrase{{term: "a"}, {term: "今", prefix: true}}},
		{"cjk", "今夜 月", phrase{{term: "今夜"}, {term: "夜"}, {}, {term: "月", prefix: true}}},
	} {
		a, err := analysis.New(c.analyzer, []string{"and", "of", "the"})
		if err != nil {
			t.Fatal(err)
		}
		if got := (analyzer{a}).phrase(c.text); !slices.Equal(got, c.want) {
			t.Errorf("%s %q: got %v, want %v", c.analyzer, c.text, got, c.want)
		}
	}
}
