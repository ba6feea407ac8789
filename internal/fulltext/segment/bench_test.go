package segment

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	index "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"

	"indexerd/internal/sampletext"
)

// BenchmarkMerge merges ten segments of 10,000 English texts each.
func BenchmarkMerge(b *testing.B) {
	const segments, rows = 10, 10_000
	s := newSchema(b, "standard", true)
	var docs []index.Document
	for i, text := range sampletext.English(segments * rows) {
		docs = append(docs, s.Document(Row{ID: fmt.Sprint(i), Stored: []byte("1"), Texts: [][]string{{text}}, Values: [][]string{{"kind"}, {fmt.Sprintf("%08d", i)}}}))
	}
	p := new(Plugin)
	var all []segment.Segment
	for part := range slices.Chunk(docs, rows) {
		one, _, err := p.New(part)
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
