package segment

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	segment "github.com/blevesearch/scorch_segment_api/v2"

	"indexerd/internal/test/sampletext"
)

// BenchmarkBuild builds a segment of 10,000 texts, of ASCII characters or with others.
func BenchmarkBuild(b *testing.B) {
	const rows = 10_000
	mixed := sampletext.English(rows)
	ascii := make([]string, rows)
	for i, text := range mixed {
		ascii[i] = strings.Map(func(c rune) rune { return c & 0x7f }, text)
	}
	for name, texts := range map[string][]string{"ascii": ascii, "mixed": mixed} {
		b.Run(name, func(b *testing.B) {
			docs := documentsOf(newSchema(b, "standard", true), textRows(texts, 0))
			p := new(Plugin)
			for b.Loop() {
				one, _, err := p.New(docs)
				if err != nil {
					b.Fatal(err)
				}
				one.Close()
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/rows, "us/row")
		})
	}
}

// BenchmarkMerge merges ten segments of 10,000 English texts each.
func BenchmarkMerge(b *testing.B) {
	const segments, rows = 10, 10_000
	s := newSchema(b, "standard", true)
	p := new(Plugin)
	var all []segment.Segment
	for part := range slices.Chunk(textRows(sampletext.English(segments*rows), 0), rows) {
		one, _, err := p.New(documentsOf(s, part))
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, one)
	}
	path := filepath.Join(b.TempDir(), "merged.zap")
	for b.Loop() {
		if _, _, err := p.Merge(all, make([]*roaring.Bitmap, segments), path, make(chan struct{}), nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/(segments*rows), "us/row")
}
