package fulltext

import (
	"fmt"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/analysis"
	"indexerd/internal/index/query"
	"indexerd/internal/test/sampletext"
)

// BenchmarkApply writes English texts in batches of 10,000 from two goroutines, as
// a load does. The most reliable figure is us-cpu/doc.
func BenchmarkApply(b *testing.B) {
	const n, size = 40_000, 10_000
	docs := textDocs(b, sampletext.English(n))
	for _, positions := range []bool{true, false} {
		m := textMapping
		m.Positions = positions
		b.Run(fmt.Sprintf("positions=%t", positions), func(b *testing.B) {
			for range b.N {
				b.StopTimer()
				ix, err := Create(filepath.Join(b.TempDir(), "index"), m, 1)
				if err != nil {
					b.Fatal(err)
				}
				before := cpuTime(b)
				b.StartTimer()
				var workers sync.WaitGroup
				for worker := range 2 {
					workers.Go(func() {
						for i := worker * size; i < n; i += 2 * size {
							if err := ix.Apply(docs[i:i+size], nil); err != nil {
								b.Error(err)
							}
						}
					})
				}
				workers.Wait()
				b.StopTimer()
				bytes, err := ix.Bytes()
				if err != nil {
					b.Fatal(err)
				}
				if err := ix.Close(); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64((cpuTime(b)-before).Microseconds())/n, "us-cpu/doc")
				b.ReportMetric(float64(bytes)/n, "bytes/doc")
			}
			b.ReportMetric(float64(b.N*n)/b.Elapsed().Seconds(), "docs/s")
		})
	}
}

// BenchmarkLatest loads English texts with analyzers of version First and Latest, one after
// the other. Its figures are those of Latest, divided by those of First. An index of more
// than 1.08 of the bytes is too large. A CPU ratio of 1.35 is 1.10 of a whole load, which
// also reads rows and writes pages.
func BenchmarkLatest(b *testing.B) {
	const n, size = 40_000, 10_000
	docs := textDocs(b, outsideTexts(b, "en.jsonl.gz", n))
	cpu, bytes := map[int]float64{}, map[int]float64{}
	for i := range 2 * b.N {
		m := textMapping
		m.AnalysisVersion = []int{analysis.First, analysis.Latest}[(i+i/2)%2]
		before := cpuTime(b)
		ix, err := Create(filepath.Join(b.TempDir(), "index"), m, 1)
		if err != nil {
			b.Fatal(err)
		}
		for from := 0; from < n; from += size {
			if err := ix.Apply(docs[from:from+size], nil); err != nil {
				b.Fatal(err)
			}
		}
		all, err := ix.Bytes()
		if err == nil {
			err = ix.Close()
		}
		if err != nil {
			b.Fatal(err)
		}
		cpu[m.AnalysisVersion] += float64((cpuTime(b) - before).Microseconds())
		bytes[m.AnalysisVersion] += float64(all)
	}
	b.ReportMetric(cpu[analysis.Latest]/cpu[analysis.First], "cpu-ratio")
	b.ReportMetric(bytes[analysis.Latest]/bytes[analysis.First], "bytes-ratio")
	b.ReportMetric(cpu[analysis.Latest]/float64(b.N*n), "us-cpu/doc")
}

// BenchmarkLatestSearch searches English texts in indexes of version First and Latest, without
// and with the stems of English, in turns. Each figure is the CPU of Latest, divided by that
// of First, of one kind of search in the tuned order.
func BenchmarkLatestSearch(b *testing.B) {
	const n = 40_000
	docs := textDocs(b, outsideTexts(b, "en.jsonl.gz", n))
	kinds := map[string]string{"word": "world", "AND": "world time", "OR": "house OR river OR music", "phrase": `"the time"`, "prefix": "hous*"}
	for _, language := range []string{"", "en"} {
		var of [2]*Index
		for i, version := range []int{analysis.First, analysis.Latest} {
			m := textMapping
			if m.AnalysisVersion = version; language == "en" && version == analysis.First {
				m.Analyzer = language
			} else {
				m.Language = language
			}
			of[i] = newIndex(b, m)
			apply(b, of[i], docs)
		}
		for kind, text := range kinds {
			b.Run(language+kind, func(b *testing.B) {
				var cpu [2]time.Duration
				for b.Loop() {
					for i, ix := range of {
						before := cpuTime(b)
						if res := ask(b, ix, text, func(r *query.Request) { r.Tuned = true }); res.Total == 0 {
							b.Fatalf("%s finds nothing", text)
						}
						cpu[i] += cpuTime(b) - before
					}
				}
				b.ReportMetric(float64(cpu[1])/float64(cpu[0]), "cpu-ratio")
				b.ReportMetric(float64(cpu[1].Microseconds())/float64(b.N), "us-cpu/search")
			})
		}
	}
}

// cpuTime returns the processor time that this process has used.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkDocuments lists a million documents in key order, as a sweep does, and as one
// divides them into ranges.
func BenchmarkDocuments(b *testing.B) {
	const all, batch = 1_000_000, 10_000
	ix := newIndex(b, films)
	for from := int64(0); from < all; from += batch {
		docs := make([]doc.Doc, batch)
		for i := range docs {
			docs[i] = film(b, from+int64(i), 1, map[string]any{"title": "drama"})
		}
		apply(b, ix, docs)
	}
	for _, step := range []int{10_000, 500} {
		b.Run(fmt.Sprint(step), func(b *testing.B) {
			for b.Loop() {
				n := 0
				for from, more := doc.OID(""), true; more; more = from != "" {
					docs, next, err := ix.Documents(from, step)
					if err != nil {
						b.Fatal(err)
					}
					n += len(docs)
					from = next
				}
				if n != all {
					b.Fatalf("got %d documents, want %d", n, all)
				}
			}
		})
	}
}
