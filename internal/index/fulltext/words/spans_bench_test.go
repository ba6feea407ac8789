package words

import (
	"context"
	"testing"

	"indexerd/internal/index/analysis"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
	"indexerd/internal/test/sampletext"
)

// BenchmarkMatcher finds the matches in texts of about 400 bytes, as highlights do.
func BenchmarkMatcher(b *testing.B) {
	s, err := schema.New(schema.Mapping{Content: []string{"body"}, Analyzer: "standard", AnalysisVersion: analysis.Latest, Positions: true})
	if err != nil {
		b.Fatal(err)
	}
	texts := sampletext.English(100)
	for _, text := range []string{"the", `"of the"`, "th*", "the OR of OR and OR git.exe"} {
		n, err := query.Parse(text)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(text, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if i%10 == 0 {
					matcher = NewMatcher(s, n)
				}
				if _, err := matcher(b.Context(), "body", texts[i%len(texts)]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

var matcher func(ctx context.Context, field, text string) ([]query.Span, error)
