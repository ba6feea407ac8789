package demo

import (
	"testing"
	"time"

	"indexerd/internal/doc"
)

func BenchmarkCreate(b *testing.B) {
	for b.Loop() {
		if err := Create(b.Context(), Config{Dir: b.TempDir()}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkIdleWindow is what an incremental pass asks every second.
func BenchmarkIdleWindow(b *testing.B) {
	c := Config{Dir: b.TempDir()}
	create(b, c)
	t := table(b, c)
	for b.Loop() {
		now, err := t.Now(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		for stamps, err := range t.Stamps(b.Context(), doc.Window{From: now.Add(-2 * time.Second), To: now}) {
			if err != nil {
				b.Fatal(err)
			}
			b.Fatalf("%d stamps in an idle window", len(stamps))
		}
	}
}

// BenchmarkLoad reads all documents, BenchmarkStamps all stamps.
func BenchmarkLoad(b *testing.B) {
	c := Config{Dir: b.TempDir()}
	create(b, c)
	t := table(b, c)
	n := 0
	for b.Loop() {
		for batch, err := range t.Range(b.Context(), doc.Range{}) {
			if err != nil {
				b.Fatal(err)
			}
			n += len(batch.Docs)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/row")
}

func BenchmarkStamps(b *testing.B) {
	c := Config{Dir: b.TempDir()}
	create(b, c)
	t := table(b, c)
	n := 0
	for b.Loop() {
		for stamps, err := range t.Stamps(b.Context(), doc.Window{To: time.Now()}) {
			if err != nil {
				b.Fatal(err)
			}
			n += len(stamps)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/row")
}
