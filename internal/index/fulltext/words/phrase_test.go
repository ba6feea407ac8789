package words

import (
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
